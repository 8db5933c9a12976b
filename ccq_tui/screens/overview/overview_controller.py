"""What the overview asks of the sessions of this terminal, and of stored ones."""

from __future__ import annotations

from collections.abc import Callable

from ccq_tui.inbox import InboxError
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.durable import DurableInbox
from ccq_tui.screens.inbox.listing import Place
from ccq_tui.screens.overview.cards import Card, harmless, here_group
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.sessions.open_sessions import OpenSessions
from ccq_tui.screens.sessions.session_manager import SessionManager


class OverviewController:
    """Tells how the sessions of this terminal stand; shows and starts sessions.

    Args:
        sessions: The sessions that are open.
        manager: Opens and starts sessions.
        inbox: Returns the inbox, which keeps the sessions.
    """

    def __init__(
        self, sessions: OpenSessions, manager: SessionManager, inbox: Callable[[], DurableInbox]
    ) -> None:
        self._sessions = sessions
        self._manager = manager
        self._inbox = inbox
        self.recorded = manager.recorded
        self.open_earlier = manager.open_earlier
        self.subscribe = sessions.subscribe

    @property
    def inbox(self) -> DurableInbox:
        """The inbox, which keeps the sessions."""
        return self._inbox()

    def cards_here(self) -> tuple[Card, ...]:
        """Return the cards of the sessions of this terminal."""
        return tuple(self._card(screen) for screen in self._sessions)

    def _card(self, screen: SessionScreen) -> Card:
        view, waiting = screen.view, len(screen.waiting.items)
        return harmless(
            Card(
                key=self._sessions.mode_of(screen),
                session_id=screen.session.known_id,
                session=view.title or view.name,
                group=here_group(view.state, waiting),
                place=Place.HERE,
                state=str(view.state),
                since=view.since,
                waiting=waiting,
                cost=view.cost,
                last_line=view.last_line,
                directory=str(view.cwd),
                shown=screen is self._sessions.front,
            )
        )

    async def go_to(self, card: Card) -> str:
        """Show a session, resumed where it rests; return what went wrong, in words, or ""."""
        screen = self._sessions.by_mode(card.key)
        if screen is None:
            return await self._manager.resume(card, behind=False) or await self._reopened(card)
        await self._sessions.show(screen)
        if screen.waiting.items:
            screen.dock.unfold(screen.waiting.items[0].request.id)
        return ""

    async def go_on(self, card: Card) -> str:
        """Start a session again that has no process, without showing it; return what came of it."""
        screen = self._sessions.by_mode(card.key)
        if screen is not None:
            return self._manager.restart(screen)
        problem = await self._manager.resume(card, behind=True) or await self._reopened(card)
        return problem or "It goes on here · Enter shows it"

    async def _reopened(self, card: Card) -> str:
        """Take back that a session is done which is opened again; return what went wrong, or ""."""
        try:
            # Whatever the card says: it may have been marked by the key before.
            await self.inbox.run(
                lambda store: store.set_done(card.session_id, False, Actor.here(Surface.OVERVIEW))
            )
        except InboxError as error:
            return f"It is still marked as done: {error}" if card.done else ""
        return ""
