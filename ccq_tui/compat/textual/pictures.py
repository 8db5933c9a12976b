"""The way and the rate at which the screen is drawn."""

import os
import time
from typing import Any

from textual import events, screen
from textual.screen import Screen
from textual.widget import Widget

from ccq_tui.compat.private import has, load

PICTURES = 120
"""Most pictures a second: with Textual's 60, one key in twenty waits 5 ms longer for the next one."""
_when_idle: Any = getattr(Screen, "_on_idle", None)


def draw_frugally() -> None:
    """Draw more often than Textual, and each time only what has changed; else as Textual does."""
    if "TEXTUAL_FPS" not in os.environ and has(screen, "UPDATE_PERIOD"):
        # Not by that variable: the CLI and all programs that it runs would get it, too.
        screen.UPDATE_PERIOD = 1 / PICTURES  # type: ignore[misc]
    compositor = load("ccq_tui.compat.textual.compositor", "FrugalCompositor")
    if compositor is not None and has(screen, "Compositor"):
        screen.Compositor = compositor  # type: ignore[attr-defined]
    if has(Screen, "_on_idle", "_on_timer_update", "_dirty_widgets"):
        Screen._on_idle = _draw_when_idle  # type: ignore[assignment, method-assign]


async def _draw_when_idle(changed: Screen[Any], event: events.Idle) -> None:
    """Draw what changed, if the last picture is a while ago: Textual waits for the next tick of a clock."""
    frames = getattr(changed.app._driver, "frames", None)
    if frames is not None and changed._dirty_widgets and time.monotonic() - frames.made_at > 1 / PICTURES:
        changed._on_timer_update()
    await _when_idle(changed, event)


def draw_now(changed: Screen[Any]) -> bool:
    """Draw what was shown or hidden on a screen; Textual would after four rounds of messages and a timer.

    Returns:
        Whether it did; else Textual does.
    """
    if not has(changed, "_layout_required", "_on_timer_update", "_refresh_styles_required"):
        return False
    for node in changed.walk_children(Widget):
        if node._refresh_styles_required:
            node._refresh_styles_required = False
            node.update_node_styles()
        if node._layout_required:
            node._layout_required, changed._layout_required = False, True
            for ancestor in node.ancestors:
                if isinstance(ancestor, Widget):
                    ancestor._clear_arrangement_cache()
                    ancestor._layout_updates += 1
    changed._on_timer_update()
    return changed.is_current and not changed.app._batch_count
