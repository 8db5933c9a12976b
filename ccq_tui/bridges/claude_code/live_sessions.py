"""The files in which each running Claude Code writes its state: ``<config>/sessions/PID.json``.

It removes its file as it ends. If it was killed, the file stays, so this module checks its process, too.
"""

import re
import sys
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeGuard

from ccq_tui.bounded import json_object
from ccq_tui.inbox.requests import Asker, Origin
from ccq_tui.processes import Owner, alive, owner_of
from ccq_tui.text import one_line

MOST_BYTES = 100_000
MOST_FILES = 200
MOST_NAME = 40
CLAUDE_CODE = "Claude Code"
WAITING = "waiting"
_ID = re.compile(r"[A-Za-z0-9_-]{1,128}")


@dataclass(frozen=True, slots=True)
class LiveSession:
    """A session that a running Claude Code has on its screen.

    Attributes:
        session_id: The session.
        process: The process.
        directory: Its working directory, or "".
        waits: Whether it waits for the person.
        since: The time at which its state began.
        is_screen: Whether it runs in Claude Code's own screen, and not in another program.
        name: Its title, or what Claude Code made of its directory, or "".
    """

    session_id: str
    process: Owner
    directory: str
    waits: bool
    since: datetime
    is_screen: bool
    name: str = ""


def is_id(value: object) -> TypeGuard[str]:
    """Whether a value can be the id of a session or an agent, which becomes a part of paths."""
    return isinstance(value, str) and _ID.fullmatch(value) is not None


def live_file(config: Path, process: int) -> Path:
    """Return the file of a process in Claude Code's configuration directory; it may not exist."""
    return config / "sessions" / f"{process}.json"


def live_sessions(config: Path) -> list[LiveSession]:
    """Return the sessions of all running Claude Codes; call it in a thread: it reads files and processes."""
    found = map(read_live, sorted(config.glob("sessions/*.json"))[:MOST_FILES])
    return [one for one in found if one is not None and alive(one.process)]


def read_live(path: Path) -> LiveSession | None:
    """Read the file of a Claude Code; return None if it is unreadable."""
    state = json_object(path, MOST_BYTES)
    pid, session = state.get("pid"), state.get("sessionId")
    since = state.get("statusUpdatedAt") or state.get("startedAt")
    if not isinstance(pid, int) or not is_id(session) or not isinstance(since, int | float):
        return None
    try:
        at = datetime.fromtimestamp(since / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return LiveSession(
        session,
        _process(pid, state.get("procStart"), state.get("pidDomain")),
        str(state.get("cwd") or ""),
        state.get("status") == WAITING,
        at,
        state.get("kind") == "interactive" and state.get("entrypoint") == "cli",
        str(state.get("name") or ""),
    )


def native_origin(name: str, directory: str, process: Owner | None = None) -> Origin:
    """Return who asks in Claude Code's own screen; what tells sessions apart comes first."""
    named = one_line(name or Path(directory).name, MOST_NAME)
    return Origin(Asker.HOOK, f"{named} · {CLAUDE_CODE}" if named else CLAUDE_CODE, directory, process)


def _process(pid: int, start: object, domain: object) -> Owner:
    """Return the process, or one that never runs if the number is another's or from another machine."""
    known = owner_of(pid)
    if sys.platform != "linux":
        return known
    own_domain = ""
    with suppress(OSError):
        own_domain = str(Path("/proc/self/ns/pid").readlink())
    elsewhere = isinstance(domain, str) and not domain.endswith(own_domain)
    another = isinstance(start, str) and not known.start.endswith(f":{start}")
    return Owner(0) if elsewhere or another else known
