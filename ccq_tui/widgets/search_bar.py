"""The line for searching the transcript."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import ClassVar

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widgets import Input, Static

from ccq_tui.input.keys import KeyPlace, key_line
from ccq_tui.widgets.keys import LineField, bindings_at
from ccq_tui.widgets.lifetime import is_live
from ccq_tui.widgets.palette import palette_of

SEARCH_KEYS = key_line(KeyPlace.SEARCH, enter="next", leave="close")


class SearchField(LineField):
    """The search field; it finds while the person types."""

    DEFAULT_CSS = """
    SearchField {
        width: 1fr;
        height: 1;
        border: none;
        padding: 0;
        background: $surface;
        &:focus { border: none; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_at(KeyPlace.SEARCH)]

    def __init__(self, step: Callable[[int], object], leave: Callable[[], object]) -> None:
        super().__init__(placeholder="Find in the transcript", compact=True, select_on_focus=False)
        steps = {"next": partial(step, 1), "previous": partial(step, -1)}
        self._actions: dict[str, Callable[[], object]] = {**steps, "close": leave}

    def action_do(self, name: str) -> None:
        """Do what a key of the table does here."""
        self._actions[name]()

    def on_mount(self) -> None:
        """Keep the caret from blinking, as that of the prompt."""
        self.cursor_blink = False

    def on_paste(self, event: events.Paste) -> None:
        """Join a paste of several lines into one."""
        event.stop()
        event.prevent_default()
        self.insert_text_at_cursor(" ".join(event.text.split()))


class SearchBar(Horizontal):
    """A field and the number of matches; takes no room while it is closed."""

    DEFAULT_CSS = """
    SearchBar {
        height: 1;
        background: $surface;
        display: none;
        &.-on { display: block; }
        & > .label { width: auto; padding: 0 1; }
    }
    """

    def __init__(
        self, look_for: Callable[[str], object], step: Callable[[int], object], leave: Callable[[], object]
    ) -> None:
        """``look_for`` takes each query, ``step`` 1 or -1 for another match; ``leave`` is called on Esc."""
        super().__init__()
        self._look_for = look_for
        self.field = SearchField(step, leave)
        self._found = (0, 0, False)

    def compose(self) -> ComposeResult:
        yield Static("⌕", classes="label", markup=False)
        yield self.field
        yield Static("", id="found", classes="label", markup=False)

    @property
    def is_open(self) -> bool:
        return self.has_class("-on")

    @property
    def found_text(self) -> str:
        """Words about the matches found."""
        place, count, more = self._found
        if not is_live(self) or not self.field.value.strip():
            return ""
        if not count:
            return "searching…" if more else "not found"
        return f"{place:,}/{count:,}{'+' if more else ''}"

    def open(self) -> None:
        """Show the field with the last query, ready to be replaced."""
        self.add_class("-on")
        self.field.select_all()
        self._draw()

    def close(self) -> None:
        """Hide the bar; the query is kept for the next time."""
        self.remove_class("-on")

    def tell(self, place: int, count: int, *, more: bool) -> None:
        """Show the number of the current match, from 1 or 0 for none, and how many were found so far."""
        self._found = (place, count, more)
        self._draw()

    def _draw(self) -> None:
        palette, words = palette_of(self), self.found_text
        found = Text(words, palette.note if words == "not found" else palette.strong)
        self.query_one("#found", Static).update(found)

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        if self.is_open:
            self._look_for(event.value)
