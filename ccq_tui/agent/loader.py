"""Loads the SDK when the first session starts, off the event loop."""

from __future__ import annotations

import asyncio
import logging
import warnings
from typing import TYPE_CHECKING

from ccq_tui.compat.sdk.light_import import import_sdk

if TYPE_CHECKING:
    from ccq_tui.agent.claude.connection import Connection

LOAD_SECONDS = 120.0
"""A cold import reads hundreds of files; seconds are usual on a slow disk."""


class LoadError(Exception):
    """There is no SDK; the message is for a person."""


async def load_connection() -> type[Connection]:
    """Import what speaks to the SDK in a thread; raises `LoadError`. Later calls return at once."""
    try:
        async with asyncio.timeout(LOAD_SECONDS):
            return await asyncio.to_thread(load_now)
    except TimeoutError as error:
        raise LoadError(f"claude-agent-sdk was not loaded within {LOAD_SECONDS:.0f} seconds.") from error
    except ImportError as error:
        raise LoadError(f"claude-agent-sdk cannot be loaded: {error}") from error


def load_now() -> type[Connection]:
    """Import what speaks to the SDK, however long it takes; raises ImportError."""
    sdk = import_sdk()
    from ccq_tui.agent.claude.connection import Connection

    # Without a handler of its own, what the SDK logs would go to the terminal that the screen is drawn on.
    logging.getLogger(sdk.__name__).addHandler(logging.NullHandler())
    # It warns that allowed tools and bypassPermissions bypass the callback: that is what they are for.
    warnings.filterwarnings("ignore", category=sdk.CanUseToolShadowedWarning)
    return Connection
