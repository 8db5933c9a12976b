"""A test of several scenes says in which it failed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def step(name: str) -> Iterator[None]:
    """Name a part of a test in whatever fails in it.

    Starting a CLI or a program costs ten times what a scene costs, so that one start serves many.
    """
    try:
        yield
    except BaseException as error:
        error.add_note(f"in the step: {name}")
        raise
