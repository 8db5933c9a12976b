"""The overview as data: its cards in their groups, its filter, its cursor."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from ccq_tui.inbox.standing import Group
from ccq_tui.screens.overview.cards import Card


@dataclass(frozen=True, slots=True)
class Board:
    """All sessions, as they are looked at.

    Attributes:
        cards: All cards, those of a group one after the other.
        filter: What was typed to find some.
        cursor: The key of the card that has the cursor, or "" before there was one.
        shown: The cards that have every word of the filter.
    """

    cards: tuple[Card, ...] = ()
    filter: str = ""
    cursor: str = ""
    shown: tuple[Card, ...] = field(init=False, compare=False, default=())

    def __post_init__(self) -> None:
        """Find what is shown, once: much is asked of it for every key."""
        words = self.filter.casefold().split()
        if words:
            found = tuple(card for card in self.cards if all(word in card.found_by for word in words))
            object.__setattr__(self, "shown", found)
        else:
            object.__setattr__(self, "shown", self.cards)

    @property
    def columns(self) -> dict[Group, tuple[Card, ...]]:
        """The cards shown, by group; every group is there."""
        kept: dict[Group, list[Card]] = {group: [] for group in Group}
        for card in self.shown:
            kept[card.group].append(card)
        return {group: tuple(cards) for group, cards in kept.items()}

    @property
    def counts(self) -> dict[Group, int]:
        """How many cards each group has, shown or not."""
        counted = Counter(card.group for card in self.cards)
        return {group: counted[group] for group in Group}

    @property
    def under(self) -> Card | None:
        """The card under the cursor, or None when none is shown."""
        shown = self.shown
        return next((card for card in shown if card.key == self.cursor), shown[0] if shown else None)

    def begun(self) -> Board:
        """Put the cursor where a person is needed, else on the session that is on the screen."""
        needed = next((card for card in self.shown if card.group is Group.NEEDS), None)
        return self._on(needed or next((card for card in self.shown if card.shown), self.under))

    def put(self, key: str) -> Board:
        """Put the cursor on a card."""
        return replace(self, cursor=key)

    def moved(self, by: int, *, within: bool) -> Board:
        """Move the cursor, wrapping at either end.

        Args:
            by: How many cards.
            within: Whether it stays in its group.
        """
        cards = self._around(within=within)
        if not cards:
            return self
        at = next(place for place, card in enumerate(cards) if card is self.under)
        return self._on(cards[(at + by) % len(cards)])

    def jumped(self, by: int, *, within: bool) -> Board:
        """Move the cursor as far as there are cards, without wrapping; as `moved`."""
        cards = self._around(within=within)
        if not cards:
            return self
        at = next(place for place, card in enumerate(cards) if card is self.under)
        return self._on(cards[max(0, min(at + by, len(cards) - 1))])

    def stepped(self, by: int) -> Board:
        """Move the cursor to the next group that has cards, beside where it was; around either end."""
        under, columns = self.under, self.columns
        if under is None:
            return self
        filled = [group for group in Group if columns[group]]
        group = filled[(filled.index(under.group) + by) % len(filled)]
        return self._on(columns[group][min(columns[under.group].index(under), len(columns[group]) - 1)])

    def filtered(self, text: str) -> Board:
        """Look for something else, with the cursor where it was if that is still shown."""
        return self if text == self.filter else self._same_card(replace(self, filter=text))

    def with_cards(self, cards: tuple[Card, ...]) -> Board:
        """Return the board with other cards; the cursor follows its session."""
        return self if cards == self.cards else self._same_card(replace(self, cards=cards))

    def _around(self, *, within: bool) -> tuple[Card, ...]:
        under = self.under
        return self.columns[under.group] if within and under is not None else self.shown

    def _on(self, card: Card | None) -> Board:
        return self if card is None else replace(self, cursor=card.key)

    def _same_card(self, after: Board) -> Board:
        """Keep the cursor on its session, wherever that went; else on the card that took its place."""
        under, shown = self.under, after.shown
        if under is None or not shown:
            return after
        same = next((card for card in shown if card.key == under.key), None) or next(
            (card for card in shown if under.session_id and card.session_id == under.session_id), None
        )
        at = min(self.shown.index(under), len(shown) - 1)
        return after._on(same or shown[at])
