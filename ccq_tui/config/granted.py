"""What lasting permissions add to a project's settings: what the person granted is no news to them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ccq_tui.bounded import parse_json
from ccq_tui.config.carried import candidates, read
from ccq_tui.config.trust import follow

Granted = frozenset[tuple[str, str]]
"""What was granted: the list of the settings' ``permissions``, and what is added to it."""
_NAMES = ("settings.json", "settings.local.json")
_LISTS = ("allow", "deny", "ask", "additionalDirectories")


def settings_files(directory: Path) -> dict[Path, bytes]:
    """Read the settings that Claude Code adds permissions to; "" for one that is not there. For a thread."""
    files = (path for path in candidates(directory.resolve()) if path.name in _NAMES)
    return {path: read(path) for path in files}


def follow_granted(directory: Path, before: Mapping[Path, bytes], granted: Granted) -> dict[Path, bytes]:
    """Keep trusting files that differ by what was granted alone, and return them. For a thread.

    Raises OSError; the files are then asked about at the next start.
    """
    now = settings_files(directory)
    grown = {
        path: content
        for path, content in now.items()
        if content != (was := before.get(path, b"")) and only_adds(was, content, granted)
    }
    if grown:
        follow(directory, {path: (before.get(path, b""), content) for path, content in grown.items()})
    return grown


def only_adds(before: bytes, after: bytes, granted: Granted) -> bool:
    """Whether settings differ from what they were only by permissions that were granted."""
    try:
        was, now = _settings(before), _settings(after)
    except ValueError:
        return False
    if was is None or now is None:
        return False
    old, new = was.pop("permissions", {}), now.pop("permissions", {})
    if was != now or not isinstance(old, dict) or not isinstance(new, dict):
        return False
    for name in _LISTS:
        had, has = old.pop(name, []), new.pop(name, [])
        if not _texts(had) or not _texts(has) or not set(had) <= set(has):
            return False
        if any((name, added) not in granted for added in set(has) - set(had)):
            return False
    return bool(old == new)


def _settings(content: bytes) -> dict[str, Any] | None:
    data = parse_json(content) if content else {}
    return data if isinstance(data, dict) else None


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
