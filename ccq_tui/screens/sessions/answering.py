"""Requests in the list of sessions: each is answered in a panel that docks in the list's details."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from functools import partial
from typing import Any

from textual import events

from ccq_tui.config.keymap import key_of
from ccq_tui.inbox.actors import Surface
from ccq_tui.inbox.draft import Draft
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.requests import RequestOutcome
from ccq_tui.inbox.store.rows import StoredRequest
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.questions import Declined
from ccq_tui.screens.editor import edit_for
from ccq_tui.screens.link_opener import open_url
from ccq_tui.screens.list_screen import ListScreen
from ccq_tui.screens.sessions.listing import Listing
from ccq_tui.screens.sessions.model import RequestRow, SessionList, SessionRow
from ccq_tui.screens.sessions.rows import Details, ListLook, Shown, last_messages
from ccq_tui.screens.sessions.session_manager import SessionManager
from ccq_tui.widgets.keys import Typed, copy_of
from ccq_tui.widgets.lifetime import after_refresh, start_work
from ccq_tui.widgets.notice_line import NoticeLine
from ccq_tui.widgets.panel import RequestPanel
from ccq_tui.widgets.panel.host import ClosedDrafts, PanelHost, draft_words, left_over

ANSWERS = "inbox answer"
"""The group of workers that see an answer through."""
Going = Callable[[], Awaitable[str | None]]
"""What leaving the list leads to; it may return in words why that could not be."""
NOTICE_SECONDS = 20.0
UNANSWERABLE = "Its session is gone, so nothing can be delivered · c copies it · {decline} declines it"


class AnsweringList(ListScreen[Going | None, SessionList]):
    """A list of sessions that answers one of their requests at a time.

    Attributes:
        manager: What opens sessions, with the inbox.
        listing: What is listed.
        panel: The panel that is open, or None.
        row: The row of the request that was opened last.
        early: Keys and pastes for the panel that is being opened, or None.
        drafts: Drafts of requests that were closed, for copying.
        details: Where the panel docks.
        notices: The line above the keys.
    """

    listing: Listing

    def __init__(self, manager: SessionManager) -> None:
        super().__init__(SessionList())
        self.manager = manager
        self.panel: RequestPanel | None = None
        self.row: RequestRow | None = None
        self._known: tuple[StoredRequest | None, Draft | None] = None, None
        self._read_for = ""
        """The stored request whose details are shown, with its draft, and its row."""
        self.early: list[Typed] | None = None
        self.drafts = ClosedDrafts()
        self.details = Details()
        self.notices = NoticeLine()

    def read_soon(self, *sessions: str) -> None:
        """Read sessions again."""
        raise NotImplementedError

    def session_of(self, row: RequestRow | None) -> SessionRow | None:
        """Return the session of a request that waits."""
        key = row.key if row is not None else None
        found = (one for one in self.state.sessions if any(each.key == key for each in one.requests))
        return next(found, None)

    def say(self, text: str, seconds: float = NOTICE_SECONDS, of: str = "") -> None:
        """Show a text above the keys for some seconds, or in the session that is shown instead.

        One with an owner is covered by later ones, and comes back.
        """
        if self.is_running and self.is_attached:
            self.notices.say(text, seconds, of)
            self.draw()
        else:
            self.manager.sessions.say(text, seconds=NOTICE_SECONDS)

    def came_up(self, *, letters: bool = False) -> None:
        """Begin anew, with the panel that is open: keys under way were meant for what covered it."""
        super().came_up(letters=letters)
        if self.panel is not None:
            self.panel.uncover()

    def hands_on(self, event: events.Key | events.Paste) -> bool:
        """Pass what is typed into the list to the panel that is open or opening; return whether it was."""
        if super().hands_on(event):
            return True
        typed = copy_of(event)  # the original is stopped at the list
        if self.panel is not None:
            self.panel.post_message(typed)  # it has not taken the focus yet
        elif self.early is not None:
            self.early.append(typed)
        else:
            return False
        return True

    def answer(self, row: RequestRow) -> None:
        """Open the panel of a request with its draft; keys from now on belong to the panel."""
        session = self.state.session_under
        if session is not None and session.place.is_gone:
            self.say(UNANSWERABLE.format(decline=key_of("decline")))
        elif self.early is None and session is not None:
            self.row, self.early = row, []
            start_work(self, partial(self._open, row, session), name="open panel")

    async def _open(self, row: RequestRow, session: SessionRow) -> None:
        try:
            opened = await self.read_request(row)
        finally:
            typed, self.early = self.early or [], None
        if opened is not None and opened.is_pending and self.panel is None and self.is_current:
            panel = self.panel = RequestPanel(self._host(session), self.clock)
            panel.begin(opened, asked_for=True)
            self.details.mount(panel)
            self._panel_changed()
            for one in typed:  # none of it decides anything: the panel is not drawn yet
                panel.post_message(one)
            # Until the panel has taken its lines, more of a plan is drawn than anybody can have read.
            after_refresh(panel, self.details.view.look_anew)
        elif typed:
            self.came_up(letters=True)
            self.type_late(typed)

    async def read_request(self, row: RequestRow) -> OpenRequest | None:
        """Return the request of a row with its draft, or None and say why not."""
        try:
            opened = await self.manager.inbox.open(row.key)
        except InboxError as error:
            self.say(f"Its draft cannot be read: {error}")
            return None
        if opened is None:
            self.say("The request no longer exists")
        return opened

    def _host(self, session: SessionRow) -> PanelHost:
        return PanelHost(
            surface=Surface.INBOX,
            say=lambda text, _: self.say(text),
            run=self.run,
            edit=lambda text, put: edit_for(self, text, put, self.say),
            open_link=lambda url: open_url(self.app, url, self.say),
            keep=self.drafts.offer,
            leave=self._leave_panel,
            ended=partial(self._ended, session),
            type_late=self.type_late,
            folded=self.close_panel,
            typed=self._touch,
            unseen_above=lambda: (self.details.view.flow.unseen(), self.details.view.flow.goes_on),
            directory=session.directory,
        )

    def run(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run work that an answer needs; the screen may be left meanwhile."""
        start_work(self.app, work, name=ANSWERS, group=ANSWERS)

    def _touch(self, opened: OpenRequest) -> None:
        """Start the time limits of a request's session again."""
        if (screen := self.manager.sessions.known(opened.request.session_id)) is not None:
            screen.attention.touch()

    async def decline(self, row: RequestRow) -> None:
        session = self.session_of(row)
        if session is not None and (opened := await self.read_request(row)) is not None:
            self._host(session).settle(opened, Declined())

    async def _ended(
        self, session: SessionRow, opened: OpenRequest, outcome: RequestOutcome, error: InboxError | None
    ) -> None:
        """Have the decision delivered to the agent; say what was done, and how it gets there."""
        if error is not None:
            self.say(f"Not answered: {error} · your draft is kept")
            return
        self.listing.drop(opened.request.id, opened.request.session_id)
        draft, lost = opened.shown, session.place.is_gone
        # Keep the whole draft if it cannot be delivered, else what the agent was not sent.
        left = "\n\n".join(filter(None, left_over(draft, outcome)))
        kept = self.drafts.offer(draft_words(draft) if lost else left)
        done = "Declined" if isinstance(outcome, Declined) else "Answered"
        # What says that a session starts for it goes once it has arrived.
        goes = not kept and self.manager.sessions.known(session.session_id) is None
        words = await self.manager.deliver(session, opened.request, done)
        self.say(words + kept, of=opened.request.id if goes else "")

    def close_panel(self) -> None:
        panel, self.panel = self.panel, None
        if panel is not None:
            panel.leave()
            panel.display = False  # at once: its parts are removed one by one
            panel.remove()
            self._panel_changed()
            if self.row is not None:
                self._read_for = ""
                self.read_soon(self.row.session_id)  # its draft

    def _leave_panel(self, opened: OpenRequest, _: RequestOutcome) -> None:
        """Close the panel of a request that was settled in it."""
        if self.panel is not None and self.panel.opened is opened:
            self.close_panel()

    def _panel_changed(self) -> None:
        """Give the panel the keys and its place, or take both back."""
        answering = self.panel is not None
        self.key_line.set_class(answering, "-off")
        if not answering:
            self.set_focus(self.field, scroll_visible=False)
        self.draw()

    def type_late(self, typed: Sequence[Typed]) -> None:
        """Give the list what was typed right after the key that hid the panel."""
        for late in typed:
            self.field.post_message(late)

    # -- details ---------------------------------------------------------------------------------------------

    def draw_details(self, look: ListLook, *, beside: bool) -> None:
        """Draw what is known of the row under the cursor, or of the one whose panel is open."""
        answers = self.panel is not None and self.row is not None
        row = self.row if answers else self.state.under
        session = self.session_of(self.row) if answers else self.state.session_under
        screen = self.manager.sessions.by_mode(session.key) if session is not None else None
        last = last_messages(screen) if screen is not None and row is session else ()
        stored, draft = self._stored(row) if isinstance(row, RequestRow) else (None, None)
        if stored is not None or not isinstance(row, RequestRow) or self._read_for == row.key:
            shown = Shown(row, session, stored, None if answers else draft, last, beside, answers)
            self.details.show(shown, look)

    def _stored(self, row: RequestRow) -> tuple[StoredRequest | None, Draft | None]:
        """Return the stored request of a row and its draft if they are known; else read them."""
        if (opened := self.manager.inbox.known(row.key)) is not None:
            return opened.stored, opened.draft
        if self._read_for == row.key:
            return self._known

        async def read() -> None:
            self._known = await self.listing.request(row)
            self._read_for = row.key
            self.draw()

        start_work(self, read, name="details", group="details", exclusive=True)
        return None, None
