"""Code with highlighting, in the theme's own colours.

Highlighters are loaded when a language is first met: each takes a tenth of a second or two.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

from pygments.lexer import Lexer  # type: ignore[import-untyped]
from pygments.lexers import (  # type: ignore[import-untyped]
    get_lexer_by_name,
    get_lexer_for_filename,
)
from pygments.token import Comment, Keyword, Name, Number, Operator, String  # type: ignore[import-untyped]
from pygments.util import ClassNotFound  # type: ignore[import-untyped]
from rich.cells import chop_cells
from rich.console import Console
from rich.style import Style
from rich.text import Text

from ccq_tui.widgets.lines import FOLD_SIGN
from ccq_tui.widgets.transcript.colours import Colours

_logger = logging.getLogger(__name__)

MOST = 64
"""Languages that are kept; a model may name any number of them."""
_LONGEST = 60
"""Most characters of a language's name."""
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
        if name and len(name) <= _LONGEST and new and self._arrived is not None:
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


LEAST_FILL = 0.5
"""Least share of a line that must stay filled for a break at a word; otherwise the line breaks anywhere."""


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


def wrapped(text: Text, console: Console, width: int) -> list[Text]:
    """Break text into lines of at most ``width`` cells, at words where possible."""
    lines: list[Text] = []
    for line in text.split("\n", allow_blank=True):
        end = 0
        for number, row in enumerate(line.wrap(console, width, justify="default", overflow="fold")):
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
        at += behind if behind >= len(chunk) * LEAST_FILL else len(chunk)
        offsets.append(at)
    return offsets
