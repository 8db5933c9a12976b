"""Keeps a directory trusted when Claude Code adds lasting grants to its settings."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterator, Mapping
from pathlib import Path
from typing import Any

from ccq_tui.agent.events import (
    Connected,
    PermissionAsked,
    RequestSettled,
    SessionLost,
    ToolFinished,
    TurnEnded,
)
from ccq_tui.bounded import parse_json
from ccq_tui.config.carried import candidates, read
from ccq_tui.config.trust import follow
from ccq_tui.inbox.requests import Allowed
from ccq_tui.inbox.suggestions import Rule, Suggestion
from ccq_tui.supervisor.events import SessionEvent

_logger = logging.getLogger(__name__)
_OF_PROJECT = ("localSettings", "projectSettings")
Granted = frozenset[tuple[str, str]]
"""Grants: a list of the settings' ``permissions``, and the entry added to it."""
_FILES = ("settings.json", "settings.local.json")
_LISTS = ("allow", "deny", "ask", "additionalDirectories")


class GrantWatch:
    """Watches a session in a trusted directory.

    Args:
        directory: The directory.
        begin: Runs work beside the events; the program ends only when that is done.
    """

    def __init__(self, directory: Path, begin: Callable[[Coroutine[None, None, None]], None]) -> None:
        self._directory = directory
        self._begin = begin
        self._before: dict[Path, bytes] = {}
        self._granted: Granted = frozenset()
        """Grants that are not known to be written yet."""
        self._in_order = asyncio.Lock()

    def take(self, event: SessionEvent) -> None:
        """Read the files before a grant is possible, and after one was made."""
        match event:
            case Connected():
                self._begin(self._look())
            case PermissionAsked(request) if any(
                one.destination in _OF_PROJECT for one in request.suggestions
            ):
                self._begin(self._look())
            case RequestSettled(outcome=Allowed(suggestion=Suggestion(destination=place) as granted)) if (
                place in _OF_PROJECT
            ):
                self._granted |= frozenset(_added(granted))
            case ToolFinished() | TurnEnded() | SessionLost() if self._granted:
                self._begin(self._follow())
            case _:
                pass

    async def _look(self) -> None:
        await self._follow()  # Claude Code may have written only after the turn
        async with self._in_order:
            if self._granted:
                return
            found = await asyncio.to_thread(settings_files, self._directory)
            # After a grant meanwhile, these files may already have it.
            if not self._granted:
                self._before = found

    async def _follow(self) -> None:
        async with self._in_order:
            granted = self._granted
            if not granted:
                return
            try:
                grown = await asyncio.to_thread(follow_granted, self._directory, self._before, granted)
            except OSError as error:
                _logger.warning("What was granted is asked about at the next start: %s", error.strerror)
                return
            if grown:
                self._before |= grown
                self._granted -= granted


def _added(suggestion: Suggestion) -> Iterator[tuple[str, str]]:
    """Yield the grants of a suggestion, in each form in which they may be written."""
    if suggestion.kind == "addDirectories":
        yield from (("additionalDirectories", directory) for directory in suggestion.directories)
    elif suggestion.kind == "addRules":
        for rule in suggestion.rules:
            yield from ((suggestion.behavior, text) for text in _written(rule))


def _written(rule: Rule) -> Iterator[str]:
    if not rule.content:
        yield rule.tool
        return
    escaped = rule.content.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    yield from (f"{rule.tool}({content})" for content in (rule.content, escaped))


def settings_files(directory: Path) -> dict[Path, bytes]:
    """Read the settings that Claude Code adds permissions to; a missing file is empty. For a thread."""
    files = (path for path in candidates(directory.resolve()) if path.name in _FILES)
    return {path: read(path) for path in files}


def follow_granted(directory: Path, before: Mapping[Path, bytes], granted: Granted) -> dict[Path, bytes]:
    """Keep trusting files that differ only by grants, and return them. For a thread.

    Raises OSError; the next start then asks about the files.
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
    """Return whether settings changed only by permissions that were granted."""
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
