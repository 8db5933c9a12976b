"""Calls of an API, made up by Schemathesis, whose responses must conform to its own OpenAPI document."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings

from ccq_tui.remote.relay.app import document
from ccq_tui.remote.relay.endpoints import Endpoint

# More bodies and queries for each call find nothing new, and take long.
TRIES = settings(
    max_examples=6,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
    derandomize=True,
    database=None,
)


def try_all(
    url: str,
    endpoints: Iterable[Endpoint],
    headers: Mapping[str, Mapping[str, str]],
    meant: Callable[[Any], None],
) -> None:
    """Make every call but the streams, which have no end, each with a token that it takes.

    Args:
        url: Where the API is served.
        endpoints: Its endpoints.
        headers: The headers of each role.
        meant: Puts ids that there are in the place of those that Schemathesis made up.
    """
    import schemathesis  # it takes seconds, which no other worker needs to spend
    from schemathesis.specs.openapi.checks import positive_data_acceptance

    # There are rules that no schema says: times, indices, what is one's own.
    more: dict[str, Any] = {"base_url": url, "timeout": 30, "excluded_checks": [positive_data_acceptance]}
    by_call = {
        (one.method, one.path): one.roles for one in endpoints if one.returns or "event" not in one.media
    }
    schema = schemathesis.openapi.from_dict(json.loads(json.dumps(document(endpoints, "An API"))))

    def check(case: Any, headers: Mapping[str, str]) -> None:
        meant(case)
        case.call_and_validate(headers=dict(headers), **more)

    for found in schema.get_all_operations():
        operation = found.ok()
        of = by_call.pop((operation.method.upper(), operation.path), None)
        if of is not None:
            TRIES(given(case=operation.as_strategy())(check))(headers=headers[of[0]] if of else {})
    assert by_call == {}
