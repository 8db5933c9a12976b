"""The part of the overview that hears of sessions, those of this terminal and stored ones."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from functools import partial

from ccq_tui.inbox import (
    Added,
    InboxChange,
    InboxError,
    InboxRenewed,
    InboxTrouble,
    SessionNoted,
    Settled,
)
from ccq_tui.inbox.store import StoredSession
from ccq_tui.screens.inbox.listing import Place
from ccq_tui.screens.overlay import Overlay
from ccq_tui.screens.overview.board import Board
from ccq_tui.screens.overview.cards import Card, joined
from ccq_tui.screens.overview.port import OverviewHost
from ccq_tui.screens.overview.reading import PAGE, read_cards, read_page
from ccq_tui.widgets.lifetime import start_work

LOOK_SECONDS = 5.0
"""How often the times are drawn anew, and sessions of other processes read: a killed one tells nobody."""
PAGES = 10
"""Pages of the store that are shown at most."""


class Gathering(Overlay[Card | None]):
    """Keeps the board true; reads of the store only what changed.

    Args:
        host: The program around it.
        clock: Returns seconds of a monotonic clock.
    """

    def __init__(self, host: OverviewHost, *, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.host = host
        self.clock = clock
        self.board = Board()
        """What is shown."""
        self.all_read = False
        """Whether there is nothing more to read of what is stored."""
        self._here: tuple[Card, ...] = ()
        self._stored: dict[str, Card] = {}
        self._to_read: dict[str, None] = {}
        self._reading = False

    def say(self, text: str, seconds: float = 20.0) -> None:
        """Say something above the keys for some seconds."""
        raise NotImplementedError

    def draw(self) -> None:
        """Draw the board."""
        raise NotImplementedError

    def on_mount(self) -> None:
        """Show what is here, read what is stored, and hear of what changes."""
        self._unsubscribe = self.host.inbox.subscribe(self._changed)
        self.gather()
        self.show(self.board.begun())
        start_work(self, self._read_all, name="overview")
        self.set_interval(LOOK_SECONDS, self._look_again)

    def on_unmount(self) -> None:
        """Hear no more."""
        self._unsubscribe()

    def show(self, board: Board) -> None:
        """Show another state of the board."""
        if board != self.board:
            self.board = board
            self.draw()

    def gather(self) -> None:
        """Take in how the sessions of this terminal stand now."""
        here = self.host.cards_here()
        if here != self._here:
            self._here = here
            self._put_together()

    def read_again(self, session_ids: Iterable[str]) -> None:
        """Read some stored sessions anew, soon."""
        self._to_read.update(dict.fromkeys(session_ids))
        if self._to_read and not self._reading:
            self._reading = True
            start_work(self, self._read_some, name="overview sessions")

    def _put_together(self) -> None:
        ahead = time.time() - self.clock()
        self.show(self.board.with_cards(joined(self._here, self._stored, ahead)))

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
                start_work(self, self._read_all, name="overview")
            case InboxTrouble():
                pass  # the session on the screen tells it

    async def _read_all(self) -> None:
        """Read page by page: the first is seen before the last is read."""
        after: StoredSession | None = None
        recorded = await self.host.recorded()
        try:
            for _ in range(PAGES):
                cards, after = await self.host.inbox.run(partial(read_page, after=after, recorded=recorded))
                self._take(cards)
                if after is None:
                    break
        except InboxError as error:
            self.say(f"Stored sessions cannot be read: {error}")
        self.all_read = True
        self.draw()

    async def _read_some(self) -> None:
        try:
            while self._to_read:
                some = tuple(self._to_read)[:PAGE]
                for name in some:
                    del self._to_read[name]
                recorded = await self.host.recorded()
                read = partial(read_cards, session_ids=some, recorded=recorded)
                self._take(await self.host.inbox.run(read))
        except InboxError as error:
            self.say(f"Stored sessions cannot be read: {error}")
        finally:
            self._reading = False

    def _look_again(self) -> None:
        self.read_again(card.session_id for card in self.board.cards if card.place is Place.OTHER)
        self.draw()
