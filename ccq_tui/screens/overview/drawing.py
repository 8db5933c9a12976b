"""What the overview draws, as lines of text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.style import Style
from rich.text import Text

from ccq_tui.agent.events import SessionState
from ccq_tui.inbox.standing import Group
from ccq_tui.screens.inbox.listing import Place
from ccq_tui.screens.overview.board import Board
from ccq_tui.screens.overview.cards import Card
from ccq_tui.screens.session.view import SIGNS, short_path
from ccq_tui.widgets.lines import Line, wrapped
from ccq_tui.widgets.palette import Palette
from ccq_tui.widgets.pieces import Piece, fitted

GROUP_SIGNS = {
    Group.NEEDS: "◆",
    Group.WORKING: "✻",
    Group.PARKED: "◇",
    Group.IDLE: "○",
    Group.DONE: "✔",
    Group.FAILED: "✖",
}
PLACES = {
    Place.HERE: "open here",
    Place.OTHER: "runs in another ccq-tui",
    Place.RESTS: "no process",
    Place.GONE: "its directory is gone",
}
NOT_HERE = {Place.OTHER: "elsewhere", Place.GONE: "directory gone"}
"""What is said of a card whose session cannot be opened here."""
TITLE_LINES = 2
SAID_LINES = 2
"""Of a card in a column so many lines are its title, and what was said last."""


@dataclass(frozen=True, slots=True)
class Now:
    """The time, on both clocks: seconds of the program's, and since 1970."""

    clock: float
    wall: float

    def age(self, card: Card) -> str:
        """Return for how long a session has done what it does, in one unit: 12s, 3m, 2h, 5d."""
        seconds = card.seconds(self.clock, self.wall)
        for size, unit in ((86_400, "d"), (3_600, "h"), (60, "m")):
            if seconds >= size:
                return f"{seconds // size}{unit}"
        return f"{seconds // 5 * 5}s" if seconds >= 5 else "now"


def sign_of(card: Card) -> str:
    """Return the sign of what a session does."""
    early = (SessionState.QUEUED, SessionState.STARTING)
    return SIGNS[SessionState.STARTING][0] if card.state in early else GROUP_SIGNS[card.group]


def sign_style(group: Group, palette: Palette) -> Style:
    """Return how the sign of a group is drawn."""
    match group:
        case Group.NEEDS:
            return palette.accent
        case Group.WORKING:
            return palette.on
        case Group.FAILED:
            return palette.warning
        case _:
            return palette.muted


def title_line(board: Board, width: int, palette: Palette, *, counted: bool) -> Text:
    """Return the head: what this is, and how many there are.

    Args:
        board: The board.
        width: Cells.
        palette: The styles.
        counted: Whether it says how many each group has; over columns these say so themselves.
    """
    shown, count = len(board.shown), len(board.cards)
    words = f"{shown} of {count}" if board.filter else f"{count} session{'s' if count != 1 else ''}"
    left = Text.assemble((" ◆ Overview", palette.accent), (f" · {words}", palette.muted), no_wrap=True)
    if not counted:
        return left
    right = _counts(board, palette, " ", "  ")
    if left.cell_len + right.cell_len + 3 > width:
        left, right = left[:11], _counts(board, palette, "", " ")
    return left.append(" " * max(2, width - left.cell_len - right.cell_len - 1)).append_text(right)


def _counts(board: Board, palette: Palette, inner: str, apart: str) -> Text:
    return Text(apart).join(
        Text(f"{GROUP_SIGNS[group]}{inner}{number}", sign_style(group, palette))
        for group, number in board.counts.items()
        if number
    )


def head_line(group: Group, count: int, width: int, palette: Palette, *, here: bool) -> Text:
    """Return the head of a column."""
    style = palette.accent if here else palette.strong if count else palette.muted
    sign = sign_style(group, palette) if count else palette.muted
    text = Text.assemble(" ", (f"{GROUP_SIGNS[group]} ", sign), (str(group).capitalize(), style))
    text.append(f"  {count}" if count else "", palette.muted)
    text.truncate(width, overflow="ellipsis")
    return text


def column_lines(cards: Sequence[Card], width: int, now: Now, palette: Palette) -> list[Line]:
    """Return the cards of a column.

    Args:
        cards: The cards.
        width: Cells.
        now: The time.
        palette: The styles.
    """
    lines: list[Line] = []
    for row, card in enumerate(cards):
        if lines:
            lines.append(Line(Text("")))
        title = _limited(
            card.session, palette.accent if card.shown else palette.strong, width - 3, TITLE_LINES
        )
        said = _limited(card.last_line, palette.muted, width - 3, SAID_LINES) if card.last_line else []
        facts = _facts(card, now, width - 3, palette)
        for at, text in enumerate([*title, *said, facts]):
            sign = Text.assemble((" ❯ " if at == 0 else "   ", palette.accent), text)
            lines.append(Line(Text.assemble("   ", text), row, sign))
    return lines


def _limited(text: str, style: Style, width: int, most: int) -> list[Text]:
    """Wrap a text into a few lines; the last one says that there is more."""
    lines = wrapped(Text(text, style), max(4, width))
    if most < 1:
        return []
    if len(lines) > most:
        lines = lines[:most]
        lines[-1].truncate(max(1, width - 1))
        lines[-1].append("…")
    return lines


def _facts(card: Card, now: Now, width: int, palette: Palette) -> Text:
    pieces = (
        Piece(card.badge, 0),
        Piece(now.age(card), 1),
        Piece(_cost(card), 3),
        Piece(NOT_HERE.get(card.place, ""), 2),
    )
    kept = fitted(pieces, max(1, width))
    styles = (palette.warning if piece.text == card.badge else palette.muted for piece in kept)
    return Text(" · ", palette.muted).join(
        Text(piece.text, style) for piece, style in zip(kept, styles, strict=True)
    )


def _cost(card: Card) -> str:
    return f"${card.cost:.2f}" if card.cost else ""


def list_lines(board: Board, width: int, now: Now, palette: Palette, *, tall: bool) -> list[Line]:
    """Return all cards shown in one list, group after group.

    Args:
        board: The board.
        width: Cells.
        now: The time.
        palette: The styles.
        tall: Whether each card has a second line: what was said last.
    """
    lines: list[Line] = []
    group = None
    for row, card in enumerate(board.shown):
        if card.group is not group:
            group = card.group
            if lines and tall:
                lines.append(Line(Text("")))
            lines.append(Line(_group_line(group, board, width, palette)))
        lines.extend(_card_lines(card, row, width, now, palette, tall=tall))
    return lines


def _group_line(group: Group, board: Board, width: int, palette: Palette) -> Text:
    count = sum(card.group is group for card in board.shown)
    text = Text.assemble((f" {str(group).capitalize()}", palette.strong), (f" {count} ", palette.muted))
    return text.append("─" * max(0, width - text.cell_len - 1), palette.muted)


def _card_lines(card: Card, row: int, width: int, now: Now, palette: Palette, *, tall: bool) -> list[Line]:
    right = Text.assemble(
        (f"{card.badge:>5}", palette.warning),
        (f"{now.age(card):>6}", palette.muted),
        (f"{_cost(card):>8}" if width >= 60 else "", palette.muted),
    )
    name = Text.assemble(
        (f"{sign_of(card)} ", sign_style(card.group, palette)),
        (card.session, palette.accent if card.shown else palette.plain),
    )
    name.truncate(max(8, width - 3 - right.cell_len - 1), overflow="ellipsis", pad=True)
    first = Text.assemble(name, right)
    lines = [Line(Text.assemble("   ", first), row, Text.assemble((" ❯ ", palette.accent), first))]
    if tall:
        words = (NOT_HERE.get(card.place, ""), card.last_line or "nothing was said yet")
        said = Text(" · ".join(word for word in words if word), palette.muted)
        said.truncate(max(8, width - 7), overflow="ellipsis")
        lines.append(Line(Text.assemble("     ", said), row))
    return lines


def about_lines(card: Card, width: int, height: int, now: Now, palette: Palette) -> list[Text]:
    """Return what is known of the card under the cursor: its name, how and where it stands, what it said.

    Args:
        card: The card.
        width: Cells.
        height: The most lines.
        now: The time.
        palette: The styles.
    """
    room = max(8, width - 4)
    words = SIGNS[SessionState(card.state)][1]
    if card.group is Group.FAILED and card.state != SessionState.FAILED:
        words = "its process is gone"
    place = "on the screen" if card.shown else PLACES[card.place]
    pieces = (
        Piece("done" if card.group is Group.DONE else ""),
        Piece(f"{words} {now.age(card)}"),
        Piece(card.badge),
        Piece(place),
        Piece(_cost(card), 2),
        Piece(short_path(Path(card.directory)) if card.directory else "", 1),
    )
    facts = Text(" · ".join(piece.text for piece in fitted(pieces, room)), palette.muted)
    facts.truncate(room, overflow="ellipsis")
    names = _limited(card.session, palette.strong, room, 1 if height < 4 else 2)
    said = _limited(card.last_line, palette.plain, room, height - 1 - len(names)) if card.last_line else []
    lines = [*names, facts, *(said if height > 1 + len(names) else [])]
    return [Text.assemble("   ", line) for line in lines[:height]]
