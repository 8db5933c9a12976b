"""The part of the screen that does the program's own commands, and lets them choose and ask."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from functools import partial
from typing import Any, TypeVar

from textual import on
from textual.screen import Screen

from ccq_tui.agent.commands import CommandError
from ccq_tui.agent.controls import USUAL_SECONDS, Control
from ccq_tui.agent.events import SessionState
from ccq_tui.questions.events import Shown
from ccq_tui.screens.pickers import Picker, PickRow
from ccq_tui.screens.session.base import SessionBase
from ccq_tui.screens.session.commands import Called, called
from ccq_tui.screens.session.dock import Dock
from ccq_tui.widgets.lifetime import is_live, start_work

PARKED = "the session is parked, and no Claude process runs · an answer or a prompt starts it again"
_logger = logging.getLogger(__name__)

T = TypeVar("T")


class Commanding(SessionBase):
    """Takes commands from the prompt; the parts that extend `command` do them."""

    _picker: Picker | None = None
    _asked_before = False
    """Whether the command that runs has asked the CLI or the person before."""

    def take_command(self, text: str) -> bool:
        """Do a command of the program's own."""
        command = called(text)
        if command is None:
            return super().take_command(text)
        self.command(command)
        return True

    def command(self, command: Called) -> None:
        """Do a command; each part does its own and hands on the others."""
        _logger.error("no part does the command %s", command.name)

    # -- what commands stand on -----------------------------------------------------------------------------

    def work(self, what: Callable[[], Coroutine[Any, Any, None]], name: str) -> None:
        """Let a command choose and ask; what the CLI refuses is said in the transcript."""
        start_work(self, partial(self._try, what, name), name=f"/{name}", group="command", exclusive=True)

    async def _try(self, what: Callable[[], Coroutine[Any, Any, None]], name: str) -> None:
        self._asked_before = False
        try:
            await what()
        except CommandError as error:
            self.tell(f"/{name} did not work: {error}", "warning")

    def tell(self, text: str, level: str = "info") -> None:
        """Show what came of a command, wherever the transcript was scrolled to."""
        self.transcript.add_notice(text, level)
        self.transcript.action_end()

    def need_process(self) -> None:
        """Refuse what only Claude's process can do, while the session is parked.

        Raises:
            CommandError: There is no process.
        """
        if self.view.state is SessionState.PARKED:
            raise CommandError(PARKED)

    async def ask(self, control: Control[T]) -> T:
        """Ask the CLI something, and say that it is waited for."""
        self.need_process()
        return await self.asking(self.session.agent.ask(control), control.seconds)

    async def asking(self, answer: Awaitable[T], seconds: float = USUAL_SECONDS) -> T:
        """Wait for an answer of the CLI, and say so meanwhile."""
        self._asked_before = True
        self.dock.notices.say("Asking Claude…", seconds=seconds)
        try:
            return await answer
        finally:
            self.dock.notices.hush()

    async def pick(
        self,
        title: str,
        rows: Iterable[PickRow],
        *,
        about: str = "",
        choose: str = "choose",
        preview: Callable[[str], None] | None = None,
    ) -> str | None:
        """Let the person choose from a list; None when they left it."""
        return await self.show_picker(Picker(title, rows, about=about, choose=choose, preview=preview))

    async def show_picker(self, picker: Picker) -> str | None:
        """Let the person choose from a list that is made already; None when they left it."""
        self._picker = picker
        # Then the key that asked for it is long ago, or may still be held down.
        picker.by_itself, self._asked_before = self._asked_before, True
        self._tell_picker()
        try:
            return await self.app.push_screen_wait(picker)
        finally:
            self._picker = None

    @on(Dock.LineChanged)
    def _tell_picker(self) -> None:
        """Say in an open list that something waits behind it."""
        if self._picker is not None:
            line = self.dock.line
            self._picker.say(f"◆ {line.summary()} · Esc" if line.items else "")

    def on_mount(self) -> None:
        """Notice at once when another screen goes: a key may come before the event that says so."""
        self.app.screen_change_signal.subscribe(self, self._came_up, immediate=True)

    def on_screen_resume(self) -> None:
        """Begin the grace of a panel that was behind another screen."""
        self._came_up(self)

    def _came_up(self, screen: Screen[Any]) -> None:
        """Begin the grace of a panel that opened behind another screen: nobody has seen it yet."""
        panel = self.dock.panel if screen is self and is_live(self) else None
        if panel is not None and not panel.state.hidden:
            panel.dispatch(Shown(self.clock()))
