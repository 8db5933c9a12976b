"""The part of the screen that names the session, and puts an earlier one in its place."""

from __future__ import annotations

import time
from dataclasses import replace

from textual.message import Message

from ccq_tui.agent import controls
from ccq_tui.agent.earlier import EarlierSession, earlier_sessions
from ccq_tui.agent.events import TitleChanged
from ccq_tui.agent.reader import ReaderError
from ccq_tui.config import Launch
from ccq_tui.screens.pickers import PickRow
from ccq_tui.screens.session.base import SessionBase
from ccq_tui.screens.session.commanding import Commanding
from ccq_tui.screens.session.commands import Called
from ccq_tui.screens.session.launching import session_options
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
                self.work(self._rename(command.argument[:LONGEST_TITLE]), "rename")
            case "rename":
                self.dock.prompt.put_back("/rename ")
                self.dock.notices.say("Write the title behind it")
            case "resume":
                self.work(self._resume(command.argument), "resume")
            case _:
                super().command(command)

    async def _rename(self, title: str) -> None:
        await self.ask(controls.rename(title))
        self._take(TitleChanged(title))
        self.tell(f"Title: {one_line(title, LONGEST_TITLE)}")

    # -- resuming -------------------------------------------------------------------------------------------

    async def _resume(self, wanted: str) -> None:
        self.dock.notices.say("Looking for earlier sessions…", seconds=30.0)
        try:
            found = await earlier_sessions(session_options(self.launch))
        except ReaderError as error:
            self.tell(f"Earlier sessions could not be read: {error}", "warning")
            return
        finally:
            self.dock.notices.hush()
        others = [one for one in found if one.session_id != self.view.session_id]
        if wanted:
            others = [one for one in others if one.session_id.startswith(wanted)]
        if not others:
            which = f" whose id begins with {wanted}" if wanted else ""
            self.dock.notices.say(f"There is no other session of this directory{which}")
            return
        session = others[0] if wanted and len(others) == 1 else await self._choose(others)
        if session is not None and await self._is_sure():
            self.go_on_with(session.session_id)

    async def _choose(self, sessions: list[EarlierSession]) -> EarlierSession | None:
        rows = [session_row(one, time.time()) for one in sessions]
        about = "This session ends and can be resumed in the same way, with what you have typed."
        session_id = await self.pick("Go on with which session?", rows, about=about, choose="resume")
        return next((one for one in sessions if one.session_id == session_id), None)

    async def _is_sure(self) -> bool:
        """Ask when there is something to lose."""
        if not self.view.busy:
            return True
        rows = [
            PickRow("no", "Stay here"),
            PickRow("yes", "Interrupt it", "and go on with the other session"),
        ]
        return await self.pick("Claude is at work in this session", rows) == "yes"

    def go_on_with(self, session_id: str) -> None:
        """End this session, and go on with another one in this terminal.

        Args:
            session_id: The other session.
        """
        # The draft is kept with the session that it was typed in; the other one has its own.
        launch = replace(
            self.launch,
            resume=session_id,
            continue_last=False,
            fork=False,
            prompt="",
            draft="",
            notices=(),
        )

        self.post_message(self.ReplaceWanted(self, launch))


def session_row(session: EarlierSession, now: float) -> PickRow:
    """Return the row of a session.

    Args:
        session: The session.
        now: Seconds since 1970.
    """
    # Where there is no repository the CLI calls the branch HEAD.
    branch = "" if session.branch == "HEAD" else session.branch
    return PickRow(
        session.session_id,
        session.summary or session.session_id,
        right=" · ".join(part for part in (branch, age(now - session.modified)) if part),
    )


def age(seconds: float) -> str:
    """Return how long something is ago, in the largest unit that fits."""
    for length, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= length:
            return f"{int(seconds // length)} {unit} ago"
    return "now"
