"""The height of a panel: its share of the screen, also before the screen is loaded."""

SHARES = (6, 8)
"""Tenths of the screen's height that a panel takes: usually, and where lines would else be missing."""
FEWEST = 6
"""Lines that a panel takes even on the lowest screen."""


def is_low(screen_height: int) -> bool:
    """Whether a screen is so low that a panel saves lines."""
    return screen_height < 18


def most_lines(screen_height: int, share: int = SHARES[0]) -> int:
    """Return the most lines that a panel takes of a screen, rounded up."""
    fewest = min(FEWEST, screen_height)
    # Lines of the screen that a panel leaves to others: the status line, and one above the panel.
    return max(fewest, min(-(-screen_height * share // 10), screen_height - 2))


def cap(screen_height: int, needed: int) -> int:
    """Return the most lines of a panel that needs some: more of the screen where they would not fit."""
    usual, more = (most_lines(screen_height, share) for share in SHARES)
    return usual if needed <= usual else more
