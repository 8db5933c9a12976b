"""The line of waiting requests: order, drafts, words."""

import pytest

from ccq_tui.inbox.draft import first_draft
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.requests import ElicitationRequest, PermissionRequest, QuestionRequest, Request
from ccq_tui.inbox.waiting_line import WaitingLine
from ccq_tui.input.gate import PAUSE, THINKING, may_open
from ccq_tui.questions import Option, Question, QuestionSet
from ccq_tui.questions.events import Pressed, Words
from ccq_tui.questions.machine import step
from ccq_tui.questions.state import Arriving, opened
from tests.tables import each_row
from tests.ui.session import FakeRequests


def asked(name: str) -> QuestionRequest:
    question = Question("Which?", "Which", (Option("A"), Option("B")))
    return QuestionRequest(name, "s", QuestionSet(name, (question, question)))


PERMISSION = PermissionRequest("p", "s", "Bash", {})


def waits(request: Request) -> OpenRequest:
    return FakeRequests().ask(request)


FORM = ElicitationRequest(
    "f", "s", "github", "Who are you?", {"properties": {n: {"type": "string"} for n in "ab"}}
)


async def test_the_line_says_what_waits_how_far_it_is_and_the_key_that_leads_there() -> None:
    def summary(line: WaitingLine, countdown: str = "", *, opens: bool = False) -> str:
        return line.words(countdown, opens=opens)

    one = waits(asked("one"))
    line = WaitingLine((one,))
    assert summary(line) == "2 questions waiting · Which · F2 opens"
    one.draft = step(opened(asked("one").questions), Pressed("2", "2"))
    assert summary(line) == "2 questions waiting · Which · draft 1/2, nothing sent · F2 opens"
    decision = waits(PERMISSION)
    decision.draft = step(first_draft(PERMISSION), Words("no"))
    assert "draft 1/2, nothing sent" in summary(WaitingLine((one, decision))), "a decision has no progress"
    one.draft = None
    assert summary(line, opens=True) == "2 questions waiting · Which · opens when you pause typing · F2 opens"
    both = WaitingLine((one, waits(PERMISSION)))
    assert summary(both) == "2 questions and 1 decision waiting · Which, Bash · F2 opens"
    assert summary(both, "9 s left") == "9 s left · 2 questions and 1 decision waiting · F2 opens"
    assert WaitingLine((one, waits(asked("two")))).summary() == "4 questions waiting", "of both sets"
    assert summary(WaitingLine((waits(FORM),))) == "1 form waiting · github · F2 opens", "of two fields"
    assert summary(WaitingLine()) == WaitingLine().summary() == ""


async def test_what_is_still_being_written_waits_for_nobody() -> None:
    new = waits(asked("new"))
    new.arriving = Arriving()
    line = WaitingLine((new,))
    assert line.summary() == "2 questions arriving"
    assert line.asked == WaitingLine()
    line = WaitingLine((new, waits(PERMISSION)))
    assert line.summary() == "1 decision waiting · 2 questions arriving"
    assert [item.request.tool_use_id for item in line.items] == ["new", "p"]
    assert [item.request.tool_use_id for item in line.asked.items] == ["p"]
    assert [item.request.tool_use_id for item in line.asked_first.items] == ["p", "new"]
    assert not line.held_up, "it is still being written"
    new.arriving = Arriving(2, whole=True)
    assert line.held_up
    assert not WaitingLine((new,)).held_up, "nothing waits behind it"
    new.arriving = None
    assert line.asked == line
    assert not line.held_up, "it is asked"
    assert line.summary() == "2 questions and 1 decision waiting"


@each_row((None, True, 0.0), (9.0, False, 0.0), (9.7, False, 0.5), (9.0, True, 0.5), (8.4, True, 0.0))
def test_the_typing_pause(typed: float | None, drafting: bool, wait: float) -> None:
    assert may_open(10.0, typed, draft=drafting) == pytest.approx(wait)
    assert (PAUSE, THINKING) == (0.8, 1.5)
