"""What stands in for parts of Textual in tests gives the same."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import pytest
from rich.segment import Segment
from textual.cache import FIFOCache
from textual.strip import Strip

from tests.quick_textual import count_parameters


class Called:
    def plain(self, one: int, two: int = 1, *more: int, three: int, **rest: int) -> None: ...

    def bare(*everything: Any) -> None: ...

    @functools.wraps(plain)
    def wrapped(self) -> None: ...

    @classmethod
    def of_class(cls, one: int) -> None: ...

    @staticmethod
    def static(one: int, two: int) -> None: ...


def function(one: int, /, two: int, *, three: int) -> None: ...


CALLED = Called()
CALLABLES = (
    CALLED.plain,
    Called.plain,
    CALLED.bare,
    CALLED.wrapped,
    Called.of_class,
    CALLED.static,
    function,
    functools.partial(function, 1),
    lambda: None,
    print,
    Called,
)


@pytest.mark.parametrize("called", CALLABLES, ids=range(len(CALLABLES)))
def test_as_many_parameters_as_in_the_signature(called: Callable[..., Any]) -> None:
    assert count_parameters(called) == len(inspect.signature(called).parameters)


def test_a_line_keeps_what_was_made_of_it() -> None:
    line = Strip([Segment("abc"), Segment("def")])
    assert line.crop(1, 4) is line.crop(1, 4)
    assert line.crop(1, 4).text == "bcd"
    assert isinstance(line._divide_cache, FIFOCache)
    assert line._divide_cache is line._divide_cache
    assert (line.cell_length, line.text) == (6, "abcdef")
    with pytest.raises(AttributeError):
        line._unheard_of  # noqa: B018 - it is to be missed
