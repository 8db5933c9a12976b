"""/rename and /resume."""

from __future__ import annotations

import asyncio

from ccq_tui.agent.options import session_options
from ccq_tui.agent.reader import ReaderError
from ccq_tui.config import SettingsError
from ccq_tui.screens.pickers import PickRow, SessionPicker, Shelf, shelf_of
from ccq_tui.screens.session.commands import ASKING, CommandGroup
from ccq_tui.screens.session.messages import ReplaceWanted
from ccq_tui.supervisor.launches import WayOn, launch_to_resume
from ccq_tui.text import one_line

LONGEST_TITLE = 200


class ResumeCommand(CommandGroup):
    """Names the session, and puts an earlier one in its place."""

    async def rename(self, title: str) -> None:
        self._runner.need_process()
        await self._runner.asking(self._ui.session.agent.rename(title[:LONGEST_TITLE]))
        self._runner.tell(f"Title: {one_line(title, LONGEST_TITLE)}")

    async def resume(self, wanted: str) -> None:
        """Resume the session whose id begins with ``wanted``, or a chosen one, in place of this one."""
        shelf = shelf_of(self._ui.app, session_options(self._ui.launch), self._ui.view.session_id)
        way = await self._named(shelf, wanted) if wanted else await self._choose(shelf)
        while way is not None and (sure := await self._is_sure()) != "no":
            if sure:
                await self._go_on(way)
                return
            way = await self._choose(shelf, find=wanted)  # Esc goes back to the list

    async def _named(self, shelf: Shelf, wanted: str) -> WayOn | None:
        """Find the session whose id begins with ``wanted``; unless just one does, let the person choose."""
        self._ui.say("Looking for earlier sessions…", 30.0, ASKING)
        try:
            found = await shelf.sessions(everywhere=True)
        except ReaderError as error:
            self._runner.tell(f"Earlier sessions could not be read: {error}", "warning")
            return None
        finally:
            self._ui.dock.notices.hush(ASKING)
        fitting = [one.session for one in found if one.session.session_id.startswith(wanted)]
        if len(fitting) == 1:
            return WayOn(fitting[0])
        return await self._choose(shelf, find=wanted)

    async def _choose(self, shelf: Shelf, find: str = "") -> WayOn | None:
        about = "This session ends. You can resume it the same way, with your draft."
        picker = SessionPicker(shelf, find=find, about=about)
        await self._runner.show_picker(picker)
        return picker.way

    async def _is_sure(self) -> str | None:
        """Ask if there is something to lose; "yes", "no", or None if the question was left."""
        if not self._ui.view.busy:
            return "yes"
        rows = [
            PickRow("no", "Stay here"),
            PickRow("yes", "Interrupt it", "and continue the other session"),
        ]
        return await self._runner.pick("Claude is working in this session", rows)

    async def _go_on(self, way: WayOn) -> None:
        """End this session, and continue another one in this terminal."""
        try:
            launch = await asyncio.to_thread(launch_to_resume, way, self._ui.launch)
        except SettingsError as error:
            where = one_line(way.session.directory, 300)
            self._runner.tell(f"The session cannot be resumed in {where}: {error}", "warning")
            return
        self._ui.post_message(ReplaceWanted(self._ui.session, launch))
