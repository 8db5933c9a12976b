"""The overview as data and as lines: its keys, its rows in their groups, its filter, its cursor."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Self

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text

from ccq_tui.agent.events import SessionState
from ccq_tui.config.keymap import with_keys
from ccq_tui.filtered_list import FilteredList
from ccq_tui.inbox.session_groups import Group, group_of
from ccq_tui.runtime.view import SIGNS, short_path, sign_and_word
from ccq_tui.screens.inbox.inbox_list import SessionPlace
from ccq_tui.text import one_line
from ccq_tui.widgets.lines import DrawnLine, wrapped
from ccq_tui.widgets.palette import Palette
from ccq_tui.words import in_one_unit, plural

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
        session: Name of the session.
        place: Its place.
        runs: Whether it has a process.
        state: Its state, in the program's word.
        since: Start of that state, in seconds since 1970.
        waiting: Number of its waiting requests.
        undelivered: Number of confirmed answers that wait for it to be resumed.
        cost: US dollars so far, or None.
        last_line: The agent's last line.
        directory: Its directory, or "".
        done: Whether the person marked it as done.
        labels: Its labels in one line, or "".
        known: Whether it is stored: only then can it be resumed later, or be marked.
        shown: Whether it is the session on the screen.
    """

    key: str
    session_id: str
    session: str
    place: SessionPlace
    runs: bool
    state: str
    since: float
    waiting: int = 0
    undelivered: int = 0
    cost: float | None = None
    last_line: str = ""
    directory: str = ""
    done: bool = False
    labels: str = ""
    known: bool = True
    shown: bool = False

    def __post_init__(self) -> None:
        """Make its texts harmless to draw, in one line each."""
        object.__setattr__(self, "session", one_line(self.session, LONGEST_TITLE))
        object.__setattr__(self, "last_line", one_line(self.last_line, LONGEST_LINE))
        object.__setattr__(self, "labels", one_line(self.labels, LONGEST_LINE))

    @property
    def group(self) -> Group:
        """What it needs."""
        return group_of(self.state, self.waiting, runs=self.runs, done=self.done)

    @property
    def badge(self) -> str:
        """Numbers of waiting requests and of answers that have not reached Claude: ``? 2 → 1``, or ""."""
        waiting = (f"? {self.waiting}",) if self.waiting else ()
        return " ".join((*waiting, f"→ {self.undelivered}") if self.undelivered else waiting)

    @property
    def found_by(self) -> str:
        return f"{self.session} {self.directory} {self.group} {self.labels} {self.last_line}".casefold()

    @property
    def age(self) -> str:
        """How long it has been in its state, in one unit: 15s, 3m, 2h, 5d."""
        seconds = int(time.time() - self.since)
        return in_one_unit(seconds if seconds >= 60 else seconds // 5 * 5) if seconds >= 5 else "now"

    @property
    def spent(self) -> str:
        """What it cost, or ""."""
        return f"${self.cost:.2f}" if self.cost else ""


def joined(here: Iterable[Card], stored: Mapping[str, Card]) -> tuple[Card, ...]:
    """Join open and stored sessions into one card each, sorted by group."""
    mine = [_with_stored(card, stored.get(card.session_id)) for card in here]
    open_here = {card.session_id for card in mine}
    rest = [card for card in stored.values() if card.session_id not in open_here]

    def place(card: Card) -> tuple[int, float, str]:
        # The longest wait comes first; in all other groups the newest.
        return _ORDER[card.group], card.since if card.group in _OLDEST_FIRST else -card.since, card.key

    return tuple(sorted([*mine, *rest], key=place))


def _with_stored(card: Card, stored: Card | None) -> Card:
    """Add what only the store knows to a session of this terminal."""
    if stored is None:
        return replace(card, known=False)
    return replace(
        card,
        done=stored.done,
        labels=stored.labels,
        undelivered=0 if card.runs else stored.undelivered,
        cost=stored.cost if card.cost is None else card.cost,
        last_line=card.last_line or stored.last_line,
    )


@dataclass(frozen=True, slots=True)
class Board(FilteredList[Card]):
    """State of the overview: all sessions, group by group."""

    def begun(self) -> Self:
        """Put the cursor where a person is needed, else on the session that is on the screen."""
        needed = next((card for card in self.shown if card.group is Group.NEEDS), None)
        return self._on(needed or next((card for card in self.shown if card.shown), self.under))

    def after(self, action: str, page: int) -> Self | None:
        """Move the cursor as in other lists, or to another group."""
        if action in ("left", "right"):
            return self.stepped(-1 if action == "left" else 1)
        return FilteredList.after(self, action, page)

    def stepped(self, by: int) -> Self:
        """Move the cursor to the first row of the next group, wrapping at either end."""
        if self.under is None:
            return self
        groups = list(dict.fromkeys(card.group for card in self.shown))
        group = groups[(groups.index(self.under.group) + by) % len(groups)]
        return self._on(next(card for card in self.shown if card.group is group))

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


GROUP_SIGNS = {
    Group.NEEDS: "◆",
    Group.WORKING: "✻",
    Group.PARKED: "◇",
    Group.IDLE: "○",
    Group.DONE: "✔",
    Group.FAILED: "✖",
}
NOT_HERE = {
    SessionPlace.OTHER: "elsewhere",
    SessionPlace.GONE: "gone",
    SessionPlace.THERE: "answer it there",
    SessionPlace.ASKER: "elsewhere",
}
"""Words for rows whose sessions cannot be opened here."""
COST_FROM = 60
"""Width in cells from which a row has its cost."""
WORDS_FROM = 70
"""Width in cells from which a row has what was said last, beside the name."""


def sign_style(group: Group, palette: Palette) -> Style:
    """Return the style of a group's sign."""
    styles = {Group.NEEDS: palette.accent, Group.WORKING: palette.on, Group.FAILED: palette.warning}
    return styles.get(group, palette.muted)


def title_line(board: Board, width: int, palette: Palette) -> Text:
    """Return the title, with the size of each group where there is room."""
    count, sizes = len(board.rows), Counter(card.group for card in board.rows)
    words = f"{len(board.shown)} of {count}" if board.filter else plural(count, "session")
    left = Text.assemble((" ◆ Overview", palette.accent), (f" · {words}", palette.muted), no_wrap=True)
    right = Text("  ").join(
        Text(f"{GROUP_SIGNS[group]} {sizes[group]}", sign_style(group, palette))
        for group in Group
        if sizes[group]
    )
    gap = width - left.cell_len - right.cell_len - 1
    return left.append(" " * gap).append_text(right) if gap > 1 else left


def list_lines(board: Board, width: int, palette: Palette) -> list[DrawnLine]:
    """Return a line for each session shown, group by group, under a line for each group."""
    sizes = Counter(card.group for card in board.shown)
    longest = max((cell_len(card.session) for card in board.shown), default=0)
    lines: list[DrawnLine] = []
    group = None
    for row, card in enumerate(board.shown):
        if card.group is not group:
            group = card.group
            head = Text.assemble(
                (f" {str(group).capitalize()}", palette.strong), (f" {sizes[group]} ", palette.muted)
            )
            lines.append(DrawnLine(head.append("─" * max(0, width - head.cell_len - 1), palette.muted)))
        late = partial(_row_text, card, min(longest, 2 * width // 5), width, palette)
        lines.append(DrawnLine(Text(), row, late=late))
    return lines


def _row_text(card: Card, column: int, width: int, palette: Palette, at_cursor: bool) -> Text:
    early = card.state in (SessionState.QUEUED, SessionState.STARTING)
    sign = SIGNS[SessionState.STARTING][0] if early else GROUP_SIGNS[card.group]
    right = Text.assemble(
        (f"{card.badge:>5}", palette.warning),
        (f"{card.age:>6}", palette.muted),
        (f"{card.spent:>8}" if width >= COST_FROM else "", palette.muted),
    )
    room = max(8, width - 6 - right.cell_len)
    name = Text(card.session, palette.accent if card.shown else palette.plain)
    if width >= WORDS_FROM:
        name.truncate(column, overflow="ellipsis", pad=True)
        said = " · ".join(filter(None, (NOT_HERE.get(card.place, ""), card.last_line)))
        name.append(f"  {said}", palette.muted)
    name.truncate(room, overflow="ellipsis", pad=True)
    lead = (" ❯ ", palette.accent) if at_cursor else "   "
    return Text.assemble(lead, (f"{sign} ", sign_style(card.group, palette)), name, right)


def about_lines(card: Card, width: int, height: int, palette: Palette) -> list[Text]:
    """Return the details of the session under the cursor: its name, its state and place, its last words."""
    room = max(8, width - 4)
    words = sign_and_word(SessionState(card.state), card.waiting)[1]
    if card.group is Group.FAILED and card.state != SessionState.FAILED:
        words = "its process is gone"
    facts = (
        "done" if card.group is Group.DONE else "",
        f"{words} {card.age}",
        card.badge,
        "on the screen" if card.shown else with_keys(card.place.value),
        card.spent,
        card.labels,
        short_path(Path(card.directory)) if card.directory else "",
    )
    lines = [
        Text(card.session, palette.strong),
        Text(" · ".join(filter(None, facts)), palette.muted),
        *(wrapped(Text(card.last_line, palette.plain), room) if card.last_line else ()),
    ]
    if len(lines) > height > 2:
        lines[height - 1].append(" …")
    for line in lines:
        line.truncate(room, overflow="ellipsis")
    return [Text.assemble("   ", line) for line in lines[:height]]
