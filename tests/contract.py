"""Calls of an API, made up by Schemathesis, whose responses must conform to its own OpenAPI document."""

from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings

# More bodies and queries for each call find nothing new, and take long.
TRIES = settings(
    max_examples=6,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
    derandomize=True,
    database=None,
)


def try_all(url: str, headers: Mapping[str, Mapping[str, str]], meant: Callable[[Any], None]) -> None:
    """Make every call but the streams, which have no end, each with a token that it takes.

    Args:
        url: Where the API is served.
        headers: The headers of each role, which the document has as tags.
        meant: Puts ids that there are in the place of those that Schemathesis made up.
    """
    import schemathesis  # it takes seconds, which no other worker needs to spend
    from schemathesis.specs.openapi.checks import positive_data_acceptance

    # There are rules that no schema says: times, indices, what is one's own.
    more: dict[str, Any] = {"base_url": url, "timeout": 30, "excluded_checks": [positive_data_acceptance]}
    schema = schemathesis.openapi.from_url(f"{url}/openapi.json")

    def check(case: Any, headers: Mapping[str, str]) -> None:
        meant(case)
        case.call_and_validate(headers=dict(headers), **more)

    for found in schema.get_all_operations():
        operation = found.ok()
        described = operation.definition.raw
        if "text/event-stream" not in described["responses"]["200"]["content"]:
            of = described.get("tags")
            TRIES(given(case=operation.as_strategy())(check))(headers=headers[of[0]] if of else {})
