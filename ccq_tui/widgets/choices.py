"""The list above the prompt, drawn."""

from __future__ import annotations

from collections.abc import Callable

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.geometry import Region, Size
from textual.widgets import Static

from ccq_tui.prompts.completion_context import CompletionKind, WantedCompletion
from ccq_tui.prompts.completion_list import Completion, CompletionList
from ccq_tui.prompts.fuzzy import marks
from ccq_tui.text import one_line
from ccq_tui.widgets.hints import NARROW, cut
from ccq_tui.widgets.palette import Palette, palette_of
from ccq_tui.widgets.pointer import Clickable

MOST_LINES = 8
_SHARE_OF_SCREEN = 3
_LONGEST = 400
_NOUNS = {
    CompletionKind.COMMANDS: "commands",
    CompletionKind.FILES: "files",
    CompletionKind.HISTORY: "prompts",
}
_TITLES = {CompletionKind.HISTORY: "Earlier prompts"}
NOTHING = CompletionList(WantedCompletion(CompletionKind.COMMANDS, ""))


class ChoiceList(Static, Clickable[tuple[int, Completion]]):
    """Draws a list of choices; it takes no keys of its own."""

    DEFAULT_CSS = """
    ChoiceList {
        height: auto;
        &.-off { display: none; }
    }
    """

    def __init__(self, pick: Callable[[int], object] = bool) -> None:
        """Draw nothing yet; ``pick`` takes a row that is clicked."""
        super().__init__("", markup=False, classes="-off")
        self.pick = pick
        self._choices = NOTHING

    def show(self, choices: CompletionList | None) -> None:
        """Draw another state of the list, or nothing."""
        self._choices = choices or NOTHING
        self.set_class(not (self._choices.rows or self._choices.note), "-off")
        self.refresh(layout=True)

    @property
    def shown(self) -> range:
        """The rows on the screen."""
        return self._choices.window(self.most)

    def clicked(self, target: tuple[int, Completion], event: events.Click) -> None:
        event.stop()  # what is under the list is not meant
        self.pick(target[0])

    def under(self, event: events.MouseEvent) -> tuple[int, Completion] | None:
        """Return the row under the pointer, with its completion."""
        seen, place = self.content_region, event.screen_offset
        if not seen.contains_point(place):
            return None
        at = place.y - seen.y - has_title(self._choices)
        row = self.shown[at] if 0 <= at < len(self.shown) else None
        return None if row is None else (row, self._choices.rows[row])

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        """Return the number of lines; before it is laid out it has no width to draw them in."""
        return height_of(self._choices, self.most)

    def keep_beside(self, text: Region, top: int) -> None:
        """Stand right above a text that is completed, or below it on a screen without room there.

        ``text``: its place in the widget around both, ``top``: the line of the screen on which that begins.
        """
        above = text.y - height_of(self._choices, self.most)
        self.styles.offset = (0, above if top + above >= 0 else text.bottom)

    @property
    def most(self) -> int:
        """Most rows shown."""
        return max(3, min(MOST_LINES, self.app.size.height // _SHARE_OF_SCREEN))

    def render(self) -> Text:
        return drawn(self._choices, self.size.width, self.most, palette_of(self))


def height_of(choices: CompletionList, most: int) -> int:
    """Return the number of lines of a list with at most ``most`` rows."""
    return len(choices.window(most)) + has_title(choices)


def has_title(choices: CompletionList) -> bool:
    """Whether a title line names the rows, or says that there are none."""
    return choices.wanted.kind in _TITLES or not choices.rows


def drawn(choices: CompletionList, width: int, most: int, palette: Palette) -> Text:
    """Return a list as lines of ``width`` cells."""
    lines: list[Text] = []
    if width < 1:  # before the first layout
        return Text("")
    if has_title(choices):
        title = _TITLES.get(choices.wanted.kind, "")
        words = " · ".join(part for part in (title, choices.note) if part)
        lines.append(Text(f"   {words}", palette.muted, no_wrap=True))
    window = choices.window(most)
    shown = [choices.rows[number] for number in window]
    column = min(max((cell_len(_head(row)) for row in shown), default=0), max(12, width * 2 // 5))
    for number, row in zip(window, shown, strict=True):
        lines.append(_row(choices, row, number == choices.cursor, width, column, palette))
    for line in lines:
        line.truncate(width, overflow="ellipsis")
    more = f"more {_NOUNS[choices.wanted.kind]}" if width >= NARROW else "more"
    if window.start:
        _sign(lines[has_title(choices)], f" ↑ {window.start} {more}", width, palette)
    if below := len(choices.rows) - window.stop:
        _sign(lines[-1], f" ↓ {below + choices.more:,} {more}", width, palette)
    elif choices.more:
        _sign(lines[-1], f" {choices.more:,} {more} · type on", width, palette)
    return Text("\n").join(lines)


def _row(
    choices: CompletionList, row: Completion, chosen: bool, width: int, column: int, palette: Palette
) -> Text:
    line = Text.assemble((" ❯ " if chosen else "   ", palette.accent), no_wrap=True)
    kind = choices.wanted.kind
    name = one_line(row.label, _LONGEST)
    if kind is not CompletionKind.COMMANDS:
        column = width - 4
    name = _cut(name, column, keep_end=kind is CompletionKind.FILES)
    text = Text(name, palette.strong if chosen else palette.plain)
    for place in marks(choices.wanted.query, name):
        text.stylize(palette.accent, place, place + 1)
    line.append_text(text)
    if kind is CompletionKind.COMMANDS:
        hint = _cut(one_line(row.hint, 40), column - cell_len(name) - 1, keep_end=False)
        line.append(f" {hint}" if hint else "", palette.muted)
        line.append(" " * (column + 3 + 2 - line.cell_len) or "  ")
        line.append(one_line(row.detail, _LONGEST), palette.muted)
        line.truncate(width, overflow="ellipsis")
    elif row.detail and line.cell_len + 2 + cell_len(row.detail) < width:  # a file's path says more
        line.append(f"  {row.detail}", palette.muted)
    if chosen:
        line.append(" " * max(0, width - line.cell_len))
        line.stylize_before(palette.cursor)
    return line


def _sign(line: Text, sign: str, width: int, palette: Palette) -> None:
    """End a line with the number of rows beyond it."""
    room = max(0, width - cell_len(sign))
    line.truncate(room, overflow="ellipsis")
    line.append(" " * (room - line.cell_len))
    line.append(sign, palette.muted)


def _head(row: Completion) -> str:
    """Return a command with its arguments, the first column."""
    hint = one_line(row.hint, 40)
    return f"{one_line(row.label, _LONGEST)} {hint}".rstrip()


def _cut(text: str, width: int, *, keep_end: bool) -> str:
    """Shorten a text to ``width`` cells; a path keeps its end, which says more."""
    if not keep_end or cell_len(text) <= width:
        return cut(text, width) if width > 0 else ""
    while text and cell_len(text) > width - 1:
        text = text[1:]
    return f"…{text}"
