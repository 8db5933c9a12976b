"""The text field of a panel: what is typed into it belongs to the person, key by key."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.widgets import TextArea

NEW_LINE_KEYS = frozenset({"ctrl+j", "shift+enter", "alt+enter"})


class AnswerField(TextArea):
    """A text area that asks its panel about each key before it edits.

    Args:
        press: Called with each key; returns whether the panel took it.
    """

    DEFAULT_CSS = """
    AnswerField {
        height: auto;
        min-height: 1;
        max-height: 5;
        padding: 0 1;
        margin: 0 2 0 3;
        border: none;
        border-left: outer $primary;
        background: $panel;
        scrollbar-size-vertical: 1;
        &:focus { border: none; border-left: outer $primary; }
        & .text-area--cursor-line { background: transparent; }
    }
    """
    # Keys of TextArea that mean something else in a panel.
    BINDINGS: ClassVar = []

    def __init__(self, press: Callable[[events.Key], bool], *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, soft_wrap=True, tab_behavior="focus", highlight_cursor_line=False)
        self._press = press

    async def on_key(self, event: events.Key) -> None:
        """Let the panel take the key, or type it."""
        if event.key in NEW_LINE_KEYS:
            event.stop()
            event.prevent_default()
            self.insert("\n")
            return
        if self._press(event):
            event.stop()
            event.prevent_default()

    def put(self, text: str) -> None:
        """Show another text with the caret at its end; the same text keeps its caret."""
        if self.text != text:
            self.load_text(text)
            self.move_cursor(self.document.end)
