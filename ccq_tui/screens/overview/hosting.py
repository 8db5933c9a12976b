"""The program as what stands around the overview: it shows, opens and starts the sessions of its cards."""

from __future__ import annotations

import asyncio
import math
from functools import partial

from textual import on

from ccq_tui.agent.launching import session_options
from ccq_tui.config import Launch, SettingsError
from ccq_tui.inbox import InboxError
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.screens.inbox.hosting import Inboxing
from ccq_tui.screens.inbox.listing import Place
from ccq_tui.screens.overview.cards import Card, harmless, here_group
from ccq_tui.screens.overview.screen import OverviewScreen
from ccq_tui.screens.pickers import SessionPicker, shelf_of
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.session.base import SessionBase
from ccq_tui.screens.sessions.hosting import beside
from ccq_tui.supervisor.launches import launch_to_resume
from ccq_tui.widgets.lifetime import is_live, start_work


class Overviewing(Inboxing):
    """Opens the overview, keeps it true, and does what it asks of the sessions; see `OverviewHost`."""

    @on(SessionScreen.OverviewWanted)
    def _show_overview(self) -> None:
        if self.front is None:
            # A recording, which has no sessions around it.
            if isinstance(self.screen, SessionBase):
                self.screen.dock.notices.say("A recording is shown alone, without other sessions")
        elif isinstance(self.screen, SessionScreen):
            self.push_screen(OverviewScreen(self, clock=self.clock), self._chosen_in_overview)

    @property
    def _overview(self) -> OverviewScreen | None:
        """The overview, where it is open, a list over it or not."""
        return next((screen for screen in self.screen_stack if isinstance(screen, OverviewScreen)), None)

    def _list(self) -> None:
        super()._list()
        overview = self._overview
        if overview is not None and is_live(overview):
            overview.gather()

    async def _add(self, launch: Launch) -> None:
        # A session has a stack of screens of its own: the overview would stay over the one that was left.
        if isinstance(self.screen, OverviewScreen):
            self.screen.dismiss(None)
        await super()._add(launch)

    def cards_here(self) -> tuple[Card, ...]:
        """Return the cards of the sessions of this terminal."""
        return tuple(self._card(mode, screen) for mode, screen in self._shown.items())

    def _card(self, mode: str, screen: SessionScreen) -> Card:
        view, waiting = screen.view, len(screen.waiting.items)
        return harmless(
            Card(
                key=mode,
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
                shown=screen is self.front,
            )
        )

    # -- what a card's keys ask for -------------------------------------------------------------------------

    def _chosen_in_overview(self, card: Card | None) -> None:
        if card is not None:
            start_work(self, partial(self._go_to, card), name="go to session", group="sessions")

    async def _go_to(self, card: Card) -> None:
        screen = self._shown.get(card.key)
        if screen is not None:
            await self.show_session(self.sessions.index(screen) + 1)
            if screen.waiting.items:
                screen.dock.unfold(screen.waiting.items[0].request.id)
        elif problem := await self.resume(card, behind=False):
            self.tell(problem)
        else:
            await self._reopened(card)

    async def go_on(self, card: Card) -> str:
        """Start a session again that has no process, without showing it; return what came of it."""
        screen = self._shown.get(card.key)
        if screen is not None:
            wait = screen.session.start_again()
            return f"That failed just now · again in {math.ceil(wait)} s" if wait else "It is started again"
        if problem := await self.resume(card, behind=True):
            return problem
        return await self._reopened(card) or "It goes on here · Enter shows it"

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
        self._new_wanted()

    def open_inbox(self) -> None:
        """Show what waits in all sessions."""
        self._show_inbox()

    def open_earlier(self) -> None:
        """Let a person choose an earlier session, and open it; the overview stays where that is left."""
        start_work(self, self._open_earlier, name="earlier session", group="sessions")

    async def _open_earlier(self) -> None:
        front, overview = self.front, self._overview
        if front is None or overview is None:
            return
        picker = SessionPicker(
            shelf_of(self, session_options(front.launch)), about="It opens beside the others."
        )
        await self.push_screen_wait(picker)
        if picker.way is None:
            return
        chosen = picker.way.session
        here = next((one for one in self.sessions if one.session.known_id == chosen.session_id), None)
        if here is not None and not picker.way.fork:
            overview.dismiss(None)
            await self.show_session(self.sessions.index(here) + 1)
            return
        try:
            launch = await asyncio.to_thread(launch_to_resume, picker.way, front.launch)
        except SettingsError as error:
            overview.say(f"There is no session in {chosen.directory}: {error}")
            return
        await self.open_session(beside(front.launch, launch))
