"""Lines of styled text, wrapped once and drawn one by one, with how much of them was ever on the screen."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import cast

from rich.cells import chop_cells
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.dom import NoScreen
from textual.errors import NoWidget
from textual.geometry import Offset, Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import Static

from ccq_tui.text import safe
from ccq_tui.widgets.palette import Palette, palette_of
from ccq_tui.words import plural

READING = 100
"""Most columns of anything that is read."""
_CONSOLE = Console(width=1000, color_system="truecolor", force_terminal=True, legacy_windows=False)
"""Only measures and splits; never writes."""


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """One line on the screen.

    Attributes:
        text: The text to draw.
        row: The row that the line belongs to, if it can be pointed at.
        at_cursor: The text to draw while the cursor is on the row, so that moving it wraps nothing.
        late: Makes the text instead each time it is drawn, with the cursor on the row or not: most lines of a
            long list never are drawn.
    """

    text: Text
    row: int | None = None
    at_cursor: Text | None = None
    late: Callable[[bool], Text] | None = None


def wrapped(text: Text, width: int) -> list[Text]:
    """Split text into at least one line of at most ``width`` cells, at words where possible."""
    lines = text.wrap(_CONSOLE, max(1, width), tab_size=4)
    for line in lines:
        line.rstrip()
    return list(lines) or [Text("")]


def indented(lines: Sequence[Text], first: Text, rest: int) -> list[Text]:
    """Put ``first`` before the first line and ``rest`` blanks before the others."""
    return [Text.assemble(first if index == 0 else " " * rest, line) for index, line in enumerate(lines)]


def row_lines(texts: Sequence[Text], row: int, mark: Text, rest: int, sign: Style) -> list[DrawnLine]:
    """Return the lines of a row: room for the cursor, a mark, and the texts beside it."""
    first = Text.assemble("   ", mark, texts[0])
    return [
        DrawnLine(first, row, Text.assemble((" ❯ ", sign), mark, texts[0])),
        *(DrawnLine(Text.assemble(" " * rest, text), row) for text in texts[1:]),
    ]


FLOW_CHUNK = 2_000
"""Characters wrapped in one go of a text that may be of any length."""


def flowing(text: str, style: Style, width: int) -> Iterator[Text]:
    """Wrap a text of any length piece by piece: only lines that are read cost anything."""
    for paragraph in text.split("\n"):
        start, carried = 0, ""
        while True:
            piece = carried + paragraph[start : start + FLOW_CHUNK]
            start += FLOW_CHUNK
            lines = wrapped(Text(piece, style), width)
            if start >= len(paragraph):
                yield from lines
                break
            # The last line may continue: it is wrapped again with what follows. Its blanks were stripped.
            carried = lines[-1].plain + " " * min(len(piece) - len(piece.rstrip()), 1)
            yield from lines[:-1]


PIECE = 20_000
"""Characters of a line made harmless in one go."""
FOLD_SIGN = "↳ "
"""Sign before the continuation of the line above."""


def verbatim(
    line: str, lead: Text, style: Style, width: int, fold: Style, breaks: re.Pattern[str] | None = None
) -> Iterator[Text]:
    """Yield a line as it is behind a sign, safe to draw; the rest follows the sign of a fold.

    ``breaks`` matches the longest beginning of what has room that is to stay on one line.
    """
    room = max(2, width - lead.cell_len)
    sign = Text(FOLD_SIGN.rjust(lead.cell_len) if width > 2 * len(FOLD_SIGN) else "", fold)
    for begin in range(0, max(1, len(line)), PIECE):
        piece = safe(line[begin : begin + PIECE], keep_newlines=False)
        at = 0
        while at < len(piece) or not begin + at:
            part = (chop_cells(piece[at : at + room], room) or [""])[0]
            behind = piece[at + len(part) : at + len(part) + 1]
            if breaks and behind and (kept := breaks.match(part + behind)):
                part = kept[0]
            yield Text.assemble(lead, (part.rstrip() if breaks else part, style))
            lead, at = sign, at + max(1, len(part))
            room = max(2, width - lead.cell_len)


class Flow:
    """Lines that are made when they are needed; those of ``aside`` come last, and need not be seen."""

    def __init__(self, source: Iterator[Text], aside: Iterator[Text] | None = None) -> None:
        self.lines: list[DrawnLine] = []
        self.ended = False
        """Whether there are no more lines to make."""
        self.counted: int | None = None
        """The number of lines without those aside, once it is known."""
        self.seen: set[int] = set()
        """The lines that were on the screen."""
        self._source = chain(source, self._counting(), aside or ())

    def _counting(self) -> Iterator[Text]:
        self.counted = len(self.lines)
        yield from ()

    def reach(self, count: int) -> bool:
        """Make lines until there are ``count`` or no more; return whether any were made."""
        before = len(self.lines)
        while len(self.lines) < count and not self.ended:
            text = next(self._source, None)
            if text is None:
                self.ended = True
            else:
                self.lines.append(DrawnLine(text))
        return len(self.lines) > before

    @property
    def goes_on(self) -> bool:
        """Whether there are more lines to make and count."""
        return self.counted is None

    def unseen(self, shown: range = range(0)) -> int:
        """Return the number of counted lines that are not ``shown`` now and never were on the screen."""
        return sum(y not in self.seen and y not in shown for y in range(len(self.lines))[: self.counted])


NOTHING = Flow(iter(()))
NOTHING.reach(1)


class LineView(ScrollView):
    """Draws lines, marks the row under the cursor, and scrolls on its own.

    Rows are drawn when they are seen, so that a long list costs only what is on the screen.
    """

    DEFAULT_CSS = """
    LineView {
        height: 1fr;
        scrollbar-size-vertical: 1;
        scrollbar-gutter: auto;
        overflow-x: hidden;
    }
    """

    can_focus = False

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self.lines: list[DrawnLine] = []
        self.cursor: int | None = None
        self._styles = Style(), Style()
        """Those of all lines, and of those of the row under the cursor."""
        self.painted: Callable[[range], object] = lambda _: None
        """Called with the lines that are drawn for the screen."""

    def show(self, lines: list[DrawnLine], cursor: int | None = None) -> None:
        """Draw other lines, or the same with the cursor elsewhere, and keep the cursor in sight."""
        same, before = lines is self.lines, self.cursor
        if same and cursor == before:
            return
        self.lines, self.cursor = lines, cursor
        # While it is hidden, a region of it would not be drawn when it is back.
        if same and self._lines_on_screen:
            for row in (before, cursor):
                at = self._place_of(row)
                place = Region(0, at.start - int(self.scroll_offset.y), self.size.width, len(at))
                if seen := self.size.region.intersection(place):
                    self.refresh(seen)
        else:
            self.__dict__.pop("_places", None)
            self.measure()
            self.refresh()
        self.keep_cursor_in_sight()

    def _place_of(self, row: int | None) -> range:
        """Return the lines of a row; an empty range when it has none."""
        return range(0) if row is None else self._places.get(row, range(0))

    @cached_property
    def _places(self) -> dict[int, range]:
        """The lines of each row, kept for the next keys: a list may have thousands of rows."""
        places: dict[int, range] = {}
        for y, line in enumerate(self.lines):
            if line.row is not None:
                places[line.row] = range(places.get(line.row, range(y, y)).start, y + 1)
        return places

    def measure(self) -> None:
        """Make the number of lines the scrollable height."""
        # Nothing scrolls sideways; with the view's own width, the first layout would cause another one.
        size = Size(1, len(self.lines))
        if self.virtual_size != size:
            self.virtual_size = size

    def on_resize(self) -> None:
        """Keep the cursor in sight when the view shrinks."""
        self.measure()
        self.keep_cursor_in_sight()

    def watch_show_vertical_scrollbar(self, shown: bool) -> None:
        """Set the position of a scrollbar that appears after the view was scrolled."""
        if shown:
            self.vertical_scrollbar.position = self.scroll_y

    def keep_cursor_in_sight(self) -> None:
        """Scroll the row under the cursor into sight, its first lines before its last."""
        at = self._place_of(self.cursor)
        if not at or not self.size.height:
            return
        height = min(len(at), self.size.height)
        # Show the question above the first row with it, where there is room.
        top = 0 if at.start + height <= self.size.height else at.start
        self.scroll_to_region(Region(0, top, 1, at.start + height - top), animate=False, force=True)

    @property
    def rows_in_sight(self) -> frozenset[int]:
        """The rows of which every line is on the screen, or that fill all of it."""
        shown = self._lines_on_screen
        rows = {line.row for line in self.lines[shown.start : shown.stop] if line.row is not None}
        places = {row: self._place_of(row) for row in rows}
        whole = (row for row, at in places.items() if at.start in shown and at.stop - 1 in shown)
        return frozenset(places if len(places) == 1 else whole)

    @property
    def _lines_on_screen(self) -> range:
        """The lines of which nothing around the view cuts anything off."""
        try:
            place = self.screen.find_widget(self)
        except (NoScreen, NoWidget):
            return range(0)
        first, top = place.region.y + self.gutter.top, int(self.scroll_offset.y)
        seen = place.clip.intersection(Region(place.region.x, first, place.region.width, self.size.height))
        return range(top + seen.y - first, top + seen.bottom - first)

    def row_on_screen(self, offset: Offset) -> int | None:
        """Return the row drawn at a place of the screen, or None."""
        seen = Region(*self.region.offset, *self.size)
        index = offset.y - seen.y + int(self.scroll_offset.y)
        return self.lines[index].row if seen.contains_point(offset) and index < len(self.lines) else None

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw several lines; look up their style, made of that of all ancestors, only once."""
        # A border takes lines of the crop, but shows none of the text.
        first, last = crop.y - self.gutter.top, min(crop.bottom - self.gutter.top, self.size.height)
        top = int(self.scroll_offset.y)
        self.painted(range(top + max(0, first), min(top + last, len(self.lines))))
        plain = self.rich_style
        self._styles = plain, plain + palette_of(self).cursor
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """Draw one line of the visible part."""
        width, index = self.size.width, y + int(self.scroll_offset.y)
        if index >= len(self.lines):
            return Strip.blank(width, self._styles[0])
        line = self.lines[index]
        here = line.row is not None and line.row == self.cursor
        text = (line.at_cursor or line.text) if here else line.text
        if line.late is not None:
            text = line.late(here)
        # A text without spans renders without its own style.
        style = text.style if isinstance(text.style, Style) else _CONSOLE.get_style(text.style)
        segments = text.render(_CONSOLE, end="") if text.spans else [Segment(text.plain, style)]
        return Strip(segments).adjust_cell_length(width).apply_style(self._styles[here])

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self.refresh()


class FittedLines(Static):
    """Draws text with a number of lines that is known before it is laid out.

    Only another number than the screen has room for lays the screen out again: a layout costs as much as all
    other work of a key.
    """

    count = 1

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return self.count

    def fit(self, *, changed: bool = False) -> None:
        """Draw the text again where it changed, with as many lines as it has."""
        layout = self.count != self.size.height if self.size else changed
        if changed or layout:
            self.refresh(layout=layout)

    def on_resize(self) -> None:
        """Take the room for lines that changed while another size was on the screen."""
        self.fit()

    def render_line(self, y: int) -> Strip:
        """Draw a line, which fits; Textual would make the text one of its own first, and wrap it."""
        lines = cast("Text", self.render()).split("\n", allow_blank=True)
        segments = lines[y].render(_CONSOLE, end="") if y < len(lines) else ()
        return Strip(segments).adjust_cell_length(self.size.width).apply_style(self.rich_style)


class TextLines(FittedLines):
    """Draws lines that fit its width."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes, markup=False)
        self._shown = Text()
        self.count = 0

    def show(self, lines: Sequence[Text]) -> None:
        text = Text("\n", no_wrap=True).join(lines)
        changed = text != self._shown
        self._shown, self.count = text, len(lines)
        self.fit(changed=changed)

    def render(self) -> Text:
        return self._shown


class SightView(LineView):
    """Draws a flow, which makes more lines when its end is near, and remembers which of them were drawn."""

    AHEAD = 100
    """Lines kept ready below the visible part."""

    class LinesSeen(Message):
        """The lines on the screen changed."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.flow = NOTHING
        self.painted = self._note

    def show_flow(self, flow: Flow) -> None:
        """Draw another flow from its beginning; the same flow keeps its scroll position."""
        if flow is not self.flow:
            self.flow = flow
            self.scroll_to(y=0, animate=False, force=True)
        self._make_more()
        self.show(flow.lines)

    def _make_more(self) -> None:
        if self.flow.reach(self.above + self.size.height + self.AHEAD):
            self.measure()
            self.refresh()

    def _note(self, lines: range) -> None:
        """Count lines that are drawn as seen."""
        if not self.flow.seen.issuperset(lines):
            self.flow.seen.update(lines)
            self.post_message(self.LinesSeen())

    @property
    def above(self) -> int:
        return int(self.scroll_offset.y)

    @property
    def below(self) -> int:
        """Lines below the view, of those that are made."""
        return max(0, len(self.lines) - self.above - self.size.height)

    def on_resize(self) -> None:
        """Report that more or fewer lines are on the screen, even if none of them is new."""
        self.post_message(self.LinesSeen())

    def more(self, width: int, *, down: str, up: str) -> Text:
        """Return the row that says how much is out of sight, and the key for it."""
        shown = range(self.above, self.above + self.size.height)
        return more_line(self.flow, shown, width, palette_of(self), down=down, up=up)

    def reset_seen(self) -> None:
        """Start over: only lines drawn from now on count as seen."""
        self.flow.seen.clear()
        self.refresh()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Report that other lines are on the screen, and make more when the end comes near."""
        super().watch_scroll_y(old_value, new_value)
        self._make_more()
        self.post_message(self.LinesSeen())


def more_line(flow: Flow, shown: range, width: int, palette: Palette, *, down: str, up: str) -> Text:
    """Return the row under the ``shown`` lines of a flow: how many more there are, and the key for them."""
    below, goes_on = max(0, len(flow.lines) - shown.stop), flow.goes_on
    if below or goes_on:
        least = "over " if goes_on else ""
        more = f"↓ {least}{below:,} more {'line' if below == 1 and not least else 'lines'}"
        text, key = Text(more, palette.warning), down
    else:
        text, key = Text(f"↑ {plural(shown.start, 'line')} above", palette.muted), up
    text.append(f" · {key}", palette.muted)
    text.truncate(max(1, width), overflow="ellipsis")
    return text
