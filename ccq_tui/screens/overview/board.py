"""The overview as data: its keys, its cards in their groups, its filter, its cursor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Self

from ccq_tui.filtered_list import FilteredList
from ccq_tui.inbox.session_groups import Group, group_of
from ccq_tui.key_uses import KeyUse, by_key
from ccq_tui.screens.inbox.inbox_list import SessionPlace
from ccq_tui.text import one_line

OVERVIEW = "Overview"
OVERVIEW_KEYS = (
    KeyUse(("up", "k", "ctrl+p"), "up", "Move up"),
    KeyUse(("down", "j", "ctrl+n"), "down", "Move down"),
    KeyUse(("left", "h", "shift+tab"), "left", "Go to the previous group"),
    KeyUse(("right", "l", "tab"), "right", "Go to the next group"),
    KeyUse(("shift+up",), "step_up", "Move up, to the first"),
    KeyUse(("shift+down",), "step_down", "Move down, to the last"),
    KeyUse(("pageup",), "page_up", "Move up a page"),
    KeyUse(("pagedown",), "page_down", "Move down a page"),
    KeyUse(("home",), "first", "Go to the first"),
    KeyUse(("end",), "last", "Go to the last"),
    KeyUse(("enter",), "open", "Go to the session; one without a process is resumed"),
    KeyUse(("d",), "mark", "Mark it as done, or as not done"),
    KeyUse(("r",), "retry", "Restart it, if it has no process"),
    KeyUse(("n",), "new", "Open another session"),
    KeyUse(("ctrl+r",), "earlier", "Resume an earlier session"),
    KeyUse(("slash",), "find", "Find"),
    KeyUse(("f2",), "inbox", "Open the inbox"),
    KeyUse(("escape",), "empty", "Clear the filter, then leave"),
    KeyUse(("f5",), "leave", "Leave"),
)
OVERVIEW_ACTIONS = by_key(OVERVIEW_KEYS)

OVER = frozenset({"parked", "failed", "ended"})
"""States in which a session of this terminal has no process."""
_OLDEST_FIRST = frozenset({Group.NEEDS, Group.PARKED})
_ORDER = {group: place for place, group in enumerate(Group)}
LONGEST_TITLE = 200
LONGEST_LINE = 300


@dataclass(frozen=True, slots=True)
class Card:
    """A session in the overview.

    Attributes:
        key: Identifies the card as long as its session is in the same place.
        session_id: The Claude session id, or "" while there is none.
        session: Name of the session, harmless to draw.
        group: Its group.
        place: Its place.
        state: Its state, in the program's word.
        since: Start of that state in seconds: of the program's clock if it is open here, else since 1970.
        waiting: Number of its waiting requests.
        undelivered: Number of confirmed answers that wait for it to be resumed.
        cost: US dollars so far, or None.
        last_line: The agent's last line, harmless to draw.
        directory: Its directory, or "".
        done: Whether the person marked it as done.
        known: Whether it is stored: only then can it be resumed later, or be marked.
        shown: Whether it is the session on the screen.
    """

    key: str
    session_id: str
    session: str
    group: Group
    place: SessionPlace
    state: str
    since: float
    waiting: int = 0
    undelivered: int = 0
    cost: float | None = None
    last_line: str = ""
    directory: str = ""
    done: bool = False
    known: bool = True
    shown: bool = False

    @property
    def badge(self) -> str:
        """Numbers of waiting requests and of answers that have not reached Claude: ``? 2 → 1``, or ""."""
        waiting = (f"? {self.waiting}",) if self.waiting else ()
        return " ".join((*waiting, f"→ {self.undelivered}") if self.undelivered else waiting)

    @property
    def found_by(self) -> str:
        return f"{self.session} {self.directory} {self.group} {self.last_line}".casefold()

    def seconds(self, clock: float, now: float) -> int:
        """Return the seconds since its state began."""
        return max(0, int((clock if self.place is SessionPlace.HERE else now) - self.since))


def harmless(card: Card) -> Card:
    """Return a card whose texts can be drawn in one line each."""
    return replace(
        card, session=one_line(card.session, LONGEST_TITLE), last_line=one_line(card.last_line, LONGEST_LINE)
    )


def here_group(state: str, waiting: int, *, done: bool = False) -> Group:
    """Return the group of a session of this terminal."""
    return group_of(state, waiting, runs=state not in OVER, done=done)


def joined(here: Iterable[Card], stored: Mapping[str, Card], ahead: float) -> tuple[Card, ...]:
    """Join open and stored sessions into one card each, sorted by group.

    ``ahead`` is the number of seconds from the program's clock to the one since 1970.
    """
    mine = [_with_stored(card, stored.get(card.session_id)) for card in here]
    open_here = {card.session_id for card in mine}
    rest = [card for card in stored.values() if card.session_id not in open_here]

    def place(card: Card) -> tuple[int, float, str]:
        began = card.since + (ahead if card.place is SessionPlace.HERE else 0.0)
        # The longest wait comes first; in all other groups the newest.
        return _ORDER[card.group], began if card.group in _OLDEST_FIRST else -began, card.key

    return tuple(sorted([*mine, *rest], key=place))


def _with_stored(card: Card, stored: Card | None) -> Card:
    """Add what only the store knows to a session of this terminal."""
    if stored is None:
        return replace(card, known=False)
    return replace(
        card,
        done=stored.done,
        undelivered=stored.undelivered if card.state in OVER else 0,
        group=here_group(card.state, card.waiting, done=stored.done),
        cost=stored.cost if card.cost is None else card.cost,
        last_line=card.last_line or stored.last_line,
    )


@dataclass(frozen=True, slots=True)
class Board(FilteredList[Card]):
    """State of the overview: the cards of all sessions, group by group."""

    @property
    def columns(self) -> dict[Group, tuple[Card, ...]]:
        """The cards shown, by group; every group has an entry."""
        kept: dict[Group, list[Card]] = {group: [] for group in Group}
        for card in self.shown:
            kept[card.group].append(card)
        return {group: tuple(cards) for group, cards in kept.items()}

    @property
    def counts(self) -> dict[Group, int]:
        """Number of cards in each group, shown or not."""
        counted = Counter(card.group for card in self.rows)
        return {group: counted[group] for group in Group}

    def begun(self) -> Self:
        """Put the cursor where a person is needed, else on the session that is on the screen."""
        needed = next((card for card in self.shown if card.group is Group.NEEDS), None)
        return self._on(needed or next((card for card in self.shown if card.shown), self.under))

    def after(self, action: str, page: int, *, within: bool = False) -> Self | None:
        """Move the cursor as in other lists, or to another group; ``within`` else keeps it in its group."""
        if action in ("left", "right"):
            return self.stepped(-1 if action == "left" else 1)
        if not within or (under := self.under) is None:
            return FilteredList.after(self, action, page)
        cards = self.columns[under.group]
        moved = FilteredList.after(Board(cards, cursor=cards.index(under)), action, page)
        return None if moved is None else self._on(moved.under)

    def stepped(self, by: int) -> Self:
        """Move the cursor to the same row of the next group that has cards, wrapping at either end."""
        under, columns = self.under, self.columns
        if under is None:
            return self
        filled = [group for group in Group if columns[group]]
        group = filled[(filled.index(under.group) + by) % len(filled)]
        return self._on(columns[group][min(columns[under.group].index(under), len(columns[group]) - 1)])

    def kept(self, after: Self) -> Self:
        """Keep the cursor on its session, wherever that went; else on the card that took its place."""
        under = self.under
        if under is not None and under.session_id and all(card.key != under.key for card in after.shown):
            moved = next((card for card in after.shown if card.session_id == under.session_id), None)
            if moved is not None:
                return after._on(moved)
        return FilteredList.kept(self, after)

    def _on(self, card: Card | None) -> Self:
        return self if card is None else self.put(self.shown.index(card))
