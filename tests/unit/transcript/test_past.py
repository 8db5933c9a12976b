"""Older parts of a session: taken in small steps, and nothing below them is measured again."""

from __future__ import annotations

import pytest

from ccq_tui.agent import events as ev
from ccq_tui.transcript.blocks import ProseBlock, RuleBlock, ToolBlock
from ccq_tui.transcript.intake import STEP, Intake
from ccq_tui.transcript.model import TranscriptModel
from ccq_tui.widgets.transcript.layout import Layout


def part(first: int, count: int, *, cut: bool = False) -> ev.HistoryLoaded:
    """A part of some blocks, and of a call that has its result at the very end."""
    said = [
        ev.BlockFinished(ev.BlockKey(f"m{number}", 0), ev.BlockKind.TEXT, f"Block {number}")
        for number in range(first, first + count)
    ]
    name = f"call {first}"
    call, result = ev.ToolStarted(name, "Bash", {"command": "make"}), ev.ToolFinished(name, "Bash", "done")
    return ev.HistoryLoaded((call, *said, result), cut, older=True)


def said(model: TranscriptModel) -> list[str]:
    return [block.document.text for block in model.blocks if isinstance(block, ProseBlock)]


def take_all(model: TranscriptModel, intake: Intake) -> int:
    """Put everything that is left of a past above a model; return the number of steps."""
    steps = 0
    while intake.busy:
        steps += 1
        if (made := next(intake.steps)) is not None:
            model.put_first(made)
    return steps


def test_parts_come_in_steps_and_are_the_same_as_at_once() -> None:
    parts = [part(400, 100), part(0, 400, cut=True)]
    whole, model = TranscriptModel(lambda: 0.0), TranscriptModel(lambda: 0.0)
    intake = Intake(model)
    for one in parts:
        whole.apply(one)
        intake.add_past(one)
    assert take_all(model, intake) >= 500 // STEP
    assert said(model) == said(whole) == [f"Block {number}" for number in range(500)]
    assert [type(block) for block in model.blocks] == [type(block) for block in whole.blocks]
    assert isinstance(model.blocks[0], RuleBlock)
    calls = [block for block in model.blocks if isinstance(block, ToolBlock)]
    assert [call.output for call in calls] == ["done", "done"]


def test_what_was_unfolded_meanwhile_is_unfolded_in_the_past() -> None:
    model = TranscriptModel(lambda: 0.0)
    intake = Intake(model)
    intake.add_past(part(0, 2 * STEP))
    assert next(intake.steps) is None
    model.set_folds(folded=False)
    take_all(model, intake)
    assert not any(block.folded for block in model.blocks)


def test_a_part_costs_what_is_in_it_however_much_is_below(monkeypatch: pytest.MonkeyPatch) -> None:
    model = TranscriptModel(lambda: 0.0)
    layout = Layout(model.blocks, lambda *_: [])
    fitted: list[int] = []
    fit = Layout._fit

    def counted(layout: Layout, index: int) -> int:
        fitted.append(index)
        return fit(layout, index)

    monkeypatch.setattr(Layout, "_fit", counted)
    layout.sync(model.apply(part(10_000, 2_000)))
    for first in range(9_900, 9_400, -100):
        fitted.clear()
        layout.sync(model.apply(part(first, 99)))
        assert set(fitted[:100]) == set(range(100))
        assert len(fitted) < 103
    assert layout.total == sum(layout.height(index, 0) for index in range(len(model.blocks)))
    # What moves in between is measured from there on, as before.
    fitted.clear()
    model.add_prompt("typed")
    layout.sync(model.apply(ev.PromptReturned("typed", "ended")))
    assert len(fitted) < 5
    assert layout.total == sum(layout.height(index, 0) for index in range(len(model.blocks)))
