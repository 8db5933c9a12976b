"""Whether the session that was recorded can be gone on with here."""

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
        configured = environment.get("CLAUDE_CONFIG_DIR")
        config = Path(configured) if configured else Path.home() / ".claude"
        if not any(config.glob(f"projects/*/{session_id}.jsonl")):
            return f"session {session_id} is not on this machine"
    except (OSError, ValueError, RuntimeError) as error:
        return f"its session cannot be looked for: {error}"
    return ""
