"""The part of the overview that does what a key means for a session."""

from __future__ import annotations

from functools import partial

from ccq_tui.inbox import InboxError
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.standing import Group
from ccq_tui.inbox.store import Store
from ccq_tui.screens.inbox.listing import Place
from ccq_tui.screens.overview.cards import OVER, Card
from ccq_tui.screens.overview.gathering import Gathering
from ccq_tui.widgets.hints import Hints
from ccq_tui.widgets.lifetime import start_work

ELSEWHERE = "It runs in another ccq-tui · F2 answers what it asks"
AT_WORK = (Group.NEEDS, Group.WORKING)
GONE = "It is deleted, or its directory is gone: it cannot be opened"


class Doing(Gathering):
    """Opens, marks and starts the session under the cursor; says why where that cannot be."""

    def open_card(self, card: Card) -> None:
        """Leave for a session."""
        if card.place is Place.OTHER:
            self.say(ELSEWHERE)
        elif card.place is Place.GONE:
            self.say(GONE)
        else:
            self.dismiss(card)

    def mark(self, card: Card) -> None:
        """Mark a session as done, or take that back."""
        if not card.known:
            self.say("Nothing was said in it yet: it cannot be marked as done")
        elif card.waiting and not card.done:
            self.say("A question waits in it: answer or decline it first")
        elif card.group in AT_WORK and not card.done:
            self.say("Claude is at work in it")
        else:
            start_work(self, partial(self._mark, card), name="mark")

    async def _mark(self, card: Card) -> None:
        def write(store: Store) -> None:
            store.set_done(card.session_id, not card.done, Actor.here(Surface.OVERVIEW))

        try:
            await self.host.inbox.run(write)
        except InboxError as error:
            self.say(f"That could not be written: {error}")
            return
        self.read_again((card.session_id,))
        self.say("No longer done" if card.done else "Marked as done · d takes it back", 6.0)

    def retry(self, card: Card) -> None:
        """Start a session again that has no process, and stay here."""
        if card.place is Place.OTHER:
            self.say(ELSEWHERE)
        elif card.place is Place.GONE:
            self.say(GONE)
        elif can_start(card):
            # The program's own, so that it is seen through also when this screen is left meanwhile.
            start_work(self.app, partial(self._go_on, card), name="go on", group="sessions")
        else:
            self.say("It is at work already" if card.group is Group.WORKING else "It runs · Enter shows it")

    async def _go_on(self, card: Card) -> None:
        self.say("Starting it again…", 6.0)
        said = await self.host.go_on(card)
        if self.is_attached:
            self.say(said, 6.0)
            self.read_again((card.session_id,))

    def hints_for(self, card: Card | None) -> Hints:
        """Return the keys that mean something for a card, and those that always do."""
        own: list[tuple[str, str]] = []
        if card is not None and card.place in (Place.HERE, Place.RESTS):
            own.append(("Enter", "open" if card.place is Place.HERE else "resume"))
        if card is not None and card.done:
            own.append(("d", "not done"))
        elif card is not None and card.known and not card.waiting and card.group not in AT_WORK:
            own.append(("d", "done"))
        if card is not None and can_start(card):
            own.append(("r", "retry" if card.group is Group.FAILED else "start"))
        always = (("n", "new"), ("/", "find"), ("Esc", "back"), ("Ctrl+R", "earlier"), ("F2", "inbox"))
        return (*own, *always)


def can_start(card: Card) -> bool:
    """Whether a session has no process and can get one from here."""
    return card.place is Place.RESTS or (card.place is Place.HERE and card.state in OVER)
