"""Lasting permissions that the agent's program suggests, and their meaning in words.

Only a suggested permission can be granted for longer than once: a rule made up here might match less than it
says, or more.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ccq_tui.text import one_line

RULE_LIMIT = 600
"""Most characters shown of a rule."""
PLACES = {
    "session": "for this session",
    "localSettings": "in this project, kept in .claude/settings.local.json",
    "projectSettings": "in this project for everyone, kept in .claude/settings.json",
    "userSettings": "in all projects, kept in your user settings",
}
MODES = {
    "default": ("default", "Ask before edits and commands"),
    "acceptEdits": ("accept edits", "Accept all file edits"),
    "plan": ("plan", "Plan, and change nothing"),
    "auto": ("auto", "Let a classifier decide for you"),
    "dontAsk": ("don't ask", "Deny whatever needs your permission"),
    "bypassPermissions": ("bypass permissions", "Allow everything"),
}
"""The name and the effect of each permission mode."""
VERBS = {"allow": "allow", "deny": "deny", "ask": "ask before"}
DOINGS = {"Read": "reading", "Edit": "editing", "Write": "writing"}


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of a permission: a tool and the uses of it that ``content`` matches; "" matches every use."""

    tool: str
    content: str = ""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One lasting permission, in the terms of the agent's program.

    Attributes:
        kind: Its effect: addRules, replaceRules, removeRules, setMode, addDirectories, removeDirectories.
        destination: Its place: session, localSettings, projectSettings, userSettings.
        rules: The rules added or removed.
        behavior: The effect of the rules: allow, deny or ask; or "".
        mode: The permission mode to go to, or "".
        directories: The directories added or removed.
    """

    kind: str
    destination: str = "session"
    rules: tuple[Rule, ...] = ()
    behavior: str = ""
    mode: str = ""
    directories: tuple[str, ...] = ()


def what(suggestion: Suggestion) -> str:
    """Describe the grant of a suggestion, harmless to draw."""
    verb = VERBS.get(suggestion.behavior, "")
    covered = _joined(_covered(rule) for rule in suggestion.rules)
    match suggestion.kind:
        case "setMode":
            if suggestion.mode not in MODES:
                return f"Go to {one_line(suggestion.mode, 40)} mode"
            name, does = MODES[suggestion.mode]
            return f"{does} ({name} mode)"
        case "addDirectories":
            return f"Let Claude work in {_joined(suggestion.directories)}"
        case "removeDirectories":
            return f"No longer let Claude work in {_joined(suggestion.directories)}"
        case "removeRules":
            return f"No longer {verb} {covered}"
        case "replaceRules":
            return f"From now on {verb} only {covered}"
        case _:
            return f"Always {verb} {covered}"


def where(suggestion: Suggestion) -> str:
    """Describe how long a suggestion holds and where it is kept, harmless to draw."""
    known = PLACES.get(suggestion.destination)
    return known or f"kept in {one_line(suggestion.destination, 60)}"


def _joined(parts: Iterable[str]) -> str:
    return " and ".join(one_line(part, RULE_LIMIT) for part in parts)


def _covered(rule: Rule) -> str:
    tool, content = one_line(rule.tool, 80), rule.content
    if not content:
        return f"every use of {tool}"
    if rule.tool == "Bash":
        prefix = content.removesuffix(":*") if content.endswith(":*") else content.removesuffix(" *")
        return f"commands that begin with `{prefix}`" if prefix != content else f"the command `{content}`"
    if rule.tool == "WebFetch" and content.startswith("domain:"):
        return f"fetching from {content.removeprefix('domain:')}"
    if rule.tool in DOINGS:
        return f"{DOINGS[rule.tool]} {_place(content)}"
    return f"{tool} of `{content}`"


def _place(pattern: str) -> str:
    """Describe a pattern of paths: with two slashes it begins at the root, with one at the project."""
    inner = pattern.removesuffix("/**")
    path = inner.removeprefix("/") if inner.startswith("//") else inner
    return f"everything in {path}" if inner != pattern else path
