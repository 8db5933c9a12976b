"""The screen of one session: it takes the session's events, and gives it what the person says."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

from textual.app import ComposeResult
from textual.worker import Worker, WorkerCancelled

from ccq_tui.agent.events import SessionState
from ccq_tui.config import Launch
from ccq_tui.screens.session.deciding import Deciding
from ccq_tui.screens.session.growing import GrowingDock
from ccq_tui.screens.session.looks import Looks
from ccq_tui.screens.session.neighbouring import Neighbouring
from ccq_tui.screens.session.obeying import Obeying
from ccq_tui.screens.session.parking import Parking
from ccq_tui.screens.session.placing import Placing
from ccq_tui.screens.session.port import SessionFactory
from ccq_tui.screens.session.prompting import Prompting
from ccq_tui.screens.session.reading import Reading
from ccq_tui.screens.session.recovering import Recovering
from ccq_tui.screens.session.searching import Searching
from ccq_tui.screens.session.telling import Telling
from ccq_tui.screens.session.timing import Timing
from ccq_tui.widgets.lifetime import start_work
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
        launch: What the program was started with.
        make_session: Makes the session.
        clock: Returns seconds of a monotonic clock.
    """

    DEFAULT_CSS = """
    SessionScreen {
        & > Transcript { height: 1fr; }
    }
    """

    def __init__(
        self, launch: Launch, make_session: SessionFactory, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(launch, make_session, clock=clock)
        self._worker: Worker[None] | None = None

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
        self._run_session()
        if self.launch.prompt:
            self.say(self.launch.prompt)

    def _run_session(self) -> None:
        # What goes wrong in it must not take the screen, and all that is typed on it, along.
        self._worker = start_work(self, self.live, name="session")

    def renew(self, launch: Launch, *, told_already: bool = False) -> None:
        """Put another session in the place of one that is over, and start it."""
        super().renew(launch, told_already=told_already)
        self._run_session()

    async def end(self) -> None:
        """End the session and wait until its process is gone."""
        self.ends = True
        self.dock.notices.say("Ending the session · Ctrl+Q again does not wait", seconds=60.0)
        self.session.close()
        if self._worker is not None and not self._worker.is_finished:
            if self.view.state is SessionState.QUEUED:
                self._worker.cancel()  # else it would wait for the end of another session
            with suppress(WorkerCancelled):
                await self.workers.wait_for_complete([self._worker])
        await self.release_draft()
