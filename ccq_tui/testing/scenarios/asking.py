"""Questions of one kind each: single and multi."""

from __future__ import annotations

from ccq_tui.testing.scenario import Scenario
from ccq_tui.testing.scenarios.ready import DATABASE, choice, unless_refused


def single() -> Scenario:
    """One single-select question with a recommendation."""
    return (
        Scenario("single", title="Database for bookmarks")
        .says(
            "The service stores bookmarks for a few hundred people. One thing decides the rest of the design."
        )
        .asks(DATABASE)
        .then(
            unless_refused(
                lambda a: (
                    f"Noted: {a.answers(1)}.\n\nI keep the storage behind one small interface, "
                    "so that this can change later without touching the handlers."
                )
            )
        )
    )


def multi() -> Scenario:
    """One multi-select question."""
    checks = choice(
        "Which checks should run before every merge?",
        "Checks",
        ("Unit tests", "About 40 seconds"),
        ("Type check", "mypy in strict mode, 12 seconds"),
        ("Lint and format", "ruff, under a second"),
        ("End to end", "Against a real browser, about 6 minutes"),
        multi=True,
    )
    return (
        Scenario("multi", title="Checks before a merge")
        .says("I can set up the pipeline. Pick everything that must be green before a merge.")
        .asks(checks)
        .then(
            unless_refused(
                lambda a: (
                    f"The pipeline will run: {a.answers(1)}.\n\n"
                    "Everything else stays available as a manual job, and runs each night on `main`."
                )
            )
        )
    )
