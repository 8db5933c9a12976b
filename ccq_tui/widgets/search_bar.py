"""The line for searching the transcript."""

from collections.abc import Callable
from functools import partial

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Static, TextArea

from ccq_tui.input.keys import KeyPlace, actions_at, key_line
from ccq_tui.widgets.field import AnswerField
from ccq_tui.widgets.lifetime import is_live
from ccq_tui.widgets.palette import palette_of

SEARCH_KEYS = key_line(KeyPlace.SEARCH, enter="next", leave="close")


class SearchField(AnswerField):
    """The search field; it finds while the person types."""

    DEFAULT_CSS = "SearchField { max-height: 1; background: $surface; }"


class SearchBar(Horizontal):
    """A field and the number of matches; takes no room while it is closed."""

    DEFAULT_CSS = """
    SearchBar {
        height: 1;
        background: $surface;
        & > .label { width: auto; padding: 0 1; }
    }
    """

    def __init__(
        self, find: Callable[[str], object], step: Callable[[int], object], leave: Callable[[], object]
    ) -> None:
        """``find`` takes each query, ``step`` 1 or -1 for another match; ``leave`` is called on Esc."""
        super().__init__()
        self.display = False
        self._find = find
        steps = {"next": partial(step, 1), "previous": partial(step, -1)}
        self._actions: dict[str, Callable[[], object]] = {**steps, "close": leave}
        self.field = SearchField(self._press)
        self.field.one_line = True
        self.field.placeholder = "Find in the transcript"
        self._found = (0, 0, False)

    def compose(self) -> ComposeResult:
        yield Static("⌕", classes="label", markup=False)
        yield self.field
        yield Static("", id="found", classes="label", markup=False)

    def _press(self, event: events.Key) -> bool:
        """Do what a key of the table does here; return whether it does anything."""
        does = self._actions.get(actions_at(KeyPlace.SEARCH).get(event.key, ""))
        if does is not None:
            does()
        return does is not None

    @property
    def is_open(self) -> bool:
        return self.display

    @property
    def found_text(self) -> str:
        """Words about the matches found."""
        place, count, more = self._found
        if not is_live(self) or not self.field.text.strip():
            return ""
        if not count:
            return "searching…" if more else "not found"
        return f"{place:,}/{count:,}{'+' if more else ''}"

    def open(self) -> None:
        """Show the field with the last query, ready to be replaced."""
        self.display = True
        self.field.select_all()
        self._draw()

    def close(self) -> None:
        """Hide the bar; the query is kept for the next time."""
        self.display = False

    def tell(self, place: int, count: int, *, more: bool) -> None:
        """Show the number of the current match, from 1 or 0 for none, and how many were found so far."""
        self._found = (place, count, more)
        self._draw()

    def _draw(self) -> None:
        palette, words = palette_of(self), self.found_text
        found = Text(words, palette.note if words == "not found" else palette.strong)
        self.query_one("#found", Static).update(found)

    @on(TextArea.Changed)
    def _typed(self, event: TextArea.Changed) -> None:
        event.stop()
        if self.is_open:
            self._find(self.field.text)
