"""The overview as data: its cards in their groups, its filter, its cursor."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Self

from ccq_tui.filtered_list import FilteredList
from ccq_tui.inbox.session_groups import Group
from ccq_tui.screens.overview.cards import Card


@dataclass(frozen=True, slots=True)
class Board(FilteredList[Card]):
    """The cards of all sessions, as they are looked at, those of a group one after the other."""

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
        counted = Counter(card.group for card in self.rows)
        return {group: counted[group] for group in Group}

    def begun(self) -> Self:
        """Put the cursor where a person is needed, else on the session that is on the screen."""
        needed = next((card for card in self.shown if card.group is Group.NEEDS), None)
        return self._on(needed or next((card for card in self.shown if card.shown), self.under))

    def moved(self, by: int, *, within: bool = False) -> Self:
        """Move the cursor, wrapping at either end.

        Args:
            by: How many cards.
            within: Whether it stays in its group.
        """
        cards, at = self._around(within=within)
        return self._on(cards[(at + by) % len(cards)]) if cards else self

    def jumped(self, by: int, *, within: bool) -> Self:
        """Move the cursor as far as there are cards, without wrapping; as `moved`."""
        cards, at = self._around(within=within)
        return self._on(cards[max(0, min(at + by, len(cards) - 1))]) if cards else self

    def stepped(self, by: int) -> Self:
        """Move the cursor to the next group that has cards, beside where it was; around either end."""
        under, columns = self.under, self.columns
        if under is None:
            return self
        filled = [group for group in Group if columns[group]]
        group = filled[(filled.index(under.group) + by) % len(filled)]
        return self._on(columns[group][min(columns[under.group].index(under), len(columns[group]) - 1)])

    def with_cards(self, cards: tuple[Card, ...]) -> Self:
        """Return the board with other cards; the cursor follows its session."""
        return self if cards == self.rows else self.with_rows(cards)

    def kept(self, after: Self) -> Self:
        """Keep the cursor on its session, wherever that went; else on the card that took its place."""
        under = self.under
        if under is not None and under.session_id and all(card.key != under.key for card in after.shown):
            moved = next((card for card in after.shown if card.session_id == under.session_id), None)
            if moved is not None:
                return after._on(moved)
        return FilteredList.kept(self, after)

    def _around(self, *, within: bool) -> tuple[tuple[Card, ...], int]:
        """Return the cards that the cursor moves over, and where it is among them."""
        under = self.under
        if under is None:
            return (), 0
        cards = self.columns[under.group] if within else self.shown
        return cards, cards.index(under)

    def _on(self, card: Card | None) -> Self:
        return self if card is None else self.put(self.shown.index(card))
