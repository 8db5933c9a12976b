"""Time limits for the client, and the end of its process."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Awaitable
from typing import TypeVar

from claude_agent_sdk import ClaudeSDKClient

from ccq_tui.agent.commands import CommandError

_logger = logging.getLogger(__name__)

INTERRUPT_SECONDS = 2.0
# The SDK closes the CLI's input, waits 5 s, terminates it, waits 5 s and kills it: about 20 s at worst.
DISCONNECT_SECONDS = 25.0

T = TypeVar("T")


async def limited(operation: Awaitable[T], seconds: float) -> T:
    """Await an operation of the client's within a limit; raises `CommandError` for a failure too."""
    try:
        async with asyncio.timeout(seconds):
            return await operation
    except TimeoutError as error:
        raise CommandError(f"Claude did not answer within {seconds:.0f} seconds.") from error
    except Exception as error:  # the SDK raises bare exceptions if the CLI refuses
        raise CommandError(str(error)) from error


async def leave(client: ClaudeSDKClient, pid: int | None, *, busy: bool) -> None:
    """End the CLI: ask it to exit, then force it. Cancelling the caller does not stop this."""
    ending = asyncio.create_task(_disconnect(client, busy=busy))
    cancelled = await _outlast(ending, INTERRUPT_SECONDS + DISCONNECT_SECONDS)
    if not ending.done() or ending.cancelled() or ending.exception():
        _logger.error("Claude did not end by itself")
        ending.cancel()
        _kill(pid)
    if cancelled:
        raise asyncio.CancelledError


async def _disconnect(client: ClaudeSDKClient, *, busy: bool) -> None:
    if busy:
        # In the middle of a turn the CLI does not exit when its input ends: it would be terminated after 5 s.
        try:
            await limited(client.interrupt(), INTERRUPT_SECONDS)
        except CommandError:
            _logger.info("The last turn was not interrupted")
    await client.disconnect()


async def _outlast(task: asyncio.Task[None], seconds: float) -> bool:
    """Wait for a task even while being cancelled; return whether it was cancelled."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    cancelled = False
    while not task.done() and loop.time() < deadline:
        try:
            await asyncio.wait({task}, timeout=deadline - loop.time())
        except asyncio.CancelledError:
            cancelled = True
    return cancelled


def _kill(pid: int | None) -> None:
    if pid is None:
        return
    try:
        os.kill(pid, signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
    except ProcessLookupError:
        _logger.debug("Claude was gone already")
