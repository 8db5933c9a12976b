"""The part of the screen that names the session, and puts an earlier one in its place."""

from __future__ import annotations

import asyncio
from functools import partial

from textual.message import Message

from ccq_tui.agent import controls
from ccq_tui.agent.events import TitleChanged
from ccq_tui.agent.launching import session_options
from ccq_tui.agent.reader import ReaderError
from ccq_tui.config import Launch, SettingsError
from ccq_tui.screens.pickers import PickRow, SessionPicker, Shelf, shelf_of
from ccq_tui.screens.session.base import SessionBase
from ccq_tui.screens.session.commanding import Commanding
from ccq_tui.screens.session.commands import Called
from ccq_tui.supervisor.launches import WayOn, launch_to_resume
from ccq_tui.text import one_line

LONGEST_TITLE = 200


class Resuming(Commanding):
    """Does /rename and /resume."""

    class ReplaceWanted(Message):
        """Another conversation is to take the place of this session."""

        def __init__(self, screen: SessionBase, launch: Launch) -> None:
            super().__init__()
            self.screen = screen
            self.launch = launch

    def command(self, command: Called) -> None:
        """Name the session, or choose another one."""
        match command.name:
            case "rename" if command.argument:
                self.work(partial(self._rename, command.argument[:LONGEST_TITLE]), "rename")
            case "rename":
                self.dock.prompt.put_back("/rename ")
                self.dock.notices.say("/rename needs a title · type it, then Enter")
            case "resume":
                self.work(partial(self._resume, command.argument), "resume")
            case _:
                super().command(command)

    async def _rename(self, title: str) -> None:
        await self.ask(controls.rename(title))
        self._take(TitleChanged(title))
        self.tell(f"Title: {one_line(title, LONGEST_TITLE)}")

    # -- resuming -------------------------------------------------------------------------------------------

    async def _resume(self, wanted: str) -> None:
        shelf = shelf_of(self.app, session_options(self.launch), self.view.session_id)
        way = await self._named(shelf, wanted) if wanted else await self._choose(shelf)
        if way is not None and await self._is_sure():
            await self._go_on(way)

    async def _named(self, shelf: Shelf, wanted: str) -> WayOn | None:
        """Find the session whose id begins so; where that is not one alone, let the person choose."""
        self.dock.notices.say("Looking for earlier sessions…", seconds=30.0)
        try:
            found = await shelf.sessions(everywhere=True)
        except ReaderError as error:
            self.tell(f"Earlier sessions could not be read: {error}", "warning")
            return None
        finally:
            self.dock.notices.hush()
        fitting = [one.session for one in found if one.session.session_id.startswith(wanted)]
        if len(fitting) == 1:
            return WayOn(fitting[0])
        return await self._choose(shelf, find=wanted)

    async def _choose(self, shelf: Shelf, find: str = "") -> WayOn | None:
        about = "This session ends; it can be resumed in the same way, with what you typed."
        picker = SessionPicker(shelf, find=find, about=about)
        await self.show_picker(picker)
        return picker.way

    async def _is_sure(self) -> bool:
        """Ask when there is something to lose."""
        if not self.view.busy:
            return True
        rows = [
            PickRow("no", "Stay here"),
            PickRow("yes", "Interrupt it", "and go on with the other session"),
        ]
        return await self.pick("Claude is at work in this session", rows) == "yes"

    async def _go_on(self, way: WayOn) -> None:
        """End this session, and go on with another one in this terminal."""
        try:
            launch = await asyncio.to_thread(launch_to_resume, way, self.launch)
        except SettingsError as error:
            where = one_line(way.session.directory, 300)
            self.tell(f"The session cannot be resumed in {where}: {error}", "warning")
            return
        self.post_message(self.ReplaceWanted(self, launch))
