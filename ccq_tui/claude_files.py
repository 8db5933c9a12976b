"""Locations of Claude Code, its settings and its session records."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_BEGIN = re.compile(r'\{\s*"(?:parentUuid|type|uuid|session_?[iI]d|isSidechain|message)"')
_OF_A_SESSION = frozenset({"uuid", "sessionId", "session_id"})
_NOTHING = "\0 \t\r\n"


def find_cli() -> tuple[Path | None, str]:
    """Return the CLI that the SDK would find, or None, and its origin; the SDK is slow to import."""
    name = "claude.exe" if sys.platform == "win32" else "claude"
    spec = importlib.util.find_spec("claude_agent_sdk")
    for directory in (spec.submodule_search_locations or []) if spec else []:
        bundled = Path(directory) / "_bundled" / name
        if bundled.is_file():
            return bundled, "bundled"
    found = shutil.which(name)
    return (Path(found), "on PATH") if found else (None, "")


def claude_directory(environment: Mapping[str, str] = os.environ) -> Path:
    """Return Claude Code's configuration directory for a CLI with this environment."""
    home = environment.get("HOME") or Path.home()
    return Path(environment.get("CLAUDE_CONFIG_DIR") or Path(home, ".claude"))


def record_files(session_id: str, environment: Mapping[str, str] = os.environ) -> list[Path]:
    """Return the files in which the CLI keeps a session: one, unless somebody copied it."""
    if not session_id:
        return []
    return sorted(claude_directory(environment).glob(f"projects/*/{session_id}.jsonl"))


def record_entry(line: str | bytes) -> dict[str, Any]:
    """Return the entry in a line of a record; empty for a line that a killed CLI left unfinished."""
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return entry if isinstance(entry, dict) else {}


def blocks_of(message: Any) -> list[Mapping[str, Any]]:
    """Return the content blocks of a message; a text alone is one."""
    content = message.get("content") if isinstance(message, Mapping) else None
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return [one for one in blocks if isinstance(one, Mapping)] if isinstance(blocks, list) else []


def whole_entries(line: str) -> tuple[list[dict[str, Any]], bool]:
    """Return the whole entries in a damaged line of a record, and whether anything else is in it.

    A process that is killed leaves the beginning of one, and the next process writes behind it.
    """
    found: list[dict[str, Any]] = []
    decoder, at, torn = json.JSONDecoder(), 0, False
    while (place := _BEGIN.search(line, at)) is not None:
        torn, at = torn or bool(line[at : place.start()].strip(_NOTHING)), place.start()
        try:
            entry, at = decoder.raw_decode(line, at)
        except (ValueError, RecursionError):
            torn, at = True, at + 1
            continue
        if not torn or _OF_A_SESSION & entry.keys():  # else it may be a part of what was torn
            found.append(entry)
    return found, torn or bool(line[at:].strip(_NOTHING))


def recorded_sessions(environment: Mapping[str, str]) -> frozenset[str] | None:
    """Return the ids of all sessions that the CLI keeps, or None if unknown."""
    try:
        return frozenset(path.stem for path in claude_directory(environment).glob("projects/*/*.jsonl"))
    except (OSError, ValueError, RuntimeError):
        return None
