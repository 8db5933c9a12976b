"""The cards of the overview, from the sessions of this terminal and from the store."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from textual.dom import DOMNode

from ccq_tui.agent.events import SessionState
from ccq_tui.bridges.claude_code.native_sessions import has_hook, without_ours
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.port import Added, InboxChange, InboxRenewed, InboxTrouble, SessionNoted, Settled
from ccq_tui.inbox.session_groups import Group, group_of
from ccq_tui.inbox.store.rows import StoredRequest, StoredSession, StoredStanding
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.processes import alive, this_process
from ccq_tui.screens.inbox.inbox_list import SessionPlace
from ccq_tui.screens.overlay import Feed
from ccq_tui.screens.overview.board import Board, Card, harmless, here_group, joined
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.sessions.session_manager import SessionManager
from ccq_tui.widgets.lifetime import start_work
from ccq_tui.words import SHORT
from ccq_tui.worktrees.model import can_be_there

PAGE = 100
PAGES = 10
"""Most pages of the store that are shown."""


@dataclass(eq=False)
class CardFeed(Feed[Board]):
    """Keeps the board up to date; reads only changes from the store.

    Attributes:
        board: State of the board.
        all_read: Whether the reading of stored sessions has ended.
    """

    _owner: DOMNode
    _manager: SessionManager
    _clock: Callable[[], float]
    _draw: Callable[[], None]
    _say: Callable[[str], None]

    def __post_init__(self) -> None:
        self.state = Board()
        self.all_read = False
        self._here: tuple[Card, ...] = ()
        self._stored: dict[str, Card] = {}
        self._native: dict[str, Card] = {}
        self._to_read: dict[str, None] = {}
        self._reading = False
        self._unsubscribe: tuple[Callable[[], None], ...] = ()

    def begin(self) -> None:
        """Show this terminal's sessions, read the stored ones, and subscribe to changes."""
        manager = self._manager
        self._unsubscribe = (manager.inbox.subscribe(self._changed), manager.sessions.subscribe(self._gather))
        self._gather()
        self.show(self.state.begun())
        start_work(self._owner, self.read_all, name="overview")
        start_work(self._owner, self.read_native, name="native sessions")

    def end(self) -> None:
        for unsubscribe in self._unsubscribe:
            unsubscribe()

    def _gather(self) -> None:
        """Take in the state of the sessions of this terminal."""
        here = tuple(self._card(screen) for screen in self._manager.sessions)
        if here != self._here:
            self._here = here
            self._put_together()

    def _card(self, screen: SessionScreen) -> Card:
        view, waiting = screen.view, len(screen.waiting.items)
        return harmless(
            Card(
                key=self._manager.sessions.mode_of(screen),
                session_id=screen.session.known_id,
                session=view.name,
                group=here_group(view.state, waiting),
                place=SessionPlace.HERE,
                state=str(view.state),
                since=view.since,
                waiting=waiting,
                cost=view.cost,
                last_line=view.last_line,
                directory=str(view.cwd),
                shown=screen is self._manager.sessions.front,
            )
        )

    def read_again(self, session_ids: Iterable[str]) -> None:
        """Read some stored sessions again, soon."""
        self._to_read.update(dict.fromkeys(session_ids))
        if self._to_read and not self._reading:
            self._reading = True
            start_work(self._owner, self._read_some, name="overview sessions")

    def _put_together(self) -> None:
        ahead = time.time() - self._clock()
        self.show(self.state.with_cards(joined(self._here, self._stored | self._native, ahead)))

    def _take(self, cards: Iterable[Card]) -> None:
        self._stored.update((card.session_id, card) for card in cards)
        self._put_together()

    def _changed(self, change: InboxChange) -> None:
        match change:
            case SessionNoted(session_id):
                self.read_again((session_id,))
            case Added() | Settled():
                self.read_again((change.request.session_id,))
            case InboxRenewed(another=True):
                start_work(self._owner, self.read_all, name="overview")
            case InboxTrouble():
                pass  # the session on the screen says it

    async def read_all(self) -> None:
        """Read page by page, so that the first cards appear before the last are read."""
        after: StoredSession | None = None
        inbox, recorded = self._manager.inbox, await self._manager.recorded()
        try:
            for _ in range(PAGES):
                cards, after = await inbox.run(partial(read_page, after=after, recorded=recorded))
                self._take(cards)
                if after is None:
                    break
        except InboxError as error:
            self._say(f"Stored sessions cannot be read: {error}")
        self.all_read = True
        self._draw()

    async def _read_some(self) -> None:
        try:
            while self._to_read:
                some = tuple(self._to_read)[:PAGE]
                for name in some:
                    del self._to_read[name]
                recorded = await self._manager.recorded()
                read = partial(read_cards, session_ids=some, recorded=recorded)
                cards = await self._manager.inbox.run(read)
                for name in set(some).difference(card.session_id for card in cards):
                    self._stored.pop(name, None)  # claimed and released, with nothing said in it
                self._take(cards)
        except InboxError as error:
            self._say(f"Stored sessions cannot be read: {error}")
        finally:
            self._reading = False

    async def read_native(self) -> None:
        """Show the waiting sessions of Claude Code's own screen, and drop those that no longer wait."""
        try:
            found = await self._manager.native_waiting(without_ours)
            asked = await self._manager.inbox.run(
                lambda store: {one.request.id for one in found if has_hook(store, one.request)}
            )
        except InboxError:
            return  # `read_all` says so
        native = {one.request.session_id: native_card(one, one.request.id in asked) for one in found}
        if native != self._native:
            self._native = native
            self._put_together()

    def look_again(self) -> None:
        """Read the sessions of other processes again, and redraw the times."""
        start_work(self._owner, self.read_native, name="native sessions")
        self.read_again(card.session_id for card in self.state.rows if card.place is SessionPlace.OTHER)
        self._draw()


def read_page(
    store: Store, after: StoredSession | None, recorded: Collection[str] | None = None
) -> tuple[list[Card], StoredSession | None]:
    """Return a page of the stored sessions, newest first, and the one that the next page follows, or None."""
    found = store.sessions.standings(after, PAGE)
    return [_card(one, recorded) for one in found], found[-1].session if len(found) == PAGE else None


def read_cards(
    store: Store, session_ids: tuple[str, ...], recorded: Collection[str] | None = None
) -> list[Card]:
    """Return the cards of some sessions; those that are not stored are left out."""
    return [
        _card(one, recorded) for name in session_ids if (one := store.sessions.standing(name)) is not None
    ]


def native_card(waiting: StoredRequest, asked: bool) -> Card:
    """Return the card of a session in Claude Code's own screen; ``asked`` if a hook asks for it, too."""
    request = waiting.request
    directory = request.origin.directory
    return harmless(
        Card(
            key=request.session_id,
            session_id=request.session_id,
            session=request.origin.called,
            group=Group.NEEDS,
            place=SessionPlace.ASKER if asked else SessionPlace.THERE,
            state=SessionState.AWAITING,
            since=waiting.asked_at.timestamp(),
            waiting=1,
            last_line=kind_of(request).summary(request),
            directory=directory,
            known=False,
        )
    )


def _card(one: StoredStanding, recorded: Collection[str] | None) -> Card:
    session, runs = one.session, alive(one.session.owner)
    directory = session.directory
    if runs and session.owner != this_process():
        place = SessionPlace.OTHER
    elif recorded is not None and session.id not in recorded:
        place = SessionPlace.GONE
    else:
        place = SessionPlace.RESTS if directory and can_be_there(Path(directory)) else SessionPlace.GONE
    return harmless(
        Card(
            key=session.id,
            session_id=session.id,
            session=session.name or Path(directory).name or session.id[:SHORT],
            group=group_of(session.state, one.waiting, runs=runs, done=session.done),
            place=place,
            state=str(session.state),
            since=one.since.timestamp(),
            waiting=one.waiting,
            undelivered=0 if runs else one.undelivered,
            cost=session.cost,
            last_line=session.last_line,
            directory=directory,
            done=session.done,
        )
    )
