"""Prints a session's messages as JSON: a program of its own, run by `ccq_tui.agent.history`."""

from __future__ import annotations

import json
import sys

from claude_agent_sdk import get_session_messages, list_sessions


def main(directory: str, session_id: str, limit: int) -> None:
    """Print ``{"session_id", "messages", "cut"}``.

    Args:
        directory: The directory the session worked in.
        session_id: The session, or "" for the last one of the directory.
        limit: How many of the newest messages to print.
    """
    if not session_id:
        # As --continue does: the newest of this very directory.
        found = list_sessions(directory, limit=1, include_worktrees=False)
        session_id = found[0].session_id if found else ""
    messages = get_session_messages(session_id, directory) if session_id else []
    kept = messages[-limit:]
    result = {
        "session_id": session_id,
        "cut": len(kept) < len(messages),
        "messages": [{"type": m.type, "uuid": m.uuid, "message": m.message} for m in kept],
    }
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
