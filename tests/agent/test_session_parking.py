"""Questions that outlive their process: parked and asked again, or answered by message; each answer once."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from ccq_tui.agent.events import (
    HistoryLoaded,
    PromptDelivered,
    QuestionAsked,
    RequestParked,
    RequestSettled,
    SessionState,
    TurnEnded,
)
from ccq_tui.agent.texts import POSTPONED
from ccq_tui.inbox import Won
from ccq_tui.inbox.durable import DurableInbox
from ccq_tui.inbox.store.rows import RequestState, StoredRequest
from ccq_tui.questions import Answer, Answered, Option, Question
from ccq_tui.questions.events import Pressed
from ccq_tui.questions.machine import step
from ccq_tui.questions.message import answers_as_message
from ccq_tui.questions.state import opened
from ccq_tui.testing import ScriptedModel
from ccq_tui.testing.scenario import Scenario, ask
from tests.agent.running import Running

DATABASE = Question(
    "Which database?", "Database", (Option("SQLite", "A file"), Option("PostgreSQL", "A server"))
)
LAYOUT = Question("Which layout?", "Layout", (Option("Tabs", "x"), Option("List", "y")))
SQLITE = Answered((Answer(("SQLite",)),))
ANSWERED = 'Your questions have been answered: "Which database?"="SQLite".'


@asynccontextmanager
async def inbox_at(path: Path) -> AsyncIterator[DurableInbox]:
    inbox = await DurableInbox.open(path / "inbox.db")
    try:
        yield inbox
    finally:
        assert await inbox.close()


async def stored(inbox: DurableInbox, request_id: str) -> StoredRequest:
    found = await inbox.run(lambda store: store.request(request_id))
    assert found is not None
    return found


def said(model: ScriptedModel) -> str:
    """All that the model was told in its last request."""
    return json.dumps(model.requests()[-1].body, ensure_ascii=False).replace("\\n", "\n")


async def test_a_parked_question_is_the_same_call_again_and_keeps_its_draft(
    play: Callable[..., Any], tmp_path: Path
) -> None:
    model, home = play(Scenario("q").says("I look.").asks(DATABASE).says("Thanks.").ends_turn().says("More."))
    async with inbox_at(tmp_path) as inbox:
        async with Running(home, inbox=inbox) as run:
            run.session.send("Build it")
            asked = await run.until(QuestionAsked)
            name, session_id = asked.request.id, run.session.session_id
            draft = step(opened(asked.request.questions), Pressed("down", at=100.0))
            run.session.keep_draft(name, draft)
            pid = run.pid
            run.session.park()
            assert (await run.ended(waiting=1)).kind == "parked"
            assert run.one(RequestParked) == RequestParked(name, deferred=True)
            assert run.session.state is SessionState.PARKED
            assert pid is not None
        assert (await stored(inbox, name)).state is RequestState.PENDING

    # Another process: the question is there with its draft, and asked by the same call.
    async with inbox_at(tmp_path) as inbox:
        async with Running(home, inbox=inbox, resume=session_id) as run:
            again = await run.until(QuestionAsked, lambda e: e.draft is not None)
            assert again.request.id == name
            assert not again.by_message
            assert again.draft == draft
            run.session.park()
            assert (await run.ended(waiting=1)).kind == "parked"

        # Answered while no process waits: it is delivered as soon as one asks.
        assert await inbox.answer(name, SQLITE, "test") == Won()
        async with Running(home, inbox=inbox, resume=session_id) as run:
            await run.until(RequestSettled, lambda e: e.request_id == name and e.outcome == SQLITE)
            await run.until(TurnEnded)
            assert model.result(name).text.startswith(ANSWERED)
            assert not model.result(name).is_error
            await run.idle(0)
            assert run.all(PromptDelivered) == []  # and not by message as well
            assert len(model.requests()) == 2
        await inbox.run(lambda _: None)
        assert (await stored(inbox, name)).state is RequestState.DELIVERED
        assert (await stored(inbox, name)).way == "result"


async def test_after_a_kill_the_answer_goes_as_a_message_and_once(
    play: Callable[..., Any], tmp_path: Path
) -> None:
    model, home = play(Scenario("q").asks(DATABASE).says("Thanks.").ends_turn().says("Fine.").ends_turn())
    async with inbox_at(tmp_path) as inbox:
        async with Running(home, inbox=inbox) as run:
            run.session.send("Build it")
            asked = await run.until(QuestionAsked)
            name, session_id = asked.request.id, run.session.session_id
            assert run.pid is not None
            os.kill(run.pid, signal.SIGKILL)
            await run.ended(waiting=1)
            assert run.one(RequestParked) == RequestParked(name, deferred=False)
        async with Running(home, inbox=inbox, resume=session_id) as run:
            again = await run.until(QuestionAsked, lambda e: e.by_message)
            assert again.request == asked.request
            run.answer(name, SQLITE)
            await run.until(PromptDelivered)
            await run.until(TurnEnded)
            message = answers_as_message(asked.request.questions, SQLITE)
            assert said(model).count(message) == 1
        await inbox.run(lambda _: None)
        assert (await stored(inbox, name)).way == "message"
        # A third start finds it delivered and sends nothing.
        count = len(model.requests())
        async with Running(home, inbox=inbox, resume=session_id) as run:
            await run.idle(0)
            assert run.all(HistoryLoaded)
            assert [e for e in run.all(QuestionAsked) if e.by_message] == []
        assert len(model.requests()) == count


async def test_of_two_only_the_last_is_the_same_call_again(play: Callable[..., Any], tmp_path: Path) -> None:
    scenario = Scenario("q").together(ask(DATABASE), ask(LAYOUT)).says("Thanks.").ends_turn().says("Fine.")
    model, home = play(scenario)
    async with inbox_at(tmp_path) as inbox:
        async with Running(home, inbox=inbox) as run:
            run.session.send("Build it")
            await run.until(QuestionAsked, count=2)
            session_id = run.session.session_id
            first, last = (event.request.id for event in run.all(QuestionAsked))
            run.session.close()  # quitting parks, too
            assert (await run.ended(waiting=2)).kind == "parked"
            assert {e.request_id: e.deferred for e in run.all(RequestParked)} == {first: False, last: True}
        async with Running(home, inbox=inbox, resume=session_id) as run:
            await run.until(QuestionAsked, lambda e: e.request.id == last and not e.by_message)
            await run.until(QuestionAsked, lambda e: e.request.id == first and e.by_message)
            run.answer(last, Answered((Answer(("Tabs",) if last.endswith("2") else ("SQLite",)),)))
            run.answer(first, SQLITE)
            await run.until(PromptDelivered)
            await run.until(TurnEnded, count=2)
            assert POSTPONED in model.result(first).text
            assert '"Which layout?"="Tabs"' in model.result(last).text
            assert said(model).count("[x] SQLite") == 1
