"""What was decided on permissions and plans, as the transcript keeps it."""

from __future__ import annotations

import pytest

from ccq_tui.agent import events as ev
from ccq_tui.inbox.requests import Allowed, PermissionRequest, PlanRequest
from ccq_tui.inbox.suggestions import Rule, Suggestion
from tests.unit.transcript.test_drawing import model, shown

ALWAYS = Suggestion("addRules", "localSettings", (Rule("Bash", "make *"),), "allow")
ACCEPT = Suggestion("setMode", mode="acceptEdits")


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (Allowed(), "✔ allowed · 12:05"),
        (Allowed("quietly"), "✔ allowed · 12:05: quietly"),
        (
            Allowed(suggestion=ALWAYS),
            "✔ allowed · 12:05 · In this project, always: commands that begin with `make`",
        ),
        (
            Allowed(suggestion=ACCEPT),
            "✔ allowed · 12:05 · For this session: accept every file edit",
        ),
    ],
)
def test_a_permission_says_what_was_granted(outcome: Allowed, words: str) -> None:
    data = model()
    data.apply(ev.ToolStarted("t", "Bash", {"command": "make"}))
    data.apply(ev.PermissionAsked(PermissionRequest("t", "s", "Bash", {"command": "make"})))
    data.apply(ev.RequestSettled("t@s", outcome))
    assert words in " ".join(shown(data, 160).split())


@pytest.mark.parametrize(
    ("outcome", "words", "plan"),
    [
        (Allowed(mode="default"), "✔ approved · default mode · 12:05", "1. Split"),
        (
            Allowed(mode="acceptEdits", plan="1. Mine"),
            "✔ approved as edited by you · accept edits mode · 12:05",
            "1. Mine",
        ),
        (Allowed(), "✔ approved · 12:05", "1. Split"),
    ],
)
def test_a_plan_says_how_it_was_approved_and_is_what_was_approved(
    outcome: Allowed, words: str, plan: str
) -> None:
    data = model()
    data.apply(ev.PlanProposed(PlanRequest("p", "s", "1. Split")))
    data.apply(ev.RequestSettled("p@s", outcome))
    text = shown(data, 100)
    assert f"◆ Claude proposed a plan  {words}\n│ {plan}" in text
    assert text.count("1. ") == 1
