"""Prints a directory's sessions as JSON: a program of its own, run by `ccq_tui.agent.earlier`."""

from __future__ import annotations

import json
import sys

from claude_agent_sdk import list_sessions


def main(directory: str, limit: int) -> None:
    """Print a list of ``{"session_id", "summary", "modified", "branch"}``, the newest first.

    Args:
        directory: The directory the sessions worked in.
        limit: How many to print.
    """
    found = list_sessions(directory, limit=limit, include_worktrees=False)
    told = [
        {
            "session_id": one.session_id,
            "summary": one.summary,
            "modified": one.last_modified / 1000,
            "branch": one.git_branch or "",
        }
        for one in found
    ]
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
