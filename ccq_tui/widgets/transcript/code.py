"""Code with highlighting, in the theme's own colours.

Highlighters are loaded when a language is first met: each takes a tenth of a second or two.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from pygments.lexer import Lexer  # type: ignore[import-untyped]
from pygments.lexers import (  # type: ignore[import-untyped]
    get_lexer_by_name,
    get_lexer_for_filename,
)
from pygments.token import Comment, Keyword, Name, Number, Operator, String  # type: ignore[import-untyped]
from pygments.util import ClassNotFound  # type: ignore[import-untyped]
from rich.cells import chop_cells
from rich.text import Text

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
    """Returns highlighters, loading each at its first use."""

    def get(self, language: str, code: str) -> Lexer | None:
        """Return the highlighter of a language or of file names such as ``*.py``; None for plain text."""
        name = language.lower()
        if not name or len(name) > _LONGEST:
            return None
        if name not in _loaded:
            self._miss(name, code)
        return _loaded.get(name)

    def _miss(self, name: str, code: str) -> None:
        _keep(name, load(name, code))


class NoLexers(Lexers):
    """Leaves all text without colours."""

    def _miss(self, name: str, code: str) -> None:
        pass


class LaterLexers(Lexers):
    """Loads highlighters in a thread: until then code is plain.

    Attributes:
        missed: Whether code was plain because its highlighter was still loading; the reader resets it.
        loading: The languages being loaded.
    """

    def __init__(self, arrived: Callable[[], None]) -> None:
        self.missed = False
        self.loading: set[str] = set()
        self._arrived = arrived

    def _miss(self, name: str, code: str) -> None:
        self.missed = True
        if name not in self.loading:
            self.loading.add(name)
            task = asyncio.get_running_loop().run_in_executor(None, load, name, code)
            task.add_done_callback(lambda done: self._take(name, done))

    def _take(self, name: str, done: asyncio.Future[Lexer | None]) -> None:
        self.loading.discard(name)
        if done.cancelled():
            return
        if error := done.exception():
            _logger.warning("The highlighter of %r cannot be loaded: %s", name, type(error).__name__)
        _keep(name, None if error else done.result())
        self._arrived()


def _keep(name: str, lexer: Lexer | None) -> None:
    while len(_loaded) >= MOST:
        del _loaded[next(iter(_loaded))]
    _loaded[name] = lexer


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


def folded(text: Text, width: int, *, words: bool = False) -> list[Text]:
    """Break text into lines of at most ``width`` cells, keeping every space.

    ``words``: break behind a blank where one is near.
    """
    lines: list[Text] = []
    for line in text.split("\n", allow_blank=True):
        if line.cell_len <= width:
            lines.append(line)
            continue
        lines.extend(line.divide(_breaks(line.plain, width, words=words)))
    return lines


def _breaks(line: str, width: int, *, words: bool) -> list[int]:
    """Return the offsets at which a long line breaks."""
    offsets, at = [], 0
    for chunk in chop_cells(line, width)[:-1] if not words else ():
        at += len(chunk)
        offsets.append(at)
    while words:
        rest = line[at : at + width + 1]  # characters take a column or more; marks break a line early
        chunk = next(iter(chop_cells(rest, width)), rest)  # none for marks alone, which take no column
        if at + len(chunk) >= len(line):
            break
        behind = chunk.rfind(" ") + 1
        at += behind if behind >= len(chunk) * LEAST_FILL else len(chunk)
        offsets.append(at)
    return offsets
