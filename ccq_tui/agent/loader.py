"""Loads the SDK off the event loop, and starts the first CLI while the screen is still being loaded."""

import asyncio
import logging
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from ccq_tui.agent.claude_settings import first_mode
from ccq_tui.compat.sdk.light_import import import_sdk
from ccq_tui.config.launch import Launch

if TYPE_CHECKING:
    from ccq_tui.agent.claude.connection import Connection
    from ccq_tui.agent.claude.head_start import HeadStart
    from ccq_tui.agent.claude.prestart import Prestarted

_logger = logging.getLogger(__name__)
LOAD_SECONDS = 120.0
"""A cold import reads hundreds of files; seconds are usual on a slow disk."""


class LoadError(Exception):
    """The SDK cannot be loaded; the message is for a person."""


async def load_connection() -> "type[Connection]":
    """Import the connection and the SDK in a thread; raises `LoadError`. Later calls return at once."""
    try:
        async with asyncio.timeout(LOAD_SECONDS):
            return await asyncio.to_thread(load_now)
    except TimeoutError as error:
        raise LoadError(f"claude-agent-sdk was not loaded within {LOAD_SECONDS:.0f} seconds.") from error
    except ImportError as error:
        raise LoadError(f"claude-agent-sdk cannot be loaded: {error}") from error


def load_now() -> "type[Connection]":
    """Import the connection and the SDK, however long it takes; raises ImportError."""
    sdk = import_sdk()
    from ccq_tui.agent.claude.connection import Connection

    # Without a handler of its own, the SDK's log would go to the terminal that the screen is drawn on.
    logging.getLogger(sdk.__name__).addHandler(logging.NullHandler())
    # It warns that allowed tools and bypassPermissions bypass the callback: that is what they are for.
    warnings.filterwarnings("ignore", category=sdk.CanUseToolShadowedWarning)
    return Connection


@asynccontextmanager
async def prestarted(
    launch: Launch | None, prompt: str = "", head_start: "HeadStart | None" = None
) -> "AsyncIterator[Prestarted | None]":
    """Start the CLI of the first session early, and end it unless a session takes it over.

    Yields None if the launch is not known yet, or the process cannot be started: its session will
    report that.
    """
    ahead = await _prestarted(launch, prompt, head_start) if launch is not None else None
    try:
        yield ahead
    finally:
        if ahead is not None:
            await ahead.close()


async def _prestarted(launch: Launch, prompt: str, head_start: "HeadStart | None") -> "Prestarted | None":
    try:
        sdk = import_sdk()
        from ccq_tui.agent.claude.prestart import Prestarted
    except ImportError as error:
        _logger.info("No process can be started ahead: %s", error)
        return None
    ahead = Prestarted(launch, prompt, await asyncio.to_thread(first_mode, launch), head_start)
    try:
        await ahead.start()
    except (sdk.ClaudeSDKError, OSError, ValueError) as error:
        _logger.info("The process could not be started ahead: %s", type(error).__name__)
        return None
    try:
        # While the CLI starts: later this would hold up keys.
        load_now()
    except ImportError as error:
        _logger.info("What speaks to the process cannot be loaded: %s", error)  # its session will report that
    return ahead
