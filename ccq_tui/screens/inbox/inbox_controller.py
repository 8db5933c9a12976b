"""What the inbox screen asks of the sessions of this terminal, and of those at rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ccq_tui.inbox import InboxError
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.durable import DurableInbox
from ccq_tui.inbox.waiting import Draft
from ccq_tui.screens.inbox.listing import InboxRow, Place
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.sessions.open_sessions import OpenSessions
from ccq_tui.screens.sessions.session_manager import SessionManager
from ccq_tui.supervisor.supervisor import Supervisor
from ccq_tui.widgets.lifetime import is_live


class InboxController:
    """Shows, opens and parks the sessions that asked.

    Args:
        sessions: The sessions that are open.
        manager: Opens those that rest.
        supervisor: Parks them.
        inbox: Returns the inbox.
    """

    def __init__(
        self,
        sessions: OpenSessions,
        manager: SessionManager,
        supervisor: Supervisor,
        inbox: Callable[[], DurableInbox],
    ) -> None:
        self._sessions = sessions
        self._manager = manager
        self._supervisor = supervisor
        self._inbox = inbox
        self.recorded = manager.recorded

    @property
    def inbox(self) -> DurableInbox:
        """The inbox."""
        return self._inbox()

    async def go_to(self, row: InboxRow) -> str:
        """Show the session of a request, resumed where it rests; return why that cannot be, or ""."""
        screen = self._screen_of(row)
        if screen is None:
            return await self._manager.resume(row, behind=False)
        await self._sessions.show(screen)
        screen.dock.unfold(row.id)
        return ""

    def way_back(self) -> str:
        """Say where leaving the inbox screen leads, in one or two words."""
        if self._sessions.front is not None:
            return "back"
        return "to the session" if self._sessions else "leave"

    def open_here(self) -> Mapping[str, str]:
        """Return what the sessions of this terminal are called, or "", by Claude session id."""
        return {name: screen.view.title for screen in self._sessions if (name := screen.session.known_id)}

    def draft_here(self, row: InboxRow) -> Draft | None:
        """Return the draft of a request as its session in this terminal has it, or None."""
        screen = self._screen_of(row)
        return screen.dock.draft_of(row.id) if screen is not None and is_live(screen) else None

    def keep_draft_here(self, row: InboxRow, draft: Draft) -> None:
        """Give a draft to the session in this terminal that has the request, if there is one."""
        screen = self._screen_of(row)
        if screen is not None and is_live(screen):
            screen.dock.put_draft(row.id, draft)

    def touch_here(self, row: InboxRow) -> None:
        """Count the limits of the session in this terminal that has the request from now, if there is one."""
        screen = self._screen_of(row)
        if screen is not None:
            screen.touch()

    async def park(self, row: InboxRow) -> str:
        """Park the session of a request, whichever process runs it; return in words how that went."""
        try:
            words = await self._supervisor.park(row.session_id, Actor.here(Surface.INBOX))
        except InboxError as error:
            return f"{row.session} was not parked: {error}"
        return f"{row.session} {words}" if words else "Parked: it waits without a process"

    def tell(self, text: str) -> None:
        """Say something in the session on the screen, after the inbox screen was left."""
        self._sessions.say(text, seconds=20.0)

    async def deliver(self, row: InboxRow) -> str:
        """See to it that the agent gets what was decided; return in words how it does."""
        name = row.session
        if self._screen_of(row) is not None:
            return f"Answered · {name} goes on"
        if row.place is Place.ASKER:
            return f"Answered · {name} takes it out of the inbox"
        if row.place is Place.OTHER or await self._manager.runs_elsewhere(row.session_id):
            return f"Answered · the ccq-tui that runs {name} delivers it"
        if row.place is Place.GONE:
            return "Not delivered: its session is gone"
        problem = await self._manager.resume(row, behind=True)
        return problem or f"Answered · {name} is started in the background to get it"

    def _screen_of(self, row: InboxRow) -> SessionScreen | None:
        return self._sessions.known(row.session_id)
