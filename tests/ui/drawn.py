"""What was sent to the terminal, put together from the frames; and whether it shows what is so."""

from functools import lru_cache
from itertools import zip_longest
from typing import Any
from unittest.mock import patch
from weakref import WeakKeyDictionary

from rich.cells import cell_len
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.app import App
from textual.errors import NoWidget
from textual.geometry import Region
from textual.screen import Screen

from ccq_tui.questions.state import Focus, PanelState
from ccq_tui.screens.picker import Picker
from ccq_tui.screens.sessions.rows import RowsView
from ccq_tui.screens.sessions.screen import SessionsScreen
from ccq_tui.screens.sessions.trust import TrustScreen
from ccq_tui.widgets.completer import ChoiceList
from ccq_tui.widgets.lines import LineView
from ccq_tui.widgets.panel import RequestPanel

SIGN = "❯ "
BAR = "▎"
"""What stands at the left of a panel, in a cell of which drawings in text say nothing."""


class Terminal:
    """The cells that a terminal shows after all frames that were sent to it."""

    def __init__(self) -> None:
        self._rows: dict[int, list[str]] = {}

    def take(self, update: object) -> None:
        """Draw a frame: all of the screen, or the parts of it that changed."""
        if isinstance(update, LayoutUpdate):
            self._rows = {y: [] for y in update.region.line_range}
            for y, strips in enumerate(update.strips, update.region.y):
                self._write(y, 0, "".join(strip.text for strip in strips))
        elif isinstance(update, ChopsUpdate):
            for y, left, right in update.spans:
                for end, (x, strip) in zip(update.chop_ends[y], update.chops[y].items(), strict=False):
                    if strip is not None and x <= right and end > left:
                        self._write(y, x, strip.crop(0, min(end, right) - x).text)

    def _write(self, y: int, x: int, text: str) -> None:
        cells = list(text) if text.isascii() else _cells(text)
        row = self._rows.setdefault(y, [])
        row += " " * (x - len(row))
        row[x : x + len(cells)] = cells

    def line(self, y: int) -> str:
        """Return a line as it is on the screen."""
        return "".join(self._rows.get(y, ()))

    @property
    def lines(self) -> list[str]:
        return [self.line(y) for y in sorted(self._rows)]


@lru_cache(maxsize=4096)
def _cells(text: str) -> list[str]:
    """Return what stands in each cell, with the marks on it; most lines are drawn many times."""
    cells: list[str] = []
    for one in text:
        if width := cell_len(one):
            cells += [one, *[""] * (width - 1)]
        elif cells:
            cells[-1] += one
    return cells


_terminals: WeakKeyDictionary[App[Any], Terminal] = WeakKeyDictionary()
_display = App._display


def _shown(app: App[Any], screen: Screen[Any], update: Any) -> None:
    if update is not None and not app._batch_count:
        _terminals.setdefault(app, Terminal()).take(update)
    _display(app, screen, update)


def watched() -> Any:
    """Keep what programs draw while this patch is applied."""
    return patch.object(App, "_display", _shown)


def terminal_of(app: App[Any]) -> Terminal:
    """Return what a program has drawn so far."""
    return _terminals.setdefault(app, Terminal())


def cursor_faults(app: App[Any]) -> str:
    """Return what is wrong with the rows drawn with the cursor in the lists on the screen, or ""."""
    # The details of a session begin its prompts with the sign of the cursor.
    views = [
        (view, seen)
        for view in app.screen.walk_children(LineView)
        if view.id != "text" and (seen := _seen(view))
    ]
    faults = [f"{view} {_fault(view, seen, terminal_of(app))}" for view, seen in views]
    return "; ".join(fault for fault in faults if not fault.endswith(" "))


def _seen(view: LineView) -> Region:
    """Return the part of a view's text that is on the screen."""
    try:
        place = view.screen.find_widget(view)
    except NoWidget:
        return Region()
    return place.region.shrink(view.styles.gutter).intersection(place.clip)


def _fault(view: LineView, seen: Region, terminal: Terminal) -> str:
    row, words = _row_of(view)
    over = {y for one in view.screen.walk_children(ChoiceList) if one.display for y in one.region.line_range}
    drawn = {y: terminal.line(y)[seen.x :] for y in seen.line_range if y not in over}
    signs = [y for y, line in drawn.items() if line.lstrip(f" {BAR}").startswith(SIGN)]
    top = view.content_region.y - int(view.scroll_offset.y)
    first = next((y for y, line in enumerate(view.lines, top) if line.row == row), None)
    wanted = [first] if row is not None and first in drawn else []
    if signs != wanted:
        return f"has the cursor in lines {signs} of the screen, but its row {row} in {wanted}"
    word = next(iter(words.split()), "")
    shown = drawn[wanted[0]].split() if wanted and word.isalnum() else [word]
    if not any(word.startswith(one) or one.startswith(word) for one in shown):  # a narrow screen breaks words
        return f"has the cursor on {shown}, but {words!r} is under it"
    return ""


def _row_of(view: LineView) -> tuple[int | None, str]:
    """Return the row of a list that is under the cursor in the state, and its words."""
    screen = view.screen
    panel = next((one for one in view.ancestors if isinstance(one, RequestPanel)), None)
    if panel is not None and panel.state.outcome is not None:
        return view.cursor, ""  # about to close
    if panel is not None:
        return _row_of_panel(panel.state) if view.id == "list" else (None, "")
    if isinstance(screen, Picker):
        return _at(screen.state.cursor, [row.label for row in screen.state.shown])
    if isinstance(screen, SessionsScreen):
        shown = screen.state.shown if isinstance(view, RowsView) and screen.panel is None else ()
        return _at(screen.state.cursor, [""] * len(shown))
    if isinstance(screen, TrustScreen) and view is screen.view:
        return screen.state.cursor, ""
    return None, ""


def _row_of_panel(state: PanelState) -> tuple[int | None, str]:
    if state.focus is Focus.DECLINE:
        return None, ""
    if state.page.question.acts:
        return state.page.cursor, "" if state.typing else state.page.question.options[state.page.cursor].label
    if state.in_review:
        return state.review_row, ""
    page = state.page
    if page.is_field:
        return (0 if state.focus is Focus.LIST else None), ""
    options = page.question.options
    return page.cursor, options[page.cursor].label if page.cursor < len(options) else ""


def _at(cursor: int, words: list[str]) -> tuple[int | None, str]:
    return (cursor, words[cursor]) if cursor < len(words) else (None, "")


def fault_of(app: App[Any]) -> str:
    """Return what is wrong with what is on the terminal, or "": of the cursors, and of what is out of date.

    The app is at rest, with nothing left to draw.
    """
    if app not in _terminals or not app.screen_stack or not app.screen.is_mounted:
        return ""
    shown = [line.rstrip() for line in terminal_of(app).lines]
    wanted = [strip.text.rstrip() for strip in app.screen._compositor.render_strips()]
    old = [pair for pair in zip_longest(shown, wanted, fillvalue="") if pair[0] != pair[1]]
    return cursor_faults(app) or (f"drawn before, and to be drawn now: {old}" if old else "")


def screen_lines(app: App[Any]) -> list[str]:
    """Return what is on the screen, line by line."""
    lines = [strip.text.rstrip() for strip in app.screen._compositor.render_strips()]
    return [f" {line[1:]}".rstrip() if line.startswith(BAR) else line for line in lines]


def screen_text(app: App[Any]) -> str:
    """Return what is on the screen."""
    return "\n".join(screen_lines(app))
