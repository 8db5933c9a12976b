"""The list of sessions: what waits in it, and the panel that is opened there."""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from ccq_tui.agent import events as ev
from ccq_tui.config.launch import Launch, ProgramArguments
from ccq_tui.config.settings import Settings
from ccq_tui.inbox.requests import PermissionRequest, PlanRequest, QuestionRequest, Request, RequestOutcome
from ccq_tui.questions import QuestionSet
from ccq_tui.screens.sessions.model import LABELS
from ccq_tui.screens.sessions.screen import SessionsScreen
from ccq_tui.widgets.panel import RequestPanel
from ccq_tui.widgets.search_bar import SearchBar
from tests.ui.asked import MULTI, SINGLE
from tests.ui.keystrokes.hands import LETTERS, gained
from tests.ui.keystrokes.oracle import typed
from tests.ui.keystrokes.panels import FIELD, LONG, MEANT, OTHERS, PLAN, Before, Panels, may_act, texts_of
from tests.ui.session import Driven, FakeSession

LIST_KEYS = ("down", "up", "right", "right", "enter", "ctrl+d", *"aynd/h", "tab", "escape", "f2", "end")
SESSIONS = 2


class AskingSession(FakeSession):
    """A session whose requests wait in the program's inbox."""

    def __init__(self, tell: Callable[[ev.AgentEvent], None], run: "Asking", name: str) -> None:
        super().__init__(tell)
        self.name = self.record_id = name
        self._driven = run
        self._over = asyncio.Event()
        self._asked: set[asyncio.Future[None]] = set()

    async def run(self) -> None:
        self.tell(ev.Connected(self.name, "claude-x", "default", "/work"))
        self.tell(ev.StateChanged(ev.SessionState.WORKING))
        await self._over.wait()

    def wait_for(self, request: Request) -> None:
        """Ask, and take the answer."""
        self._asked.add(asyncio.ensure_future(self._wait_for(request)))

    async def _wait_for(self, request: Request) -> None:
        outcome = await self._driven.app.runtime.inbox.ask(request, "I looked around.")
        self._driven.decided.append((request.id, outcome, "inbox"))

    def close(self, cause: str = "") -> None:
        super().close(cause)
        self._over.set()


class Asking(Driven):
    """The program with sessions that ask."""

    def __init__(self, launch: Launch, clock: Callable[[], float]) -> None:
        self.all: list[AskingSession] = []
        self.decided: list[tuple[str, RequestOutcome, str]] = []
        super().__init__(launch, clock=clock)  # type: ignore[arg-type]

    def _make(self, tell: Callable[[ev.AgentEvent], None], launch: Launch) -> FakeSession:
        self.launches.append(launch)
        self.all.append(AskingSession(tell, self, f"s{len(self.all) + 1}"))
        self.session = self.all[0]
        return self.all[-1]


class Sessions(Panels):
    """Requests of two sessions that are answered in their panels and in the list of sessions."""

    PLACE = "sessions"
    COPIES = (1, 2)  # a draft is its session's, too
    run: Asking
    _went_to_session = False
    _opened: object = None
    """The panel that was opened last in the inbox."""

    def _before(self) -> Before:
        """Note what is there; the prompt of a session behind the inbox is no text that somebody writes."""
        before = super()._before()
        return before if self.listed is None else replace(before, drafting=False)

    async def drive(self, count: int) -> None:
        """Press so many keys."""
        self.goal = count
        self._left: list[str] = []
        launch = Launch(
            settings=Settings(cwd=self.where), program=ProgramArguments(state=self.where / "state")
        )
        await self.in_program(Asking(launch, self.clock), self._drive)

    async def _drive(self) -> None:
        for _ in range(SESSIONS - 1):
            await self.run.app.sessions.add_behind(
                Launch(
                    settings=Settings(cwd=self.where), program=ProgramArguments(state=self.where / "state")
                )
            )
        await self.settle()
        while self.counts["keys"] < self.goal:
            await self._do_something()

    async def _do_something(self) -> None:
        what, in_list = self.random.random(), self.listed is not None and self.panel is None
        if what < 0.10 and sum(self.run.app.sessions.counts.values()) < 4:
            await self._ask()
        elif what < 0.12:
            await self.resize()
        elif what < 0.20:
            await self._burst()
        elif what < 0.35 and self.listed is None:
            await self._press("f2", self.random.choice((0.1, 0.5)))
        elif what < 0.60 and in_list:
            await self._press(self.random.choice(LIST_KEYS))
        elif what < 0.70:
            await self._work()
        elif what < 0.85:
            await self._press(self.random.choice(LETTERS))
        else:
            await self._press(self.random.choice(OTHERS))

    async def _work(self) -> None:
        """Answer in the list's own panel where that is in front."""
        if self.listed is not None and self.panel is None:
            await self._press("right", 0.5)
            for _ in range(self.random.randint(1, 3)):
                await self._press(self.random.choice(MEANT), self.random.choice((0.0, 0.2, 1.6)))
        else:
            await super()._work()

    async def _ask(self) -> None:
        self._names += 1
        session = self.random.choice(self.run.all)
        name, who = f"r{self._names}", session.name
        asks: list[Request] = [
            QuestionRequest(name, who, QuestionSet(name, (SINGLE,))),
            QuestionRequest(name, who, QuestionSet(name, (SINGLE, MULTI))),
            QuestionRequest(name, who, QuestionSet(name, (FIELD,))),
            PermissionRequest(name, who, "Bash", {"command": LONG}, description="Build it"),
            PlanRequest(name, who, PLAN),
        ]
        request = self.random.choice(asks)
        self.say(f"{who} asked {type(request).__name__}")
        session.wait_for(request)
        await self.settle()

    async def settle(self) -> None:
        """Wait for what is written, too."""
        await super().settle()
        while answering := tuple(self.run.app.runtime.inbox._answers):
            await asyncio.gather(*answering)
            await super().settle()

    # -- what is there ---------------------------------------------------------------------------------------

    @property
    def listed(self) -> SessionsScreen | None:
        """The list of sessions, when it is in front."""
        return self.app.screen if isinstance(self.app.screen, SessionsScreen) else None

    @property
    def _types(self) -> bool:
        """Whether letters are text in the list."""
        return self.listed is not None and (self.listed.finds or self.listed.form.about is not None)

    @property
    def panel(self) -> RequestPanel | None:
        """The panel of the screen in front, hidden or not, or None."""
        return self.listed.panel if self.listed is not None else super().panel

    @property
    def answers(self) -> list[tuple[str, RequestOutcome, str]]:
        """What was decided by keys, so far."""
        return self.run.decided

    def looked(self) -> None:
        """See whether a panel came to the front; in the inbox a person opens each, and help may cover it."""
        if self.listed is None:
            # Enter in the list goes to the session, for what it asks.
            self._look(asked_for=self.trace[-1:] == ["press f2"] or self._went_to_session)
            self._went_to_session = False
            return
        front = self.front
        if self.sight.looked(front, self.clock.now, asked_for=front != self._opened) and front is not None:
            self.counts["panels in the list"] += front != self._opened
            self._opened = front

    def texts(self) -> dict[str, Counter[str]]:
        """Every character that stands somewhere, the inbox screen included."""
        places = super().texts()
        docks = [screen.dock for screen in self.run.app.sessions]
        bars = [screen.query_one(SearchBar) for screen in self.run.app.sessions]
        places["search"] = Counter("".join(bar.field.text for bar in bars))
        sent = [text for session in self.run.all for text in session.sent]
        places["prompt"] = Counter("".join([*(dock.prompt.text for dock in docks), *sent]))
        places["decided"] = Counter("".join(repr(outcome) for _, outcome, _ in self.answers))
        if self.listed is not None:
            panel = self.listed.panel
            kept = self.listed.form._filter if self.listed.form.about is not None else ""
            texts = [self.listed.field.text, kept, *(texts_of(panel.state) if panel else ())]
            places["list"] = Counter("".join(texts))
        places["new"] = Counter("".join(self.run.app.manager.new.texts[label] for label in LABELS))
        return places

    # -- keys ------------------------------------------------------------------------------------------------

    async def _burst(self) -> None:
        if self.listed is None:
            await super()._burst()
            return
        await self.pass_time()
        if self.listed is None:
            return
        before, finds, frame = self._before(), self._types, self.frame()
        keys = [*self.random.choice((("right",), ("ctrl+d",), ("f2",), ())), *self.letters(4)]
        if self.random.random() < 0.5:
            keys.append("enter")
        self.post(*keys)
        await self.settle()
        answers = self.answers[before.answers :]
        if answers and before.state is None:
            # A panel that opens in the burst, or the question whether to decline, was not drawn yet.
            asked = keys[0] == "ctrl+d" and frame.shows("Decline")
            self.confirmed(len(answers) == 1 and asked, f"{answers} by {keys} in one go")
        elif answers:
            self._confirmed((tuple(keys), before))
        elif before.front is not None and keys[0] not in ("ctrl+d", "f2"):  # to a question, and to the list
            self._account(tuple(keys), before)
        elif before.front is None and (keys[0] == "f2" or (finds and keys[0] not in ("ctrl+d", "right"))):
            missing = Counter("".join(map(typed, keys)).replace(" ", "")) - gained(before.texts, self.texts())
            answers_it = keys[0] == "y" and frame.shows("Decline")  # the list asked whether to decline
            if self.front is not None:
                missing -= may_act("".join(map(typed, keys)), None)
            self.expect(not missing - Counter("y" * answers_it), f"{''.join(missing)!r} of {keys} is nowhere")
        self._used(tuple(keys), before)
        self.counts["bursts"] += 1

    async def _press(self, key: str, pause: float | None = None) -> None:
        await self.pass_time(pause)
        if self.listed is None or self.panel is not None:
            await super()._press(key, 0.0)
            return
        self._word = None
        before, finds, frame = self._before(), self._types, self.frame()
        self._went_to_session = key == "enter"
        self.post(key)
        await self.settle()
        if self.answers[before.answers :]:
            self.confirmed(
                key in ("y", "ctrl+d") and frame.shows("Decline"),
                f"declined by {key}\n" + "\n".join(frame.lines),
            )
        elif key == "n" and frame.shows("Decline “"):
            pass  # it answers whether to decline
        elif finds and typed(key).strip() and self.listed is not None:  # a blank may ask for a name
            self.expect(gained(before.texts, self.texts())[typed(key)], f"{key!r} is nowhere")

    def _settle_answers(self, before: Before) -> None:
        """Leave it to the sessions, which hear of it by the inbox."""
