"""What was said in a session before it is resumed."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import dataclass
from typing import Any

from ccq_tui.agent.events import AgentEvent
from ccq_tui.agent.options import SessionOptions
from ccq_tui.agent.replay import replay

READ_SECONDS = 60.0
MAX_MESSAGES = 2_000


class HistoryError(Exception):
    """The history cannot be read; the message is for a person."""


@dataclass(frozen=True, slots=True)
class History:
    """A session's past.

    Attributes:
        session_id: The session, or "" if there is none.
        events: What happened, oldest first.
        uuids: Ids of the messages, by which a replay of them is recognised.
        cut: Whether older messages were left out.
    """

    session_id: str
    events: tuple[AgentEvent, ...] = ()
    uuids: tuple[str, ...] = ()
    cut: bool = False


NO_HISTORY = History("")


async def read_history(options: SessionOptions) -> History:
    """Read the past of the session that the options name, or of the last one in their directory.

    A process of its own does it: the SDK reads the configuration directory of its own process's environment
    alone, which may be another one than the session's, and parses transcripts of any size in one go.

    Args:
        options: The session's options, with ``resume`` or ``continue_conversation``.

    Returns:
        The newest `MAX_MESSAGES` messages as events; a history without a session id if there is no session.

    Raises:
        HistoryError: It could not be read within `READ_SECONDS`.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",  # the working directory holds the person's project, and must not lend it modules
        "-m",
        "ccq_tui.agent.claude.history_reader",
        str(options.cwd),
        options.resume or "",
        str(MAX_MESSAGES),
        env=_environment(options),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(READ_SECONDS):
            output, problem = await process.communicate()
    except TimeoutError as error:
        raise HistoryError(f"it took longer than {READ_SECONDS:.0f} seconds") from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        lines = problem.decode(errors="replace").strip().splitlines()
        raise HistoryError(lines[-1] if lines else f"exit code {process.returncode}")
    return await asyncio.to_thread(_history, output)


def _environment(options: SessionOptions) -> dict[str, str]:
    # The reader finds its modules where this process found them, whatever the session's environment says.
    path = os.pathsep.join(place for place in sys.path if place)
    return dict(os.environ) | dict(options.environment) | {"PYTHONPATH": path}


def _history(output: bytes) -> History:
    found: dict[str, Any] = json.loads(output)
    messages: list[dict[str, Any]] = found["messages"]
    return History(
        session_id=found["session_id"],
        events=tuple(replay(messages, found["session_id"])),
        uuids=tuple(message["uuid"] for message in messages),
        cut=found["cut"],
    )
