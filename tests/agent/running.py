"""A real session with a real CLI, whose events are kept and waited for."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import groupby
from pathlib import Path
from typing import Any, Self, TypeVar

from ccq_tui.agent.claude.prestart import Prestarted
from ccq_tui.agent.events import (
    AgentEvent,
    ConversationReset,
    RequestAsked,
    SessionLost,
    SessionState,
    StateChanged,
)
from ccq_tui.agent.session import AgentSession
from ccq_tui.config.launch import Launch
from ccq_tui.inbox.draft import Draft
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.requests import RequestOutcome
from ccq_tui.inbox.store.rows import StoredRequest
from ccq_tui.questions import Answer, Answered, Option, Question
from ccq_tui.testing.environment import CleanHome
from ccq_tui.testing.model import ScriptedModel
from tests.actors import PANEL
from tests.memory_inbox import MemoryInbox
from tests.options import launch_of
from tests.steps import allowed, until_true

LIMIT = 90.0
LINE = 160
"""How much of an event a failure shows."""
E = TypeVar("E")
Play = Callable[..., tuple[ScriptedModel, CleanHome]]
"""Starts a model for a scenario, and makes a clean home to reach it from: the fixture `play`."""
DATABASE = Question(
    "Which database?", "Database", (Option("SQLite", "A file"), Option("PostgreSQL", "A server"))
)
SQLITE = Answered((Answer(("SQLite",)),))


class EventLog:
    """Events of a session that are kept and waited for."""

    session: Any

    def __init__(self) -> None:
        self.events: list[Any] = []
        self._news = asyncio.Event()

    async def until(self, kind: type[E], where: Callable[[E], bool] = lambda _: True, count: int = 1) -> E:
        """Wait until so many events of a kind came, and give the last of them.

        A failure says what came instead.
        """
        try:
            async with asyncio.timeout(allowed(LIMIT)):
                while len(found := [e for e in self.all(kind) if where(e)]) < count:
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            wanted = f"{count} of {kind.__name__} within {LIMIT:.0f} s ({len(found)} came)"
            raise AssertionError(f"not {wanted}; what came:\n{self.listing}") from None
        return found[count - 1]

    def send(self, prompt: str) -> Self:
        """Send a prompt; what comes of it can be waited for."""
        self.session.send(prompt)
        return self

    @property
    def listing(self) -> str:
        """All events so far, each in a line, the same one after another once."""
        lines = (str(event)[:LINE] for event in self.events)
        grouped = [(line, len(list(same))) for line, same in groupby(lines)]
        return "\n".join(f"  {line}" + (f"  ×{times}" if times > 1 else "") for line, times in grouped)

    def all(self, kind: type[E]) -> list[E]:
        """Give the events of a kind so far; of a kind of request, those that ask one."""
        return [event for event in self.events if isinstance(event, kind) or asks(event, kind)]

    def one(self, kind: type[E]) -> E:
        """Give the only event of a kind."""
        (event,) = self.all(kind)
        return event

    def _take(self, event: object) -> None:
        self.events.append(event)
        self._news.set()


class Running(EventLog):
    """A session that runs between entering and leaving; leaving closes it and checks that nothing is left."""

    def __init__(
        self,
        home: CleanHome,
        inbox: MemoryInbox | Inbox | None = None,
        *,
        ahead: Prestarted | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        self.inbox = inbox or MemoryInbox()
        self.session = AgentSession(launch_in_home(home, **options), self.inbox, self._take, ahead=ahead)
        self._idle_at_first = 1

    async def __aenter__(self) -> Self:
        self.task = asyncio.create_task(self.session.run())
        return self

    async def __aexit__(self, *_error: object) -> None:
        self.session.close()
        await self.ended()

    async def ended(self) -> SessionLost:
        """Wait for the session's end, and check that no process is left, and no request of it."""
        pid = self.pid
        await asyncio.wait({self.task}, timeout=allowed(LIMIT))
        assert self.task.done()
        await self.inbox.run(lambda _: None)  # what was withdrawn is reported by then
        assert self.inbox.pending == (), "what is left is no longer this process's"
        if pid is not None:
            assert not alive(pid)
        return self.one(SessionLost)

    async def killed(self) -> SessionLost:
        """Kill the CLI, and wait as `ended` does."""
        assert self.pid is not None
        os.kill(self.pid, signal.SIGKILL)
        return await self.ended()

    @property
    def state(self) -> SessionState:
        """What the session did last."""
        return self.all(StateChanged)[-1].state

    @property
    def pid(self) -> int | None:
        """The CLI's process id while it runs."""
        connection = self.session._connection
        return connection._pid if connection else None

    async def idle(self, count: int = 1) -> None:
        """Wait for the end of so many pieces of work."""
        await self.until(StateChanged, lambda e: e.state is SessionState.IDLE, count + self._idle_at_first)

    async def cleared(self) -> None:
        """Clear the conversation, and forget all events so far."""
        self.events.clear()
        self.session.send("/clear")
        reset = await self.until(ConversationReset)
        await self.until(StateChanged, lambda e: e.state is SessionState.IDLE and self._after(reset, e))
        self.events.clear()
        self._idle_at_first = 0

    def request(self, name: str) -> str:
        """The id of a request, which may be named by its call alone."""
        return name if "@" in name else f"{name}@{self.session.session_id}"

    def draft_of(self, request_id: str) -> Draft | None:
        """Give the draft of a request that is open here."""
        opened = self.inbox.known(request_id)
        return opened.draft if opened is not None else None

    def answer(self, name: str, outcome: RequestOutcome) -> Self:
        """Settle a request; what comes of it can be waited for."""
        self.inbox.settle(self.request(name), outcome, PANEL)
        return self

    def _after(self, earlier: AgentEvent, later: AgentEvent) -> bool:
        return any(event is later for event in self.events[self.events.index(earlier) :])


@asynccontextmanager
async def inbox_at(path: Path) -> AsyncIterator[Inbox]:
    """Open the inbox in a directory; leaving checks that all of it was written."""
    inbox = await Inbox.connect(path / "inbox.db")
    try:
        yield inbox
    finally:
        assert await inbox.close()


async def stored(inbox: Inbox, request_id: str) -> StoredRequest:
    """Return a request from disk."""
    found = await inbox.run(lambda store: store.requests.get(request_id))
    assert found is not None
    return found


def asks(event: object, kind: type) -> bool:
    """Say whether an event asks a kind of request."""
    return isinstance(event, RequestAsked) and isinstance(event.request, kind)


def launch_in_home(home: CleanHome, **options: Any) -> Launch:
    """Give the launch of a session in a clean home; a setting that is None counts as not given."""
    given = {"cwd": home.project, "environment": home.overrides(), "permission_mode": "default"} | options
    return launch_of(**{name: value for name, value in given.items() if value is not None})


def alive(pid: int) -> bool:
    """Say whether a process is there and not just unreaped."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def written(home: CleanHome, session_id: str) -> str:
    """Return what the CLI has written of a session."""
    return "".join(
        path.read_text(encoding="utf-8") for path in (home.config / "projects").glob(f"*/{session_id}.jsonl")
    )


async def until_written(home: CleanHome, session_id: str, text: str) -> None:
    """Wait until the CLI has written something of a session: it does so a moment after it has told it."""
    await until_true(lambda: text in written(home, session_id), LIMIT)
