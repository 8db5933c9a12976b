"""What a widget or a screen keeps for itself: its bindings, and the styled lines of its last picture."""

from __future__ import annotations

from textual.dom import DOMNode
from textual.geometry import Region
from textual.widget import Widget

from ccq_tui.compat.private import has


def bind_first(node: DOMNode, key: str, action: str, description: str) -> None:
    """Let a key mean something more, before what it means already.

    Of what a class and its bases declare for one key Textual keeps the last alone. Without this, or where
    `check_action` forbids the action, the key means what it was declared for.
    """
    if has(node, "_bindings"):
        node._bindings.bind(key, action, description, show=False, priority=True)


def restyles(widget: Widget) -> bool:
    """Return whether `restyle` can be used; else a refresh of all of a widget has the same effect."""
    return has(widget, "_styles_cache")


def restyle(widget: Widget, lines: Region) -> None:
    """Have lines of a widget styled anew when they are drawn next; a refresh would draw them once more."""
    if restyles(widget):
        widget._styles_cache.set_dirty(lines)
