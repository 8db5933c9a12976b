"""Whether the session that was recorded can be resumed here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def why_gone(session_id: str, cwd: str, environment: Mapping[str, str]) -> str:
    """Say why a recorded session cannot be resumed on this machine; reads the disk.

    Args:
        session_id: Its id, or "" if the recording names none.
        cwd: The directory that it worked in, or "".
        environment: The environment that Claude Code would have.

    Returns:
        The reason, for a person, or "" if nothing is known to be missing.
    """
    if not session_id:
        return "the recording names no session"
    if not cwd:
        return "the recording names no directory"
    try:
        if not (Path(cwd).is_absolute() and Path(cwd).is_dir()):
            return f"its directory {cwd} is not on this machine"
        if not any(_projects(environment).glob(f"*/{session_id}.jsonl")):
            return f"session {session_id} is not on this machine"
    except (OSError, ValueError, RuntimeError) as error:
        return f"its session cannot be looked for: {error}"
    return ""


def recorded_sessions(environment: Mapping[str, str]) -> frozenset[str] | None:
    """Return the ids of all sessions that Claude Code keeps on this machine; reads the disk.

    Args:
        environment: The environment that Claude Code would have.

    Returns:
        The ids, or None where that cannot be known.
    """
    try:
        return frozenset(path.stem for path in _projects(environment).glob("*/*.jsonl"))
    except (OSError, ValueError, RuntimeError):
        return None


def _projects(environment: Mapping[str, str]) -> Path:
    configured = environment.get("CLAUDE_CONFIG_DIR")
    return (Path(configured) if configured else Path.home() / ".claude") / "projects"
