"""Frames for the terminal: each has only the cells that differ; none is sent while two are on their way."""

import logging
import os
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial

from rich.cells import cell_len
from rich.color import Color, ColorSystem
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._compositor import CompositorUpdate
from textual.geometry import Size
from textual.strip import Strip

from ccq_tui.compat.textual.decoder import ASK

_logger = logging.getLogger(__name__)

MOST = 2
"""Most frames on their way."""
PATIENCE = 2.0
"""Seconds after which frames go on without an answer, until another one comes."""
GAVE_UP = "The terminal no longer reports drawn frames: frames continue without its reports"
FEWEST_MOVED = 4
"""Fewest lines that the terminal is asked to move: a key in a list changes three."""
SHORT = 7
"""Most blanks to write instead of erasing them."""
ABLE = "TMUX" in os.environ or not os.environ.get("TERM", "dumb").startswith(("dumb", "screen", "vt"))
"""Whether the terminal moves the lines of a part of the screen, and erases in the colour that is set."""
CellStyle = tuple[str, str, str]
"""What a character looks like, in SGR parameters: its attributes, its colour, the colour behind it."""
Cell = tuple[str, CellStyle]
"""A character and its look; no character where the one before reaches over this cell too."""
Line = list[Cell]
PLAIN: CellStyle = ("", "39", "49")
COVERED, UNKNOWN = ("", PLAIN), ("\0", PLAIN)
NOWHERE = -2, -2
_OFF = {"1": "22", "2": "22", **{one: f"2{one}" for one in "345789"}}
"""What ends each attribute; any other ends with all of them."""
_UNSEEN = {"", "1", "2", "3"}
"""Attributes that cannot be seen on a blank."""


class Frames(CompositorUpdate):
    """The cells that the terminal shows, and the frames on their way to it.

    Attributes:
        answers: Whether the terminal answers questions: only then is it known what is on its way.
        sent: When the last frames that are on their way were sent.
        sent_at: When the last of all was sent.
        made_at: When the last was asked for, whether it had anything to write or not.
        size: The size of the screen whose cells are known, if any are.

    Args:
        free: Called, in any thread, when a frame that had to wait can be sent.
        later: Calls something after seconds.
    """

    def __init__(
        self, free: Callable[[], object], later: Callable[[float, Callable[[], object]], object]
    ) -> None:
        self.answers, self._waits, self._free, self._later = False, False, free, later
        self._noticed = False
        self.sent: deque[float] = deque(maxlen=MOST)
        self.sent_at = self.made_at = 0.0
        self.size: Size | None = None

    def must_wait(self) -> bool:
        """Return whether no frame can be sent now."""
        waited, self._waits = self._waits, self.answers and len(self.sent) == MOST
        if self._waits and not waited:
            self._later(PATIENCE, partial(self._go_on, self.sent[0]))
        return self._waits

    def _go_on(self, since: float) -> None:
        """Count the answer to a frame as lost if it has not come."""
        if self._waits and since in self.sent:
            if not self._noticed:
                _logger.warning(GAVE_UP)
            self._noticed, self.answers = True, False
            self._free()

    def arrived(self) -> None:
        """Note, in any thread, that the terminal has drawn a frame."""
        self.answers = True
        if self.sent:
            self.sent.popleft()
        if self._waits:
            self._free()

    def of(self, chops: Iterable[Mapping[int, Strip | None]], size: Size) -> "Frames":
        """Take what has changed on a screen: the contents of each line by column."""
        self._chops, self._screen, self.made_at = chops, size, time.monotonic()
        return self

    def render_segments(self, console: Console) -> str:
        """Return what to write so that the terminal shows it: not every update is written."""
        lines: dict[int, Line] = {}
        size, written = self._screen, ""
        if self.size != size:
            self.size, self._lines = size, [[UNKNOWN] * size.width] * size.height
            written, self._style = "\x1b[m", PLAIN
        colours = console._color_system or ColorSystem.TRUECOLOR
        for y, x, strip in ((y, *part) for y, parts in enumerate(self._chops) for part in parts.items()):
            if strip is not None and x < size.width:
                cells = _cells(tuple(strip), colours)[: size.width - x]
                lines.setdefault(y, self._lines[y].copy())[x : x + len(cells)] = cells
        self._at = NOWHERE
        written += self._move(lines)
        # The scroll bar at the end of all lines looks the same, and other than they do.
        for start, stop in ((0, size.width - 1), (size.width - 1, size.width)):
            written += "".join([self._draw(y, line, start, stop) for y, line in lines.items()])
        self._lines = [lines.get(y, line) for y, line in enumerate(self._lines)]
        if written:
            self.sent_at = time.monotonic()
            self.sent.append(self.sent_at)
        return written and written + ASK

    def _move(self, lines: dict[int, Line]) -> str:
        """Have the terminal move lines that are elsewhere now."""
        new = {y: _text(line) for y, line in lines.items() if line != self._lines[y]}
        if len(new) < FEWEST_MOVED:
            return ""
        old = [_text(line) for line in self._lines]
        places = {text: y for y, text in enumerate(old) if text}
        moves = Counter(places[text] - y for y, text in new.items() if text in places)
        ((up, number),) = moves.most_common(1) or ((0, 0),)
        if not up or number < FEWEST_MOVED or not ABLE:
            return ""
        # A line that goes on is moved too.
        begun = {y: text for y, text in enumerate(old, -up) if y in new and new[y].startswith(text)}
        moved = [y for y, text in begun.items() if bool(text) == bool(new[y])]
        first, last = min(moved) + min(up, 0), max(moved) + max(up, 0) + 1
        region = self._lines[first:last]
        lines |= {y: line for y, line in enumerate(region, first) if y not in lines}
        blank = " ", (*PLAIN[:2], self._style[2])
        come = [[blank] * len(region[0])] * abs(up)
        self._lines[first:last] = region[up:] + come if up > 0 else come + region[:up]
        move = f"\x1b[{first + 1};{last}r\x1b[{first + 1}H\x1b[{abs(up)}{'M' if up > 0 else 'L'}\x1b[r"
        return self._pen(blank) + move

    def _draw(self, y: int, line: Line, x: int, stop: int) -> str:
        """Return what to write for the cells of a part of a line that differ."""
        written, before = "", self._lines[y]
        if before[x:stop] == line[x:stop]:
            return ""
        while x < stop:
            (text, style), end = line[x], x + 1
            erased = text == " " and style[:2] == PLAIN[:2] and (ABLE or style == PLAIN)
            while end < (stop if erased else len(line)) and line[end] == (line[x] if erased else COVERED):
                end += 1
            # A few blanks behind others are shorter than what passes over them.
            again = erased and end - x <= SHORT and self._at == (y, x)
            if text and (again or before[x:end] != line[x:end]):
                written += self._go(y, x) + self._pen(line[x])
                if erased and end - x > SHORT:
                    written += f"\x1b[{end - x}X"
                else:
                    length = end - x if erased else 1
                    written += text * length
                    # The cursor stays in the last column; the terminal may count other cells than Textual.
                    self._at = (y, min(x + length, len(line) - 1)) if len(text) == 1 else NOWHERE
            x = end
        return written

    def _go(self, y: int, x: int) -> str:
        """Return what moves the cursor to a place."""
        (row, column), self._at = self._at, (y, x)
        if row == y and column <= x:
            return f"\x1b[{x - column}C" if column < x else ""
        below = "\x1b[B" if column == x else "\x1b[E"
        return below if row + 1 == y and x in (0, column) else f"\x1b[{y + 1};{x + 1}H"

    def _pen(self, cell: Cell) -> str:
        """Return what sets the look of the cell to write next; what cannot be seen on a blank stays."""
        had, style = self._style, cell[1]
        if cell[0] == " " and style[:2] == PLAIN[:2]:
            style = (had[0] if had[0] in _UNSEEN else "", had[1], style[2])
        self._style, codes = style, []
        if had[0] != style[0]:
            codes = [_OFF.get(one, "0") for one in had[0].split(";") if one]
            codes, had = (["0"], PLAIN) if "0" in codes else (codes, ("", *had[1:]))
        codes += [now for now, was in zip(style, had, strict=True) if now != was]
        return f"\x1b[{';'.join(codes)}m" if codes else ""


@lru_cache(1 << 10)
def _cells(segments: tuple[Segment, ...], colours: ColorSystem) -> Line:
    """Take a part apart; where the terminal may count its cells otherwise, it is drawn as a whole or not."""
    strip = Strip(segments)
    if any(style and style.link for _, style, _ in strip) or not (
        strip.text.isascii() or all(cell_len(one) == 1 for one in set(strip.text))
    ):
        whole = "".join(Strip.render_style(style or Style(), text, colours) for text, style, _ in strip)
        return [(f"\x1b[m{whole}", PLAIN), *[COVERED] * (strip.cell_length - 1)][: strip.cell_length]
    return [_cell(one, style or Style(), colours) for text, style, _ in strip for one in text]


@lru_cache(1 << 14)
def _cell(text: str, style: Style, colours: ColorSystem) -> Cell:
    attributes = Strip.render_style(style.without_color, "\0", colours).partition("\0")[0][2:-1]
    fore, back = (
        ";".join((colour or Color.default()).downgrade(colours).get_ansi_codes(foreground=front))
        for colour, front in ((style.color, True), (style.bgcolor, False))
    )
    return text, (*PLAIN[:2], back) if text == " " and attributes in _UNSEEN else (attributes, fore, back)


def _text(line: Line) -> str:
    """Return what a line is recognized by elsewhere: its text, without a scroll bar at its end."""
    return "".join([text for text, _ in line[:-2]]).rstrip()
