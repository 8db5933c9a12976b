"""How a session goes on that had not begun when its program ended."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from uuid import uuid4

from ccq_tui.agent.claude.leftovers import end_leftovers
from ccq_tui.agent.claude.record import Recorded, recorded
from ccq_tui.agent.options import SessionOptions


async def begun_or_new(options: SessionOptions, session_id: str) -> SessionOptions:
    """Say with what a session is started whose program ended before Claude was known to have read anything.

    A process of it that is still there is ended.

    Args:
        options: What it is started with otherwise; with ``resume`` and ``fork`` where it is a copy.
        session_id: The id that was chosen for it.

    Returns:
        The options: to resume it where its record has messages, else to begin it under its id, or under
        another one where the CLI would refuse that.
    """
    await end_leftovers(session_id)
    match await asyncio.to_thread(recorded, options, session_id):
        case Recorded.MESSAGES:
            return replace(options, resume=session_id, fork=False, session_id=None)
        case Recorded.NOTHING:
            return replace(options, session_id=session_id)
        case Recorded.NO_MESSAGE:
            return replace(options, session_id=str(uuid4()))
