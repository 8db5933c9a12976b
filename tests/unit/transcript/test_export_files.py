"""The transcript as Markdown and JSON files."""

import json
from datetime import UTC, datetime

import pytest

from ccq_tui.agent import events as ev
from ccq_tui.inbox.requests import PlanRequest, QuestionRequest
from ccq_tui.questions import Answer, Answered, Option, Question, QuestionSet
from ccq_tui.transcript.export import export_json, export_markdown
from ccq_tui.transcript.model import TranscriptModel
from ccq_tui.widgets.transcript.painter import plain_text

AT = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
SESSION = {"name": "api", "id": "s-1", "model": "claude-x"}
QUESTIONS = QuestionSet(
    "q1", (Question("Which?", "Which", (Option("A", "first"), Option("B"))), Question("Why?", "Why"))
)


@pytest.fixture
def model() -> TranscriptModel:
    model = TranscriptModel(lambda: 0.0, lambda: AT)
    for event in (
        ev.PromptAccepted("do it\nwell"),
        ev.BlockFinished(ev.BlockKey("m", 0), ev.BlockKind.THINKING, "hm"),
        ev.BlockFinished(ev.BlockKey("m", 1), ev.BlockKind.TEXT, "**yes**\n\n```\ncode\n```\n"),
        ev.ToolStarted("t1", "Bash", {"command": "ls"}),
        ev.ToolFinished("t1", "Bash", "a\n```\nb", is_error=True),
        ev.RequestAsked(QuestionRequest("q1", "s-1", QUESTIONS)),
        ev.RequestSettled("q1@s-1", Answered((Answer(("B",), note="n"), Answer(other="so")))),
        ev.RequestAsked(PlanRequest("p1", "s-1", "# Plan")),
        ev.NoticeGiven("warning", "careful"),
        ev.TurnEnded("completed", False, 1.5, 0.25, 10, 20),
    ):
        model.apply(event)
    return model


def test_json_has_every_block_and_the_questions_structured(model: TranscriptModel) -> None:
    written = json.loads(export_json(model.blocks, session=SESSION, at=AT, draw=plain_text))
    assert written["version"] == 2
    assert written["session"]["id"] == "s-1"
    blocks = {block["kind"]: block for block in written["blocks"]}
    kinds = " ".join(block["kind"] for block in written["blocks"])
    assert kinds == "prompt thinking prose tool question plan notice result"
    assert blocks["prose"]["text"].startswith("**yes**")
    assert blocks["tool"] | {"seconds": 0} == {
        "kind": "tool",
        "depth": 0,
        "id": "t1",
        "parent": "",
        "tool": "Bash",
        "seconds": 0,
        "input": {"command": "ls"},
        "state": "failed",
        "text": "a\n```\nb",
    }
    first, second = blocks["question"]["questions"]
    assert [option["label"] for option in first["options"]] == ["A", "B"]
    assert second["text"] == "Why?"
    answers = blocks["question"]["outcome"]["answers"]
    assert [(one["selected"], one["other"], one["note"]) for one in answers] == [
        (["B"], "", "n"),
        ([], "so", ""),
    ]
    assert blocks["question"]["settled_at"] == "2026-01-02T03:04:00+00:00"
    assert blocks["plan"]["outcome"] is None
    assert blocks["result"]["cost"] == 0.25
    assert blocks["result"]["turn_cost"] is None


def test_markdown_keeps_prose_and_fences_what_is_none(model: TranscriptModel) -> None:
    text = export_markdown(model.blocks, session=SESSION, at=AT, draw=plain_text)
    assert text.startswith("# api\n")
    assert "> do it\n> well" in text
    assert "**yes**\n\n```\ncode\n```" in text
    assert "````\na\n```\nb\n````" in text, "a fence is longer than those in it"
    assert "### Questions · answered\n\n```\n1  Which?" in text
    assert "[ ]  1  A: first\n   [x]  2  B\n   → B\n   ✎ n\n" in text
    assert "→ so" in text
