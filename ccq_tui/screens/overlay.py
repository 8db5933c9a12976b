"""Screens over a session."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from textual import events, on
from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen
from textual.worker import Worker

from ccq_tui.screens.work_failures import WorkFailed, failure
from ccq_tui.widgets.keys import copy_of, text_of
from ccq_tui.widgets.panel.field import AnswerField

Result = TypeVar("Result")


class ListField(AnswerField):
    """The field for what to find, which has the keys of a list.

    Args:
        press: Called with each key; returns whether it meant something.
        hands_on: Called with a paste; returns whether it is for something else.
    """

    def __init__(
        self,
        press: Callable[[events.Key], bool],
        hands_on: Callable[[events.Paste], bool],
        *,
        id: str = "filter",  # noqa: A002
    ) -> None:
        super().__init__(press, id=id)
        self._hands_on = hands_on

    def on_paste(self, event: events.Paste) -> None:
        """Give a paste to whatever it is for."""
        if self._hands_on(event):
            event.stop()
            event.prevent_default()


class Overlay(ModalScreen[Result]):
    """A screen over a session, which is left only while it is the one that is seen."""

    makes_way = False
    """Whether it is left as another session opens in front."""

    def __init__(self) -> None:
        super().__init__()
        self._early: list[events.Key | events.Paste] | None = []
        """What was typed before a field was there to take it; None since the screen is there."""

    def on_mount(self) -> None:
        """Give the field what was typed while the screen was being built."""
        early, self._early = self._early, None
        for typed in early or ():
            if self.focused is not None:
                self.focused.post_message(typed)

    def type_early(self, event: events.Key | events.Paste) -> bool:
        """Keep what types something where the screen is still being built; return whether it was kept."""
        if self._early is None:
            return False
        if isinstance(event, events.Paste) or text_of(event):
            self._early.append(copy_of(event))
            return True
        return False

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Leave the screen.

        Textual takes away whatever screen is on top, even another one: that of a key that came in one burst
        with the key that leaves this one.

        Args:
            result: What is given to the opener.
        """
        return super().dismiss(result) if self.is_active else AwaitComplete()

    def passes_on(self, event: events.Key | events.Paste) -> bool:
        """Give what is typed to whatever has the keys now, where this screen does not.

        It came in one burst with the key that left this screen, or that opened another one over it. A key
        that types nothing was meant for what is no more.

        Args:
            event: A key or a paste.

        Returns:
            Whether this screen takes nothing of it.
        """
        if self.is_active:
            return False
        types = isinstance(event, events.Paste) or text_of(event)
        if types and self not in self.app.screen_stack and (focused := self.app.screen.focused) is not None:
            focused.post_message(copy_of(event))
        return True

    @on(Worker.StateChanged)
    def _work_changed(self, event: Worker.StateChanged) -> None:
        if words := failure(event):
            self.app.post_message(WorkFailed(words))
