"""A test of several scenes says in which it failed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
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


async def until_true(held: Callable[[], object], limit: float = 60.0) -> None:
    """Wait until something holds that nothing tells of, such as the end of another process."""
    async with asyncio.timeout(limit):
        while not held():  # noqa: ASYNC110 - there is no event for it
            await asyncio.sleep(0.01)
