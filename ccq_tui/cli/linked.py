"""Finds the conversation that is linked to a pull request."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from ccq_tui.cli.exits import Refused
from ccq_tui.text import one_line, reason

_LONGEST_LINE = 10_000
_MARK = b'"pr-link"'


def linked_to(pull_request: str, directory: str | None) -> str:
    """Return the newest conversation of a directory in which a pull request was opened; reads files.

    Raises `Refused`.
    """
    from ccq_tui.agent.options import SessionOptions
    from ccq_tui.agent.reader import ReaderError
    from ccq_tui.agent.session_catalog import earlier_sessions
    from ccq_tui.claude_files import record_files
    from ccq_tui.config.paths import expanded

    wanted = pull_request.strip().removeprefix("#").rstrip("/")
    options = SessionOptions(cwd=(expanded(directory) if directory else Path.cwd()).absolute())
    try:
        sessions = asyncio.run(earlier_sessions(options))
    except ReaderError as error:
        raise Refused(
            f"--from-pr: the conversations cannot be read: {one_line(reason(error), 300)}."
        ) from error
    for session in sessions:
        if any(wanted in _links(path) for path in record_files(session.session_id)):
            return session.session_id
    said = one_line(pull_request, 200)
    raise Refused(f"--from-pr: no conversation here is linked to {said!r}; --resume shows all there are.")


def _links(path: Path) -> set[str]:
    """Return the numbers and addresses of the pull requests that a record names."""
    found: set[str] = set()
    try:
        with path.open("rb") as lines:
            for line in lines:
                if _MARK in line[:200] and len(line) < _LONGEST_LINE:
                    found |= _link(line)
    except OSError as error:
        raise Refused(f"--from-pr: {path} cannot be read: {error.strerror}.") from error
    return found


def _link(line: bytes) -> set[str]:
    try:
        link = json.loads(line)
    except ValueError:
        return set()  # a line that is still being written
    if not isinstance(link, dict) or link.get("type") != "pr-link":
        return set()
    return {str(link.get(name, "")).rstrip("/") for name in ("prNumber", "prUrl")} - {""}
