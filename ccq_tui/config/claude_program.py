"""Where the Claude Code CLI is."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path


def find_cli() -> tuple[Path | None, str]:
    """Return the CLI as the SDK finds it, or None, and its origin; the SDK is slow to import."""
    name = "claude.exe" if sys.platform == "win32" else "claude"
    spec = importlib.util.find_spec("claude_agent_sdk")
    for directory in (spec.submodule_search_locations or []) if spec else []:
        bundled = Path(directory) / "_bundled" / name
        if bundled.is_file():
            return bundled, "bundled"
    found = shutil.which(name)
    return (Path(found), "on PATH") if found else (None, "")
