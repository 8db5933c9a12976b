"""Calls that are made later, once, and certainly."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from textual.message_pump import MessagePump


def after(pump: MessagePump, seconds: float, callback: Callable[[], object]) -> asyncio.TimerHandle:
    """Call a function of a widget or screen once, after a time.

    Textual's own `set_timer` leaves the call out when its time has already passed as the timer begins, as
    happens to short ones on a busy machine (`Timer._run` with `skip`, Textual 8.2.8); whatever waits for that
    call then waits for ever.

    Args:
        pump: The widget or screen; the function runs between two of its messages.
        seconds: How long to wait, at least.
        callback: What to call; may be a coroutine function.

    Returns:
        A handle whose ``cancel()`` keeps the call from being made, even if its time has come and it waits
        behind the pump's other messages.
    """

    def call() -> object:
        return None if handle.cancelled() else callback()

    handle = asyncio.get_running_loop().call_later(seconds, pump.call_next, call)
    return handle
