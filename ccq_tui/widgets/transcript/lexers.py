"""Highlighters of languages, loaded when a language is first met: each takes a tenth of a second or two."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from pygments.lexer import Lexer  # type: ignore[import-untyped]
from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
from pygments.util import ClassNotFound  # type: ignore[import-untyped]

_logger = logging.getLogger(__name__)

MOST = 64
"""Languages that are kept; a model may name any number of them."""
_LONGEST = 60
"""Characters of a language's name."""
_loaded: dict[str, Lexer | None] = {}


def load(language: str, code: str) -> Lexer | None:
    """Load a highlighter, and all that it needs for some code.

    Args:
        language: A name that the model gave, known or not.
        code: The code: what a language contains, such as scripts in a page, is loaded at its first use.

    Returns:
        The highlighter, or None for a language that nobody knows, which is shown plain.
    """
    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
    for _ in lexer.get_tokens(code):
        pass
    return lexer


class Lexers:
    """Gives highlighters, and loads them at once where they are wanted."""

    def get(self, language: str, code: str) -> Lexer | None:
        """Return a highlighter.

        Args:
            language: A name that the model gave, known or not.
            code: The code.

        Returns:
            The highlighter, or None where the code is to be shown plain.
        """
        name = language.lower()
        if not name or len(name) > _LONGEST:
            return None
        if name not in _loaded:
            self._miss(name, code)
        return _loaded.get(name)

    def _miss(self, name: str, code: str) -> None:
        _keep(name, load(name, code))


class NoLexers(Lexers):
    """For whoever wants the text alone."""

    def _miss(self, name: str, code: str) -> None:
        pass


class LaterLexers(Lexers):
    """Loads highlighters in a thread: until then code is plain.

    Args:
        arrived: Called in the event loop when there is one more.

    Attributes:
        missed: Whether code was plain because of one that was not there yet; whoever reads it sets it back.
        loading: The languages that are on their way.
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
