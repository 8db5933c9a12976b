"""Events become blocks: of the turn, of prompts, and of older parts that are taken in small steps."""

from datetime import datetime

import pytest

from ccq_tui.agent import events as ev
from ccq_tui.inbox.requests import Cancelled, QuestionRequest
from ccq_tui.questions import Answer, Answered, Declined, Option, Question, QuestionSet
from ccq_tui.transcript import blocks as bl
from ccq_tui.transcript.blocks import ToolBlock
from ccq_tui.transcript.model import TranscriptModel
from ccq_tui.transcript.order import BlockChange
from ccq_tui.widgets.transcript.layout import Layout
from ccq_tui.widgets.transcript.pace import STEP, Intake
from ccq_tui.widgets.transcript.reading import neighbour
from tests.actors import INBOX, PANEL
from tests.unit.transcript.test_drawing import NOON

TEXT, THINKING = ev.BlockKind.TEXT, ev.BlockKind.THINKING


def key(index: int = 0, parent: str = "") -> ev.BlockKey:
    return ev.BlockKey("message", index, parent)


def kinds(model: TranscriptModel) -> list[str]:
    assert [block.at for block in model.blocks] == list(range(len(model.blocks)))
    return [type(block).__name__.removesuffix("Block") for block in model.blocks]


def question(identity: str = "q") -> ev.RequestAsked:
    questions = (Question("Which?", "Pick", (Option("A"), Option("B"))),)
    return ev.RequestAsked(QuestionRequest(identity, "s", QuestionSet(identity, questions)))


def test_deltas_grow_one_block_and_the_whole_replaces_them(model: TranscriptModel) -> None:
    assert model.apply(ev.BlockGrew(key(), TEXT, "He")).changed == (0,)
    assert model.apply(ev.BlockGrew(key(), TEXT, "llo")).changed == (0,)
    model.apply(ev.BlockFinished(key(), TEXT, "Hello there"))
    (block,) = model.blocks
    assert isinstance(block, bl.ProseBlock)
    assert block.document.text == "Hello there"
    assert block.document.finished


def test_a_dropped_block_disappears(model: TranscriptModel) -> None:
    model.apply(ev.BlockGrew(key(0), TEXT, "kept"))
    model.apply(ev.BlockGrew(key(1), TEXT, "void"))
    model.apply(ev.BlockGrew(key(2), THINKING, "kept"))
    assert model.apply(ev.BlockDropped(key(1))).moved_from == 1
    assert kinds(model) == ["Prose", "Thinking"]
    assert not model.apply(ev.BlockDropped(key(1))).changed


def test_an_empty_block_leaves_nothing(model: TranscriptModel) -> None:
    model.apply(ev.BlockGrew(key(), THINKING, " "))
    model.apply(ev.BlockFinished(key(), THINKING, ""))
    model.apply(ev.BlockFinished(key(1), TEXT, "\n"))
    assert not model.blocks


def test_a_prompt_is_shown_once(model: TranscriptModel) -> None:
    model.add_prompt("Hi\n")
    model.apply(ev.PromptAccepted("Hi"))
    model.apply(ev.PromptAccepted("Hi"))
    assert kinds(model) == ["Prompt", "Prompt"]


def test_queued_prompts_stay_below_the_running_turn(model: TranscriptModel) -> None:
    model.apply(ev.PromptAccepted("one"))
    model.add_prompt("two")
    model.apply(ev.PromptAccepted("two", queued=True))
    model.apply(ev.PromptAccepted("three", queued=True))
    model.apply(ev.BlockGrew(key(), TEXT, "about one"))
    model.apply(ev.TurnEnded("success", False, 1.0, None, 1, 1))
    assert kinds(model) == ["Prompt", "Prose", "Result", "Prompt", "Prompt"]
    assert [block.text for block in model.blocks if isinstance(block, bl.PromptBlock)] == [
        "one",
        "two",
        "three",
    ]
    assert not any(block.queued for block in model.blocks if isinstance(block, bl.PromptBlock))
    model.apply(ev.BlockGrew(key(9), TEXT, "about two"))
    assert kinds(model)[-1] == "Prose"


def test_calls_of_a_subagent_stand_under_it(model: TranscriptModel) -> None:
    model.apply(ev.ToolStarted("a", "Agent", {"description": "one"}))
    model.apply(ev.ToolStarted("b", "Agent", {"description": "two"}))
    model.apply(ev.ToolStarted("b1", "Read", {}, "b"))
    change = model.apply(ev.ToolStarted("a1", "Agent", {}, "a"))
    assert change.moved_from == 1
    model.apply(ev.ToolStarted("a11", "Read", {}, "a1"))
    model.apply(ev.BlockGrew(key(0, "a"), TEXT, "found"))
    model.apply(ev.ToolStarted("c", "Read", {}))
    shown = [(getattr(block, "id", "text"), block.depth) for block in model.blocks]
    assert shown == [("a", 0), ("a1", 1), ("a11", 2), ("text", 1), ("b", 0), ("b1", 1), ("c", 0)]


def test_a_question_card_takes_the_place_of_its_call(model: TranscriptModel) -> None:
    model.apply(ev.ToolStarted("q", "AskUserQuestion", {}))
    model.apply(question())
    model.apply(question())
    outcome = Answered((Answer(("A",)),))
    model.apply(ev.RequestSettled("q@s", outcome))
    model.apply(ev.RequestSettled("q@s", Cancelled("late")))
    model.apply(ev.ToolFinished("q", "AskUserQuestion", "answers"))
    (block,) = model.blocks
    assert isinstance(block, bl.QuestionBlock)
    assert (block.outcome, block.settled) == (outcome, NOON)


@pytest.mark.parametrize("at", [None, NOON.replace(hour=3)])
def test_an_answer_of_the_past_was_not_given_now(model: TranscriptModel, at: datetime | None) -> None:
    answered = ev.RequestSettled("q@s", Answered((Answer(("A",)),)), at=at)
    model.apply(ev.HistoryLoaded((question(), answered)))
    (block,) = model.blocks
    assert isinstance(block, bl.QuestionBlock)
    assert block.settled == at


def test_a_question_cancelled_in_the_past_is_answered_once_it_waits_again(model: TranscriptModel) -> None:
    past = (question(), ev.RequestSettled("q@s", Cancelled("the session ended")))
    model.apply(ev.HistoryLoaded(past))
    model.apply(question())
    (block,) = model.blocks
    assert isinstance(block, bl.QuestionBlock)
    assert block.outcome is None
    outcome = Answered((Answer(("A",)),))
    model.apply(ev.RequestSettled("q@s", outcome, INBOX))
    assert (block.outcome, block.actor, block.settled) == (outcome, INBOX, NOON)
    model.apply(question())
    assert block.outcome == outcome


def test_a_lost_session_leaves_nothing_running(model: TranscriptModel) -> None:
    model.apply(ev.ToolStarted("t", "Bash", {}))
    model.apply(ev.BlockGrew(key(), TEXT, "half"))
    model.apply(ev.SessionLost("the CLI died", kind="cli_ended"))
    tool, prose, error = model.blocks
    assert isinstance(tool, bl.ToolBlock)
    assert tool.state is bl.ToolState.STOPPED
    assert isinstance(prose, bl.ProseBlock)
    assert prose.document.finished
    assert isinstance(error, bl.ErrorBlock)
    assert (error.kind, error.text) == ("cli_ended", "the CLI died")


def test_a_parked_question_still_waits_and_its_result_is_no_card(model: TranscriptModel) -> None:
    asked = question()
    model.apply(asked)
    model.apply(ev.RequestParked(asked.request.id, deferred=True))
    model.apply(
        ev.TurnEnded("tool_deferred", is_error=False, duration=1.0, cost=0.1, input_tokens=1, output_tokens=1)
    )
    model.apply(ev.SessionLost("parked", expected=True, kind=ev.PARKED_KIND))
    block = model.blocks[0]
    assert isinstance(block, bl.QuestionBlock)
    assert block.outcome is None
    assert kinds(model) == ["Question", "Rule"]
    # Another process asks the same call again, and its result comes without the tool's name.
    model.apply(asked)
    model.apply(ev.RequestSettled(asked.request.id, Declined(), PANEL))
    model.apply(ev.ToolFinished(asked.request.tool_use_id, "", "declined"))
    assert block.outcome == Declined()
    assert kinds(model) == ["Question", "Rule"]


def test_folds_change_what_can_be_folded(model: TranscriptModel) -> None:
    model.apply(ev.BlockFinished(key(), THINKING, "hm"))
    model.apply(ev.BlockFinished(key(1), TEXT, "text"))
    assert model.set_folds(folded=False).changed == (0,)
    assert model.blocks[0].body is not None
    model.apply(ev.BlockFinished(key(2), THINKING, "new ones too"))
    assert model.blocks[2].body is not None
    assert model.set_folds(folded=True).changed == (0, 2)


def test_a_summary_is_folded_under_its_line_and_a_turn_without_work_leaves_none(
    model: TranscriptModel,
) -> None:
    model.apply(ev.Compacted(summary="This session is being continued from another one."))
    (line,) = model.blocks
    assert isinstance(line, bl.RuleBlock)
    assert line.text == "conversation compacted · Ctrl+O shows the summary"
    assert line.foldable
    assert line.body is None
    model.set_folds(folded=False)
    assert line.body is line.document
    model.apply(ev.TurnEnded("completed", False, 0.1, 0.0, 0, 0, turn_cost=0.0))
    assert model.blocks == [line]
    model.apply(ev.TurnEnded("max_turns", True, 0.1, 0.0, 0, 0))
    assert len(model.blocks) == 2


def test_the_sizes_and_the_summary_of_a_compaction_are_one_line(model: TranscriptModel) -> None:
    model.apply(ev.Compacted(12_000, 900))
    assert model.apply(ev.Compacted(summary="This session is being continued.")).changed == (0,)
    model.apply(ev.Compacted(summary="Another one."))
    assert [isinstance(one, bl.RuleBlock) and one.text for one in model.blocks] == [
        "conversation compacted from 12,000 to 900 tokens · Ctrl+O shows the summary",
        "conversation compacted · Ctrl+O shows the summary",
    ]


def test_a_mark_passes_over_the_end_of_a_turn(model: TranscriptModel) -> None:
    for text in ("one", "two"):
        model.apply(ev.PromptAccepted(text))
        model.apply(ev.TurnEnded("completed", False, 1.0, 0.1, 1, 1))
    assert neighbour(model.blocks, 3, -1) == 2
    assert neighbour(model.blocks, 1, 1) == 2
    assert neighbour(model.blocks, 3, 1) is None


def text_of(text: str, message: str = "m") -> ev.BlockFinished:
    return ev.BlockFinished(ev.BlockKey(message, 0), ev.BlockKind.TEXT, text)


def words_of(model: TranscriptModel) -> list[str]:
    assert [block.at for block in model.blocks] == list(range(len(model.blocks)))
    return [
        block.text if isinstance(block, bl.PromptBlock) else block.document.text
        for block in model.blocks
        if isinstance(block, bl.PromptBlock | bl.ProseBlock)
    ]


def test_a_prompt_delivered_within_the_turn_stands_before_what_follows(model: TranscriptModel) -> None:
    for event in (
        ev.PromptAccepted("one", prompt_id="1"),
        ev.PromptAccepted("two", queued=True, prompt_id="2"),
        ev.PromptAccepted("three", queued=True, prompt_id="3"),
        text_of("working", "a"),
        ev.PromptDelivered("2"),
        text_of("about two", "b"),
    ):
        model.apply(event)
    assert words_of(model) == ["one", "working", "two", "about two", "three"]
    assert [block.queued for block in model.blocks if isinstance(block, bl.PromptBlock)] == [
        False,
        False,
        True,
    ]


def test_a_prompt_that_came_back_is_no_longer_shown(model: TranscriptModel) -> None:
    model.add_prompt("never taken")
    model.apply(ev.PromptAccepted("queued", queued=True, prompt_id="2"))
    model.apply(ev.PromptReturned("never taken", "the session ended"))
    model.apply(ev.PromptReturned("queued", "the session ended"))
    model.apply(ev.PromptReturned("never seen", "the session ended"))
    model.apply(text_of("end"))
    assert words_of(model) == ["end"]


def test_history_stands_above_the_prompt_that_was_typed_meanwhile(model: TranscriptModel) -> None:
    model.add_prompt("go")
    model.apply(ev.HistoryLoaded((ev.PromptAccepted("go"), text_of("went"))))
    model.apply(ev.PromptAccepted("go", prompt_id="9"))
    assert words_of(model) == ["go", "went", "go"]
    assert all(block.accepted for block in model.blocks if isinstance(block, bl.PromptBlock))


def test_a_prompt_without_a_name_yet_is_taken_back_and_no_other(model: TranscriptModel) -> None:
    model.apply(ev.PromptAccepted("again", queued=True, prompt_id="1"))
    model.add_prompt("again")
    model.apply(ev.PromptReturned("again", "you withdrew it", "2", wanted=True))
    assert words_of(model) == ["again"]
    assert [block.prompt_id for block in model.blocks if isinstance(block, bl.PromptBlock)] == ["1"]
    model.apply(ev.PromptReturned("again", "you withdrew it", "2", wanted=True))
    assert words_of(model) == ["again"], "it was another one"


def part(first: int, count: int) -> ev.HistoryLoaded:
    """A part of some blocks, and of a call that has its result at the very end."""
    texts = [
        ev.BlockFinished(ev.BlockKey(f"m{number}", 0), ev.BlockKind.TEXT, f"Block {number}")
        for number in range(first, first + count)
    ]
    name = f"call {first}"
    call, result = ev.ToolStarted(name, "Bash", {"command": "make"}), ev.ToolFinished(name, "Bash", "done")
    return ev.HistoryLoaded((call, *texts, result), older=True)


def put_above(model: TranscriptModel, earlier: ev.HistoryLoaded) -> BlockChange:
    past = model.empty()
    past.apply(earlier)
    return model.put_first(past)


def take_all(model: TranscriptModel, intake: Intake) -> int:
    """Put everything that is left of a past above a model; return the number of steps."""
    steps = 0
    while intake.busy:
        steps += 1
        if (made := intake.step()) is not None:
            model.put_first(made)
    return steps


def test_parts_come_in_steps_and_are_the_same_as_at_once() -> None:
    parts = [part(400, 100), part(0, 400)]
    whole, model = TranscriptModel(lambda: 0.0), TranscriptModel(lambda: 0.0)
    intake = Intake(model)
    for one in parts:
        put_above(whole, one)
        intake.add_past(one)
    assert take_all(model, intake) >= 500 // STEP
    assert words_of(model) == words_of(whole) == [f"Block {number}" for number in range(500)]
    assert [type(block) for block in model.blocks] == [type(block) for block in whole.blocks]
    calls = [block for block in model.blocks if isinstance(block, ToolBlock)]
    assert [call.output for call in calls] == ["done", "done"]


def test_what_was_unfolded_meanwhile_is_unfolded_in_the_past(model: TranscriptModel) -> None:
    intake = Intake(model)
    intake.add_past(part(0, 2 * STEP))
    assert intake.step() is None
    model.set_folds(folded=False)
    take_all(model, intake)
    assert not any(block.folded for block in model.blocks)


def test_a_part_costs_what_is_in_it_however_much_is_below(
    model: TranscriptModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = Layout(model.blocks, lambda *_: [])
    fitted: list[int] = []
    fit = Layout._fit

    def counted(layout: Layout, index: int) -> int:
        fitted.append(index)
        return fit(layout, index)

    monkeypatch.setattr(Layout, "_fit", counted)
    layout.sync(put_above(model, part(10_000, 2_000)))
    for first in range(9_900, 9_400, -100):
        fitted.clear()
        layout.sync(put_above(model, part(first, 99)))
        assert set(fitted[:100]) == set(range(100))
        assert len(fitted) < 103
    assert layout.total == sum(layout.height(index, 0) for index in range(len(model.blocks)))
    # What moves in between is measured from there on, as before.
    fitted.clear()
    model.add_prompt("typed")
    layout.sync(model.apply(ev.PromptReturned("typed", "ended")))
    assert len(fitted) < 5
    assert layout.total == sum(layout.height(index, 0) for index in range(len(model.blocks)))
