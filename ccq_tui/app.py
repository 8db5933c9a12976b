"""The program on the screen: themes, the session's screen, and a clean end."""

import asyncio
import atexit
import gc
import logging
import os
import shutil
import signal
import sys
import textwrap
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, ClassVar

from rich.console import RenderableType
from textual import events, on
from textual.app import App
from textual.binding import BindingType
from textual.filter import LineFilter
from textual.widget import AwaitMount

from ccq_tui import theming
from ccq_tui.compat.private import load
from ccq_tui.compat.textual.driver import announce_end, end_driver, lasting_driver, taking_over
from ccq_tui.compat.textual.pictures import draw_frugally
from ccq_tui.config.keymap import key_of, keymap, use_keys, with_keys
from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from ccq_tui.config.trust import Carried
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.input.gate import Stroke, To
from ccq_tui.logs import start_logging
from ccq_tui.output import colourless, echo
from ccq_tui.preboot_input import EarlyPrompt
from ccq_tui.remote.leader import LeaderThread
from ccq_tui.runtime.launches import with_notices
from ccq_tui.runtime.notices import Notices
from ccq_tui.runtime.runtime import Runtime
from ccq_tui.runtime.session import SessionFactory
from ccq_tui.runtime.worktree_cleanup import EndedSession
from ccq_tui.screens.clipboard import copy_beside
from ccq_tui.screens.editor import end_editors
from ccq_tui.screens.help import SECTIONS, HelpScreen, key_rows
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.session.screen import SLASH_COMMANDS
from ccq_tui.screens.session.ui import ProgramAction
from ccq_tui.screens.sessions.details import ANSWERS
from ccq_tui.screens.sessions.listing import earlier_row
from ccq_tui.screens.sessions.model import SessionList
from ccq_tui.screens.sessions.open_sessions import OpenSessions, ended, parting_words
from ccq_tui.screens.sessions.screen import Going, SessionsScreen
from ccq_tui.screens.sessions.session_manager import SessionManager
from ccq_tui.screens.sessions.trust import PersonHere
from ccq_tui.screens.terminal import forget_typed, keep_title, restore_title, set_title
from ccq_tui.text import safe
from ccq_tui.widgets.keys import Keyboard, bindings_for, read_at, typed_in
from ccq_tui.widgets.lifetime import WorkFailed, after_refresh, start_work
from ccq_tui.widgets.panel import RequestPanel

if TYPE_CHECKING:
    from ccq_tui.agent.claude.prestart import Prestarted

_logger = logging.getLogger(__name__)

END_SECONDS = 8.0
"""Seconds that the end of a session may take before the program ends without it."""
REFUSED = 2
"""Exit code when no session could start."""

ACTIONS: Mapping[str, Callable[..., object]] = {
    "overview": lambda app: app.show_sessions(),
    "waiting": lambda app: app.show_sessions(aim=SessionList.on_waiting),
    "resume": lambda app, find: app.show_sessions(aim=SessionList.on_earlier, finds=True, find=find),
    "new": lambda app: app.show_sessions(begins=True),
    "earlier": lambda app, session: app.go(partial(app.manager.go_to, earlier_row(session))),
    "step": lambda app, by: app.sessions.step(by),
    "go to": lambda app, number: app.sessions.go_to(number),
    "strip": lambda app: app.sessions.toggle_strip(),
    "next waiting": lambda app: app.sessions.go_to_waiting(),
    "close": lambda app, one: app.manager.work("close session", partial(app.manager.close, one)),
    "elsewhere": lambda app, one: app.manager.work("elsewhere", partial(app.manager.start_again, one)),
    "changed": lambda app: app.sessions.list(),
    "news": lambda app, session, news: app.sessions.tell_news(session, news),
}
"""What screens ask of the program or report to it, by the name in `ProgramAction`."""

draw_frugally()

if TYPE_CHECKING:
    from ccq_tui.compat.textual.crash import CrashLogged as _Base
else:
    _Base = load("ccq_tui.compat.textual.crash", "CrashLogged") or App


class CcqApp(_Base):
    """Creates the controllers and routes the requests of screens to them."""

    TITLE = "ccq-tui"
    CRASHED = "ccq-tui crashed. Your conversation is kept: run ccq-tui --continue to resume it."
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for("help", "quit", "suspend")]

    def __init__(
        self,
        launch: Launch,
        make_session: SessionFactory | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        early: EarlyPrompt | None = None,
        ahead: "Prestarted | None" = None,
    ) -> None:
        driver = taking_over(early) if early is not None else lasting_driver()
        super().__init__(driver_class=driver)
        if (stylesheet := load("ccq_tui.compat.textual.stylesheet", "KeptStylesheet")) is not None:
            self.stylesheet = stylesheet(variables=self.get_css_variables())
        self.no_color = colourless()
        self._launch = launch
        if early is not None and driver is None:
            self._launch = replace(self._launch, draft="".join(filter(str.isprintable, early.close())))
        self._ending = False
        self._signal = 0  # the first that ends the program
        self._suspending = False
        self.parting: list[str] = []
        """Lines for the terminal on how to return to the questions that were open at the end."""
        self._leader: LeaderThread | None = None
        self._theme_notices: list[str] = []
        self.clock = clock
        # Each knows only those created before it.
        self.runtime = Runtime(
            self._launch, PersonHere(self, self._launch), make_session=make_session, clock=clock, ahead=ahead
        )
        """Runs the sessions, on the inbox of all processes."""
        self.sessions = OpenSessions(self, self.runtime)
        """Their screens, and which one is shown."""
        self.notices = Notices(self.runtime, self.sessions)
        """Reports what waits in the inbox."""
        self.manager = SessionManager(self, self.runtime, self.sessions, self.obey)
        """Opens, replaces and closes sessions, and asks first."""
        self.hands = Keyboard()
        """What the keys came to, wherever they went."""
        self.focused_at = float("-inf")
        """Time when the terminal last got the focus."""
        use_keys(launch.settings.keymap)
        self.set_keymap({name: ",".join(keys) for name, keys in keymap().changed().items()})
        if launch.settings.is_still:
            self.animation_level = "none"

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Supply the program's own colours to style sheets when the theme lacks them."""
        return theming.variable_defaults()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Restrict drawing to the colours that the terminal has and the user wants."""
        filters = theming.line_filters(self, super().get_line_filters())
        return [*filters, theming.NO_LINES] if self._launch.settings.screen_reader else filters

    def on_load(self) -> None:
        """Apply the theme before a screen exists: later, everything would be styled a second time."""
        self._theme_notices = theming.install(self, self._launch.settings.theme)

    def obey(self, carried: Carried, settings: Settings) -> Sequence[str]:
        """Apply the theme and other program-wide settings of the directory that the program started in."""
        before = self._launch.settings
        if carried is not self._launch.trusted.carried:
            return ()
        self.runtime.obey(settings)
        if settings.is_still:
            self.animation_level = "none"
        if settings.log_level != before.log_level:
            start_logging(settings.log_level)
        notices = theming.install(self, settings.theme) if settings.theme != before.theme else []
        return [one for one in notices if one not in self._theme_notices]

    def copy_to_clipboard(self, text: str) -> None:
        """Copy a text to every clipboard that is in reach."""
        super().copy_to_clipboard(text)
        copy_beside(self, text)

    def watch_app_focus(self, focused: bool) -> None:
        """Note when the terminal got the focus."""
        if focused:
            self.focused_at = self.clock()

    async def on_event(self, event: events.Event) -> None:
        """Note each key and paste before it reaches its target; it waits for a screen still being built."""
        if isinstance(event, events.Key | events.Paste) and not event.is_forwarded:
            self._note_press(event)
            if len(self.screen_stack) == 1 and not self.sessions:
                # No screen is there to take it.
                self.sessions.typed += "\n" if getattr(event, "key", "") == "enter" else typed_in(event)
            elif self.screen_stack and not self.screen.is_mounted:
                await AwaitMount(self.screen, [self.screen])
        elif isinstance(event, events.MouseDown):
            self._note_press(event)
        elif isinstance(event, events.AppFocus | events.AppBlur):
            # Not in `watch_app_focus`: the app counts as in focus before the terminal reports anything.
            self.notices.focus_reported(isinstance(event, events.AppFocus))
        await super().on_event(event)

    def _note_press(self, event: events.Key | events.Paste | events.MouseDown) -> None:
        session = self.screen if self.screen_stack and isinstance(self.screen, SessionScreen) else None
        if session is not None:
            session.dock.touch()
        if isinstance(event, events.Key):
            self.notices.pressed()
            to = To.PANEL if session is None else To.PROMPT
            judges = isinstance(self.focused, RequestPanel)
            key = Stroke(event.key, typed_in(event), read_at(self, event, self.clock))
            self.hands.come(key, None if judges else to)
            if session is not None:
                session.dock.notices.pressed(event.key)

    async def on_mount(self) -> None:
        """Show the session, and end cleanly on a signal."""
        keep_title(self)
        self.notices.begin()
        first = with_notices(self._launch, *self._theme_notices)
        if first.program.inbox or first.program.choose:
            start_work(self, partial(self._list_first, first), name="sessions first", fatal=True)
        else:
            await self.manager.open(first)
        self._end_on_signals()
        after_refresh(self, self._begun)

    async def _list_first(self, first: Launch) -> None:
        """Show all sessions until one is opened from there or the list is left."""
        set_title(self, "ccq-tui inbox" if first.program.inbox else "ccq-tui")
        manager, choose = self.manager, first.program.choose
        notice, aim = " · ".join(first.notices), SessionList.on_earlier if choose else SessionList.on_waiting
        base = first if choose else None
        while going := await self.push_screen_wait(
            SessionsScreen(manager, aim=aim, base=base, finds=choose, notice=notice)
        ):
            if not (notice := await going() or ""):
                return
        # An answer that was confirmed just now reaches the disk and starts its session.
        writing = [worker.wait() for worker in self.workers if worker.group == ANSWERS]
        with suppress(TimeoutError):
            async with asyncio.timeout(5.0):
                await asyncio.gather(*writing, return_exceptions=True)
        if self.sessions:
            await self.sessions.show(self.sessions[-1])
            self.sessions.say(with_keys("{panel} shows what waits · {quit} ends all sessions"), seconds=20.0)
        else:
            await self.action_quit()

    def _begun(self) -> None:
        """Exempt what is loaded from garbage collection, and publish the inbox.

        Loaded objects live as long as the program. Scanning them takes 70 ms each time, longer than a key may
        wait; scanning only what came since takes 2 ms.
        """
        if not self.is_headless:
            gc.freeze()
            # So long a thread of the terminal's or the inbox's waits for one that computes. By Python's own
            # setting it waits five times as long, which one key in twenty feels while a text streams in.
            sys.setswitchinterval(0.001)
            self._lead()

    def _lead(self) -> None:
        """Publish the inbox and notify devices, in a thread, unless another process does."""
        report = self.sessions.set_trouble
        self._leader = LeaderThread(self._launch.settings, self._launch.program.state, report)

    # -- requests from screens ------------------------------------------------------------------------------

    @on(WorkFailed)
    def _work_failed(self, event: WorkFailed) -> None:
        self.sessions.note([event.words], "error")

    @on(ProgramAction)
    async def _act(self, event: ProgramAction) -> None:
        done = ACTIONS[event.name](self, *event.arguments)
        if isawaitable(done):
            await done

    def show_sessions(self, **how: Any) -> None:
        """Show everything that waits, runs or was; ``how`` as `SessionsScreen` takes it."""
        if isinstance(self.screen, SessionScreen):
            self.push_screen(SessionsScreen(self.manager, **how), self.go)

    def go(self, going: Going | None) -> None:
        """Go where the list of sessions leads to; say why that cannot be."""

        async def work() -> None:
            if going is not None and (problem := await going()):
                self.sessions.say(problem, seconds=20.0)

        if going is not None:
            self.manager.work("go to session", work)

    def action_do(self, name: str) -> object:
        """Run an action from the key table."""
        return {"help": self.action_help, "quit": self.action_quit, "suspend": self.suspend_in_shell}[name]()

    def action_help(self) -> None:
        """Show all keys over whatever is on the screen, or hide them."""
        if isinstance(self.screen, HelpScreen):
            self.screen.dismiss(None)
        else:
            sections = (getattr(self.screen, "help_place", SECTIONS[0]), *SECTIONS)
            commands = ((f"/{one.name} {one.arguments}".rstrip(), one.help) for one in SLASH_COMMANDS)
            self.push_screen(HelpScreen(key_rows(keymap(), sections, commands)))

    # -- suspended ------------------------------------------------------------------------------------------

    def suspend_in_shell(self) -> None:
        """Give the terminal to the shell, as Ctrl+Z does with any program, once what was typed is on disk."""
        if self._ending or self._suspending:
            return
        if not shell_may_resume():
            self.sessions.say(f"No shell here could resume ccq-tui · {key_of('quit')} quits")
            return
        self._suspending = True
        start_work(self, self._suspend, name="suspend")

    async def _suspend(self) -> None:
        # After this pause, input from the same burst as the key has reached its field.
        await asyncio.sleep(0.05)
        try:
            async with asyncio.timeout(2.0):  # seconds to wait for typed text to reach the disk before a stop
                for screen in self.sessions:
                    screen.queue.save()
                await self.runtime.inbox.run(lambda _: None)
        except (TimeoutError, InboxError) as error:
            _logger.warning("Suspended before everything typed was on disk: %r", error)
        if self._leader is not None:
            await asyncio.to_thread(self._leader.stop)  # so that another process may publish meanwhile
            self._leader = None
        if self._ending:
            return
        self.action_suspend_process()
        self._suspending = False

    def came_back(self) -> None:
        """Restart time limits after a stop, during which nobody could press a key, and publish again."""
        if self._leader is None and not (self._ending or self.is_headless):
            self._lead()
        for screen in self.sessions:
            screen.dock.touch()

    # -- the end --------------------------------------------------------------------------------------------

    def exit(
        self, result: int | None = None, return_code: int = 0, message: RenderableType | None = None
    ) -> None:
        """End the program and open no more sessions; see `App.exit`."""
        self.manager.ending = True
        # Textual removes all screens next: none may be replaced meanwhile.
        self.workers.cancel_group(self, "sessions")
        super().exit(result, return_code, message)

    async def action_quit(self) -> None:
        """End the sessions, then the program; a second request ends it at once."""
        start_work(self, partial(self._end, 0), name="end", fatal=True)

    async def _end(self, code: int) -> None:
        if self._ending:
            # Second request: do not wait for the sessions.
            self.exit(code, return_code=code)
            return
        self._ending = self.manager.ending = True
        self.parting = parting_words(self.sessions, kept=self._launch.program.state is None)
        announce_end(self)
        await end_editors(self)
        await self.manager.leave_questions()
        all_ended = False
        try:
            async with asyncio.timeout(END_SECONDS):
                await asyncio.gather(*(screen.end() for screen in self.sessions))
                await self.runtime.end()
            all_ended = True
        except TimeoutError:
            _logger.warning("The session did not end within %s s", END_SECONDS)
        # The launch may never have become a session.
        never = EndedSession(self.manager.unopened or self._launch)
        await self.runtime.cleanup.clear_all(
            [ended(one) for one in self.sessions] or [never], ended=all_ended
        )
        # Once more: a prompt may have come back, or been typed, as its session ended.
        await asyncio.gather(*(screen.queue.release() for screen in self.sessions))
        await self.runtime.close_inbox()
        restore_title(self)
        self.exit(code, return_code=code)

    def _end_on_signals(self) -> None:
        if self.is_headless:
            return
        loop = asyncio.get_running_loop()

        def pass_on(number: int, _frame: object) -> None:
            # The loop's own handlers lose a signal that comes among hundreds of others: those of reading the
            # terminal in the background.
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._signalled, number)
                return
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
            signal.signal(number, pass_on)

    def _signalled(self, number: int) -> None:
        first, self._signal = self._signal, self._signal or number
        if (first or self._ending) and signal.SIGHUP in (number, first):
            # A terminal that goes is no second request: the driver notices it too, and a shell that goes
            # with it ends a stopped job by another signal.
            return
        # Announce it now, ahead of what became due while stopped: that would take the terminal and stop
        # again.
        announce_end(self)
        start_work(self, partial(self._end, 128 + number), name="end", fatal=True)

    def end_threads(self) -> None:
        """Stop the threads of the inbox and the terminal driver."""
        end_driver(self)
        if self._leader is not None:
            self._leader.stop()
        self.runtime.end_threads()


async def run(launch: Launch, early: EarlyPrompt | None = None, ahead: "Prestarted | None" = None) -> int:
    """Run the application until it ends.

    Return the exit code: 0 ended, 1 crashed, 2 no session, 128 + signal.
    """
    app = CcqApp(launch, early=early, ahead=ahead)
    gc.freeze()
    gc.enable()
    try:
        await app.run_async()
    finally:
        app.end_threads()
        if not app.sessions.begun.is_set():
            # Left before there was a prompt: keep the shell from running what was typed for it.
            forget_typed()
            atexit.register(forget_typed)
    problem = app.manager.problem
    say([*([problem] if problem else []), *app.runtime.cleanup.parting, *app.parting])
    return app.return_code or (REFUSED if problem else 0)


def shell_may_resume() -> bool:
    """Whether a shell with job control started the program: nothing else would resume it after a stop."""
    return os.getpgrp() != os.getsid(0)


def say(lines: Sequence[str]) -> None:
    """Print lines on the terminal, which may be gone, as wide as it is."""
    width = shutil.get_terminal_size().columns - 1
    try:
        for line in lines:
            text = safe(line, keep_newlines=False)
            if not line.startswith(" "):  # commands are for copying: the terminal wraps them, not we
                text = textwrap.fill(text, width, break_on_hyphens=False, subsequent_indent="  ")
            echo(text)
    except OSError as error:
        _logger.warning("Nobody could be told %r: %s", lines, error)
