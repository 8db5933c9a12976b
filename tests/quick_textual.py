"""Parts of Textual that give the same for less work: its own take a seventh of the time of ``tests/ui``."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

import textual.app
from rich.segment import Segment
from textual import _callback
from textual.cache import FIFOCache
from textual.css.model import RuleSet
from textual.design import ColorSystem
from textual.strip import Strip

from ccq_tui.compat.textual.stylesheet import KeptStylesheet

_themes: dict[tuple[Any, ...], dict[str, str]] = {}
_generate = ColorSystem.generate
_by_signature = _callback._count_parameters
_caches = {
    name: kept._maxsize for name in Strip.__slots__ if isinstance(kept := getattr(Strip([]), name), FIFOCache)
}


def install() -> None:
    """Put them in the places of Textual's own."""
    textual.app.Stylesheet = KeptStylesheet  # type: ignore[misc]  # for apps of tests, too
    ColorSystem.generate = _generate_once  # type: ignore[method-assign]
    RuleSet.__hash__ = object.__hash__  # type: ignore[method-assign]  # by identity too, without a call of Python
    Strip.__init__ = _make_strip  # type: ignore[method-assign]
    Strip.__getattr__ = _make_cache  # type: ignore[attr-defined]
    _callback._count_parameters = count_parameters


def _generate_once(self: ColorSystem) -> dict[str, str]:
    """Compute the colours of a theme once: each program does so fifteen times as it starts."""
    given = tuple(frozenset(one.items()) if isinstance(one, dict) else one for one in vars(self).values())
    if given not in _themes:
        _themes[given] = _generate(self)
    return _themes[given].copy()


def _make_strip(self: Strip, segments: Iterable[Segment], cell_length: int | None = None) -> None:
    """Make a line without its seven caches, of which most lines need none."""
    self._segments = list(segments)
    self._cell_length = cell_length
    self._render_cache = self._link_ids = self._cell_count = None


def _make_cache(self: Strip, name: str) -> FIFOCache[Any, Any]:
    """Make a cache of a line when it is first asked for."""
    if name not in _caches:
        raise AttributeError(name)
    cache: FIFOCache[Any, Any] = FIFOCache(_caches[name])
    setattr(self, name, cache)
    return cache


def count_parameters(func: Callable[..., Any]) -> int:
    """Count the parameters of a plain function or method by its code, without making its signature."""
    function = func.__func__ if inspect.ismethod(func) else func
    if not inspect.isfunction(function) or {"__wrapped__", "__signature__"} & function.__dict__.keys():
        return _by_signature(func)
    code = function.__code__
    more = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    bound = inspect.ismethod(func) and code.co_argcount > 0
    return code.co_argcount + code.co_kwonlyargcount + more - bound
