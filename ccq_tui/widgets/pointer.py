"""The definition of a click, for everything that can be clicked."""

from __future__ import annotations

import time
from typing import Any, Generic, TypeVar, cast

from textual import events
from textual.dom import DOMNode

from ccq_tui.input.gate import FOCUS

Target = TypeVar("Target")
LEFT = 1
"""The button that clicks."""


class Clickable(Generic[Target]):
    """A widget or screen that takes clicks, as distinct from everything else that a mouse does.

    A click is a press of the left button that began and ended on one target, by equality. Textual also
    reports one when another button was pressed, and when the pointer was dragged from one row of a widget to
    another. The press that gives the terminal the focus begins none.
    """

    _pressed_on: Target | None = None

    def under(self, event: events.MouseEvent) -> Target | None:
        """Return the target under the pointer, or None."""
        raise NotImplementedError

    def clicked(self, target: Target, event: events.Click) -> None:
        """Take a click on a target."""
        raise NotImplementedError

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Note where a button went down."""
        app: Any = cast("DOMNode", self).app
        now, focused_at = getattr(app, "clock", time.monotonic)(), getattr(app, "focused_at", float("-inf"))
        meant = event.button == LEFT and now - focused_at >= FOCUS
        self._pressed_on = self.under(event) if meant else None

    def on_click(self, event: events.Click) -> None:
        """Take the click if it was one on one target."""
        pressed, self._pressed_on = self._pressed_on, None
        if event.button == LEFT and pressed is not None and self.under(event) == pressed:
            self.clicked(pressed, event)
