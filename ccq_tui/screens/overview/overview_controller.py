"""Opens the overview, keeps it true, and does what it asks of the sessions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from textual.app import App

from ccq_tui.inbox import InboxError
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.durable import DurableInbox
from ccq_tui.screens.inbox.listing import Place
from ccq_tui.screens.overview.cards import Card, harmless, here_group
from ccq_tui.screens.overview.screen import OverviewScreen
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.sessions.open_sessions import OpenSessions
from ccq_tui.screens.sessions.session_manager import SessionManager
from ccq_tui.widgets.lifetime import is_live


class OverviewController:
    """What stands around the overview; an `OverviewHost`.

    Args:
        app: The program.
        sessions: The sessions that are open.
        manager: Opens and starts sessions.
        inbox: Returns the inbox, which keeps the sessions.
        show_inbox: Shows what waits in all sessions.
        clock: Returns seconds of a monotonic clock.
    """

    def __init__(
        self,
        app: App[Any],
        sessions: OpenSessions,
        manager: SessionManager,
        inbox: Callable[[], DurableInbox],
        show_inbox: Callable[[], None],
        clock: Callable[[], float],
    ) -> None:
        self._app = app
        self._sessions = sessions
        self._manager = manager
        self._inbox = inbox
        self._clock = clock
        self.open_inbox = show_inbox
        self.recorded = manager.recorded
        sessions.subscribe(self._gather)

    @property
    def inbox(self) -> DurableInbox:
        """The inbox, which keeps the sessions."""
        return self._inbox()

    def show(self) -> None:
        """Show all sessions by what they need."""
        if self._sessions.front is None:
            # A recording, which has no sessions around it.
            self._sessions.say("A recording is shown alone, without other sessions")
        elif isinstance(self._app.screen, SessionScreen):
            self._app.push_screen(OverviewScreen(self, clock=self._clock), self._chosen)

    @property
    def _overview(self) -> OverviewScreen | None:
        """The overview, where it is open, a list over it or not."""
        return next((screen for screen in self._app.screen_stack if isinstance(screen, OverviewScreen)), None)

    def _gather(self) -> None:
        overview = self._overview
        if overview is not None and is_live(overview):
            overview.feed.gather()

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

    # -- what a card's keys ask for -------------------------------------------------------------------------

    def _chosen(self, card: Card | None) -> None:
        if card is not None:
            self._manager.work("go to session", partial(self._go_to, card))

    async def _go_to(self, card: Card) -> None:
        screen = self._sessions.by_mode(card.key)
        if screen is not None:
            await self._sessions.show(screen)
            if screen.waiting.items:
                screen.dock.unfold(screen.waiting.items[0].request.id)
        elif problem := await self._manager.resume(card, behind=False) or await self._reopened(card):
            self._sessions.say(problem, seconds=20.0)

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

    def open_another(self) -> None:
        """Ask where another session works, and open it; the overview stays where that is left."""
        self._manager.work("new session", self._manager.open_another)

    def open_earlier(self) -> None:
        """Let a person choose an earlier session, and open it; the overview stays where that is left."""
        self._manager.work("earlier session", self._open_earlier)

    async def _open_earlier(self) -> None:
        problem = await self._manager.open_earlier()
        if problem and (overview := self._overview) is not None:
            overview.say(problem)
