"""Starts the CLI of the first session before the screen is loaded, which takes as long as the CLI does."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from ccq_tui.agent.loader import load_now
from ccq_tui.agent.options import SessionOptions
from ccq_tui.compat.sdk.light_import import import_sdk

if TYPE_CHECKING:
    from ccq_tui.agent.claude.prestart import Ahead

_logger = logging.getLogger(__name__)


@asynccontextmanager
async def started_ahead(options: SessionOptions | None, prompt: str = "") -> AsyncIterator[Ahead | None]:
    """Start the CLI of the first session early, and end it unless a session takes it over.

    Yields None where the options are not known yet, or the process cannot be started: its session will
    say so.
    """
    ahead = await _started(options, prompt) if options is not None else None
    try:
        yield ahead
    finally:
        if ahead is not None:
            await ahead.close()


async def _started(options: SessionOptions, prompt: str) -> Ahead | None:
    try:
        sdk = import_sdk()
        from ccq_tui.agent.claude.prestart import Ahead
    except ImportError as error:
        _logger.info("No process can be started ahead: %s", error)
        return None
    ahead = Ahead(options, prompt)
    try:
        await ahead.start()
    except (sdk.ClaudeSDKError, OSError, ValueError) as error:
        _logger.info("The process could not be started ahead: %s", type(error).__name__)
        return None
    try:
        # While it starts: later this would hold up keys.
        load_now()
    except ImportError as error:
        _logger.info("What speaks to the process cannot be loaded: %s", error)  # its session will say so
    return ahead
