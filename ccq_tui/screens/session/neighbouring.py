"""The part of the screen through which a person goes to the other sessions of this terminal."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.message import Message

from ccq_tui.screens.pickers import PickRow
from ccq_tui.screens.session.base import SessionBase
from ccq_tui.screens.session.commanding import Commanding
from ccq_tui.screens.session.commands import Called
from ccq_tui.widgets.entries import Entry
from ccq_tui.widgets.lifetime import is_live
from ccq_tui.widgets.side_bar import SideBar

ROOM_FOR_BAR = 80
"""Columns from which the side bar has room beside the transcript."""
NUMBERS = range(1, 10)


class Neighbouring(Commanding):
    """Shows the other sessions, and asks the program for them; it knows them as entries alone."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f3", "sessions", "Show or hide the sessions", show=False, id="sessions"),
        Binding("f4", "next_waiting", "Go to the next session that waits for you", show=False, id="waiting"),
        Binding("f5", "overview", "Show all sessions by what they need", show=False, id="overview"),
        Binding("ctrl+n", "new_session", "Open another session", show=False, id="new_session"),
        # Before the field takes them, which knows them for scrolling to the side.
        Binding(
            "ctrl+pagedown", "step_session(1)", "Next session", priority=True, show=False, id="session_next"
        ),
        Binding(
            "ctrl+pageup",
            "step_session(-1)",
            "Session before",
            priority=True,
            show=False,
            id="session_before",
        ),
        *(
            Binding(
                f"alt+{number}", f"go_to_session({number})", "Go to session 1 to 9", show=False, priority=True
            )
            for number in NUMBERS
        ),
    ]

    class NewWanted(Message):
        """Another session is to be opened."""

    class StepWanted(Message):
        """Another session is to be shown: so many places further."""

        def __init__(self, step: int) -> None:
            super().__init__()
            self.step = step

    class NextWaitingWanted(Message):
        """The next session that waits for a person is to be shown."""

    class OverviewWanted(Message):
        """All sessions are to be shown, by what they need."""

    class CloseWanted(Message):
        """A session is to be ended and taken away."""

        def __init__(self, screen: SessionBase) -> None:
            super().__init__()
            self.screen = screen

    class Told(Message):
        """A list of sessions would say something else of this one."""

    entries: tuple[Entry, ...] = ()
    """All sessions of this terminal."""
    _bar_wanted = True
    _told: tuple[object, ...] = ()

    def list_sessions(self, entries: Sequence[Entry], waiting_beside: int = 0) -> None:
        """Take in which sessions there are, this one among them, and how much waits in the others."""
        self.entries = tuple(entries)
        if is_live(self):
            self._draw_bar()
        if waiting_beside != self.view.waiting_beside:
            self.view = replace(self.view, waiting_beside=waiting_beside)
            if is_live(self):
                self.changed()

    @property
    def counts_seconds(self) -> bool:
        """Whether other sessions are listed, too: each with how long it has been at what it does."""
        return super().counts_seconds or (self.in_front and len(self.entries) > 1)

    def changed(self) -> None:
        """Tell the others when a list of sessions would say something else of this one."""
        super().changed()
        view = self.view
        told = (view.state, view.title, len(self.waiting.items), view.last_line, view.cost, view.session_id)
        if told != self._told or (self.in_front and len(self.entries) > 1):
            self._told = told
            self.post_message(self.Told())

    def on_resize(self) -> None:
        """Show the side bar where there is room for it."""
        self._draw_bar()

    def _draw_bar(self) -> None:
        bar = self.query_one_optional(SideBar)
        if bar is None:
            return  # the screen is being built, or is going away
        on = self._bar_wanted and len(self.entries) > 1 and self.size.width >= ROOM_FOR_BAR
        bar.set_class(on, "-on")
        if on:
            bar.show(self.entries)

    def command(self, command: Called) -> None:
        """Open, show or close a session."""
        match command.name:
            case "new":
                self.post_message(self.NewWanted())
            case "overview":
                self.action_overview()
            case "sessions":
                self.work(self._pick_session, "sessions")
            case "close":
                self.work(self._close_here, "close")
            case _:
                super().command(command)

    @on(SideBar.Chosen)
    def _chosen(self, event: SideBar.Chosen) -> None:
        self.action_go_to_session(event.number)

    def action_sessions(self) -> None:
        """Show or hide the side bar; where it has no room, choose from a list."""
        if len(self.entries) < 2:
            self.dock.notices.say("This is the only session here · Ctrl+N opens another")
        elif self.size.width < ROOM_FOR_BAR:
            self.work(self._pick_session, "sessions")
        else:
            self._bar_wanted = not self._bar_wanted
            self._draw_bar()

    def action_next_waiting(self) -> None:
        """Go to the next session that waits."""
        self.post_message(self.NextWaitingWanted())

    def action_overview(self) -> None:
        """Show all sessions, by what they need."""
        self.post_message(self.OverviewWanted())

    def action_new_session(self) -> None:
        """Open another session."""
        self.post_message(self.NewWanted())

    def action_step_session(self, step: int) -> None:
        """Go to the next session, or the one before."""
        self.post_message(self.StepWanted(step))

    def action_go_to_session(self, number: int) -> None:
        """Go to a session by its number."""
        here = next((entry.number for entry in self.entries if entry.shown), number)
        if number > len(self.entries):
            self.dock.notices.say(f"There is no session {number} · Ctrl+N opens another")
        elif number != here:
            self.post_message(self.StepWanted(number - here))

    async def _pick_session(self) -> None:
        rows = [
            PickRow(
                str(entry.number), f"{entry.sign} {entry.name}", entry.state, entry.badge, current=entry.shown
            )
            for entry in self.entries
        ]
        if (number := await self.pick("Go to which session?", rows, choose="go to")) is not None:
            # The list is gone first: another session has its own.
            await asyncio.sleep(0)
            self.action_go_to_session(int(number))

    async def _close_here(self) -> None:
        """Close this session, asking where that would interrupt it."""
        if self.view.busy:
            rows = [
                PickRow("no", "Stay here"),
                PickRow("yes", "Interrupt it", "and close the session; /resume goes on with it later"),
            ]
            if await self.pick("Claude is at work in this session", rows) != "yes":
                return
        self.post_message(self.CloseWanted(self))
