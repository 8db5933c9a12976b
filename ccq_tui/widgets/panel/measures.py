"""The frame of a panel: its share of the screen, its first line, and notices beside a text."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from ccq_tui.text import one_line
from ccq_tui.widgets.lines import wrapped
from ccq_tui.widgets.palette import Palette

MOST_OF_SCREEN = 0.6
"""Largest share of the screen's height that a panel takes."""
FEWEST = 6
"""Lines that a panel takes even on the lowest screen."""
LOW_SCREEN = 18
"""Screen height below which a panel saves lines."""
FIELD_LINES = 5
"""Most lines of a text field; a longer text scrolls in it."""
FIELD_FRAME = 9
"""Cells around the text of a field, one for its caret included."""


@dataclass(frozen=True, slots=True)
class PanelLook:
    """Everything beside its state that a request is drawn with.

    Attributes:
        width: Cells of the panel.
        screen_height: Lines of the whole screen, of which the panel takes a part.
        palette: The styles.
        session: The session's name.
        place: Position among the waiting requests, and their number.
        countdown: Words for what happens soon if nobody presses a key, or "".
        last_key: The key that the line of keys always shows, with what it does.
    """

    width: int
    screen_height: int
    palette: Palette
    session: str
    place: tuple[int, int]
    countdown: str
    last_key: tuple[tuple[str, str], ...] = ()


def is_low(screen_height: int) -> bool:
    """Whether a screen is so low that a panel saves lines."""
    return screen_height < LOW_SCREEN


def most_lines(screen_height: int) -> int:
    """Return the most lines that a panel takes of a screen."""
    return max(FEWEST, int(screen_height * MOST_OF_SCREEN))


def key_lines(screen_height: int) -> int:
    """Return the most lines that the keys take."""
    return 1 if is_low(screen_height) else 2


def field_height(text: str, width: int, most: int) -> int:
    """Return the lines of a text in the field of a panel ``width`` cells wide, at most ``most``."""
    room = max(1, width - FIELD_FRAME)
    # Look at no more of a long text than the field could show.
    seen = text[: most * room].split("\n")[:most]
    return min(most, sum(len(wrapped(Text(line), room)) for line in seen))


LONGEST_SESSION = 30
FEWEST_OF_NAME = 10
"""Fewest cells of a session's name that still identify it."""


def title_line(who: str, about: str, look: PanelLook) -> Text:
    """Return the line that says who asks, what about, and in which session.

    A countdown takes the place of the session, or of the asker where there is no room beside that.
    """
    width, palette, place, instead = look.width, look.palette, look.place, look.countdown
    left = Text.assemble((" ◆ ", palette.accent), (who, palette.strong), no_wrap=True)
    if about:
        left.append(f" · {about}", palette.muted)
    if place[1] > 1:
        left.append(f" · {place[0]} of {place[1]}", palette.muted)
    right = instead or _named(one_line(look.session, LONGEST_SESSION), width - left.cell_len - 3)
    gap = width - left.cell_len - cell_len(right) - 1
    if instead and gap <= 1:
        # The question shows who asks; nothing else shows what is about to happen, or out of sight.
        left = Text.assemble((" ◆ ", palette.accent), (instead, palette.warning), no_wrap=True)
    elif right and gap > 1:
        left.append(" " * gap + right, palette.warning if instead else palette.muted)
    left.truncate(width, overflow="ellipsis")
    return left


def _named(session: str, room: int) -> str:
    """Return a session's name in ``room`` cells, cut if necessary; "" if too little would be left."""
    whole = f"session {session}"
    if not session or cell_len(whole) <= room:
        return whole if session else ""
    if cell_len(session) <= room:
        return session
    return f"{set_cell_size(session, room - 1).rstrip()}…" if room >= FEWEST_OF_NAME else ""


def notice_lines(text: str, width: int, palette: Palette) -> list[Text]:
    """Return a notice with its sign, wrapped for a panel."""
    lines = wrapped(Text(text, palette.warning), width - 8)
    return [
        Text.assemble(("⚠ " if index == 0 else "  ", palette.warning), line)
        for index, line in enumerate(lines)
    ]
