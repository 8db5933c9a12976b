"""Code and output of commands in the theme's own colours, and lines broken at a width.

Highlighters are loaded when a language is first met: each takes a tenth of a second or two.
"""

import asyncio
import colorsys
import io
import logging
from collections.abc import Callable
from functools import lru_cache, partial
from itertools import zip_longest
from typing import Any

from pygments.lexer import Lexer  # type: ignore[import-untyped]
from pygments.lexers import (  # type: ignore[import-untyped]
    get_lexer_by_name,
    get_lexer_for_filename,
)
from pygments.token import Comment, Keyword, Name, Number, Operator, String  # type: ignore[import-untyped]
from pygments.util import ClassNotFound  # type: ignore[import-untyped]
from rich.ansi import AnsiDecoder
from rich.cells import chop_cells
from rich.color import Color
from rich.console import Console
from rich.style import Style
from rich.text import Text

from ccq_tui.text import TAB_SIZE, safe
from ccq_tui.transcript.bodies import SEQUENCE, plain
from ccq_tui.widgets.lines import FOLD_SIGN

STYLES = {
    "muted": "color: $foreground 68%;",
    "faint": "color: $foreground 35%;",
    "accent": "color: $text-primary; text-style: bold;",
    "prompt": "background: $surface;",
    "success": "color: $text-success;",
    "error": "color: $text-error; text-style: $ccq-alarm-style;",
    "warning": "color: $text-warning; text-style: $ccq-alarm-style;",
    "strong": "text-style: bold;",
    "code": "background: $panel;",
    "code-block": "background: $surface;",
    "link": "text-style: underline;",
    "keyword": "color: $text-primary; text-style: $ccq-keyword-style;",
    "string": "color: $text-success; text-style: $ccq-string-style;",
    "number": "color: $text-warning;",
    "comment": "color: $foreground 72%;",
    "name": "color: $text-accent;",
    "secondary": "color: $text-secondary;",
    "more": "background: $panel; color: $foreground;",
    "added": "background: $success 15%; color: $foreground;",
    "removed": "background: $error 15%; color: $foreground;",
    "changed": "text-style: bold underline;",
}
"""The default styles of everything coloured, by name; each has the component class ``transcript--NAME``."""

PREFIX = "transcript--"
FILLED = frozenset(name for name, style in STYLES.items() if "background" in style)
"""Styles that bring their own background."""

CSS = """
Transcript {
    background: $background;
    color: $foreground;
    overflow-x: hidden;
    overflow-y: scroll;
    scrollbar-size-vertical: 1;
    scrollbar-gutter: stable;
    scrollbar-color: $foreground 20%;
    scrollbar-color-hover: $foreground 40%;
    scrollbar-color-active: $foreground 50%;
    scrollbar-background: $background;
    scrollbar-background-hover: $background;
    scrollbar-background-active: $background;
    padding: 0 0 0 1;
"""
CSS += "".join(f"    & .{PREFIX}{name} {{ {style} }}\n" for name, style in STYLES.items()) + "}\n"
"""The default colours; a theme or an app's own CSS may change any of them."""


class Colours(dict[str, Style]):
    """Rich styles by name.

    Attributes:
        base: Foreground and background of the pane.
    """

    def __init__(self, base: Style, component: Callable[[str], Style]) -> None:
        self.base = base
        for name in STYLES:
            style = component(PREFIX + name)
            # Only a filled style may cover the background of its line.
            self[name] = style if name in FILLED else style.without_color + Style(color=style.color)


_logger = logging.getLogger(__name__)

MOST = 64
"""Languages that are kept; a model may name any number of them."""
_loaded: dict[str, Lexer | None] = {}


def load(language: str, code: str) -> Lexer | None:
    """Load a highlighter with the languages it embeds, such as scripts in a page; return None if unknown."""
    try:
        if language.startswith("*"):
            lexer = get_lexer_for_filename(language, stripnl=False, ensurenl=False)
        else:
            lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
    for _ in lexer.get_tokens(code):
        pass
    return lexer


class Lexers:
    """Loads highlighters in a thread: until then code is plain.

    Attributes:
        loading: The languages being loaded.
    """

    def __init__(self, arrived: Callable[[], None] | None = None) -> None:
        """Call ``arrived`` for each highlighter that was loaded; without it, load none."""
        self.loading: set[str] = set()
        self._arrived = arrived

    def get(self, language: str, code: str) -> Lexer | None:
        """Return the highlighter of a language or of file names such as ``*.py``; None for plain text."""
        name = language.lower()
        new = name not in _loaded and name not in self.loading
        # Most characters of a language's name.
        if name and len(name) <= 60 and new and self._arrived is not None:
            self.loading.add(name)
            task = asyncio.get_running_loop().run_in_executor(None, load, name, code)
            task.add_done_callback(partial(self._take, name, self._arrived))
        return _loaded.get(name)

    def _take(self, name: str, arrived: Callable[[], None], done: asyncio.Future[Lexer | None]) -> None:
        self.loading.discard(name)
        if done.cancelled():
            return
        if error := done.exception():
            _logger.warning("The highlighter of %r cannot be loaded: %s", name, type(error).__name__)
        while len(_loaded) >= MOST:
            del _loaded[next(iter(_loaded))]
        _loaded[name] = None if error else done.result()
        arrived()


_STYLES = {
    Comment: "comment",
    Keyword: "keyword",
    Operator.Word: "keyword",
    String: "string",
    Number: "number",
    Name.Function: "name",
    Name.Class: "name",
    Name.Tag: "keyword",
    Name.Attribute: "name",
    Name.Decorator: "name",
    Name.Builtin: "name",
}


@lru_cache(maxsize=512)
def _style_name(token: Any) -> str:
    while token.parent is not None:
        if token in _STYLES:
            return _STYLES[token]
        token = token.parent
    return ""


def highlighted(code: str, lexer: Lexer | None, colours: Colours) -> Text:
    """Colour code by its language."""
    text = Text(no_wrap=True)
    if lexer is None:
        return text.append(code)
    for token, value in lexer.get_tokens(code):
        name = _style_name(token)
        text.append(value, colours[name] if name else None)
    return text


ORIGIN = "origin"
"""Key, in a style's meta data, of what a stretch of a drawn line is to its source."""
LEAD = Style(meta={ORIGIN: "lead"})
"""Style of what is drawn before a line of the source."""
FOLD = Style(meta={ORIGIN: "fold"})
"""Style of what is drawn before the rest of the line above."""
FILL = Style(meta={ORIGIN: "fill"})
"""Style of what is drawn behind the text of a line."""


WRAP = Style(meta={ORIGIN: "wrap"})
"""Style of the first character of a line that continues the line above, which ended at a blank."""
BREAK = Style(meta={ORIGIN: "break"})
"""Style of the first character of a line that continues the word above."""


CONSOLE = Console(file=io.StringIO(), force_terminal=True, color_system="truecolor", _environ={})
"""Wraps and measures; never writes."""


def wrapped(text: Text, width: int) -> list[Text]:
    """Break text into lines of at most ``width`` cells, at words where possible."""
    lines: list[Text] = []
    for line in text.split("\n", allow_blank=True):
        end = 0
        for number, row in enumerate(line.wrap(CONSOLE, width, justify="default", overflow="fold")):
            start = max(end, line.plain.find(row.plain, end))
            if number:
                row.stylize(WRAP if line.plain[end:start] or line.plain[end - 1].isspace() else BREAK, 0, 1)
            end = start + len(row)
            lines.append(row)
    return lines


def folded(text: Text, width: int, sign: Style | None = None) -> list[Text]:
    """Break text into lines of at most ``width`` cells, keeping every space, behind a blank if one is near.

    ``sign``: the style of a sign before the rest of a long line.
    """
    mark = Text(FOLD_SIGN, sign + FOLD) if sign is not None and width > 2 * len(FOLD_SIGN) else Text()
    lines: list[Text] = []
    for line in text.split("\n", allow_blank=True):
        breaks = _breaks(line.plain, width, width - mark.cell_len) if line.cell_len > width else ()
        first, *rest = line.divide(breaks) if breaks else [line]
        lines += [first, *(Text.assemble(mark, part) for part in rest)]
    return lines


def _breaks(line: str, first: int, others: int) -> list[int]:
    """Return the offsets at which a long line breaks, by the columns of its first line and the others."""
    offsets, at = [], 0
    while True:
        width = others if at else first
        rest = line[at : at + width + 1]  # characters take a column or more; marks break a line early
        chunk = next(iter(chop_cells(rest, width)), rest)  # none for marks alone, which take no column
        if at + len(chunk) >= len(line):
            break
        behind = chunk.rfind(" ") + 1
        at += behind if behind >= len(chunk) * 0.5 else len(chunk)  # else the line breaks anywhere
        offsets.append(at)
    return offsets


_HUES = ("muted", "error", "success", "warning", "keyword", "secondary", "name", "")
"""The theme's colours for black, red, green, yellow, blue, magenta, cyan and white."""


def coloured(text: str, base: Style, named: Callable[[str], Style]) -> Text:
    """Draw a text with sequences; ``named`` returns the style of one of the theme's colours."""
    whole = safe(plain(text))
    pieces = SEQUENCE.split(text)
    decoder, drawn, column = AnsiDecoder(), Text(), 0
    for piece, codes in zip_longest(pieces[::2], pieces[1::2]):
        shown, column = _expanded(piece, column)
        drawn.append(safe(shown), base + _themed(decoder.style, named))
        if codes is not None:
            decoder.decode_line(f"\x1b[{codes.replace(':', ';')}m")
    # A suspect sequence may span several pieces: then draw the text harmless and plain.
    return drawn if drawn.plain == whole else Text(whole, base)


def _expanded(text: str, column: int) -> tuple[str, int]:
    """Return a piece with its tabs as blanks, and the column behind it."""
    whole = (" " * column + text).expandtabs(TAB_SIZE)
    return whole[column:], len(whole) - whole.rfind("\n") - 1


def _themed(style: Style, named: Callable[[str], Style]) -> Style:
    name = (_name_of(style.color) if style.color else "") or ("muted" if style.dim else "")
    ground = style.reverse or (style.bgcolor is not None and not style.bgcolor.is_default)
    emphasis = Style(
        bold=style.bold or ground or None,
        italic=style.italic or None,
        underline=style.underline or None,
        strike=style.strike or None,
    )
    return named(name) + emphasis if name else emphasis


@lru_cache(maxsize=512)
def _name_of(colour: Color) -> str:
    """Return the theme's colour for any colour by its hue; the theme chooses the lightness."""
    if colour.is_default:
        return ""
    if colour.number is not None and colour.number < 16:
        return _HUES[colour.number % 8]
    red, green, blue = (part / 255 for part in colour.get_truecolor())
    hue, lightness, saturation = colorsys.rgb_to_hls(red, green, blue)
    # Saturation below which a colour is a grey.
    if saturation < 0.25:
        return "muted" if lightness < 0.6 else ""
    return ("error", "warning", "success", "name", "keyword", "secondary")[round(hue * 6) % 6]
