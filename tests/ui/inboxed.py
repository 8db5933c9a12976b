"""The program with sessions whose questions wait in its inbox, and what is seen in the list of sessions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from ccq_tui.agent import events as ev
from ccq_tui.config.launch import Launch, ProgramArguments
from ccq_tui.config.settings import Settings
from ccq_tui.inbox.requests import QuestionRequest, Request, RequestOutcome
from ccq_tui.inbox.store.rows import CommandKind, CommandState, RequestState, SessionState, StoredRequest
from ccq_tui.inbox.store.store import Store
from ccq_tui.questions import Option, Question, QuestionSet
from ccq_tui.screens.sessions.model import RequestRow, SessionRow
from ccq_tui.screens.sessions.screen import SessionsScreen
from tests.actors import SCRIPT
from tests.ui.host import Clock
from tests.ui.session import Driven, FakeSession, LastingSession, until


def request_of(session_id: str, name: str = "") -> QuestionRequest:
    """Return a question that tells its session."""
    name = name or f"toolu_{session_id}"
    options = (Option("First", "a"), Option("Second", "b"), Option("Third", "c"))
    asked = Question(f"Which one for {session_id}?", "Which", options)
    return QuestionRequest(name, session_id, QuestionSet(name, (asked,)))


class InboxSession(LastingSession):
    """A session with an id of its own whose questions wait in the program's inbox."""

    def __init__(self, tell: Callable[[ev.AgentEvent], None], run: Many, name: str) -> None:
        super().__init__(tell)
        self.name = self.record_id = self.session_id = name
        self.outcomes: list[RequestOutcome] = []
        self._driven = run

    def wait_with(self, request: Request) -> None:
        """Let a request wait in the inbox of the program."""
        if (inbox := self._driven.app.runtime.inbox).known(request.id) is None:
            inbox._ask(request, "").leave()

    async def ask_person(self) -> None:
        """Ask, as a real session does, and go on with the answer."""
        request = request_of(self.name)
        asked = asyncio.ensure_future(
            self._driven.app.runtime.inbox.ask(request, f"I looked around in {self.name}.")
        )
        self.tell(ev.StateChanged(ev.SessionState.AWAITING))
        self.outcomes.append(await asked)
        self.tell(ev.StateChanged(ev.SessionState.WORKING))


class Many(Driven):
    """The program with all the sessions that it made, on an inbox of its own."""

    def __init__(
        self,
        where: Path,
        *,
        settings: Settings | None = None,
        clock: Clock | None = None,
        program: ProgramArguments | None = None,
        **launched: Any,
    ) -> None:
        self.all: list[InboxSession] = []
        program = replace(program or ProgramArguments(), state=where)
        super().__init__(
            Launch(settings=settings or Settings(cwd=where), program=program, **launched), clock=clock
        )

    def _make(self, tell: Callable[[ev.AgentEvent], None], launch: Launch) -> FakeSession:
        name = (not launch.fork and launch.resume) or f"s{len(self.all) + 1}"
        self.launches.append(launch)
        self.all.append(InboxSession(tell, self, name))
        return self.all[-1]

    @property
    def list(self) -> SessionsScreen:
        """The list of sessions, which is on the screen."""
        assert isinstance(self.app.screen, SessionsScreen)
        return self.app.screen

    @property
    def waiting(self) -> list[RequestRow]:
        """The requests that the list shows."""
        return [row for row in self.list.state.shown if isinstance(row, RequestRow)]

    def row(self, name: str) -> SessionRow:
        """The row of a session, by its name."""
        return next(row for row in self.list.state.sessions if row.session == name)

    def row_of(self, session_id: str) -> SessionRow:
        """The row of a session, by its id."""
        return next(row for row in self.list.state.sessions if row.session_id == session_id)

    async def go(self, pilot: Pilot[int], name: str) -> None:
        """Move the cursor to a session, by keys."""
        for _ in self.list.state.shown:
            if getattr(self.list.state.under, "session", None) == name:
                return
            await pilot.press("j")
        raise AssertionError(f"there is no {name}")

    def notice(self) -> str:
        """The line above the keys of the list."""
        return str(self.list.query_one("NoticeLine").render())

    def hints(self) -> str:
        """The line of keys of the list."""
        return str(self.list.key_line.render())


async def open_list(pilot: Pilot[int], run: Many, waiting: int) -> None:
    """Open the list, and wait until so many requests are in it."""
    await open_by_key(pilot, run)
    await until(pilot, lambda: run.list.listing.all_read and len(run.waiting) == waiting)


async def open_by_key(pilot: Pilot[int], run: Many) -> None:
    """Press F2 until the list is shown."""
    while not isinstance(run.app.screen, SessionsScreen):
        before = _folds(run)
        await pilot.press("f2")
        # It shows or hides the panel, or goes to the list; the next press is for what came of it.
        await until(
            pilot,
            lambda: isinstance(run.app.screen, SessionsScreen) or _folds(run) != before,  # noqa: B023
        )


def _folds(run: Many) -> tuple[object, bool]:
    """Return the panel, and whether it is hidden."""
    panel = run.session_screen.dock.panel
    return panel, panel is not None and panel.state.hidden


def keep_record(session_id: str) -> Path:
    """Keep a session as Claude Code does."""
    record = Path.home() / ".claude" / "projects" / "p" / f"{session_id}.jsonl"
    record.parent.mkdir(parents=True, exist_ok=True)
    record.write_text("{}\n", encoding="utf-8")
    return record


async def left_behind(
    run: Many, where: Path, session_id: str = "old", questions: QuestionSet | None = None
) -> QuestionRequest:
    """Put a question into the inbox as an earlier process left it."""
    request = request_of(session_id)
    request = replace(request, questions=questions or request.questions)
    keep_record(session_id)

    def leave(store: Store) -> None:
        store.sessions.upsert(session_id, str(where))
        store.sessions.set_state(session_id, SessionState.PARKED, "test")
        store.requests.add(request, "Before it.")

    await run.app.runtime.inbox.run(leave)
    return request


async def park_commanded(run: Many, session_id: str) -> tuple[CommandState, str]:
    """Command from outside that a session be parked, and wait for the answer."""
    number = await run.app.runtime.inbox.run(
        lambda store: store.commands.add(CommandKind.PARK, session_id, SCRIPT)
    )
    async with asyncio.timeout(60):
        while True:
            command = await run.app.runtime.inbox.run(lambda store: store.commands.get(number))
            if command.state is not CommandState.OPEN:
                return command.state, command.words
            await asyncio.sleep(0.02)


async def stored_as(run: Many, request_id: str) -> StoredRequest:
    """Return a request as it is on disk."""
    stored = await run.app.runtime.inbox.run(lambda store: store.requests.get(request_id))
    assert stored is not None
    return stored


async def state_of(run: Many, request_id: str) -> RequestState:
    return (await stored_as(run, request_id)).state


@asynccontextmanager
async def one_waits(
    where: Path, clock: Clock | None = None
) -> AsyncIterator[tuple[Many, Pilot[int], QuestionRequest]]:
    """Show the list with one question, which an earlier process left."""
    run = Many(where, clock=clock)
    async with run.app.run_test(size=(80, 24)) as pilot:
        request = await left_behind(run, where)
        await open_list(pilot, run, 1)
        yield run, pilot, request
