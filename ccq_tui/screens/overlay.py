"""Screens over a session."""

from __future__ import annotations

from typing import TypeVar

from textual import on
from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen
from textual.worker import Worker

from ccq_tui.screens.failing import WorkFailed, failure

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

    @on(Worker.StateChanged)
    def _work_changed(self, event: Worker.StateChanged) -> None:
        if words := failure(event):
            self.app.post_message(WorkFailed(words))
