"""Permission rules in Claude Code's settings files: edits that leave all else as it was."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from ccq_tui.bounded import JSON_BYTES, UnfitFileError, parse_json, read_bytes
from ccq_tui.claude_files import claude_directory
from ccq_tui.json_text import rewritten
from ccq_tui.stored import write_whole

Behavior = Literal["allow", "ask", "deny"]
BEHAVIORS: tuple[Behavior, ...] = get_args(Behavior)
Scope = Literal["localSettings", "projectSettings", "userSettings"]
_NAMES: dict[Scope, str] = {
    "localSettings": ".claude/settings.local.json",
    "projectSettings": ".claude/settings.json",
    "userSettings": "settings.json",
}
MOST_RULE = 1_000
"""Most characters of a rule."""
_RULE = re.compile(r"[A-Za-z_][\w-]*(\*|\([^\x00-\x1f\x7f]+\))?")
_TRIES = 3
"""Attempts to edit a file that another program is writing."""


class RuleError(Exception):
    """A rule was not written; the message is for a person."""


@dataclass(frozen=True, slots=True)
class RulesFile:
    """The settings file of a scope.

    Attributes:
        scope: Scope in which its rules apply.
        path: Path at which Claude Code looks for it.
        real: That path with links followed.
        directory: The directory of the session.
    """

    scope: Scope
    path: Path
    real: Path
    directory: Path

    @property
    def strays(self) -> bool:
        """Whether a link leads out of the project."""
        return self.scope != "userSettings" and not self.real.is_relative_to(self.directory)


def rules_file(scope: Scope, directory: Path) -> RulesFile:
    """Find the settings file of a scope; raises `RuleError` if its links cannot be followed. For a thread."""
    try:
        directory = directory.resolve()
        path = (claude_directory() if scope == "userSettings" else directory) / _NAMES[scope]
        return RulesFile(scope, path, path.resolve(), directory)
    except (OSError, RuntimeError) as error:
        raise RuleError(f"the settings file cannot be found: {error}") from error


def checked_rule(text: str) -> str:
    """Read a typed rule, ``Tool`` or ``Tool(what)``; raises `RuleError`."""
    rule = text.strip()
    if len(rule) > MOST_RULE:
        raise RuleError(f"a rule can have {MOST_RULE:,} characters at most · shorten it")
    if not _RULE.fullmatch(rule):
        raise RuleError("a rule has the form Tool or Tool(what), such as Bash(npm test *)")
    return rule


def add_rule(file: RulesFile, behavior: Behavior, rule: str) -> bool:
    """Add a rule to a settings file; return whether it is new. Raises `RuleError`. For a thread."""

    def add(rules: list[Any]) -> bool:
        if rule in rules:
            return False
        rules.append(rule)
        return True

    return _change(file, behavior, add)


def remove_rule(file: RulesFile, behavior: Behavior, rule: str) -> bool:
    """Remove a rule from a settings file; return whether it was there. Raises `RuleError`. For a thread."""

    def remove(rules: list[Any]) -> bool:
        left = [one for one in rules if one != rule]
        changed = len(left) != len(rules)
        rules[:] = left
        return changed

    return _change(file, behavior, remove)


def _change(file: RulesFile, behavior: Behavior, edit: Callable[[list[Any]], bool]) -> bool:
    for _ in range(_TRIES):
        if rules_file(file.scope, file.directory).real != file.real:
            raise RuleError(f"{file.path} points elsewhere now · try again")
        if file.strays:
            raise RuleError(f"{file.path} is a link out of the project · edit {file.real} by hand")
        before = _read(file.real)
        after = _edited(file, before, behavior, edit)
        if after == before:
            return False
        if _read(file.real) == before:
            _write(file.real, after)
            return True
    raise RuleError(f"{file.real} is being written by another program · try again")


def _read(path: Path) -> bytes:
    try:
        return read_bytes(path, JSON_BYTES)
    except FileNotFoundError:
        return b""
    except UnfitFileError as error:
        raise RuleError(f"{path} {error}") from error
    except OSError as error:
        raise RuleError(f"{path} cannot be read: {error.strerror}") from error


def _edited(file: RulesFile, before: bytes, behavior: Behavior, edit: Callable[[list[Any]], bool]) -> bytes:
    """Return a file's content with the rules of a behavior edited; the same content where nothing changed."""
    try:
        text = before.decode("utf-8-sig")
        data = parse_json(text) if text.strip() else {}
        if text.strip():
            json.loads(text, object_pairs_hook=_unique)
    except ValueError as error:
        raise RuleError(f"{file.real} is not JSON that can be changed safely: {error}") from error
    permissions = data.setdefault("permissions", {}) if isinstance(data, dict) else None
    rules = permissions.setdefault(behavior, []) if isinstance(permissions, dict) else None
    if not isinstance(rules, list):
        raise RuleError(f"permissions.{behavior} of {file.real} is not a list of rules · correct it by hand")
    if not edit(rules):
        return before
    mark = "\ufeff" if before.startswith(b"\xef\xbb\xbf") else ""
    return f"{mark}{rewritten(text, data)}".encode(errors="backslashreplace")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is in it twice")
    return found


def _write(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content, mode=_mode(path))
    except OSError as error:
        raise RuleError(f"{path} cannot be written: {error.strerror}") from error


def _mode(path: Path) -> int:
    """Return a file's permissions; a new one is readable as the project is."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return stat.S_IMODE(path.parent.stat().st_mode) & 0o644
