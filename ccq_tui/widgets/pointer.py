"""The definition of a click, for everything that can be clicked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from textual import events

Target = TypeVar("Target")
LEFT = 1
"""The button that clicks."""


class Pointer(Generic[Target]):
    """Distinguishes clicks from everything else that a mouse does.

    A click is a press of the left button that began and ended on one target, by equality. Textual also
    reports one when another button was pressed, and when the pointer was dragged from one row of a widget to
    another.
    """

    def __init__(self, find: Callable[[events.MouseEvent], Target | None]) -> None:
        self._find = find
        self._pressed: Target | None = None

    def press(self, event: events.MouseDown) -> None:
        """Note where a button went down."""
        self._pressed = self._find(event) if event.button == LEFT else None

    def clicked(self, event: events.Click) -> Target | None:
        """Return the target that was clicked, or None where this was no click on one target."""
        pressed, self._pressed = self._pressed, None
        if event.button != LEFT or pressed is None:
            return None
        return pressed if self._find(event) == pressed else None
