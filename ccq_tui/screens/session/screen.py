"""The screen of one session: it takes the session's events, and gives it what the person says."""

from __future__ import annotations

from textual.app import ComposeResult

from ccq_tui.screens.session.deciding import Deciding
from ccq_tui.screens.session.growing import GrowingDock
from ccq_tui.screens.session.looks import Looks
from ccq_tui.screens.session.neighbouring import Neighbouring
from ccq_tui.screens.session.obeying import Obeying
from ccq_tui.screens.session.parking import Parking
from ccq_tui.screens.session.placing import Placing
from ccq_tui.screens.session.prompting import Prompting
from ccq_tui.screens.session.reading import Reading
from ccq_tui.screens.session.recovering import Recovering
from ccq_tui.screens.session.searching import Searching
from ccq_tui.screens.session.telling import Telling
from ccq_tui.screens.session.timing import Timing
from ccq_tui.widgets.place_bar import PlaceBar
from ccq_tui.widgets.search_bar import SearchBar
from ccq_tui.widgets.side_bar import SideBar
from ccq_tui.widgets.status_line import StatusLine
from ccq_tui.widgets.transcript import Transcript, TranscriptModel
from ccq_tui.worktrees.saying import begun


class SessionScreen(
    Timing,
    Parking,
    Deciding,
    Recovering,
    Prompting,
    Placing,
    Searching,
    Obeying,
    Reading,
    Telling,
    Looks,
    Neighbouring,
):
    """Transcript above, prompt or panel below, status at the bottom.

    Args:
        session: The session.
    """

    DEFAULT_CSS = """
    SessionScreen {
        & > Transcript { height: 1fr; }
    }
    """

    def compose(self) -> ComposeResult:
        """Build transcript, dock and status line."""
        yield SideBar()
        yield Transcript(TranscriptModel(self.clock))
        yield PlaceBar()
        yield SearchBar()
        yield GrowingDock(self.view.name, self.launch.draft, clock=self.clock)
        yield StatusLine()

    def on_mount(self) -> None:
        """Start the session, and send what the command line said."""
        if self.launch.worktree is not None:
            self.transcript.add_notice(begun(self.launch.worktree))
        for notice in self.launch.notices:
            self.transcript.add_notice(notice, "warning")
        self.begin_draft()
        self.session.start()
        if self.launch.prompt:
            self.say(self.launch.prompt)

    def on_unmount(self) -> None:
        """End what is left of the session where nobody waited for its end."""
        self.session.abandon()

    async def end(self) -> None:
        """End the session and wait until its process is gone."""
        self.dock.notices.say("Ending the session · Ctrl+Q again does not wait", seconds=60.0)
        await self.session.end()
        await self.release_draft()
