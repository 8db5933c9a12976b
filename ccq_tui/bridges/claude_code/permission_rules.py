"""Permission rules in Claude Code's settings files: edits that keep all other settings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from ccq_tui.bridges.edited_file import PROJECT, EditedFile, SettingsFileError, read_object, rewritten
from ccq_tui.claude_files import claude_directory

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


class RuleError(Exception):
    """A rule was not written; the message is for a person."""


@dataclass(frozen=True, slots=True)
class RulesFile:
    """The settings file of a scope.

    Attributes:
        scope: Scope in which its rules apply.
        file: The file at which Claude Code looks for them.
        real: Its path with links followed.
    """

    scope: Scope
    file: EditedFile
    real: Path


def rules_file(scope: Scope, directory: Path) -> RulesFile:
    """Find the settings file of a scope; raises `RuleError` if its links cannot be followed. For a thread."""
    own = scope == "userSettings"
    try:
        directory = directory.resolve()
        path = (claude_directory() if own else directory) / _NAMES[scope]
        # A person's own settings may be a link to anywhere; a project's must not lead out of it.
        file = EditedFile(PROJECT, path, Path(directory.anchor) if own else directory, backup=False)
        return RulesFile(scope, file, path.resolve())
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


def change_rule(file: RulesFile, behavior: Behavior, rule: str, *, wanted: bool) -> bool:
    """Add a rule to a settings file, or remove it; return whether the file has changed.

    Raises `RuleError`. For a thread.
    """
    try:
        before = file.file.read()
        settings = read_object(before)
        permissions = settings.setdefault("permissions", {})
        rules = permissions.setdefault(behavior, []) if isinstance(permissions, dict) else None
        if not isinstance(rules, list):
            wrong = f"its permissions.{behavior} is not a list of rules · correct it by hand"
            raise RuleError(f"{file.real}: {wrong}")
        if (rule in rules) is wanted:
            return False
        permissions[behavior] = [*rules, rule] if wanted else [one for one in rules if one != rule]
        file.file.write(before, rewritten(before, settings))
    except SettingsFileError as error:
        raise RuleError(f"{file.real}: {error}") from error
    return True
