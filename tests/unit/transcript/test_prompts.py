"""Prompts that were delivered within a turn, came back, or were typed before the history was read."""

from __future__ import annotations

from ccq_tui.agent import events as ev
from ccq_tui.transcript import blocks as bl
from ccq_tui.transcript.model import TranscriptModel

TEXT = ev.BlockKind.TEXT


def said(text: str, message: str = "m") -> ev.BlockFinished:
    return ev.BlockFinished(ev.BlockKey(message, 0), TEXT, text)


def told(model: TranscriptModel) -> list[str]:
    assert [block.at for block in model.blocks] == list(range(len(model.blocks)))
    return [
        block.text if isinstance(block, bl.PromptBlock) else block.document.text
        for block in model.blocks
        if isinstance(block, bl.PromptBlock | bl.ProseBlock)
    ]


def test_a_prompt_delivered_within_the_turn_stands_before_what_follows() -> None:
    model = TranscriptModel(lambda: 0.0)
    for event in (
        ev.PromptAccepted("one", prompt_id="1"),
        ev.PromptAccepted("two", queued=True, prompt_id="2"),
        ev.PromptAccepted("three", queued=True, prompt_id="3"),
        said("working", "a"),
        ev.PromptDelivered("2"),
        said("about two", "b"),
    ):
        model.apply(event)
    assert told(model) == ["one", "working", "two", "about two", "three"]
    assert [block.queued for block in model.blocks if isinstance(block, bl.PromptBlock)] == [
        False,
        False,
        True,
    ]


def test_a_prompt_that_came_back_is_no_longer_shown() -> None:
    model = TranscriptModel(lambda: 0.0)
    model.add_prompt("never taken")
    model.apply(ev.PromptAccepted("queued", queued=True, prompt_id="2"))
    model.apply(ev.PromptReturned("never taken", "the session ended"))
    model.apply(ev.PromptReturned("queued", "the session ended"))
    model.apply(ev.PromptReturned("never seen", "the session ended"))
    model.apply(said("end"))
    assert told(model) == ["end"]


def test_history_stands_above_the_prompt_that_was_typed_meanwhile() -> None:
    model = TranscriptModel(lambda: 0.0)
    model.add_prompt("go")
    model.apply(ev.HistoryLoaded((ev.PromptAccepted("go"), said("went")), cut=True))
    model.apply(ev.PromptAccepted("go", prompt_id="9"))
    assert told(model) == ["go", "went", "go"]
    assert isinstance(model.blocks[0], bl.RuleBlock)
    assert all(block.accepted for block in model.blocks if isinstance(block, bl.PromptBlock))


def test_a_prompt_without_a_name_yet_is_taken_back_and_no_other() -> None:
    model = TranscriptModel(lambda: 0.0)
    model.apply(ev.PromptAccepted("again", queued=True, prompt_id="1"))
    model.add_prompt("again")
    model.apply(ev.PromptReturned("again", "you withdrew it", "2", wanted=True))
    assert told(model) == ["again"]
    assert [block.prompt_id for block in model.blocks if isinstance(block, bl.PromptBlock)] == ["1"]
    model.apply(ev.PromptReturned("again", "you withdrew it", "2", wanted=True))
    assert told(model) == ["again"], "it was another one"
