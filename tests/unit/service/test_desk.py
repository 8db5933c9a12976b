"""Questions of runs in their tickets: asked one by one, answered there or elsewhere, once."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ccq_tui.inbox.requests import Allowed, PermissionRequest, PlanRequest, QuestionRequest
from ccq_tui.questions import Answer, Answered, Kind, Option, Question, QuestionSet
from ccq_tui.service import desk as module
from ccq_tui.service.desk import Desk
from ccq_tui.service.policy import Policy, Repository
from ccq_tui.service.port import TicketMessage
from ccq_tui.service.run import Happened
from tests.actors import PHONE
from tests.steps import until_true
from tests.unit.service.desks import SESSION, Served

LIBRARY = Question("Which library?", "Library", (Option("date-fns (Recommended)"), Option("Day.js", "small")))
FEATURES = Question("Which features?", "Features", (Option("Auth"), Option("Logs")), multi_select=True)
NAME = Question("What is it called?", "Name", kind=Kind.TEXT)
SET = QuestionRequest("toolu_1", SESSION, questions=QuestionSet("toolu_1", (LIBRARY, FEATURES, NAME)))
ONE = QuestionRequest("toolu_2", SESSION, questions=QuestionSet("toolu_2", (LIBRARY,)))
EXACT = (Answer(("Day.js",)), Answer(("Auth", "Logs")), Answer(other="api"))


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    served = Served(tmp_path)
    following = asyncio.create_task(served.desk.follow())
    yield served
    following.cancel()
    await asyncio.wait([following])
    served.store.close()


async def asked(served: Served, count: int) -> str:
    """Wait until the ticket was asked a number of times; return what it was asked last."""
    await until_true(lambda: len(served.recorded(Happened.ASKED)) >= count)
    return str(served.recorded(Happened.ASKED)[-1]["text"])


async def outcome(served: Served, request_id: str) -> object:
    opened = await served.inbox.open(request_id)
    return opened.stored.outcome


async def test_a_set_is_asked_question_by_question(served: Served) -> None:
    await served.ask(SET)
    text = await asked(served, 1)
    assert "Question 1 of 3" in text
    assert "2. **Day.js**: small" in text
    assert served.recorded(Happened.ASKED)[0]["options"] == ["date-fns (Recommended)", "Day.js"]
    assert await served.say("day.js")
    text = await asked(served, 2)
    assert "Library: Day.js" in text
    assert served.recorded(Happened.ASKED)[1]["options"] == []
    assert await served.say("2, Auth")
    assert await served.say("api")
    assert await outcome(served, SET.id) == Answered(EXACT)
    await until_true(lambda: served.continued == 1)
    [answered] = served.recorded(Happened.ANSWERED)
    assert answered["here"]
    assert (
        answered["text"] == "Answered in the ticket, by Ann: Library: Day.js; Features: Auth, Logs; Name: api"
    )
    assert not await served.say("Now write the tests."), "nothing waits: it is a prompt"


async def test_what_is_no_answer_is_asked_again(served: Served) -> None:
    await served.ask(ONE)
    await asked(served, 1)
    assert await served.say("7")
    assert "Nothing was sent:** no option “7”" in await asked(served, 2)
    assert await outcome(served, ONE.id) is None
    assert await served.say("Use none at all")
    assert await outcome(served, ONE.id) == Answered((Answer(other="Use none at all"),))


async def test_a_message_that_is_taken_again_answers_the_same_question(
    served: Served, tmp_path: Path
) -> None:
    await served.ask(SET)
    await asked(served, 1)
    assert await served.say("2", message_id="m1")
    await asked(served, 2)
    served.desk = Desk(served)  # as after a kill before the message was noted as taken
    assert await served.say("2", message_id="m1")
    opened = await served.inbox.open(SET.id)
    assert [page.answered for page in opened.shown.pages] == [True, False, False]  # type: ignore[union-attr]
    assert await served.say("1,2")
    assert await served.say("api", message_id="m3")
    assert await outcome(served, SET.id) == Answered(EXACT)
    assert await served.say("api", message_id="m3"), "it settled the set before, and is no prompt now"
    assert len(served.recorded(Happened.ASKED)) == 3
    assert not served.recorded(Happened.REPORTED)


async def test_a_prompt_of_a_session_does_not_answer_what_that_asks(served: Served) -> None:
    assert not await served.say("Day.js, as before.", message_id="1")
    await served.ask(ONE)
    await asked(served, 1)
    assert not await served.say("Day.js, as before.", message_id="1"), "it is looked at until it is read"
    assert await outcome(served, ONE.id) is None


async def test_what_is_said_behind_a_stop_answers_nothing(served: Served) -> None:
    await served.ask(ONE)
    await asked(served, 1)
    served.store.keep(TicketMessage("linear", "ticket", "stop", "", stop=True))
    assert not await served.say("2")
    assert await outcome(served, ONE.id) is None


async def test_an_answer_elsewhere_comes_first(served: Served) -> None:
    await served.ask(ONE)
    await asked(served, 1)
    await served.inbox.settle(ONE.id, Answered((Answer(("Day.js",)),)), PHONE)
    await until_true(lambda: served.continued == 1)
    assert served.recorded(Happened.ANSWERED)[0] == {
        "request": ONE.id,
        "text": "Answered on phone: Library: Day.js",
        "here": False,
    }
    assert await served.say("1"), "it names an option: it came too late"
    assert served.recorded(Happened.REPORTED)[0]["text"] == "Answered on phone; nothing was sent from here."
    assert not await served.say("1"), "said once"


async def test_of_two_answers_at_once_the_second_person_is_told_whose_counted(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    served.policy = Policy({"demo": Repository(Path(), answer=("linear:ann", "linear:bob"))})
    await served.ask(SET)
    await asked(served, 1)
    assert await served.say("1")
    assert await served.say("no, the other one", author="Bob")
    assert len(served.recorded(Happened.ASKED)) == 2, "it answers no other question"
    [refusal] = served.recorded(Happened.REPORTED)
    assert refusal["text"] == "Answered in the ticket, by Ann; nothing was sent from here."
    monkeypatch.setattr(module, "AT_ONCE_SECONDS", 0.0)
    assert await served.say("1", author="Bob")
    assert len(served.recorded(Happened.REPORTED)) == 1


async def test_what_happened_while_no_service_ran(tmp_path: Path) -> None:
    served = Served(tmp_path)
    await served.ask(ONE)
    await served.inbox.settle(ONE.id, Answered((Answer(("Day.js",)),)), PHONE)
    await served.ask(SET)
    following = asyncio.create_task(served.desk.follow())
    await asked(served, 1)
    await until_true(lambda: served.continued == 1)
    assert served.recorded(Happened.ANSWERED)[0]["request"] == ONE.id
    assert served.recorded(Happened.ASKED)[0]["request"] == SET.id
    following.cancel()
    await asyncio.wait([following])
    served.store.close()


async def test_a_command_is_shown_as_code(served: Served) -> None:
    await served.ask(PermissionRequest("toolu_3", SESSION, tool="Bash", input={"command": "```\nmake"}))
    assert (await asked(served, 1)).startswith("````\n"), "nothing in it ends the block"


async def test_a_plan_is_approved_without_what_lasts(served: Served) -> None:
    request = PlanRequest("toolu_4", SESSION, plan="1. Write it")
    await served.ask(request)
    text = await asked(served, 1)
    assert "1. Write it" in text
    assert "accept every file edit" not in text
    assert await served.say("approve, and ask before each edit")
    assert await outcome(served, request.id) == Allowed(mode="default")


async def test_two_requests_are_asked_one_after_the_other(served: Served) -> None:
    await served.ask(ONE)
    await asked(served, 1)
    await served.ask(SET)
    assert await served.say("2")
    await asked(served, 2)
    assert [one["request"] for one in served.recorded(Happened.ASKED)] == [ONE.id, SET.id]


async def test_a_stranger_neither_answers_nor_allows_and_is_told_once(served: Served) -> None:
    await served.ask(ONE)
    await asked(served, 1)
    assert await served.say("1", author="Eve", message_id="e")
    assert await served.say("1", author="Eve", message_id="e")
    assert await outcome(served, ONE.id) is None
    [refusal] = served.recorded(Happened.REPORTED)
    assert refusal["text"] == "Eve may not answer in demo; linear:ann may. Nothing was done."
    assert await served.say("1")
    await until_true(lambda: len(served.recorded(Happened.ACTED)) == 2)
    texts = [(one["act"], one["person"], one["id"]) for one in served.recorded(Happened.ACTED)]
    assert texts == [("answer", "Eve", "linear:eve"), ("answer", "Ann", "linear:ann")]


async def test_a_permission_is_not_decided_in_a_ticket_unless_it_is_configured(served: Served) -> None:
    served.policy = Policy({"demo": Repository(Path(), answer=("linear:ann",))})
    request = PermissionRequest("toolu_3", SESSION, tool="Bash", input={"command": "rm -rf /"})
    await served.ask(request)
    text = await asked(served, 1)
    assert "rm -rf /" in text
    assert "It is decided in ccq-tui, not here: on here" in text
    assert served.recorded(Happened.ASKED)[0]["options"] == []
    assert await served.say("y")
    assert await outcome(served, request.id) is None
    [refusal] = served.recorded(Happened.REPORTED)
    assert "it is decided in ccq-tui on the run's machine" in refusal["text"]


async def test_what_was_allowed_as_the_service_was_killed_is_on_record(tmp_path: Path) -> None:
    served, request = Served(tmp_path), PermissionRequest("toolu_9", SESSION, "Bash", {"command": "ls"})
    async with served.inbox.asking(request) as opened:
        await opened.added()
        await served.inbox.settle(request.id, Allowed(), PHONE)
        following = asyncio.create_task(served.desk.follow())
        await until_true(lambda: served.recorded(Happened.ACTED))
    following.cancel()
    await asyncio.wait([following])
    acts = [(one["act"], one["person"]) for one in served.recorded(Happened.ACTED)]
    assert acts == [("allow", PHONE.called)]
    served.store.close()
