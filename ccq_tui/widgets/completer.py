"""The list that comes up while a person types: it completes the text of a field at the caret."""

from collections.abc import Callable
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.widgets import Static

from ccq_tui.prompts.completion_context import CompletionKind, WantedCompletion, completed, wanted_at
from ccq_tui.prompts.completion_list import MOST_ROWS, SEEN_AFTER, Completion, CompletionList
from ccq_tui.prompts.fuzzy import marks
from ccq_tui.text import one_line
from ccq_tui.widgets.field import AnswerField
from ccq_tui.widgets.hints import NARROW, cut, cut_start
from ccq_tui.widgets.keys import Clickable, intended_keys
from ccq_tui.widgets.palette import Palette, palette_of

MOST_LINES = 8
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

    DEFAULT_CSS = "ChoiceList { height: auto; }"

    def __init__(self, pick: Callable[[int], object] = bool) -> None:
        """Draw nothing yet; ``pick`` takes a row that is clicked."""
        super().__init__(markup=False)
        self.display = False
        self.pick = pick
        self._choices = NOTHING

    def show(self, choices: CompletionList | None) -> None:
        """Draw another state of the list, or nothing."""
        self._choices = choices or NOTHING
        self.display = bool(self._choices.rows or self._choices.note)
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
        return max(3, min(MOST_LINES, self.app.size.height // 3))

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
    name = cut_start(name, column) if kind is CompletionKind.FILES else _cut(name, column)
    text = Text(name, palette.strong if chosen else palette.plain)
    for place in marks(choices.wanted.query, name):
        text.stylize(palette.accent, place, place + 1)
    line.append_text(text)
    if kind is CompletionKind.COMMANDS:
        hint = _cut(one_line(row.hint, 40), column - cell_len(name) - 1)
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
    return f"{one_line(row.label, _LONGEST)} {one_line(row.hint, 40)}".rstrip()


def _cut(text: str, width: int) -> str:
    return cut(text, width) if width > 0 else ""


STEPS = {"up": -1, "ctrl+p": -1, "down": 1, "ctrl+n": 1}
FILES = frozenset({CompletionKind.FILES})
"""Kinds of completions of an answer: a command is for the prompt alone."""


class Completer:
    """Completes the text of a field.

    Attributes:
        view: The list on the screen.
        changed: Called when the list appears, disappears or changes.
        chosen: Called with the value of a row before it is put into the text.
        refused: Called when Esc closes the list.
    """

    def __init__(self, field: AnswerField, clock: Callable[[], float]) -> None:
        self.view = ChoiceList(self.click)
        self.changed: Callable[[], object] = lambda: None
        self.chosen: Callable[[str], object] = lambda _: None
        self.refused: Callable[[], object] = lambda: None
        self._field, self._clock = field, clock
        self._list: CompletionList | None = None
        self._refused: tuple[CompletionKind, int] | None = None

    @dataclass
    class Wanted(Message, namespace="completer"):
        """The typed text can be completed; `offer` takes the rows."""

        wanted: WantedCompletion
        offer: Callable[..., object]

    @property
    def shown(self) -> CompletionList | None:
        """The list on the screen, or None."""
        return self._list if self._list is not None and (self._list.rows or self._searches) else None

    @property
    def _searches(self) -> bool:
        return self._list is not None and self._list.wanted.kind is CompletionKind.HISTORY

    def complete(self, kinds: frozenset[CompletionKind], *, opens: bool) -> None:
        """Update the list to the piece at the caret, if it is one of some kinds."""
        wanted = wanted_at(self._field.text, self._field.caret)
        self.update(wanted if wanted is not None and wanted.kind in kinds else None, opens=opens)

    def update(self, wanted: WantedCompletion | None, *, opens: bool) -> None:
        """Update the list to the piece that can be completed; open it only where a person types."""
        if wanted is None:
            self._refused = None
            self.close()
        elif self._list is not None:
            if wanted != self._list.wanted:
                self.want(wanted)
        elif opens and self._refused != (wanted.kind, wanted.start):
            self.want(wanted)

    def want(self, wanted: WantedCompletion) -> None:
        """Ask for the completions of a piece."""
        now = self._list
        if now is None or now.wanted.kind is not wanted.kind:
            now = CompletionList(wanted, since=self._clock())
        self._show(now.typed(wanted))
        self._field.screen.post_message(self.Wanted(wanted, self.offer))

    def offer(
        self, wanted: WantedCompletion, rows: tuple[Completion, ...], note: str = "", more: int = 0
    ) -> None:
        """Show the completions of a piece of the text, if still wanted; ``more`` counts those left out."""
        if self._list is None or self._list.wanted != wanted:
            return
        self._show(found := self._list.found(rows, note, self._clock(), more))
        if found.awaited:
            self.take()

    def press(self, key: str) -> bool:
        """Handle a key in the list on the screen; return whether it means nothing more elsewhere."""
        if (shown := self.shown) is None:
            return False
        moved = [self._move(key, intended) for intended in intended_keys(key)]
        if any(moved):
            return True
        match key:
            case "escape":
                self._refused = (shown.wanted.kind, shown.wanted.start)
                self.refused()
                self.close()
            case "enter" if self._searches or shown.enter_takes(self._clock()):
                self.take()
                return not shown.runs
            case "tab":
                self.take()
            case _:
                return False
        return True

    def _move(self, key: str, intended: str) -> bool:
        """Move the cursor by the meaning of a key in a list; return whether it means a move."""
        if self._list is None:
            return False
        at = self._list.cursor
        # Only by keys chosen for them: these keys themselves edit the text.
        rows = (
            {"shift+up": at - 1, "shift+down": at + 1, "home": 0, "end": MOST_ROWS} if intended != key else {}
        )
        if intended in STEPS:
            self.by(STEPS[intended])
        elif intended in rows:
            self._show(self._list.to(rows[intended]))
        else:
            return False
        return True

    def by(self, steps: int) -> None:
        """Move the cursor."""
        if self._list is not None:
            self._show(self._list.by(steps))

    def click(self, row: int) -> None:
        """Put the cursor on a clicked row; take a row that already has it."""
        if self._list is None or row >= len(self._list.rows):
            return
        if row == self._list.cursor and self._clock() - self._list.since >= SEEN_AFTER:
            self.take()
        else:
            self._show(self._list.pointed(row, self.view.most))

    def take(self) -> None:
        """Put the chosen row into the text, or the likeliest one once the rows are found."""
        now = self._list
        if early := now and now.entered_early():
            self._show(early)
        if early or now is None or now.chosen is None:
            return
        value = now.chosen.value
        self.chosen(value)
        text, caret = completed(self._field.text, now.wanted, value)
        self.close()
        self._field.show(text, caret)

    def close(self) -> None:
        """Close the list."""
        if self._list is not None:
            self._show(None)

    def _show(self, now: CompletionList | None) -> None:
        self._list = now
        self.view.show(now)
        self.changed()
