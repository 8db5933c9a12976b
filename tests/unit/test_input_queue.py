"""What is typed into a panel decides the request that was asked when it was typed, or none."""

from __future__ import annotations

from dataclasses import replace

from textual import events

from ccq_tui.questions import Option, Question, QuestionSet
from ccq_tui.questions.outcome import Declined
from ccq_tui.questions.state import opened
from ccq_tui.widgets.panel.input_queue import Fate, InputQueue, Typed

ASKED = opened(QuestionSet("", (Question("Which?", "", (Option("one"), Option("two"))),)))


def key(name: str) -> events.Key:
    return events.Key(name, name if len(name) == 1 else None)


def sorted_out(queue: InputQueue, *typed: Typed, state: object = ASKED, rests: bool = False) -> list[Fate]:
    for event in typed:
        queue.queued(event)
    return [queue.sort(event, state, rests=rests, drawn=True) for event in typed]  # type: ignore[arg-type]


def test_what_was_queued_before_a_request_began_is_not_for_it() -> None:
    queue = InputQueue()
    queue.turn += 1
    turn = queue.begin()
    assert sorted_out(queue, key("x"), key("enter"), events.Paste("pasted")) == [
        Fate.LATE, Fate.DROPPED, Fate.LATE,
    ]  # fmt: skip
    queue.begun(turn - 1)
    assert sorted_out(queue, key("enter")) == [Fate.DROPPED], "another turn began meanwhile"
    queue.begun(turn)
    assert sorted_out(queue, key("x"), key("enter")) == [Fate.TAKEN] * 2
    assert queue.under_way == 0


def test_what_came_after_the_outcome_is_given_back_in_order() -> None:
    queue = InputQueue()
    settled = replace(ASKED, outcome=Declined())
    assert sorted_out(queue, key("a"), events.Paste("b"), state=settled) == [Fate.KEPT] * 2
    assert [getattr(event, "text", None) or getattr(event, "key", None) for event in queue.rest()] == [
        "a",
        "b",
    ]
    assert queue.rest() == []
    assert queue.turn == 2


def test_a_panel_that_rests_or_is_hidden_takes_no_letter() -> None:
    queue = InputQueue()
    assert sorted_out(queue, key("a"), key("enter"), rests=True) == [Fate.LATE, Fate.DROPPED]
    hidden = replace(ASKED, hidden=True)
    assert sorted_out(queue, key("a"), key("f2"), state=hidden) == [Fate.LATE, Fate.TAKEN]


def test_what_was_typed_ahead_is_known_as_such_until_all_of_it_is_sorted() -> None:
    queue = InputQueue()
    typed = [key("a"), key("b")]
    for event in typed:
        queue.queued(event)
    queue.are_ahead()
    queue.queued(later := key("c"))
    came = []
    for event in (*typed, later):
        queue.sort(event, ASKED, rests=False, drawn=True)
        came.append(queue.came_ahead)
    assert came == [True, True, False]
    sorted_out(queue, key("d"))
    queue.sort(key("e"), ASKED, rests=False, drawn=False)
    assert queue.came_ahead, "nothing was laid out yet"
