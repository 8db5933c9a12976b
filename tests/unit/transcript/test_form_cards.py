"""What became of the forms of MCP servers, as the transcript and its exports keep it."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from ccq_tui.agent import events as ev
from ccq_tui.inbox.requests import Cancelled, RequestOutcome
from ccq_tui.questions import Answer, Answered, Declined, Dismissed
from ccq_tui.transcript.export import export_json, export_markdown
from ccq_tui.widgets.transcript.painter import plain_text
from tests.ui.forms import BROKEN, DEPLOY, LINK, asked
from tests.unit.transcript.test_drawing import model, shown

FORM = asked({"properties": {name: DEPLOY["properties"][name] for name in ("name", "mail", "tags")}})
FILLED = Answered((Answer(other="Ada"), Answer(), Answer(selected=("x", "z"))))
AT = datetime(2025, 1, 2, 12, 5, tzinfo=UTC)


def card(outcome: RequestOutcome | None, request: object = FORM) -> str:
    data = model()
    data.apply(ev.ElicitationAsked(request))  # type: ignore[arg-type]
    if outcome is not None:
        data.apply(ev.RequestSettled(request.id, outcome))  # type: ignore[attr-defined]
    return shown(data, 80)


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (None, "waiting for you"),
        (FILLED, "accepted 12:05"),
        (Declined(), "declined 12:05"),
        (Dismissed(), "cancelled 12:05"),
        (Cancelled("interrupted"), "cancelled: interrupted · 12:05"),
    ],
)
def test_a_form_says_how_it_ended(outcome: RequestOutcome | None, words: str) -> None:
    said = card(outcome)
    assert f"◆ Form of deploy · {words}" in said
    assert ("\n  Please give deployment details" in said) == (outcome is not None)
    assert ("Your name  Ada" in said) == (outcome is FILLED)


def test_the_values_of_a_form_are_shown() -> None:
    said = card(FILLED)
    for line in ("\n  Your name  Ada", "\n  Mail  left empty", "\n  Tags  x, z"):
        assert line in said


def test_a_link_and_a_form_that_cannot_be_used_are_shown() -> None:
    assert card(None, LINK) == "◆ Link of deploy · waiting for you"
    assert f"\n  {LINK.url}" in card(Declined(), LINK)
    assert "⚠ field “name” contradicts itself: its minLength is above its maxLength" in card(
        Declined(), BROKEN
    )


def test_exports_have_what_the_server_got() -> None:
    data = model()
    data.apply(ev.ElicitationAsked(FORM))
    data.apply(ev.RequestSettled(FORM.id, FILLED))
    (record,) = json.loads(export_json(data.blocks, session={}, at=AT, draw=plain_text))["blocks"]
    assert (record["kind"], record["server"], record["text"]) == (
        "form",
        "deploy",
        "Please give deployment details",
    )
    assert record["content"] == {"name": "Ada", "tags": ["x", "z"]}
    assert record["outcome"]["kind"] == "answered"
    written = export_markdown(data.blocks, session={}, at=AT, draw=plain_text)
    assert "### ◆ Form of deploy · answered\n\n> Please give deployment details" in written
    assert "- **Your name**: Ada\n- **Tags**: x, z" in written
