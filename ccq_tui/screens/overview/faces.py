"""How a card is drawn, without its place in a list; what was drawn once is kept for a while."""

from __future__ import annotations

from functools import lru_cache

from rich.style import Style
from rich.text import Text

from ccq_tui.agent.events import SessionState
from ccq_tui.inbox.layout import wrapped
from ccq_tui.inbox.session_groups import Group
from ccq_tui.screens.inbox.inbox_list import SessionPlace
from ccq_tui.screens.overview.cards import Card
from ccq_tui.screens.session.view import SIGNS
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
NOT_HERE = {SessionPlace.OTHER: "elsewhere", SessionPlace.GONE: "gone"}
"""What is said of a card whose session cannot be opened here."""
TITLE_LINES = 2
SAID_LINES = 2
"""Of a card in a column so many lines are its title, and what was said last."""
KEPT = 1_000
"""Cards of which the drawn lines are kept; a text that was drawn is never changed."""

Face = tuple[tuple[Text, Text | None], ...]
"""The lines of a card, each without and with the cursor."""


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


@lru_cache(maxsize=KEPT)
def column_face(card: Card, age: str, width: int, palette: Palette) -> Face:
    """Draw a card of a column.

    Args:
        card: The card.
        age: For how long it has done what it does, in words.
        width: Cells.
        palette: The styles.
    """
    room = width - 3
    title = limited(card.session, palette.accent if card.shown else palette.strong, room, TITLE_LINES)
    said = limited(card.last_line, palette.muted, room, SAID_LINES) if card.last_line else []
    return tuple(
        (Text.assemble("   ", text), Text.assemble((" ❯ " if at == 0 else "   ", palette.accent), text))
        for at, text in enumerate([*title, *said, _facts(card, age, room, palette)])
    )


@lru_cache(maxsize=KEPT)
def list_face(card: Card, age: str, width: int, palette: Palette, *, tall: bool) -> Face:
    """Draw a card of a list; the arguments are those of `column_face`, and whether it has a second line."""
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
    """Wrap a harmless text into a few lines; the last one says that there is more."""
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
