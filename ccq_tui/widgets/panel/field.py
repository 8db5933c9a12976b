"""The text field of a panel: what is typed into it belongs to the person, key by key."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import events
from textual.binding import BindingsMap
from textual.geometry import Region
from textual.strip import Strip
from textual.widgets import TextArea
from textual.widgets.text_area import Edit, EditResult

from ccq_tui.compat.private import load
from ccq_tui.questions.state import typable
from ccq_tui.text import masked
from ccq_tui.widgets.keys import text_of
from ccq_tui.widgets.lifetime import after, soon

NEW_LINE_KEYS = frozenset({"ctrl+j", "shift+enter", "alt+enter"})
LEFT_TO_OTHERS = frozenset({"pageup", "pagedown", "ctrl+d", "f6"})
"""Keys of a text area that scroll the page above, decline, or recover from an error."""

BLINK_SECONDS = 5.0
"""How long the caret blinks after a key: each blink costs a picture of the screen."""


if TYPE_CHECKING:
    from ccq_tui.compat.textual.text_area import FrugalTextArea as _TextArea
else:
    _TextArea = load("ccq_tui.compat.textual.text_area", "FrugalTextArea") or TextArea

_EDITS = BindingsMap(TextArea.BINDINGS).key_to_bindings


class AnswerField(_TextArea):
    """A text area that asks its panel about each key before it edits.

    Whatever way a text comes in, control characters are left out. Characters that cannot be seen, or that
    reorder what is read (bidi overrides, zero-width spaces), stay part of the text, since a person may have
    meant them, but are drawn as a sign: what is sent is what was seen.

    Args:
        press: Called with each key; returns whether the panel took it.
    """

    DEFAULT_CSS = """
    AnswerField {
        height: auto;
        min-height: 1;
        min-width: 12;  /* a placeholder cannot be wrapped to nothing */
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
    BINDINGS: ClassVar = []

    def __init__(self, press: Callable[[events.Key], bool], *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, soft_wrap=True, tab_behavior="focus", highlight_cursor_line=False)
        self._press = press
        self._standing_still: asyncio.TimerHandle | None = None

    def on_mount(self) -> None:
        """Let the caret stand still until there is a key."""
        self.cursor_blink = False

    def on_resize(self) -> None:
        """Draw all lines again, and show the caret: Textual wraps a text anew only after it has drawn it."""
        soon(self, self._rewrapped)

    def _rewrapped(self) -> None:
        self.scroll_cursor_visible()
        self.refresh()

    def _blink(self) -> None:
        """Let the caret blink for a while, beginning with a caret that is seen."""
        if self.app.animation_level == "none":
            return
        if self._standing_still is not None:
            self._standing_still.cancel()
        self._standing_still = after(self, BLINK_SECONDS, self._stand_still)
        self.cursor_blink = False
        self.cursor_blink = True

    def _stand_still(self) -> None:
        self.cursor_blink = False

    async def on_key(self, event: events.Key) -> None:
        """Let the panel take the key, or edit with it."""
        event.prevent_default()
        if self._press(event) or await self.edits_with(event):
            event.stop()

    def on_paste(self, event: events.Paste) -> None:
        """Take a paste, whole and once."""
        event.stop()
        event.prevent_default()
        self.type(event.text)

    async def edits_with(self, event: events.Key) -> bool:
        """Edit with a key at once: by its binding it would overtake others; return if it means anything."""
        self._blink()
        if event.key in NEW_LINE_KEYS:
            self.type("\n")
            return True
        if text := text_of(event):
            self.type(text)
            return True
        if event.key in LEFT_TO_OTHERS or (event.key == "ctrl+c" and not self.selected_text):
            return False
        bindings = _EDITS.get(event.key, [])
        for binding in bindings:
            await self.run_action(binding.action)
        return bool(bindings)

    def type(self, text: str) -> None:
        """Put text where the caret is, in place of what is selected, and show the caret."""
        self.replace(text, *self.selection, maintain_selection_offset=False)
        self.scroll_cursor_visible()

    def edit(self, edit: Edit) -> EditResult:
        """Change the text, by whatever key or paste; controls are left out."""
        edit.text = typable(edit.text)
        return super().edit(edit)

    def load_text(self, text: str) -> None:
        """Take another text whole; controls are left out."""
        super().load_text(typable(text))

    def get_line(self, line_index: int) -> Text:
        """Return a line as it is drawn, character for character."""
        line = super().get_line(line_index)
        line.plain = masked(line.plain)
        return line

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw lines."""
        if self.has_focus and self.app.screen is self.screen:  # input methods follow the terminal's cursor
            self.app.cursor_position = self.cursor_screen_offset
        return super().render_lines(crop)

    def put(self, text: str) -> None:
        """Show another text with the caret at its end; the same text keeps its caret."""
        text = typable(text)
        if self.text != text:
            self.load_text(text)
            self.move_cursor(self.document.end)
