"""The program as the host of several sessions: each has a stack of screens of its own."""

from __future__ import annotations

import asyncio
import itertools
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from rich.console import RenderableType
from textual import events, on
from textual.app import App
from textual.worker import Worker

from ccq_tui.compat.textual.modes import begin_behind
from ccq_tui.config import Launch, Settings, SettingsError
from ccq_tui.config.trust import Carried
from ccq_tui.screens.failing import WorkFailed, failure
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.session.base import SessionBase
from ccq_tui.screens.session.dock import Dock
from ccq_tui.screens.sessions.entries import entry_of, next_waiting, stepped
from ccq_tui.screens.sessions.new import NewSessionScreen
from ccq_tui.screens.sessions.trust_gate import TrustGate
from ccq_tui.supervisor.launches import launch_of
from ccq_tui.supervisor.supervisor import Supervisor
from ccq_tui.widgets.entries import Entry
from ccq_tui.widgets.lifetime import is_live, start_work
from ccq_tui.worktrees.model import WorktreeError

_logger = logging.getLogger(__name__)


class Hosting(App[int]):
    """Opens, shows, replaces and closes sessions; the others go on while one is shown.

    The class that extends it sets what is below before the first session is opened.
    """

    supervisor: Supervisor
    """Runs the sessions."""
    clock: Callable[[], float] = staticmethod(time.monotonic)
    """Returns seconds of a monotonic clock."""
    unopened: Launch | None = None
    """What was to be started when the question about trust ended the program."""
    problem: str = ""
    """Why there is no session at all."""
    counts: Mapping[str, int] = MappingProxyType({})
    """How many requests wait in each session of all terminals; whoever keeps the inbox counts them."""

    def __init__(self, *arguments: object, **keywords: object) -> None:
        super().__init__(*arguments, **keywords)  # type: ignore[arg-type]
        self._numbers = itertools.count(1)
        self._shown: dict[str, SessionScreen] = {}
        self._gate = TrustGate(self)
        self._left = False
        self.begun = asyncio.Event()
        """Set once the first session is on the screen."""

    @property
    def sessions(self) -> tuple[SessionScreen, ...]:
        """The screens of all sessions, in the order in which they were opened."""
        return tuple(self._shown.values())

    @property
    def front(self) -> SessionScreen | None:
        """The session on the screen, or None before the first."""
        return self._shown.get(self.current_mode)

    def entries(self) -> tuple[Entry, ...]:
        """Say how all sessions stand."""
        now = self.clock()
        return tuple(
            entry_of(at, screen.view, len(screen.waiting.items), now, shown=screen is self.front)
            for at, screen in enumerate(self.sessions, 1)
        )

    @on(Worker.StateChanged)
    def _work_changed(self, event: Worker.StateChanged) -> None:
        if words := failure(event):
            self.post_message(WorkFailed(words))

    @on(WorkFailed)
    def _work_failed(self, event: WorkFailed) -> None:
        if self.front is not None and is_live(self.front):
            self.front.transcript.add_notice(event.words, "error")

    # -- opening and closing --------------------------------------------------------------------------------

    def exit(
        self, result: int | None = None, return_code: int = 0, message: RenderableType | None = None
    ) -> None:
        """End the program, and open no session any more; see `App.exit`."""
        self._left = True
        super().exit(result, return_code, message)

    async def open_session(self, launch: Launch) -> None:
        """Open a session and show it, once its directory is trusted.

        Args:
            launch: What to start it with.
        """
        await self._open(launch, self._add)

    async def open_behind(self, launch: Launch) -> None:
        """Open a session without showing it, once its directory is trusted.

        Args:
            launch: What to start it with.
        """
        await self._open(launch, self.add_behind)

    async def _open(self, launch: Launch, add: Callable[[Launch], Awaitable[None]]) -> None:
        if self._left:
            return  # all sessions are being closed; what was answered is delivered by the next start
        if launch.carried is None:
            await add(launch)
        else:
            start_work(self, partial(self._open_trusted, launch, add), name="trust", fatal=True)

    async def _open_trusted(self, launch: Launch, add: Callable[[Launch], Awaitable[None]]) -> None:
        trusted = await self.if_trusted(launch)
        if trusted is not None:
            await add(trusted)

    async def if_trusted(self, launch: Launch, *, leave: str = "") -> Launch | None:
        """Ask whether a directory is trusted that carries what is to be trusted first; call it in a worker.

        Args:
            launch: What is to be started there.
            leave: What it is called to start nothing, where that ends nothing either. Else the program ends
                if it has no session yet.

        Returns:
            What to start with after the answer, or None for nothing.
        """
        return await self._gate.let_in(launch, leave)

    async def still_trusted(self, launch: Launch) -> Launch | None:
        """As `if_trusted`, right before a process is started; asks only about what has changed."""
        return await self._gate.still_trusted(launch)

    async def _add(self, launch: Launch) -> None:
        await self.switch_mode(self._new_mode(launch))
        self.type_on(self._gate.typed_between())
        self.begun.set()
        self._list()

    async def add_behind(self, launch: Launch) -> None:
        """Open a session in a directory that is trusted, without showing it.

        Args:
            launch: What to start it with.
        """
        mode = self._new_mode(launch)
        await begin_behind(self, mode, self._shown[mode])
        self._list()

    def _new_mode(self, launch: Launch) -> str:
        mode = f"session {next(self._numbers)}"
        screen = self._shown[mode] = SessionScreen(self.supervisor.open(launch))
        self.add_mode(mode, lambda: screen)
        return mode

    def obey(self, carried: Carried, settings: Settings) -> Sequence[str]:  # noqa: ARG002
        """Apply settings of the whole program; a program with more of them extends this.

        Args:
            carried: What was trusted just now.
            settings: The settings that hold by that.

        Returns:
            What a person should know of it.
        """
        return ()

    def on_key(self, event: events.Key) -> None:
        """Keep what is typed while no screen is there to take it."""
        self._gate.key_came(event)

    def on_paste(self, event: events.Paste) -> None:
        """Keep what is pasted while no screen is there to take it."""
        self._gate.paste_came(event)

    async def leave_questions(self) -> None:
        """Leave every open question about trust, at the end of the program; keep what was typed there."""
        await self._gate.end()

    def type_on(self, text: str) -> None:
        """Put text that was typed elsewhere into the prompt of the session on the screen."""
        if text and self.front is not None and is_live(self.front):
            self.front.dock.prompt.field.type(text)

    @on(SessionScreen.NewWanted)
    def _new_wanted(self) -> None:
        start_work(self, self._open_another, name="new session", group="sessions")

    async def _open_another(self) -> None:
        front = self.front
        if front is None:
            return
        form = NewSessionScreen(front.launch.settings.directory)
        wanted = await self.push_screen_wait(form)
        if wanted is None:
            front.keep_unopened(form.left)
            return
        if wanted.plan is not None:
            self._say("Making the worktree…", seconds=60.0)
        try:
            launch = await asyncio.to_thread(launch_of, wanted, front.launch)
        except (SettingsError, WorktreeError) as error:
            front.transcript.add_notice(f"There is no session in {wanted.directory}: {error}", "warning")
            front.keep_unopened(wanted.prompt)
            return
        finally:
            for dock in front.query(Dock) if wanted.plan is not None else ():
                dock.notices.hush()
        await self.open_session(launch)

    @on(SessionScreen.ReplaceWanted)
    def _replace_wanted(self, event: SessionScreen.ReplaceWanted) -> None:
        work = partial(self._replace, event.screen, event.launch)
        start_work(self, work, name="resume", group="sessions")

    async def _replace(self, screen: SessionBase, launch: Launch) -> None:
        trusted = await self.if_trusted(beside(screen.launch, launch))
        if trusted is None:
            return
        launch = trusted
        old = self._mode_of(screen)
        await screen.end()
        self.supervisor.forget(screen.session)
        new = self._new_mode(launch)
        # In its place: dictionaries keep the order in which keys came.
        fresh = self._shown.pop(new)
        self._shown = {
            (new if mode == old else mode): (fresh if mode == old else other)
            for mode, other in self._shown.items()
        }
        # Another session in the same worktree goes on with it.
        same = launch.settings.directory == screen.launch.settings.directory
        said = () if same else await self.clear(screen.launch, screen)
        await self._leave(old, new)
        self.note(said)

    @on(SessionScreen.CloseWanted)
    def _close_wanted(self, event: SessionScreen.CloseWanted) -> None:
        work = partial(self._close_session, event.screen)
        start_work(self, work, name="close session", group="sessions")

    async def _close_session(self, screen: SessionBase) -> None:
        """End a session and take it away; with the last one the program ends."""
        if len(self._shown) == 1:
            await self.action_quit()
            return
        mode = self._mode_of(screen)
        modes = list(self._shown)
        await screen.end()
        self.supervisor.forget(screen.session)
        said = await self.clear(screen.launch, screen)
        at = modes.index(mode)
        del self._shown[mode]
        await self._leave(mode, modes[at - 1] if at else modes[1])
        self.note(said)

    async def _leave(self, old: str, new: str) -> None:
        """Take a session's screens away; where they are shown, show another's."""
        if self.current_mode == old:
            await self.switch_mode(new)
        await self.remove_mode(old)
        self._list()

    async def clear(self, launch: Launch, screen: SessionBase | None = None) -> tuple[str, ...]:  # noqa: ARG002
        """Clear away what was made for a session that has ended; whoever knows of such things extends it.

        Args:
            launch: What the session was started with.
            screen: The session; None for one that never began.

        Returns:
            What a person should know of it, a line each.
        """
        return ()

    def _mode_of(self, screen: SessionBase) -> str:
        return next(mode for mode, other in self._shown.items() if other is screen)

    # -- going from one to another --------------------------------------------------------------------------

    @on(SessionScreen.StepWanted)
    async def _step(self, event: SessionScreen.StepWanted) -> None:
        entry = stepped(self.entries(), event.step)
        if entry is None or entry.shown:
            self._say("This is the only session here · Ctrl+N opens another")
        else:
            await self.show_session(entry.number)

    @on(SessionScreen.NextWaitingWanted)
    async def _go_to_waiting(self) -> None:
        entry = next_waiting(self.entries())
        if entry is None:
            self._say("No other session waits for you")
        else:
            await self.show_session(entry.number)

    async def show_session(self, number: int) -> None:
        """Show a session.

        Args:
            number: Its place, from 1.
        """
        await self.switch_mode(list(self._shown)[number - 1])
        self._list()

    @on(SessionScreen.Told)
    def _told(self) -> None:
        self._list()

    def _list(self) -> None:
        """Show in the session on the screen how all of them stand."""
        if self.front is not None:
            self.front.list_sessions(self.entries(), self.waiting_beside(self.front))

    def waiting_beside(self, screen: SessionScreen) -> int:
        """Return how many requests wait in other sessions than this one, in all terminals."""
        return sum(count for name, count in self.counts.items() if name != screen.session.record_id)

    @on(SessionScreen.NewsTold)
    def _tell_news(self, event: SessionScreen.NewsTold) -> None:
        """Say in the session on the screen what happened in another one."""
        if self.front is not None and event.screen is not self.front:
            self._say(f"◆ {event.screen.view.name}: {event.news} · F4 goes there", seconds=20.0)

    def _say(self, text: str, seconds: float = 6.0) -> None:
        # A screen that is going away has no dock any more.
        for dock in self.front.query(Dock) if self.front is not None else ():
            dock.notices.say(text, seconds=seconds)

    def note(self, lines: Sequence[str]) -> None:
        """Say something in the session on the screen, a line each."""
        if lines and self.front is not None and is_live(self.front):
            self.front.transcript.add_notice("\n".join(lines))


def beside(old: Launch, launch: Launch) -> Launch:
    """Return a launch that asks nothing more in a directory in which a session is at work already."""
    same = launch.settings.directory == old.settings.directory
    return replace(launch, carried=None) if same else launch
