"""What became of permissions, plans and forms, and of errors, as the transcript and its exports keep it."""

import json
from datetime import UTC, datetime

import pytest

from ccq_tui.agent import events as ev
from ccq_tui.agent.problems import Problem
from ccq_tui.inbox.requests import Allowed, Cancelled, Denied, PermissionRequest, PlanRequest, RequestOutcome
from ccq_tui.inbox.suggestions import Rule, Suggestion
from ccq_tui.questions import Answer, Answered, Declined, Dismissed
from ccq_tui.transcript.export import export_json, export_markdown
from ccq_tui.transcript.model import TranscriptModel
from ccq_tui.widgets.transcript.painter import plain_text
from tests.tables import each_row
from tests.ui.forms import BROKEN, DEPLOY, LINK, asked
from tests.unit.transcript.test_drawing import model, shown

ALWAYS = Suggestion("addRules", "localSettings", (Rule("Bash", "make *"),), "allow")
ACCEPT = Suggestion("setMode", mode="acceptEdits")
EXACTLY = Suggestion("addRules", "session", (Rule("Bash", "make"),), "allow")
ELSEWHERE = Suggestion("addDirectories", directories=("/b",))


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (Allowed(), "allowed once"),
        (Allowed("quietly"), "allowed once: “quietly”"),
        (Allowed(suggestion=ALWAYS), "allowed always in this project: commands that begin with `make`"),
        (Allowed(suggestion=EXACTLY), "allowed for this session: exactly this command"),
        (Allowed(suggestion=ACCEPT), "allowed · accept edits mode for this session"),
        (Allowed(suggestion=ELSEWHERE), "allowed · works in /b for this session"),
    ],
)
def test_a_permission_says_what_was_granted(data: TranscriptModel, outcome: Allowed, words: str) -> None:
    data.apply(ev.ToolStarted("t", "Bash", {"command": "make"}))
    data.apply(ev.RequestAsked(PermissionRequest("t", "s", "Bash", {"command": "make"})))
    data.apply(ev.RequestSettled("t@s", outcome))
    for folded in (True, False):
        data.set_folds(folded=folded)
        assert shown(data, 160) == f"✻ Bash make · {words}"


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
        (Denied("tests first"), "kept planning 12:05\n » tests first", "1. Split"),
    ],
)
def test_a_plan_says_what_became_of_it_and_is_what_was_approved(
    data: TranscriptModel, outcome: RequestOutcome, words: str, plan: str
) -> None:
    data.apply(ev.RequestAsked(PlanRequest("p", "s", "1. Split")))
    data.apply(ev.RequestSettled("p@s", outcome))
    text = shown(data, 100)
    sign = "✔" if isinstance(outcome, Allowed) else "■"
    assert f"{sign} Plan · 1 line · {words}\n  │ {plan}" in text
    assert text.count("1. ") == 1


def test_a_permission_without_a_call_has_a_card_of_its_own() -> None:
    assert card(Allowed(), PermissionRequest("u", "s", "Write", {"file_path": "a.py"})) == (
        "✔ Write a.py · allowed once"
    )


def test_entering_plan_mode_is_a_line_and_the_file_of_the_plan_has_no_card(data: TranscriptModel) -> None:
    data.apply(ev.Connected("s", "m", "default", "/srv/api"))
    mine, other = "/home/me/.claude/plans/calm-red-fox.md", "/srv/api/.claude/plans/own.md"
    for name, tool, path in (("1", "EnterPlanMode", ""), ("2", "Write", mine), ("3", "Edit", mine)):
        data.apply(ev.ToolStarted(name, tool, {"file_path": path, "content": "1. Split"} if path else {}))
        data.apply(ev.ToolFinished(name, tool, "You should now focus on exploring"))
    data.apply(ev.RequestAsked(PlanRequest("p", "s", "1. Split")))
    assert shown(data, 100) == "· Entered plan mode\n\n◆ Plan · 1 line · waiting for you\n  │ 1. Split"
    data.apply(ev.ToolStarted("4", "Write", {"file_path": mine}))
    data.apply(ev.ToolFinished("4", "Write", "no space left", is_error=True))
    data.apply(ev.ToolStarted("5", "Write", {"file_path": other, "content": "x"}))
    assert [line.split()[1:3] for line in shown(data, 100).splitlines() if mine in line or "own" in line] == [
        ["Write", mine],
        ["Write", ".claude/plans/own.md"],
    ]


FORM = asked({"properties": {name: DEPLOY["properties"][name] for name in ("name", "mail", "tags")}})
FILLED = Answered((Answer(other="Ada"), Answer(), Answer(selected=("x", "z"))))
AT = datetime(2025, 1, 2, 12, 5, tzinfo=UTC)


def card(outcome: RequestOutcome | None, request: object = FORM) -> str:
    data = model()
    data.apply(ev.RequestAsked(request))  # type: ignore[arg-type]
    if outcome is not None:
        data.apply(ev.RequestSettled(request.id, outcome))  # type: ignore[attr-defined]
    return shown(data, 80)


@each_row(
    (None, "waiting for you"),
    (FILLED, "accepted 12:05"),
    (Declined(), "declined 12:05"),
    (Dismissed(), "cancelled 12:05"),
    (Cancelled("interrupted"), "cancelled: interrupted · 12:05"),
)
def test_a_form_says_how_it_ended(outcome: RequestOutcome | None, words: str) -> None:
    drawn = card(outcome)
    sign = "◆" if outcome is None else "✔" if outcome is FILLED else "■"
    assert f"{sign} Form of deploy · {words}" in drawn
    assert ("\n  Please give deployment details" in drawn) == (outcome is not None)
    assert ("Your name  Ada" in drawn) == (outcome is FILLED)


def test_the_values_of_a_form_are_shown() -> None:
    drawn = card(FILLED)
    for line in ("\n  Your name  Ada", "\n  Mail  left empty", "\n  Tags  x, z"):
        assert line in drawn


def test_a_link_and_a_form_that_cannot_be_used_are_shown() -> None:
    assert card(None, LINK) == "◆ Link of deploy · waiting for you"
    assert f"\n  {LINK.url}" in card(Declined(), LINK)
    assert "⚠ field “name” contradicts itself: its minLength is above its maxLength" in card(
        Declined(), BROKEN
    )


def test_exports_have_what_the_server_got(data: TranscriptModel) -> None:
    data.apply(ev.RequestAsked(FORM))
    data.apply(ev.RequestSettled(FORM.id, FILLED))
    (record,) = json.loads(export_json(data.blocks, session={}, at=AT, draw=plain_text))["blocks"]
    assert (record["kind"], record["server"]) == ("form", "deploy")
    assert record["message"] == "Please give deployment details"
    assert [(one["other"], one["selected"]) for one in record["outcome"]["answers"]] == [
        ("Ada", []),
        ("", []),
        ("", ["x", "z"]),
    ]
    written = export_markdown(data.blocks, session={}, at=AT, draw=plain_text)
    assert "### Form · answered\n\n```\ndeploy asks: Please give deployment details" in written
    assert "→ x, z\n```" in written


def test_a_card_says_cause_detail_remedy_and_key(data: TranscriptModel) -> None:
    data.apply(ev.ErrorReported(Problem.OVERLOADED, "529 Overloaded."))
    data.offer("F6 send it again")
    assert shown(data) == (
        "✖ The API is overloaded.\n  529 Overloaded.\n"
        "  → Wait a moment, then send the prompt again.\n  F6 send it again"
    )
    data.offer("")
    assert "F6" not in shown(data)


def test_only_the_newest_error_that_has_a_remedy_shows_a_key(data: TranscriptModel) -> None:
    data.apply(ev.ErrorReported(Problem.OVERLOADED, ""))
    data.offer("F6 send it again")
    data.apply(ev.ErrorReported(Problem.MODEL_MISSING, ""))
    data.offer("F6 choose another model")
    data.apply(ev.ErrorReported("interrupt", "The turn was not interrupted."))
    text = shown(data)
    assert "again.\n\n✖ This model" in text
    assert "F6 choose another model\n\n✖ Interrupt\n  The turn was not interrupted." in text


def test_an_error_that_happens_again_is_counted(data: TranscriptModel) -> None:
    for _ in range(3):
        data.apply(ev.SessionLost("/bin/false is not Claude Code.", kind=Problem.CLI_UNUSABLE))
    assert "✖ Claude Code did not start. · 3 times\n" in shown(data)
    assert shown(data).count("✖") == 1
