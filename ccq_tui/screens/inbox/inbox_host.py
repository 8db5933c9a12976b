"""The panel of the inbox screen: opens a request of any session, and has its answer delivered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from textual import events

from ccq_tui.inbox.actors import Surface
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.reach import taking_words
from ccq_tui.inbox.requests import Request, RequestOutcome
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.inbox.waiting_line import Draft
from ccq_tui.questions import Declined
from ccq_tui.screens.editor import GROUP, edit_for
from ccq_tui.screens.inbox.inbox_list import InboxRow, SessionPlace
from ccq_tui.screens.link_opener import Target, open_target
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.sessions.session_manager import SessionManager
from ccq_tui.widgets.decision import DecisionPanel
from ccq_tui.widgets.lifetime import after_refresh, start_work
from ccq_tui.widgets.panel.drafts import draft_words, left_over
from ccq_tui.widgets.panel.host import PANELS, Panel, PanelHost

if TYPE_CHECKING:
    from ccq_tui.screens.inbox.screen import InboxScreen

ANSWERS = "inbox answer"
"""The group of workers that see an answer through."""


@dataclass(slots=True)
class Opening:
    """A panel whose draft is being read.

    Attributes:
        row: Its request.
        typed: Keys and pastes for it that came meanwhile.
    """

    row: InboxRow
    typed: list[events.Key | events.Paste] = field(default_factory=list)


class InboxHost(PanelHost):
    """Shows the request of a row; its session, if that is here, has its draft, too.

    Attributes:
        row: The row of the request that was opened last.
        opening: The panel that is being opened, or None.
    """

    def __init__(self, screen: InboxScreen, manager: SessionManager) -> None:
        super().__init__(Surface.INBOX, screen)
        self.row: InboxRow | None = None
        self.opening: Opening | None = None
        self._screen = screen
        self._manager = manager

    # -- opening --------------------------------------------------------------------------------------------

    def open_soon(self, row: InboxRow) -> None:
        """Open the panel of a request with its draft; keys from now on belong to the panel."""
        if self.opening is None:
            self.opening = Opening(row)
            start_work(self._screen, partial(self._open, self.opening), name="open panel")

    async def _open(self, opening: Opening) -> None:
        try:
            opened = await self.read(opening.row)
        finally:
            self.opening = None
        screen = self._screen
        if opened is not None and opened.is_pending and self.panel is None and screen.is_current:
            self.row = opening.row
            panel = self._panel_for(opened, opening.row)
            self.show(opened, panel, asked_for=True)
            screen.open_panel(panel)
            panel.type_ahead(opening.typed)
            # Until the panel has taken its lines, more of a plan is drawn than anybody can have read.
            after_refresh(panel, screen.body.about_view.look_anew)
        elif opening.typed:
            screen.find_late(opening.typed)

    async def read(self, row: InboxRow) -> OpenRequest | None:
        """Return the request of a row with its draft, or None and say why not."""
        try:
            opened = await self._manager.inbox.open(row.id)
        except InboxError as error:
            self.say(f"Its draft cannot be read: {error}")
            return None
        if opened is None:
            self.say("The request no longer exists")
        return opened

    def _panel_for(self, opened: OpenRequest, row: InboxRow) -> Panel:
        panel = PANELS[type(opened.shown)](None, session=row.of_session, clock=self._screen.clock)
        if isinstance(panel, DecisionPanel):
            panel.form.unseen_above = self._screen.body.unseen_of_plan
            panel.form.directory = row.directory
        return panel

    # -- what is around the panel ---------------------------------------------------------------------------

    def say(self, text: str, of: str = "") -> None:  # noqa: ARG002 - one request is open at a time
        self._screen.say(text)

    def run(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        start_work(self._screen.app, work, name="inbox answer", group=ANSWERS)

    def edit(self, text: str, put: Callable[[str], None]) -> None:
        work = partial(edit_for, self._screen.app, text, put, self._screen.say)
        start_work(self._screen, work, name="editor", group=GROUP)

    async def open_link(self, url: str) -> None:
        self.say(await open_target(self._screen.app, Target(url, url=url)))

    def typed(self, opened: OpenRequest) -> None:
        """Start the time limits of its session again."""
        if (screen := self._session_of(opened.request)) is not None:
            screen.attention.touch()

    def refused(self, _opened: OpenRequest, _draft: Draft, error: InboxError) -> None:
        self.say(f"Not answered: {error} · your draft is kept")

    # -- the answer -----------------------------------------------------------------------------------------

    async def won(self, opened: OpenRequest, draft: Draft, outcome: RequestOutcome) -> None:
        """Have the decision delivered to the agent; say what was done, and how it gets there."""
        row = self._screen.take_out(opened.request.id) or self.row
        if row is None:
            return
        # Keep the whole draft if it cannot be delivered, else what the agent was not sent.
        gone = row.place is SessionPlace.GONE
        kept = self.keep(draft_words(draft) if gone else left_over(draft, outcome))
        done = "Declined" if isinstance(outcome, Declined) else "Answered"
        self.say(await self._deliver(row, done) + kept)

    async def _deliver(self, row: InboxRow, done: str) -> str:
        name = row.session
        if self._session_of(row.stored.request) is not None:
            return f"{done} · {name} continues"
        if row.place is SessionPlace.ASKER:
            taken = await asyncio.to_thread(taking_words, row.stored.request.origin)
            return f"{done} · {taken}"
        if row.place is SessionPlace.OTHER or await self._manager.runs_elsewhere(row.session_id):
            return f"{done} · the ccq-tui that runs {name} delivers it"
        if row.place is SessionPlace.GONE:
            return "Not delivered: its session is gone"
        problem = await self._manager.resume(row, Surface.INBOX, behind=True)
        return problem or f"{done} · {name} starts in the background to receive it"

    def _session_of(self, request: Request) -> SessionScreen | None:
        return self._manager.sessions.known(request.session_id)
