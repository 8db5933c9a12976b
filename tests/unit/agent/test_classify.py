"""Which problem the CLI's words mean."""

from __future__ import annotations

import pytest

from ccq_tui.agent.claude.classify import api_problem, detail
from ccq_tui.agent.claude.cli_process import is_too_old
from ccq_tui.agent.problems import ADVICE, Problem

# What CLI 2.1.330 said.
SAID = [
    ("authentication_failed", "Invalid API key · Fix external API key", Problem.KEY_REFUSED),
    ("authentication_failed", "Failed to authenticate. API Error: 403 no", Problem.KEY_REFUSED),
    ("authentication_failed", "Not logged in · Please run /login", Problem.NOT_SIGNED_IN),
    ("billing_error", "Credit balance is too low", Problem.UNPAID),
    ("rate_limit", "API Error: Request rejected (429) · slow", Problem.RATE_LIMIT),
    ("server_error", "API Error: 529 Overloaded. This is a server-side issue, usually", Problem.OVERLOADED),
    ("server_error", "API Error: Repeated 529 Overloaded errors. Try later", Problem.OVERLOADED),
    ("server_error", "API Error: 500 internal. This is a server-side issue, usually", Problem.SERVER),
    ("server_error", "API Error: Connection refused — a firewall (ECONNREFUSED)", Problem.NO_NETWORK),
    ("server_error", "API Error: Can't reach the API server — check your (ENOTFOUND)", Problem.NO_NETWORK),
    ("unknown", "API Error: Unable to connect to API (ECONNRESET)", Problem.NO_NETWORK),
    ("model_not_found", "There's an issue with the selected model (x).", Problem.MODEL_MISSING),
    ("invalid_request", "Prompt is too long · the request is ~210000 tokens", Problem.CONTEXT_FULL),
    ("invalid_request", "Request too large (max 32MB). Accumulated images", Problem.CONTEXT_FULL),
    ("invalid_request", "API Error: 400 messages: bad", Problem.REQUEST_REFUSED),
    ("unknown", "API Error: 400 messages: bad", Problem.REQUEST_REFUSED),
    ("unknown", "API Error: something odd", Problem.SERVER),
    ("brand_new", "Something else", "brand_new"),
]


@pytest.mark.parametrize(("kind", "text", "problem"), SAID)
def test_what_the_cli_reports_is_one_of_our_problems(kind: str, text: str, problem: str) -> None:
    assert api_problem(kind, text) == problem


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("API Error: Request rejected (429) · slow", "Request rejected (429) · slow"),
        ("Not logged in · Please run /login", "Not logged in"),
        (
            "API Error: 500 internal. This is a server-side issue, usually temporary — try again.",
            "500 internal.",
        ),
        ("Failed to authenticate. API Error: 403 no", "403 no"),
        ("  Credit balance is too low\n", "Credit balance is too low"),
    ],
)
def test_what_we_say_better_is_left_out(said: str, left: str) -> None:
    assert detail(said) == left


@pytest.mark.parametrize(
    ("version", "old"),
    [("1.0.128 (Claude Code)", True), ("2.0.0", False), ("2.1.330 (Claude Code)", False), ("", False)],
)
def test_versions_are_compared_as_numbers(version: str, old: bool) -> None:
    assert is_too_old(version) is old


def test_every_problem_has_a_cause_and_a_remedy_of_one_sentence_each() -> None:
    assert set(ADVICE) == set(Problem)
    for known in ADVICE.values():
        assert known.cause.endswith(".")
        assert known.remedy.endswith(".")
        assert known.cause.count(". ") == known.remedy.count(". ") == 0
    assert ADVICE.get("brand_new") is None
