"""The line of waiting requests: order, drafts, words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ccq_tui.inbox.requests import ElicitationRequest, PermissionRequest, QuestionRequest
from ccq_tui.inbox.waiting_line import THINKING_PAUSE, TYPING_PAUSE, Waiting, WaitingLine, seconds_to_wait
from ccq_tui.questions import Option, Question, QuestionSet
from ccq_tui.questions.events import Pressed
from ccq_tui.questions.machine import step
from ccq_tui.questions.merge_partial import begun
from ccq_tui.questions.state import Arriving, PanelState, opened


def asked(name: str) -> QuestionRequest:
    question = Question("Which?", "Which", (Option("A"), Option("B")))
    return QuestionRequest(name, "s", QuestionSet(name, (question, question)))


PERMISSION = PermissionRequest("p", "s", "Bash", {})


def test_requests_keep_their_order_and_their_own_drafts() -> None:
    line = WaitingLine().with_added(asked("one")).with_added(asked("two"))
    assert line.head is not None
    first = line.head.draft
    assert isinstance(first, PanelState)
    line = line.with_draft("one@s", step(first, Pressed("2", "2")))
    again = line.with_added(asked("one"))
    assert again == line, "a request that is asked again keeps its draft and its place"
    one, two = (item.draft for item in line.items)
    assert isinstance(one, PanelState)
    assert isinstance(two, PanelState)
    assert (one.answered_count, two.answered_count) == (1, 0)
    rest = line.without("one@s")
    assert rest.head is not None
    assert rest.head.request.tool_use_id == "two"
    assert "one" not in rest


FORM = ElicitationRequest(
    "f", "s", "github", "Who are you?", {"properties": {n: {"type": "string"} for n in "ab"}}
)


def test_the_line_says_what_waits_how_far_it_is_and_the_key_that_leads_there() -> None:
    def told(line: WaitingLine, countdown: str = "", *, opens: bool = False) -> str:
        return line.told(countdown, opens=opens)

    line = WaitingLine().with_added(asked("one"))
    assert told(line) == "2 questions waiting · Which · F2 opens"
    first = line.items[0].draft
    assert isinstance(first, PanelState)
    begun = line.with_draft("one@s", step(first, Pressed("2", "2")))
    assert told(begun) == "2 questions waiting · Which · draft 1/2, nothing sent · F2 opens"
    assert told(line, opens=True) == "2 questions waiting · Which · opens when you pause typing · F2 opens"
    both = line.with_added(PERMISSION)
    assert told(both) == "2 questions and 1 decision waiting · Which, Bash · F2 opens"
    assert told(both, "9 s left") == "9 s left · 2 questions and 1 decision waiting · F2 opens"
    assert line.with_added(asked("two")).summary() == "4 questions waiting", "of both sets"
    assert told(WaitingLine().with_added(FORM)) == "1 form waiting · github · F2 opens", "of two fields"
    assert told(WaitingLine()) == WaitingLine().summary() == ""


def test_what_is_still_being_written_waits_for_nobody() -> None:
    part = begun(asked("new").questions, Arriving())
    line = WaitingLine().with_added(asked("new"), part)
    assert line.summary() == "2 questions arriving"
    assert line.asked == WaitingLine()
    line = line.with_added(PERMISSION)
    assert line.summary() == "1 decision waiting · 2 questions arriving"
    assert [item.request.tool_use_id for item in line.items] == ["new", "p"]
    assert [item.request.tool_use_id for item in line.asked.items] == ["p"]
    assert [item.request.tool_use_id for item in line.asked_first.items] == ["p", "new"]
    assert line.head is not None
    assert not line.head.held_up
    assert replace(line.head, draft=begun(asked("new").questions, Arriving(2, whole=True))).held_up
    assert not line.held_up, "it is still being written"
    held = Waiting(asked("new"), begun(asked("new").questions, Arriving(2, whole=True)))
    assert line.with_item(held).held_up
    assert not WaitingLine((held,)).held_up, "nothing waits behind it"
    line = line.with_item(Waiting(asked("new"), opened(asked("new").questions)))
    assert line.asked == line
    assert not line.held_up, "it is asked"
    assert line.summary() == "2 questions and 1 decision waiting"


@pytest.mark.parametrize(
    ("typed", "drafting", "wait"),
    [(None, True, 0.0), (9.0, False, 0.0), (9.7, False, 0.5), (9.0, True, 0.5), (8.4, True, 0.0)],
)
def test_the_typing_pause(typed: float | None, drafting: bool, wait: float) -> None:
    assert seconds_to_wait(10.0, typed, drafting=drafting) == pytest.approx(wait)
    assert (TYPING_PAUSE, THINKING_PAUSE) == (0.8, 1.5)
    assert replace(WaitingLine()) == WaitingLine()
