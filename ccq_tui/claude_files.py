"""Locations of Claude Code, its settings and its session records."""

import importlib.util
import os
import shutil
from collections.abc import Mapping
from pathlib import Path


def find_cli() -> tuple[Path | None, str]:
    """Return the CLI that the SDK would find, or None, and its origin; the SDK is slow to import."""
    name = "claude"
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


def global_config(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the file in which Claude Code keeps what it knows of each project, such as a person's trust."""
    directory = environment.get("CLAUDE_CONFIG_DIR") or environment.get("HOME") or Path.home()
    return Path(directory, ".claude.json")


def record_files(session_id: str, environment: Mapping[str, str] = os.environ) -> list[Path]:
    """Return the files in which the CLI keeps a session: one, unless it was copied."""
    if not session_id:
        return []
    return sorted(claude_directory(environment).glob(f"projects/*/{session_id}.jsonl"))


def recorded_sessions(environment: Mapping[str, str]) -> frozenset[str] | None:
    """Return the ids of all sessions that the CLI keeps, or None if unknown."""
    try:
        return frozenset(path.stem for path in claude_directory(environment).glob("projects/*/*.jsonl"))
    except (OSError, ValueError, RuntimeError):
        return None
