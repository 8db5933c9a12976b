"""An API in trouble: what the CLI repeats by itself, what it reports, and the recovery."""

from __future__ import annotations

from ccq_tui.testing.scenario import Scenario

# The CLI sends a request that was answered with 404 once more, without streaming, before it gives up.
_REQUESTS_UNTIL_404_SHOWS = 2


def api_errors() -> Scenario:
    """401, 429, 529 and a cut stream, each followed by success; then an error that ends a turn."""
    return (
        Scenario("api_errors", title="A rough morning")
        .fails(429, "Too many requests, slow down.", retry_after=1)
        .fails(529, "Overloaded")
        .says("The first part of an answer arrives, and then the line goes")
        .cuts(after=40)
        .fails(401, "invalid x-api-key")
        .says(
            "Four failures later the answer is complete. The next prompt fails for good; the one after works."
        )
        .ends_turn()
        .fails(404, "model: not found", times=_REQUESTS_UNTIL_404_SHOWS)
        .ends_turn()
        .says("Everything works again.")
    )
