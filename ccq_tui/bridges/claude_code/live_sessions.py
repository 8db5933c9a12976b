"""The files in which each running Claude Code says what it is doing: ``<config>/sessions/PID.json``.

They are removed as it ends; one that was killed leaves its file, so its process is looked at, too.
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeGuard

from ccq_tui.bounded import UnfitFileError, parse_json, read_bytes
from ccq_tui.processes import Owner, alive, owner_of

MOST_BYTES = 100_000
MOST_FILES = 200
WAITING = "waiting"
_ID = re.compile(r"[A-Za-z0-9_-]{1,128}")


@dataclass(frozen=True, slots=True)
class LiveSession:
    """A session that a running Claude Code has on its screen.

    Attributes:
        session_id: The session.
        process: The process.
        directory: Where it works, or "".
        waits: Whether it waits for the person.
        since: Since when it does what it does.
        is_screen: Whether it is Claude Code's own screen, and no program's session.
    """

    session_id: str
    process: Owner
    directory: str
    waits: bool
    since: datetime
    is_screen: bool


def is_id(value: object) -> TypeGuard[str]:
    """Whether something can be the id of a session or an agent, which is a part of paths."""
    return isinstance(value, str) and _ID.fullmatch(value) is not None


def live_file(config: Path, process: int) -> Path:
    """Return the file of a process; it may not be there.

    Args:
        config: Claude Code's configuration directory.
        process: The number of the process.
    """
    return config / "sessions" / f"{process}.json"


def live_sessions(config: Path) -> list[LiveSession]:
    """Return the sessions of all Claude Codes that run; reads files and looks at processes: for a thread.

    Args:
        config: Claude Code's configuration directory.
    """
    try:
        with os.scandir(config / "sessions") as entries:
            names = sorted(entry.name for entry in entries if entry.name.endswith(".json"))
    except OSError:
        return []
    found = (read_live(config / "sessions" / name) for name in names[:MOST_FILES])
    return [one for one in found if one is not None and alive(one.process)]


def read_live(path: Path) -> LiveSession | None:
    """Read what a Claude Code says of itself; None where that cannot be read.

    Args:
        path: Its file.
    """
    try:
        said = parse_json(read_bytes(path, MOST_BYTES))
    except (OSError, ValueError, UnfitFileError):
        return None
    if not isinstance(said, dict):
        return None
    pid, session = said.get("pid"), said.get("sessionId")
    since = said.get("statusUpdatedAt") or said.get("startedAt")
    if not isinstance(pid, int) or not is_id(session) or not isinstance(since, int | float):
        return None
    try:
        at = datetime.fromtimestamp(since / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return LiveSession(
        session,
        _process(pid, said.get("procStart"), said.get("pidDomain")),
        str(said.get("cwd") or ""),
        said.get("status") == WAITING,
        at,
        said.get("kind") == "interactive" and said.get("entrypoint") == "cli",
    )


def _process(pid: int, start: object, domain: object) -> Owner:
    """Return a process that is told apart from a later one with its number; none from another machine."""
    known = owner_of(pid)
    if sys.platform != "linux":
        return known
    elsewhere = isinstance(domain, str) and not domain.endswith(_own_domain())
    another = isinstance(start, str) and not known.start.endswith(f":{start}")
    return Owner(0) if elsewhere or another else known


def _own_domain() -> str:
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return ""
