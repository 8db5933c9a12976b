"""A mode that begins behind the one that is shown.

The public way (Textual 8.2.8) is to switch there and back. It notifies the screen in front that it was left,
so that an open panel takes no keys for a moment, and cannot go back to the mode that a program starts in.
"""

from __future__ import annotations

from typing import Any

from textual import events
from textual.app import App
from textual.screen import Screen

from ccq_tui.compat.private import has


async def begin_behind(app: App[Any], mode: str, screen: Screen[Any]) -> None:
    """Begin a mode without showing it."""
    if has(app, "_init_mode"):
        await app._init_mode(mode)
        screen.post_message(events.ScreenSuspend())
        return
    before = app.current_mode
    await app.switch_mode(mode)
    if before != app.DEFAULT_MODE:
        await app.switch_mode(before)
