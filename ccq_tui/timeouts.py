"""Waits that end."""

import asyncio


async def set_within(event: asyncio.Event, seconds: float | None) -> bool:
    """Wait for an event, for some seconds or without limit; return whether it is set."""
    try:
        # Not `asyncio.wait_for`: before Python 3.12 it loses a cancellation that comes with the event.
        async with asyncio.timeout(seconds):
            return await event.wait()
    except TimeoutError:
        return False
