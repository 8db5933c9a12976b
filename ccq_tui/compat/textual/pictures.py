"""The way and the rate at which the screen is drawn."""

from __future__ import annotations

import os

from textual import screen

from ccq_tui.compat.private import has, load

PICTURES = 120
"""Most pictures a second: with Textual's 60, one key in twenty waits 5 ms longer for the next one."""


def draw_frugally() -> None:
    """Draw more often than Textual, and each time only what has changed; else as Textual does."""
    if "TEXTUAL_FPS" not in os.environ and has(screen, "UPDATE_PERIOD"):
        # Not by that variable: the CLI and all programs that it runs would get it, too.
        screen.UPDATE_PERIOD = 1 / PICTURES  # type: ignore[misc]
    compositor = load("ccq_tui.compat.textual.compositor", "FrugalCompositor")
    if compositor is not None and has(screen, "Compositor"):
        screen.Compositor = compositor  # type: ignore[attr-defined]
