"""Reads, lists, renames and deletes earlier sessions with the SDK, in a process of its own.

The SDK reads only the configuration directory of its own process's environment, which may differ from the
session's, and parses transcripts of any size in one go.
"""

import asyncio
import json
import logging
import os
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ccq_tui.child_process import end

if TYPE_CHECKING:  # the program that it runs imports this module, too
    from ccq_tui.config.launch import Launch

_logger = logging.getLogger(__name__)

GO = b"go\n"
"""Starts the work of a program that waits; without it the parent is gone or does not want the work."""

LIST_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class EarlierSession:
    """A session that Claude Code keeps.

    Attributes:
        session_id: The Claude session id.
        summary: Its name.
        modified: The time of its last message, in seconds since 1970.
        branch: The git branch then, or "".
        directory: Its working directory, or "" if its record does not say.
        last: Its last messages, oldest first: "user" or "assistant", and the text, cut short.
    """

    session_id: str
    summary: str
    modified: float
    branch: str
    directory: str = ""
    last: tuple[tuple[str, str], ...] = ()


async def earlier_sessions(launch: "Launch", *, everywhere: bool = False) -> tuple[EarlierSession, ...]:
    """List the sessions of a directory and of other worktrees of its repository, the newest first.

    Raises `ReaderError`.
    """
    place = "" if everywhere else str(launch.settings.directory)
    output = await read_by(launch, "list", place, "200", seconds=LIST_SECONDS)
    return tuple(
        EarlierSession(**one | {"last": tuple((who, text) for who, text in one["last"])})
        for one in json.loads(output)
    )


async def rename_earlier(launch: "Launch", session_id: str, title: str) -> None:
    """Give a session that does not run here a title, which is not empty; raises `ReaderError`."""
    await read_by(launch, "rename", session_id, title, seconds=LIST_SECONDS)


async def delete_earlier(launch: "Launch", session_id: str) -> Path:
    """Delete the file in which Claude Code keeps a session, and nothing else; raises `ReaderError`."""
    return Path(json.loads(await read_by(launch, "delete", session_id, seconds=LIST_SECONDS)))


class ReaderError(Exception):
    """A session could not be read; the message is for a person."""


async def read_by(
    launch: "Launch", *arguments: str, seconds: float, allow: Callable[[str], Awaitable[object]] | None = None
) -> bytes:
    """Run `ccq_tui.agent.claude.records`, and return what it prints; raises `ReaderError`.

    ``allow`` takes the first line: the program waits until it returns, and is ended if it raises.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",  # the working directory holds the person's project, and must not lend it modules
            "-m",
            "ccq_tui.agent.claude.records",
            *arguments,
            env=launch.environ() | {"PYTHONPATH": os.pathsep.join(place for place in sys.path if place)},
            stdin=asyncio.subprocess.DEVNULL if allow is None else asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except ValueError as error:  # a NUL in an argument
        raise ReaderError(str(error)) from error
    try:
        async with asyncio.timeout(seconds):
            if allow is not None and process.stdout is not None and (line := await process.stdout.readline()):
                await allow(line.decode().strip())
            output, problem = await process.communicate(None if allow is None else GO)
    except TimeoutError as error:
        raise ReaderError(f"it took longer than {seconds:.0f} seconds") from error
    finally:
        if process.returncode is None:
            await end(process)
    if problem and not process.returncode:
        _logger.warning("A record: %s", problem.decode(errors="replace").strip())
    if process.returncode:
        lines = problem.decode(errors="replace").strip().splitlines()
        raise ReaderError(lines[-1] if lines else f"exit code {process.returncode}")
    return output
