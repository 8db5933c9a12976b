"""Delayed work, bound to the life of the widget, screen or program it belongs to.

Calls, workers and refreshes that come due after their owner began to close find its children gone. This
module starts all of them, and drops them once their owner has ended. Plain timers (`set_interval`) are
Textual's own: it stops them before it removes children.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from textual.dom import DOMNode
from textual.message import Message
from textual.message_pump import MessagePump
from textual.widget import Widget
from textual.worker import Worker

_logger = logging.getLogger(__name__)
T = TypeVar("T")


def is_live(widget: Widget) -> bool:
    """Whether a widget or screen is composed and has not begun to remove its children.

    Textual's own `is_mounted` stays true for good, and `is_attached` until the children are gone.
    """
    return widget.is_mounted and widget.is_running


def after(owner: MessagePump, seconds: float, callback: Callable[[], object]) -> asyncio.TimerHandle:
    """Call a function of a widget or screen once, after a time, if its owner still lives then.

    Textual's own `set_timer` leaves the call out when its time has already passed as the timer begins, as
    happens to short ones on a busy machine (`Timer._run` with `skip`, Textual 8.2.8); code that waits for
    that call then waits for ever. Textual also runs calls queued in `call_next` when a widget is unmounted,
    with the widget's children gone. ``cancel()`` of the handle prevents the call even while it waits behind
    the owner's other messages.
    """

    def call() -> object:
        return None if handle.cancelled() else _called(owner, callback)

    handle = asyncio.get_running_loop().call_later(seconds, owner.call_next, call)
    return handle


def soon(owner: MessagePump, callback: Callable[[], object]) -> None:
    """Call a function after the messages already queued for its owner, if the owner still lives then."""
    owner.call_later(_called, owner, callback)


def after_refresh(owner: MessagePump, callback: Callable[[], object]) -> None:
    """Call a function after the next drawing of the screen, if its owner still lives then."""
    owner.call_after_refresh(_called, owner, callback)


def start_work(
    owner: DOMNode,
    work: Callable[[], Awaitable[T]],
    *,
    name: str,
    group: str = "default",
    exclusive: bool = False,
    fatal: bool = False,
) -> Worker[T | None]:
    """Run a coroutine beside the keys; Textual cancels it when its owner is unmounted.

    A failure reaches the owner as `WorkFailed`, except after the owner began to close: then it is only
    logged, since the work was about to be cancelled. A failure of ``fatal`` work ends the program;
    ``exclusive`` work cancels the other work of its group.
    """
    worked = partial(_worked, owner, work, name, fatal)
    return owner.run_worker(worked, name=name, group=group, exclusive=exclusive, exit_on_error=fatal)


def _called(owner: MessagePump, callback: Callable[[], object]) -> object:
    return callback() if owner.is_running else None


async def _worked(owner: DOMNode, work: Callable[[], Awaitable[T]], name: str, fatal: bool) -> T | None:
    try:
        return await work()
    except Exception:
        if not owner.is_running:
            _logger.info("%r ended before its work %s did", owner, name, exc_info=True)
        elif fatal:
            raise
        else:
            _logger.exception("worker %s failed", name)
            words = f"Something went wrong in ccq-tui ({name}); the log has more."
            owner.post_message(WorkFailed(words))
        return None


@dataclass
class WorkFailed(Message):
    """Work failed; the session that it belongs to reports it, else the one on the screen."""

    words: str
