"""Which permission mode Shift+Tab goes to, and what is said of it."""

from __future__ import annotations

from collections.abc import Collection

BYPASS = "bypassPermissions"
CYCLE = ("default", "acceptEdits", "plan", "auto", BYPASS)
"""The modes in the order of the key; dontAsk, which refuses what it would ask, is left by it alone."""
MEANINGS = {
    "default": "asks before it changes or runs anything",
    "acceptEdits": "edits files unasked, asks before it runs commands",
    "plan": "looks and plans, changes nothing",
    "auto": "lets a classifier decide what is asked",
    "dontAsk": "denies what it would ask for",
    BYPASS: "does everything unasked, without any check",
}
"""What Claude does in each mode."""
NAMES = {"acceptEdits": "Accept edits", "dontAsk": "Don't ask", BYPASS: "BYPASS PERMISSIONS"}
"""What a mode is called where that is not its own name."""


def offered_modes(*, auto: bool, bypass: bool, refused: Collection[str] = ()) -> tuple[str, ...]:
    """Return the modes that the key goes through.

    Args:
        auto: Whether the CLI offers a mode in which a classifier decides.
        bypass: Whether the session was started without any checks: only then may it go back to that.
        refused: Modes that the CLI refused.
    """
    left_out = {*refused, *(() if auto else ("auto",)), *(() if bypass else (BYPASS,))}
    return tuple(mode for mode in CYCLE if mode == "default" or mode not in left_out)


def next_mode(mode: str, offered: tuple[str, ...]) -> str:
    """Return the mode after one; the first after the last, and after one that is not offered.

    Args:
        mode: The mode of the moment, or "" when it is not known.
        offered: The modes to go through, in order; at least one.
    """
    return offered[(offered.index(mode) + 1) % len(offered)] if mode in offered else offered[0]


def said(mode: str) -> str:
    """Say that a mode is wanted and what it means.

    Args:
        mode: One of the modes.
    """
    return f"{NAMES.get(mode, mode.capitalize())} mode · Claude {MEANINGS[mode]}"
