"""The program with a session that says what a test says, for tests of the screen alone."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from textual import events
from textual.app import App
from textual.pilot import Pilot

from ccq_tui.agent import events as ev
from ccq_tui.agent.controls import Control, ImageFile, Rewound, rename, rewind
from ccq_tui.app import CcqApp
from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.port import Added, Grown, RequestChange, Settled
from ccq_tui.inbox.requests import PermissionRequest, QuestionRequest, Request, RequestOutcome, call_of
from ccq_tui.inbox.store.encoding import prompts_from_json
from ccq_tui.inbox.store.rows import RequestState, StoredRequest
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import Accepted, AlreadySettled, InboxError, Verdict
from ccq_tui.input.gate import SEEN
from ccq_tui.prompts.unread import PromptDraft
from ccq_tui.questions import Option, Question, QuestionSet
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.session.dock import Dock
from ccq_tui.widgets.prompt import Prompt
from tests.ui.host import Clock, until

T = TypeVar("T")
Program = TypeVar("Program")
Run = TypeVar("Run", bound="Driven")
SESSION_ID = "id-1"


class FakeRequests:
    """The requests of a session that tells what a test says; their answers are kept, and on no disk."""

    def __init__(self) -> None:
        self.answers: list[tuple[str, RequestOutcome, Actor]] = []
        self.opened: dict[str, OpenRequest] = {}
        self.report: Callable[[RequestChange, OpenRequest], object] = lambda *_: None
        """Tells the subscribers of the program's inbox."""
        self.wins = False
        """Whether each answer wins at once."""
        self._verdicts: dict[str, tuple[RequestOutcome, asyncio.Future[Verdict]]] = {}

    def known(self, request_id: str) -> OpenRequest | None:
        return self.opened.get(request_id)

    def of(self, session_id: str) -> tuple[OpenRequest, ...]:
        return tuple(one for one in self.opened.values() if one.request.session_id == session_id)

    def ask(self, request: Request) -> OpenRequest:
        """Let a request wait."""
        stored = StoredRequest(0, request, "", RequestState.PENDING, datetime.now(UTC))
        opened = self.opened[request.id] = OpenRequest(self, stored)
        opened.is_added = True
        return opened

    def settle(self, request_id: str, outcome: RequestOutcome, actor: Actor) -> asyncio.Future[Verdict]:
        """Keep an answer; it is settled by `end`."""
        self.answers.append((call_of(request_id), outcome, actor))
        verdict: asyncio.Future[Verdict] = asyncio.get_running_loop().create_future()
        if self.wins:
            verdict.set_result(Accepted())
        else:
            self._verdicts[request_id] = (outcome, verdict)
        return verdict

    def refuse(self, request_id: str, error: InboxError) -> None:
        """Fail at an answer."""
        self._verdicts.pop(request_id)[1].set_exception(error)

    def end(self, request_id: str, outcome: RequestOutcome, actor: Actor | None) -> None:
        """Settle a request."""
        if (opened := self.opened.pop(request_id, None)) is not None:
            change = Settled(opened.request, outcome, actor)
            opened.end(change)
            self.report(change, opened)
        mine, verdict = self._verdicts.pop(request_id, (None, None))
        if verdict is not None:
            own = mine == outcome and actor in (None, Actor.here(Surface.PANEL))
            verdict.set_result(Accepted() if own else AlreadySettled(actor, datetime.now(UTC), outcome))

    def owes_draft(self, _opened: OpenRequest) -> bool:
        return False

    def save_soon(self, _opened: OpenRequest) -> None:
        """Keep it in memory alone."""

    forget_draft = save_soon


class FakeSession:
    """A session that tells what it is told to tell, and keeps what the screen asks of it.

    Its requests may be named by their calls alone, and are kept under these.
    """

    def __init__(self, tell: Callable[[ev.AgentEvent], None]) -> None:
        self._tell = tell
        self.requests = FakeRequests()
        self.open_in: Callable[[OpenRequest], OpenRequest] = lambda opened: opened
        """Takes each request that waits."""
        self.arrive: Callable[..., object]
        """Shows more of a set that is still being written."""
        self.record_id = self.session_id = SESSION_ID
        self.sent: list[str] = []
        self.unanswered: list[str] = []
        """What was sent that Claude is not to answer."""
        self.images: list[tuple[ImageFile, ...]] = []
        """The images of each prompt that was sent."""
        self.read: frozenset[str] = frozenset()
        self.withdrawn: list[str] = []
        self.interrupts = 0
        self.closed = False
        self.parked = False
        self.cause = ""
        self.set: list[tuple[str, str | None]] = []
        self.asked: list[tuple[str, Mapping[str, Any]]] = []
        self.replies: dict[str, Any] = {}
        self.unmoved: list[str] = []
        """The files that do not follow when they are taken back."""

    def tell(self, *events: ev.AgentEvent | Grown) -> None:
        for event in events:
            if isinstance(event, Grown):
                self.arrive(event.request, event.arriving)
                continue
            named = isinstance(event, ev.RequestSettled | ev.RequestParked)
            if named and "@" not in event.request_id:
                event = replace(event, request_id=f"{event.request_id}@{self.session_id}")
            if isinstance(event, ev.RequestAsked):
                event = replace(event, request=replace(event.request, asker_id=self.session_id))
                if (opened := self.wait_with(event.request)) is not None:
                    opened.by_message = event.by_message
                    self.requests.report(Added(event.request), opened)
            elif isinstance(event, ev.RequestParked):
                self.requests.opened[event.request_id].park(deferred=event.deferred)
            elif isinstance(event, ev.RequestSettled):
                self.requests.end(event.request_id, event.outcome, event.actor)
            self._tell(event)

    @property
    def answers(self) -> list[tuple[str, RequestOutcome, Actor]]:
        """What was answered, by the calls of the requests."""
        return self.requests.answers

    def wait_with(self, request: Request) -> OpenRequest | None:
        """Let a request wait; one that was answered is asked again only for its answer."""
        if (opened := self.requests.known(request.id)) is None:
            opened = self.open_in(self.requests.ask(request))
        return opened

    async def run(self) -> None:
        self.tell(ev.Connected(self.session_id, "claude-x", "default", "/work"))
        self.tell(ev.StateChanged(ev.SessionState.IDLE))

    def send(
        self,
        text: str,
        kept: asyncio.Future[None] | None = None,
        images: tuple[ImageFile, ...] = (),
        *,
        answer: bool = True,
    ) -> str:
        self.sent.append(text)
        self.unanswered += [] if answer else [text]
        self.images.append(images)
        return f"p{len(self.sent)}"

    async def taken(self, prompts: Mapping[str, str]) -> frozenset[str]:
        return self.read & set(prompts)

    def set_option(self, what: str, value: str) -> None:
        self.set.append((what, value or None))

    async def send_control(self, control: Control[T]) -> T:
        """Answer with what the test put there: an answer of the CLI's, or an error to raise."""
        self.asked.append((control.subtype, control.fields))
        reply = self.replies.get(control.subtype, {})
        if isinstance(reply, Exception):
            raise reply
        if control.subtype == "rewind_files" and "dry_run" not in control.fields:
            self.replies["rewind_files"] = {**reply, "filesChanged": self.unmoved}
        return control.read(reply)

    async def rewind(self, prompt_id: str, *, files: bool) -> Rewound:
        return await rewind(self.send_control, prompt_id, "", files=files)

    async def rename(self, title: str) -> None:
        await self.send_control(rename(title))
        self.tell(ev.TitleChanged(title))

    def withdraw(self, prompt_id: str) -> None:
        self.withdrawn.append(prompt_id)

    def interrupt(self) -> None:
        self.interrupts += 1

    def park(self, cause: str = "") -> None:
        self.parked, self.cause = True, cause

    def close(self, cause: str = "") -> None:
        self.closed, self.cause = True, cause


class LastingSession(FakeSession):
    """A session that runs until it is closed."""

    def __init__(self, tell: Callable[[ev.AgentEvent], None]) -> None:
        super().__init__(tell)
        self.over = asyncio.Event()

    async def run(self) -> None:
        await super().run()
        await self.over.wait()

    def close(self, cause: str = "") -> None:
        super().close(cause)
        self.over.set()


@asynccontextmanager
async def running(program: Program, **wanted: Any) -> AsyncIterator[tuple[Program, Pilot[Any]]]:
    """Run an app, or what has one, for as long as a test looks at it, with what ``run_test`` takes."""
    app = program if isinstance(program, App) else program.app  # type: ignore[attr-defined]
    async with app.run_test(**wanted) as pilot:
        yield program, pilot


@asynccontextmanager
async def idle(run: Run, **wanted: Any) -> AsyncIterator[tuple[Run, Pilot[int]]]:
    """Run the program for as long as a test looks at it, from the moment when its session is ready."""
    async with run.app.run_test(**wanted) as pilot:
        await until(pilot, lambda: run.app.sessions and run.session_screen.view.state is ev.SessionState.IDLE)
        yield run, pilot


class MovableClock(Clock):
    """The clock of the event loop, put forward."""

    def __call__(self) -> float:
        return time.monotonic() + self.now


class Driven:
    """The program, its session and its pilot."""

    def __init__(
        self, launch: Launch | None = None, make: type[FakeSession] = FakeSession, clock: Clock | None = None
    ) -> None:
        self.session: FakeSession | None = None
        self.clock = clock or MovableClock(0.0)
        self.launches: list[Launch] = []
        self.wins = False
        """Whether each answer wins at once."""
        self._kind = make
        self.app = CcqApp(
            launch or Launch(settings=Settings(cwd=Path("/"))), self._make, clock=clock or self.clock
        )

    def _make(self, tell: Callable[[ev.AgentEvent], None], launch: Launch) -> FakeSession:
        self.session = self._kind(tell)
        self.session.record_id = launch.chosen_id or SESSION_ID
        self.session.open_in, self.session.requests.wins = self._open, self.wins
        inbox = self.app.runtime.inbox
        self.session.arrive, self.session.requests.report = inbox.arrive, inbox.report
        self.launches.append(launch)
        return self.session

    def _open(self, opened: OpenRequest) -> OpenRequest:
        known = self.app.runtime.inbox._known.setdefault(opened.request.id, opened)
        if known.arriving is not None:
            known.arriving, known.is_added, known.stored = None, True, opened.stored
            known._inbox = self.fake.requests
            self.fake.requests.opened[opened.request.id] = known
        return known

    @property
    def fake(self) -> FakeSession:
        assert self.session is not None
        return self.session

    @property
    def screen(self) -> SessionScreen:
        assert isinstance(self.app.screen, SessionScreen)
        return self.app.screen

    @property
    def dock(self) -> Dock:
        return self.screen.dock

    @property
    def prompt(self) -> Prompt:
        return self.dock.prompt

    @property
    def session_screen(self) -> SessionScreen:
        """The session's screen, whatever is over it."""
        return next(screen for screen in self.app.screen_stack if isinstance(screen, SessionScreen))

    async def tell(self, pilot: Pilot[Any], *events: ev.AgentEvent, then: Callable[[], object]) -> None:
        """Have the session tell something, and wait until something holds then."""
        self.fake.tell(*events)
        await until(pilot, then)

    async def ask(self, pilot: Pilot[Any], *events: ev.AgentEvent) -> None:
        """Have the session ask something, and wait until the keys of its panel work."""
        self.fake.tell(*events)
        await keys_work(self, pilot)


async def press(pilot: Pilot[Any], *keys: str, then: Callable[[], object]) -> None:
    """Press keys, and wait until something holds then."""
    await pilot.press(*keys)
    await until(pilot, then)


async def kept_while_parked(run: Driven, pilot: Pilot[Any]) -> None:
    """Wait for the next answer, and have the inbox take it while no process waits for it."""
    await until(pilot, lambda: run.fake.answers)
    name, outcome, actor = run.fake.answers[-1]
    run.fake.requests.end(f"{name}@{run.fake.session_id}", outcome, actor)


def burst(run: Driven, text: str) -> None:
    """Type in one go, as a terminal does that reads much at once."""
    for character in text:
        run.app.post_message(events.Key({" ": "space", "\r": "enter"}.get(character, character), character))


def panel_drawn(screen: SessionScreen) -> bool:
    """Whether a panel is on the screen; a key that comes before was not meant for it, and decides nothing."""
    panel = screen.dock.panel
    return panel is not None and panel.is_mounted and panel.size.height > 0


async def keys_work(run: Driven, pilot: Pilot[int]) -> None:
    """Wait until a panel is drawn, and let the time pass in which a key is none of its own."""
    await until(pilot, lambda: panel_drawn(run.session_screen))
    run.clock.skip(SEEN + 0.1)


def asked(name: str = "toolu_1", *questions: Question) -> ev.RequestAsked:
    which = Question("Which one?", "Which", (Option("First", "a"), Option("Second", "b")))
    return ev.RequestAsked(QuestionRequest(name, SESSION_ID, QuestionSet(name, questions or (which,))))


def prompt_kept(state: Path, key: str = SESSION_ID) -> PromptDraft | None:
    """Return what is on disk for a session or directory, even if another program has it."""
    with closing(Store(state / "inbox.db")) as store:
        rows = store.database.rows("SELECT body FROM prompts WHERE kept_for = ?", (key,))
        return prompts_from_json(rows[0]["body"]) if rows else None


def permission(name: str = "toolu_p", command: str = "make all") -> PermissionRequest:
    return PermissionRequest(name, SESSION_ID, "Bash", {"command": command}, description="Build it")
