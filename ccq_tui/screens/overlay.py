"""Screens over a session."""

from __future__ import annotations

from typing import TypeVar

from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen

Result = TypeVar("Result")


class Overlay(ModalScreen[Result]):
    """A screen over a session, which is left only while it is the one that is seen."""

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Leave the screen.

        Textual takes away whatever screen is on top, even another one: that of a key that came in one burst
        with the key that leaves this one.

        Args:
            result: What is given to whoever opened it.
        """
        return super().dismiss(result) if self.is_active else AwaitComplete()
