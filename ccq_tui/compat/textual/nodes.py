"""Private data of a widget or a screen: its bindings, and the styled lines of its last picture."""

from __future__ import annotations

from textual.dom import DOMNode
from textual.geometry import Region
from textual.widget import Widget

from ccq_tui.compat.private import has


def bind_first(node: DOMNode, key: str, action: str, description: str) -> None:
    """Give a key one more action, before the ones that it has already.

    Of the bindings that a class and its bases declare for one key, Textual keeps only the last. Without this
    one, or if `check_action` forbids its action, the key does what it was declared for.
    """
    if has(node, "_bindings"):
        node._bindings.bind(key, action, description, show=False, priority=True)


def restyles(widget: Widget) -> bool:
    """Return whether `restyle` can be used; else a refresh of all of a widget has the same effect."""
    return has(widget, "_styles_cache")


def restyle(widget: Widget, lines: Region) -> None:
    """Let lines of a widget be styled again when they are drawn next; a refresh would draw them once more."""
    if restyles(widget):
        widget._styles_cache.set_dirty(lines)
