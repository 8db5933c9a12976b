"""Answers given in the inbox screen, and their results in words."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from ccq_tui.config.keymap import with_keys
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.reach import taking_words
from ccq_tui.inbox.requests import Cancelled, RequestOutcome
from ccq_tui.inbox.verdicts import AlreadySettled, InboxError, Won
from ccq_tui.inbox.waiting_line import Draft, Waiting, first_draft, with_recalled
from ccq_tui.questions import Declined, Expired
from ccq_tui.screens.inbox.inbox_list import InboxRow, SessionPlace
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.session.drafts import ClosedDrafts, draft_of, left_over
from ccq_tui.screens.sessions.session_manager import SessionManager
from ccq_tui.widgets.lifetime import is_live

DRAFT_KEPT = " · {copy_draft} copies your draft"


class RequestAnswers:
    """Gives a person's decisions to the inbox, has them delivered, and keeps drafts that came too late.

    Attributes:
        closed: Drafts of requests that another surface answered first.
        opened: The request that was opened last.
    """

    def __init__(self, manager: SessionManager) -> None:
        self._manager = manager
        self.closed = ClosedDrafts()
        self.opened: OpenRequest | None = None

    async def draft_for(self, row: InboxRow) -> Draft:
        """Return the draft with which a request opens, including what was typed for it on any surface.

        Raises `InboxError`.
        """
        request, screen = row.stored.request, self._screen_of(row)
        here = screen.dock.draft_of(row.id) if screen is not None and is_live(screen) else None
        if here is not None:
            return here
        opened = self.opened = await self._manager.inbox.open(row.id)
        if opened is None:
            return first_draft(request)
        opened.show()
        return with_recalled(opened.draft or first_draft(request), opened.recalled)

    def keep(self, row: InboxRow, draft: Draft) -> None:
        """Give a draft to the session in this terminal that has the request, if there is one."""
        screen = self._screen_of(row)
        if screen is not None and is_live(screen):
            screen.dock.put_draft(row.id, draft)

    def save(self, row: InboxRow, draft: Draft) -> None:
        """Keep a draft that changed; the time limits of its session start again."""
        screen = self._screen_of(row)
        if screen is not None:
            screen.attention.touch()
        if self.opened is not None:
            self.opened.type(draft, Actor.here(Surface.INBOX))

    async def settle(
        self, row: InboxRow, outcome: RequestOutcome, waiting: Waiting | None, forget: Callable[[], None]
    ) -> str:
        """Settle a request, and deliver the outcome to its session; return the result in words.

        If ``waiting`` is None, loads the draft. ``forget`` takes the request out of the list before delivery.
        """
        try:
            if waiting is None:
                waiting = Waiting(row.stored.request, await self.draft_for(row))
            verdict = await self._manager.inbox.answer(row.id, outcome, Actor.here(Surface.INBOX))
        except InboxError as error:
            if waiting is not None:
                self.keep(row, waiting.draft)
            return f"Not answered: {error} · your draft is kept"
        forget()
        if isinstance(verdict, Won):
            # Keep the whole draft if it cannot be delivered, else what the agent was not sent.
            gone = row.place is SessionPlace.GONE
            kept = self.closed.keep(draft_of(waiting) if gone else left_over(waiting, outcome))
            done = "Declined" if isinstance(outcome, Declined) else "Answered"
            return await self._deliver(row, done) + (with_keys(DRAFT_KEPT) if kept else "")
        if isinstance(verdict, AlreadySettled):
            return self.too_late(verdict, waiting)
        return "The request no longer exists" + self._kept(waiting)

    async def _deliver(self, row: InboxRow, done: str) -> str:
        """Have the decision delivered to the agent; return in words what was done and how it gets there."""
        name = row.session
        if self._screen_of(row) is not None:
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

    def _screen_of(self, row: InboxRow) -> SessionScreen | None:
        return self._manager.sessions.known(row.session_id)

    def too_late(self, settled: AlreadySettled, waiting: Waiting | None) -> str:
        """Keep what was typed for a request that somebody else settled; say who did."""
        match settled.outcome:
            case Cancelled(reason):
                said = f"The request was closed: {reason}"
            case Expired():
                said = "Nobody answered it in time; nothing was chosen"
            case _:
                where = settled.actor.where_from_here if settled.actor else "elsewhere"
                said = f"Already answered {where} at {settled.at.astimezone():%H:%M:%S}"
        return said + self._kept(waiting)

    def _kept(self, waiting: Waiting | None) -> str:
        kept = waiting is not None and self.closed.keep(draft_of(waiting))
        return with_keys(DRAFT_KEPT) if kept else ""
