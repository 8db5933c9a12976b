"""The text field of a panel, which asks its panel about each key."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingsMap
from textual.geometry import Region
from textual.strip import Strip
from textual.widgets import TextArea
from textual.widgets.text_area import Edit, EditResult

from ccq_tui.compat.private import load
from ccq_tui.config.keymap import keymap
from ccq_tui.questions.state import typable
from ccq_tui.text import masked
from ccq_tui.widgets.keys import text_of
from ccq_tui.widgets.lifetime import soon
from ccq_tui.widgets.palette import palette_of
from ccq_tui.words import plural

LEFT_TO_OTHERS = frozenset({"pageup", "pagedown", "ctrl+d", "f6"})
"""Keys of a text area that scroll the page above, decline, or recover from an error."""

if TYPE_CHECKING:
    from ccq_tui.compat.textual.text_area import FrugalTextArea as _TextArea
else:
    _TextArea = load("ccq_tui.compat.textual.text_area", "FrugalTextArea") or TextArea

KEYS_OF_EDITS = {
    "undo": "ctrl+underscore,ctrl+minus,ctrl+shift+minus,super+z",
    "redo": "alt+z,ctrl+shift+z,super+y",
}
"""Keys in place of Textual's: here Ctrl+Z suspends and Ctrl+Y yanks, as in a shell."""
KILLS = frozenset(
    {
        "delete_word_left",
        "delete_word_right",
        "delete_to_start_of_line",
        "delete_to_end_of_line_or_delete_line",
        "delete_line",
    }
)
"""Edits whose text Ctrl+Y brings back; repeated ones add up, those towards the left in front."""
EDITS = (
    *(
        one.with_key(KEYS_OF_EDITS[one.action]) if one.action in KEYS_OF_EDITS else one
        for one in TextArea.BINDINGS
        if isinstance(one, Binding)
    ),
    Binding("ctrl+y", "yank", "Paste the text that Ctrl+K, Ctrl+U or Ctrl+W deleted", show=False),
)
"""The keys that edit a text."""
_EDITS = BindingsMap(EDITS).key_to_bindings


class AnswerField(_TextArea, inherit_bindings=False):
    """A text area that asks its panel about each key before it edits.

    Control characters are left out, however a text comes in. Characters that cannot be seen, or that reorder
    what is read (bidi overrides, zero-width spaces), stay part of the text, since a person may have meant
    them, but are drawn as a sign: the text that is sent is the text that was seen.
    """

    DEFAULT_CSS = """
    AnswerField {
        height: auto;
        min-height: 1;
        min-width: 12;  /* a placeholder cannot be wrapped to nothing */
        max-height: 5;
        padding: 0;
        border: none;
        background: $panel;
        scrollbar-size-vertical: 1;
        &:focus { border: none; }
        & .text-area--cursor-line { background: transparent; }
    }
    """

    def __init__(self, press: Callable[[events.Key], bool], *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, soft_wrap=True, tab_behavior="focus", highlight_cursor_line=False)
        self._press = press
        self.one_line = False
        """Whether the text is limited to one line, as that of a number."""
        self.secret = False
        self._killed = ""
        self._taken = ""
        self._killing = False
        """The edit that takes text for `yank` just now, or took it with the previous key."""

    def on_mount(self) -> None:
        """Keep the caret from blinking: each blink costs a drawing of the screen."""
        self.cursor_blink = False

    def on_resize(self) -> None:
        """Redraw all lines and show the caret: Textual rewraps a text only after it has drawn it."""
        soon(self, self._rewrapped)

    def _rewrapped(self) -> None:
        self.scroll_cursor_visible()
        self.refresh()

    async def on_key(self, event: events.Key) -> None:
        """Let the panel take the key, or edit with it."""
        event.prevent_default()
        if self._press(event) or await self.edits_with(event):
            event.stop()

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self.type(event.text)

    async def edits_with(self, event: events.Key) -> bool:
        """Edit with a key at once: its binding would overtake others; return whether it means anything."""
        if event.key in {"ctrl+j", "shift+enter", "alt+enter"}:
            if not self.one_line:
                self.type("\n")
            return True
        if text := text_of(event):
            self._killing = False
            self.type(text)
            return True
        left = LEFT_TO_OTHERS | keymap().taken_from_text
        if event.key in left or (event.key == "ctrl+c" and not self.selected_text):
            return False
        bindings = _EDITS.get(event.key, [])
        for binding in bindings:
            await self._edit_by(binding.action)
        return bool(bindings)

    async def _edit_by(self, action: str) -> None:
        if action not in KILLS:
            self._killing = False
            await self.run_action(action)
            return
        before, self._taken = self._killed if self._killing else "", ""
        await self.run_action(action)
        if taken := self.unfolded(self._taken):
            self._killing = True
            left = action in ("delete_word_left", "delete_to_start_of_line")
            self._killed = taken + before if left else before + taken

    def unfolded(self, text: str) -> str:
        """Return a piece of the text with each placeholder replaced by its full text."""
        return text

    def action_yank(self) -> None:
        """Insert the text that was killed last at the caret."""
        if self._killed:
            self.type(self._killed)

    def type(self, text: str) -> None:
        """Insert text at the caret, in place of the selection, and show the caret."""
        self.replace(text, *self.selection, maintain_selection_offset=False)
        self.scroll_cursor_visible()

    @property
    def caret(self) -> int:
        """Offset of the caret in the text."""
        row, column = self.cursor_location
        return sum(len(self.document.get_line(number)) + 1 for number in range(row)) + column

    def show(self, text: str, caret: int | None = None) -> None:
        """Replace the text, which undo brings back; the caret goes to the end, or to a place."""
        self.replace(text, (0, 0), self.document.end, maintain_selection_offset=False)
        if caret is not None:
            self.move_cursor(self.location_of(min(caret, len(text))))

    def location_of(self, place: int) -> tuple[int, int]:
        """Return the line and the column of a place in the text."""
        before = self.text[:place]
        return before.count("\n"), place - before.rfind("\n") - 1

    def goes_on(self) -> bool:
        """Turn a backslash right before the caret into a new line; return whether there was one."""
        row, column = self.cursor_location
        if self.one_line or not self.selection.is_empty or self.document.get_line(row)[:column][-1:] != "\\":
            return False
        self.replace("\n", (row, column - 1), (row, column), maintain_selection_offset=False)
        self.scroll_cursor_visible()
        return True

    def edit(self, edit: Edit) -> EditResult:
        """Change the text, for any key or paste, without control characters."""
        edit.text = typable(edit.text)
        if self.one_line:
            edit.text = edit.text.strip("\n").replace("\n", " ")
        result = super().edit(edit)
        self._taken = result.replaced_text
        return result

    def load_text(self, text: str) -> None:
        """Replace the whole text, without control characters."""
        super().load_text(typable(text))

    def get_line(self, line_index: int) -> Text:
        line = super().get_line(line_index)
        line.plain = "•" * len(line.plain) if self.secret else masked(line.plain)
        return line

    def render_line(self, y: int) -> Strip:
        """Draw a line; where no scrollbar does, the first and the last one count what is out of sight."""
        strip, (width, height), above = super().render_line(y), self.size, self.scroll_offset.y
        beyond = {"↑": above * (y == 0), "↓": (self.virtual_size.height - above - height) * (y == height - 1)}
        sign = "".join(f" {arrow} {plural(count, 'line')}" for arrow, count in beyond.items() if count > 0)
        caret, room = self.cursor_screen_offset - self.region.offset, width - len(sign)
        if not sign or self.styles.scrollbar_size_vertical or (caret.y == y and caret.x >= room):
            return strip
        return Strip.join([strip.crop(0, room), Strip([Segment(sign, palette_of(self).warning)])])

    def render_lines(self, crop: Region) -> list[Strip]:
        if self.has_focus and self.app.screen is self.screen:  # input methods follow the terminal's cursor
            self.app.cursor_position = self.cursor_screen_offset
        return super().render_lines(crop)

    def put(self, text: str) -> None:
        """Show another text with the caret at its end; the same text keeps its caret."""
        text = typable(text)
        if self.text != text:
            self.load_text(text)
            self.move_cursor(self.document.end)
