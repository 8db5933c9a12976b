"""A test of several scenes says in which it failed."""

import asyncio
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import isawaitable
from typing import Any, TypeVar

T = TypeVar("T")


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


def allowed(seconds: float) -> float:
    """Return how long something may take now that on an idle machine takes so many seconds at most."""
    return seconds * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def until(look: Callable[[], T], limit: float = 90.0) -> T:
    """Wait for something to be seen in another process; return it. It looks as often as `until_true`."""
    since = began = time.monotonic()
    while not (seen := look()):
        assert time.monotonic() - since < allowed(limit), "it did not come"
        time.sleep(_rest(began))
        began = time.monotonic()
    return seen


def _rest(began: float) -> float:
    return min(max(0.005, 10 * (time.monotonic() - began)), 1.0)


async def until_true(look: Callable[[], Any], limit: float = 90.0) -> Any:
    """Wait for something that nothing reports, such as the end of another process; return it.

    A look that takes long, such as a call of a service in this process, is repeated the more seldom: what is
    waited for needs the processor, too.

    Args:
        look: Looks for it; a coroutine function, too.
        limit: Most seconds to wait on a machine that is not busy.
    """
    async with asyncio.timeout(allowed(limit)):
        while True:
            began = time.monotonic()
            found = look()
            if found := (await found if isawaitable(found) else found):
                return found
            await asyncio.sleep(_rest(began))
