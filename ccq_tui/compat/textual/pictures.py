"""How the screen is put together, and how often."""

from __future__ import annotations

import os

from textual import screen

from ccq_tui.compat.private import has, load

PICTURES = 120
"""Pictures a second at most: with Textual's 60 one key in twenty waits 5 ms longer for the next one."""


def draw_frugally() -> None:
    """Draw more often than Textual, and each time only what has changed; else as Textual does."""
    if "TEXTUAL_FPS" not in os.environ and has(screen, "UPDATE_PERIOD"):
        # Not by that variable: the CLI and all that it runs would have it, too.
        screen.UPDATE_PERIOD = 1 / PICTURES  # type: ignore[misc]
    compositor = load("ccq_tui.compat.textual.compositor", "FrugalCompositor")
    if compositor is not None and has(screen, "Compositor"):
        screen.Compositor = compositor  # type: ignore[attr-defined]
