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
        (Allowed(), "allowed once"),
        (Allowed("quietly"), "allowed once: “quietly”"),
        (
            Allowed(suggestion=ALWAYS),
            "allowed in this project from now on · In this project, always: commands that begin with `make`",
        ),
        (Allowed(suggestion=ACCEPT), "allowed for this session · For this session: accept every file edit"),
    ],
)
def test_a_permission_says_what_was_granted(outcome: Allowed, words: str) -> None:
    data = model()
    data.apply(ev.ToolStarted("t", "Bash", {"command": "make"}))
    data.apply(ev.PermissionAsked(PermissionRequest("t", "s", "Bash", {"command": "make"})))
    data.apply(ev.RequestSettled("t@s", outcome))
    short = words.partition(" · ")[0]
    assert shown(data, 160) == f"▸ Bash make · {short}"
    data.set_folds(folded=False)
    assert words in shown(data, 160)


@pytest.mark.parametrize(
    ("outcome", "words", "plan"),
    [
        (Allowed(mode="default"), "approved 12:05 · default mode", "1. Split"),
        (
            Allowed(mode="acceptEdits", plan="1. Mine"),
            "approved as edited 12:05 · accept edits mode",
            "1. Mine",
        ),
        (Allowed(), "approved 12:05", "1. Split"),
    ],
)
def test_a_plan_says_how_it_was_approved_and_is_what_was_approved(
    outcome: Allowed, words: str, plan: str
) -> None:
    data = model()
    data.apply(ev.PlanProposed(PlanRequest("p", "s", "1. Split")))
    data.apply(ev.RequestSettled("p@s", outcome))
    text = shown(data, 100)
    assert f"▤ Plan · 1 line · {words}\n  │ {plan}" in text
    assert text.count("1. ") == 1
