"""A list to choose from: as data, and at the foot of the screen, with the transcript above it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.app import ComposeResult
from textual.color import Color
from textual.containers import Vertical
from textual.widgets import Static

from ccq_tui.commands.command import PickRow
from ccq_tui.config.keymap import keymap
from ccq_tui.filtered_list import FilteredList
from ccq_tui.heights import most_lines
from ccq_tui.input.keys import Hints, KeyPlace, key_line
from ccq_tui.screens.list_screen import ListScreen
from ccq_tui.text import one_line, safe
from ccq_tui.widgets.lines import DrawnLine, indented, row_lines, wrapped
from ccq_tui.widgets.palette import Palette, palette_of


@dataclass(frozen=True, slots=True)
class Choosing(FilteredList[PickRow]):
    """State of a list to choose from; of a group, rows whose label begins with the first word come first."""

    def arranged(self, found: tuple[PickRow, ...], words: list[str]) -> tuple[PickRow, ...]:
        """Return the rows found, the likeliest of each group first."""
        if not words:
            return found
        groups = list(dict.fromkeys(row.group for row in found))
        return tuple(sorted(found, key=lambda row: (groups.index(row.group), _rank(row, words[0]))))

    def filtered(self, text: str) -> Self:
        """Filter by another text; the cursor goes to the best row, or back to the present choice."""
        if text == self.filter:
            return self
        return replace(self, filter=text, cursor=0 if text.strip() else _current(self.rows))


def choosing(rows: tuple[PickRow, ...]) -> Choosing:
    """Begin to choose, with the cursor on the present choice."""
    return Choosing(rows, cursor=_current(rows))


def _current(rows: tuple[PickRow, ...]) -> int:
    return next((index for index, row in enumerate(rows) if row.current), 0)


def _rank(row: PickRow, word: str) -> int:
    label = row.label.casefold().lstrip("/")
    return 0 if label.startswith(word.lstrip("/")) else 1 if word in label else 2


FILTER_FROM = 7
"""Rows from which the filter field is always shown; with fewer, only while it has text."""


class Picker(ListScreen[str | None, Choosing]):
    """Shows rows to choose from; its result is the chosen value, or None if it was left.

    Every printable key goes into the filter. Esc empties the filter, then leaves. ``preview`` is called with
    each value that comes under the cursor.
    """

    DEFAULT_CSS = """
    Picker {
        align: left bottom;
        background: transparent;
        overflow: hidden;
        & > #picker {
            height: 10;
            background: $surface;
            border-top: solid $ccq-rule;
            & > Static { height: auto; }
            & > ListField { max-height: 1; padding: 0 1 0 5; }
            & > LineView { height: 1fr; }
            & > HintBar { dock: bottom; }
        }
    }
    """
    PLACE: ClassVar[KeyPlace] = KeyPlace.PICKER
    ON_ROW: ClassVar[tuple[str, ...]] = ("choose",)

    def __init__(
        self,
        title: str,
        rows: Iterable[PickRow],
        *,
        about: str = "",
        choose: str = "choose",
        preview: Callable[[str], None] | None = None,
    ) -> None:
        super().__init__(choosing(tuple(rows)))
        self.heading = title
        self.about = about
        self.notice = ""
        self.by_itself = False
        """Whether the list opens without a key that asked for it just then, such as after another one."""
        self.takes_lines: Callable[[int], None] = lambda _: None
        """Called with the number of lines that the list takes at the screen's foot; 0 once it is gone."""
        self.body = Vertical(id="picker")
        self._title = Static("", markup=False)
        self._choose = choose
        self._preview = preview
        self._previewed = self._value
        self.field.placeholder = "Type to filter"

    @property
    def _value(self) -> str | None:
        return None if self.state.under is None else self.state.under.value

    def compose(self) -> ComposeResult:
        with self.body:
            yield self._title
            yield self.field
            yield self.view
            yield self.key_line

    def on_mount(self) -> None:
        """Begin as a list that nobody asked for just then; Textual runs the base's handler, too."""
        if self.by_itself:
            self.came_up()

    def on_unmount(self) -> None:
        """Give back the lines that the list took."""
        self.takes_lines(0)

    def on_resize(self) -> None:
        self.takes_lines(0)
        self.draw()

    def say(self, text: str) -> None:
        """Show a text above the list, such as that a question waits; "" removes it."""
        self.notice = text
        self.draw()

    # -- keys ---------------------------------------------------------------------------------------------

    def does(self, action: str) -> str:
        row = self.state.under
        return f"{action}s “{one_line(row.label, LONGEST_LABEL)}”" if row is not None else ""

    def act_on(self, action: str, row: PickRow) -> None:  # noqa: ARG002
        """Choose a row."""
        self.dismiss(row.value)

    # -- drawing ------------------------------------------------------------------------------------------

    def show(self, state: Choosing) -> None:
        """Show another state of the list."""
        super().show(state)
        if self._preview and self._value is not None and self._value != self._previewed:
            self._previewed = self._value
            self._preview(self._value)

    def draw(self) -> None:
        """Draw everything, in as many lines as it takes."""
        if not self.has_parts:
            return
        width, height = self.app.size.width, self.app.size.height
        finds = len(self.state.rows) >= FILTER_FROM or bool(self.state.filter)
        palette = palette_of(self)
        made_for = (self.state.shown, self.state.filter, width, palette)
        if made_for != self._made_for:
            self._made_for, self._lines = made_for, pick_lines(self.state, width - 1, palette)
        rows = self._lines
        # Not hidden but of no height: it keeps the focus.
        self.field.styles.height = self.field.styles.min_height = int(finds)
        self.view.show(rows, self.state.cursor if self.state.shown else None)
        # Without the rule above and the keys below, so that choices stay in sight on the lowest screen.
        room = self.most_lines(height) - int(finds) - 2 - min(len(rows), 2)
        head = self._head(width, palette, room)
        self._title.update(Text("\n").join(head))
        count = f"{len(self.state.shown)} of {len(self.state.rows)}" if self.state.filter else ""
        self.key_line.show(self.signed or self._hints, count)
        wanted = len(head) + int(finds) + len(rows) + 2
        lines = min(height - 1, self.most_lines(height), wanted)
        self.body.styles.height = lines
        self.takes_lines(lines)

    def most_lines(self, screen_height: int) -> int:
        """Return the most lines of the list and what is around it; a low one covers the transcript."""
        return max(most_lines(screen_height), min(12, screen_height - 1))

    def _head(self, width: int, palette: Palette, room: int) -> list[Text]:
        """Return the title, the text about it and the notice, in at most ``room`` lines."""
        # Most lines of the title.
        heading = wrapped(Text(one_line(self.heading, 200), palette.strong), width - 4)[:2]
        title = indented(heading, Text("   "), 3)
        about, notice = (
            [Text.assemble("   ", line) for line in wrapped(Text(safe(text), style), width - 4)]
            if text
            else []
            for text, style in ((self.about, palette.muted), (self.notice, palette.badge))
        )
        left = max(0, room - len(title) - len(notice))
        if len(about) > left:
            about = about[:left]
            for line in about[-1:]:
                line.append(" …")
        return [*title, *about, *notice]

    @property
    def _hints(self) -> Hints:
        leave, words = "clear" if self.state.filter else "leave", frozenset(("moving", "letters"))
        return key_line(self.PLACE, words, chosen=keymap().keys, enter=self._choose, leave=leave)


PREFIX = 5
"""Cells before a label: the cursor and the mark of the present choice."""
LONGEST_LABEL = 200


def pick_lines(state: Choosing, width: int, palette: Palette) -> list[DrawnLine]:
    """Return the lines of the rows that the filter lets through."""
    rows = state.shown
    if not rows:
        found = "No match · Esc clears the filter"
        nothing = found if state.filter and state.rows else "Nothing to choose from"
        return [DrawnLine(Text(" " * PREFIX + nothing, palette.muted))]
    # Width in cells from which descriptions are beside the labels; below it they are under them.
    column = _column(rows) if width >= 64 else 0
    lines: list[DrawnLine] = []
    group = ""
    for index, row in enumerate(rows):
        if row.group != group:
            group = row.group
            lines += [DrawnLine(Text())] if lines else []
            lines.append(DrawnLine(Text(f" {one_line(group, LONGEST_LABEL)}", palette.accent)))
        mark = Text("● " if row.current else "  ", palette.on)
        texts = _texts(row, width - PREFIX, column, palette)
        lines.extend(row_lines(texts, index, mark, PREFIX, palette.accent))
    return lines


def _column(rows: tuple[PickRow, ...]) -> int:
    """Return the width of the labels' column, without very long labels."""
    widths = [cell_len(one_line(row.label, LONGEST_LABEL)) for row in rows]
    return max((width for width in widths if width <= 28), default=0) + 2


def _texts(row: PickRow, width: int, column: int, palette: Palette) -> list[Text]:
    label = Text(one_line(row.label, LONGEST_LABEL), palette.strong)
    right = one_line(row.right, 40)
    room = width - (cell_len(right) + 3 if right else 1)
    swatches = [("██", Style(color=Color.parse(one).rich_color)) for one in row.colours]
    about = one_line(row.description, 400)
    description = Text.assemble(*swatches, "  " if swatches else "", (about, palette.muted))
    if column and label.cell_len < column:
        beside = wrapped(description, room - column)
        lines = [Text.assemble(label, " " * (column - label.cell_len), beside[0])]
        lines.extend(Text.assemble(" " * column, line) for line in beside[1:])
    else:
        lines = wrapped(label, room)
        if description:
            lines.extend(Text.assemble("  ", line) for line in wrapped(description, room - 2))
    if right:
        lines[0].append(" " * (width - 1 - lines[0].cell_len - cell_len(right)) + right, palette.badge)
    return lines
