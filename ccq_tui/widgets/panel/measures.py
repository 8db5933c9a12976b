"""How much of the screen a panel may take, and how it shares that out."""

from __future__ import annotations

from rich.text import Text

from ccq_tui.widgets.lines import wrapped

MOST_OF_SCREEN = 0.6
"""The part of the screen's height that a panel takes at most."""
FEWEST = 6
"""Lines that a panel takes on however low a screen."""
LOW_SCREEN = 18
"""Below this height a panel saves lines."""
FIELD_LINES = 5
"""The most lines of a text field; a longer text scrolls in it."""
FIELD_FRAME = 9
"""Cells around the text of a field, and the one for its caret."""


def is_low(screen_height: int) -> bool:
    """Whether a screen is so low that a panel saves lines."""
    return screen_height < LOW_SCREEN


def most_lines(screen_height: int) -> int:
    """Return the most lines that a panel takes of a screen."""
    return max(FEWEST, int(screen_height * MOST_OF_SCREEN))


def key_lines(screen_height: int) -> int:
    """Return how many lines the keys may take."""
    return 1 if is_low(screen_height) else 2


def field_height(text: str, width: int, most: int) -> int:
    """Return the lines that a text takes in the field of a panel so wide, at most ``most``."""
    room = max(1, width - FIELD_FRAME)
    # No more of a long text is looked at than the field could show.
    seen = text[: most * room].split("\n")[:most]
    return min(most, sum(len(wrapped(Text(line), room)) for line in seen))
