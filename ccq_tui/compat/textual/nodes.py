"""Private data of a node of Textual's tree: its bindings, and the modes of an app."""

from typing import Any

from textual import events
from textual.app import App
from textual.dom import DOMNode
from textual.screen import Screen

from ccq_tui.compat.private import has


def bind_first(node: DOMNode, key: str, action: str, description: str) -> None:
    """Give a key one more action, before the ones that it has already.

    Of the bindings that a class and its bases declare for one key, Textual keeps only the last. Without this
    one, or if `check_action` forbids its action, the key does what it was declared for.
    """
    if has(node, "_bindings"):
        node._bindings.bind(key, action, description, show=False, priority=True)


async def begin_behind(app: App[Any], mode: str, screen: Screen[Any]) -> None:
    """Begin a mode without showing it.

    The public way (Textual 8.2.8) is to switch there and back. It notifies the screen in front that it was
    left, so that an open panel takes no keys for a moment, and cannot go back to the mode that a program
    starts in.
    """
    if has(app, "_init_mode"):
        await app._init_mode(mode)
        screen.post_message(events.ScreenSuspend())
        return
    before = app.current_mode
    await app.switch_mode(mode)
    if before != app.DEFAULT_MODE:
        await app.switch_mode(before)
