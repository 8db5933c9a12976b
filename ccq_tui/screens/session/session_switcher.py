"""The other sessions of this terminal: the side bar, the keys that go to them, /sessions and /close."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

from ccq_tui.config.keymap import with_keys
from ccq_tui.screens.pickers import PickRow
from ccq_tui.screens.session.commands import CommandGroup, CommandRunner
from ccq_tui.screens.session.messages import ProgramAction
from ccq_tui.widgets.side_bar import SideBar, SideBarEntry

WHICH_SESSION = "Go to which session?"
ANOTHER = " · {new_session} in the prompt opens another"
ALONE = f"This is the only session here{ANOTHER}"
ROOM_FOR_BAR = 80
"""Columns from which the side bar has room beside the transcript."""


class SessionSwitcher(CommandGroup):
    """Shows the other sessions, and asks the program for them; it knows only their entries."""

    def __init__(self, runner: CommandRunner, bar: SideBar, width: Callable[[], int]) -> None:
        super().__init__(runner)
        self._bar = bar
        self._width = width
        self.entries: tuple[SideBarEntry, ...] = ()
        """All sessions of this terminal."""
        self._bar_wanted = True
        self._told: tuple[object, ...] = ()

    def list_sessions(
        self, entries: Sequence[SideBarEntry], waiting_beside: int = 0, *, bar: bool = True
    ) -> None:
        """Take in the sessions of the terminal, and how many requests wait in others, in all terminals."""
        self.entries, self._bar_wanted = tuple(entries), bar
        if self._ui.live:
            self.draw()
        view = replace(self._ui.view, waiting_beside=waiting_beside, alone=len(entries) < 2)
        if view != self._ui.view:
            self._ui.view = view
            if self._ui.live:
                self._ui.changed()

    @property
    def counts_seconds(self) -> bool:
        """Whether other sessions are listed: each with how long it has been in its state."""
        return self._ui.in_front and len(self.entries) > 1

    def changed(self) -> None:
        """Report a change in the entry that lists have of this session."""
        view = self._ui.view
        waiting = len(self._ui.dock.line.asked.items) if self._ui.live else 0
        told = (view.state, view.title, waiting, view.last_line, view.cost, view.session_id)
        if told != self._told or self.counts_seconds:
            self._told = told
            self._ui.post_message(ProgramAction("changed"))

    def draw(self) -> None:
        """Show the side bar where there is room for it."""
        if not self._bar.is_attached:
            return  # the screen is being built, or goes away
        on = self._bar_wanted and len(self.entries) > 1 and self._width() >= ROOM_FOR_BAR
        self._bar.set_class(on, "-on")
        if on:
            panel = self._ui.dock.panel
            self._bar.show(self.entries, panel=panel is not None and not panel.state.hidden)

    def toggle(self) -> None:
        """Show or hide the side bar; where it has no room, choose from a list."""
        if len(self.entries) < 2:
            self._ui.say(with_keys(ALONE))
        elif self._width() < ROOM_FOR_BAR:
            self._runner.run(self.pick, "sessions")
        else:
            self._ui.post_message(ProgramAction("side bar"))

    def go_to(self, number: int) -> None:
        here = next((entry.number for entry in self.entries if entry.shown), number)
        if number > len(self.entries):
            self._ui.say(with_keys(f"No session {number}{ANOTHER}"))
        elif number != here:
            self._ui.post_message(ProgramAction("step", number - here))

    async def pick(self) -> None:
        """Choose a session from a list."""
        rows = [
            PickRow(
                str(entry.number), f"{entry.sign} {entry.name}", entry.state, entry.badge, current=entry.shown
            )
            for entry in self.entries
        ]
        if (number := await self._runner.pick(WHICH_SESSION, rows, choose="go to")) is not None:
            # The list is gone first: another session has its own.
            await asyncio.sleep(0)
            self.go_to(int(number))

    async def close(self) -> None:
        """Close this session; ask first if that would interrupt it."""
        if self._ui.view.busy:
            rows = [
                PickRow("no", "Stay here"),
                PickRow("yes", "Interrupt it", "and close the session; /resume continues it later"),
            ]
            if await self._runner.pick("Claude is working in this session", rows) != "yes":
                return
        self._ui.post_message(ProgramAction("close", self._ui.session))
