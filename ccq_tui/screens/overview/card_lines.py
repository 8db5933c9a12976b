"""The overview as lines of text; recently drawn cards are cached."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from rich.style import Style
from rich.text import Text

from ccq_tui.agent.events import SessionState
from ccq_tui.config.keymap import with_keys
from ccq_tui.inbox.layout import wrapped
from ccq_tui.inbox.session_groups import Group
from ccq_tui.runtime.view import SIGNS, Piece, short_path, sign_and_word
from ccq_tui.screens.inbox.inbox_list import SessionPlace
from ccq_tui.screens.overview.board import Board, Card
from ccq_tui.widgets.lines import DrawnLine
from ccq_tui.widgets.palette import Palette
from ccq_tui.widgets.status_line import fitted
from ccq_tui.words import in_one_unit, plural

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
"""Words for cards whose sessions cannot be opened here."""
TITLE_LINES = 2
SAID_LINES = 2
"""Most lines of a column's card for the title, and for what was said last."""
KEPT = 1_000
"""Most cards whose drawn lines are cached; a drawn text is never changed."""

Face = tuple[tuple[Text, Text | None], ...]
"""The lines of a card, each without and with the cursor."""


def sign_of(card: Card) -> str:
    """Return the sign of a session's state."""
    early = (SessionState.QUEUED, SessionState.STARTING)
    return SIGNS[SessionState.STARTING][0] if card.state in early else GROUP_SIGNS[card.group]


def sign_style(group: Group, palette: Palette) -> Style:
    """Return the style of a group's sign."""
    match group:
        case Group.NEEDS:
            return palette.accent
        case Group.WORKING:
            return palette.on
        case Group.FAILED:
            return palette.warning
        case _:
            return palette.muted


@lru_cache(maxsize=KEPT)
def column_face(card: Card, age: str, width: int, palette: Palette) -> Face:
    room = width - 3
    title = limited(card.session, palette.accent if card.shown else palette.strong, room, TITLE_LINES)
    said = limited(card.last_line, palette.muted, room, SAID_LINES) if card.last_line else []
    return tuple(
        (Text.assemble("   ", text), Text.assemble((" ❯ " if at == 0 else "   ", palette.accent), text))
        for at, text in enumerate([*title, *said, _facts(card, age, room, palette)])
    )


@lru_cache(maxsize=KEPT)
def list_face(card: Card, age: str, width: int, palette: Palette, *, tall: bool) -> Face:
    """Draw a card of a list as `column_face` does; ``tall`` gives it a second line."""
    right = Text.assemble(
        (f"{card.badge:>5}", palette.warning),
        (f"{age:>6}", palette.muted),
        (f"{cost_of(card):>8}" if width >= 60 else "", palette.muted),
    )
    name = Text.assemble(
        (f"{sign_of(card)} ", sign_style(card.group, palette)),
        (card.session, palette.accent if card.shown else palette.plain),
    )
    name.truncate(max(8, width - 3 - right.cell_len - 1), overflow="ellipsis", pad=True)
    first = Text.assemble(name, right)
    face = (Text.assemble("   ", first), Text.assemble((" ❯ ", palette.accent), first))
    if not tall:
        return (face,)
    words = (NOT_HERE.get(card.place, ""), card.last_line or "nothing was said yet")
    said = Text(" · ".join(word for word in words if word), palette.muted)
    said.truncate(max(8, width - 7), overflow="ellipsis")
    return face, (Text.assemble("     ", said), None)


def limited(text: str, style: Style, width: int, most: int) -> list[Text]:
    """Wrap a harmless text into at most ``most`` lines; an ellipsis in the last one marks the rest."""
    if most < 1:
        return []
    lines = wrapped(text, width=max(8, width))
    drawn = [Text(line, style) for line in lines[:most]]
    if len(lines) > most:
        drawn[-1].truncate(max(1, width - 1))
        drawn[-1].append("…")
    return drawn


def _facts(card: Card, age: str, width: int, palette: Palette) -> Text:
    pieces = (
        Piece(card.badge, 0),
        Piece(age, 1),
        Piece(cost_of(card), 3),
        Piece(NOT_HERE.get(card.place, ""), 2),
    )
    kept = fitted(pieces, max(1, width))
    styles = (palette.warning if piece.text == card.badge else palette.muted for piece in kept)
    return Text(" · ", palette.muted).join(
        Text(piece.text, style) for piece, style in zip(kept, styles, strict=True)
    )


def cost_of(card: Card) -> str:
    """Return what a session cost, or ""."""
    return f"${card.cost:.2f}" if card.cost else ""


PLACES = {
    SessionPlace.HERE: "open here",
    SessionPlace.OTHER: "runs in another ccq-tui",
    SessionPlace.RESTS: "no process",
    SessionPlace.GONE: "deleted, or its directory is gone",
    SessionPlace.THERE: "in Claude Code's own screen: answer it there",
    SessionPlace.ASKER: "in Claude Code's own screen · {panel} answers it here",
}
CHUNK = 25
"""Cards of a chunk; three are drawn: the cursor's, the one before and the one after."""


@dataclass(frozen=True, slots=True)
class Now:
    """The time, on both clocks: seconds of the program's, and since 1970."""

    clock: float
    wall: float

    def age(self, card: Card) -> str:
        """Return how long a session has been in its state, in one unit: 12s, 3m, 2h, 5d."""
        seconds = card.seconds(self.clock, self.wall)
        return in_one_unit(seconds if seconds >= 60 else seconds // 5 * 5) if seconds >= 5 else "now"


def title_line(board: Board, width: int, palette: Palette, *, counted: bool) -> Text:
    """Return the title; ``counted`` adds the size of each group, which columns show themselves."""
    shown, count = len(board.shown), len(board.rows)
    words = f"{shown} of {count}" if board.filter else plural(count, "session")
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


def window(count: int, at: int) -> range:
    """Return which of ``count`` cards to draw: those around the cursor, as a thousand would take too long."""
    first = max(0, (at // CHUNK - 1) * CHUNK)
    return range(first, min(count, first + 3 * CHUNK))


def _more(lines: list[DrawnLine], rows: range, count: int, palette: Palette) -> list[DrawnLine]:
    """Add above and below the drawn cards how many more there are."""
    above = [DrawnLine(Text(f"   ↑ {rows.start} more", palette.muted))] if rows.start else []
    below = [DrawnLine(Text(f"   ↓ {count - rows.stop} more", palette.muted))] if rows.stop < count else []
    return [*above, *lines, *below]


def column_lines(
    cards: Sequence[Card], rows: range, width: int, now: Now, palette: Palette
) -> list[DrawnLine]:
    lines: list[DrawnLine] = []
    for row in rows:
        if lines:
            lines.append(DrawnLine(Text("")))
        face = column_face(cards[row], now.age(cards[row]), width, palette)
        lines.extend(DrawnLine(text, row, at_cursor) for text, at_cursor in face)
    return _more(lines, rows, len(cards), palette)


def list_lines(
    cards: Sequence[Card], rows: range, width: int, now: Now, palette: Palette, *, tall: bool
) -> list[DrawnLine]:
    """Return cards in one list, group by group; ``tall`` adds a line with what was said last."""
    counts = Counter(card.group for card in cards)
    lines: list[DrawnLine] = []
    group = None
    for row in rows:
        card = cards[row]
        if card.group is not group:
            group = card.group
            if lines and tall:
                lines.append(DrawnLine(Text("")))
            lines.append(DrawnLine(_group_line(group, counts[group], width, palette)))
        face = list_face(card, now.age(card), width, palette, tall=tall)
        lines.extend(DrawnLine(text, row, at_cursor) for text, at_cursor in face)
    return _more(lines, rows, len(cards), palette)


def _group_line(group: Group, count: int, width: int, palette: Palette) -> Text:
    text = Text.assemble((f" {str(group).capitalize()}", palette.strong), (f" {count} ", palette.muted))
    return text.append("─" * max(0, width - text.cell_len - 1), palette.muted)


def about_lines(card: Card, width: int, height: int, now: Now, palette: Palette) -> list[Text]:
    """Return the details of the card under the cursor: its name, its state and place, its last line."""
    room = max(8, width - 4)
    words = sign_and_word(SessionState(card.state), card.waiting)[1]
    if card.group is Group.FAILED and card.state != SessionState.FAILED:
        words = "its process is gone"
    place = "on the screen" if card.shown else with_keys(PLACES[card.place])
    pieces = (
        Piece("done" if card.group is Group.DONE else ""),
        Piece(f"{words} {now.age(card)}"),
        Piece(card.badge),
        Piece(place),
        Piece(cost_of(card), 2),
        Piece(short_path(Path(card.directory)) if card.directory else "", 1),
    )
    facts = Text(" · ".join(piece.text for piece in fitted(pieces, room)), palette.muted)
    facts.truncate(room, overflow="ellipsis")
    names = limited(card.session, palette.strong, room, 1 if height < 4 else 2)
    said = limited(card.last_line, palette.plain, room, height - 1 - len(names)) if card.last_line else []
    lines = [*names, facts, *(said if height > 1 + len(names) else [])]
    return [Text.assemble("   ", line) for line in lines[:height]]
