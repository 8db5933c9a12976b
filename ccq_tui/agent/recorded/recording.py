"""Opens recordings; explains why a file is none, or why its session cannot be resumed here."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from ccq_tui.agent.recorded.entries import BadLineError, entries
from ccq_tui.agent.recorded.lines import Lines
from ccq_tui.agent.recorded.reader import Recording
from ccq_tui.claude_files import record_files
from ccq_tui.text import one_line

FIRST_SECONDS = 5.0
"""Seconds to wait for the first bytes of a pipe before the screen is shown without them."""
_LOOKED_AT = 4_000
_NAME = 200
STDIN = "standard input"


class RecordingError(Exception):
    """A recording cannot be shown; the message is for a person."""


def open_recording(path: str | None, descriptor: int | None = None) -> Recording:
    """Open a file, or take over a descriptor; raises `RecordingError` for what is no recording."""
    name = STDIN if path is None else one_line(path, _NAME)
    if descriptor is None:
        descriptor = _opened(path or "", name)
    lines = Lines(descriptor)
    try:
        _check(lines, name)
    except BaseException:
        lines.close()
        raise
    return Recording(name if path is None else one_line(Path(path).name, _NAME), lines)


def _opened(path: str, name: str) -> int:
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise RecordingError(f"{name} cannot be read: {reason}.") from error
    if stat.S_ISDIR(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise RecordingError(
            f"{name} is a directory; name a file in it, such as a session's .jsonl under ~/.claude/projects."
        )
    return descriptor


def _check(lines: Lines, name: str) -> None:
    try:
        head = lines.head(FIRST_SECONDS)
    except OSError as error:
        raise RecordingError(f"{name} cannot be read: {error.strerror}.") from error
    if not head:
        if lines.ended:
            raise RecordingError(f"{name} is empty.")
        return  # a pipe whose writer has not begun
    if _is_recording(head):
        return
    if b"\0" in head[:_LOOKED_AT]:
        raise RecordingError(f"{name} is a binary file, not lines of JSON.")
    raise RecordingError(
        f"{name} is not a recording: none of its first lines is a JSON object. "
        "It should be stream-json of Claude Code or a session's .jsonl file."
    )


def _is_recording(head: bytes) -> bool:
    """Return whether a line of the beginning is an object; the last one may be cut."""
    *whole, rest = head.split(b"\n")
    for line in whole:
        try:
            if entries(line):
                return True
        except BadLineError:
            continue
    return rest.lstrip(b"\xef\xbb\xbf \t\r")[:1] in (b"{", b"[")


def why_gone(session_id: str, cwd: str, environment: Mapping[str, str]) -> str:
    """Return why a recorded session cannot be resumed here, or "" if nothing is missing; reads the disk."""
    if not session_id:
        return "the recording names no session"
    if not cwd:
        return "the recording names no directory"
    try:
        if not (Path(cwd).is_absolute() and Path(cwd).is_dir()):
            return f"its directory {cwd} is not on this machine"
        if not record_files(session_id, environment):
            return f"session {session_id} is not on this machine"
    except (OSError, ValueError, RuntimeError) as error:
        return f"its session cannot be searched for: {error}"
    return ""
