"""Screens over a session."""

from __future__ import annotations

from functools import partial
from typing import TypeVar

from textual import events, on
from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen
from textual.worker import Worker

from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.keys import copy_of, text_of
from ccq_tui.widgets.lifetime import WorkFailed, failure, is_live, soon, start_work

Result = TypeVar("Result")


class Overlay(ModalScreen[Result]):
    """A screen over a session; it can be left only while it is the active one."""

    makes_way = False
    """Whether it closes when another session opens in front."""
    _types_on = False
    """Whether it has passed on text, to which keys such as Enter belong then."""

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Leave the screen.

        Textual dismisses whatever screen is on top, even one that another key of the same burst has opened.
        """
        return super().dismiss(result) if self.is_active else AwaitComplete()

    def passes_on(self, event: events.Key | events.Paste) -> bool:
        """Pass on an event if this screen is not the active one; return whether this screen must ignore it.

        It came in one burst with the key that left this screen, or that opened another one over it. Once this
        screen has gone, text and the keys behind it go to the widget that has the focus; a key before any
        text was meant for this screen, unless it means the same everywhere.
        """
        if self.is_active:
            return False
        if self not in self.app.screen_stack:
            screen = self.app.screen
            bound = screen.active_bindings.get(event.key) if isinstance(event, events.Key) else None
            self._types_on |= isinstance(event, events.Paste) or bool(text_of(event))
            if bound is not None and bound.binding.priority:
                action = partial(self.app.run_action, bound.binding.action, bound.node)
                start_work(self.app, action, name="key")
            elif self._types_on and screen.focused is not None:
                screen.focused.post_message(copy_of(event))
        return True

    @property
    def has_parts(self) -> bool:
        """Whether its widgets exist: it may be left at the moment when it opens."""
        return self.is_attached and self.query_one_optional(HintBar) is not None

    def draw(self) -> None:
        """Draw what changes."""

    def notify_style_update(self) -> None:
        super().notify_style_update()
        if is_live(self):
            soon(self, self.draw)

    @on(Worker.StateChanged)
    def _work_changed(self, event: Worker.StateChanged) -> None:
        if words := failure(event):
            self.app.post_message(WorkFailed(words))
