"""Lasting permissions that the agent's program suggests, and their meaning in words.

Only a suggested permission can be granted for longer than once: a rule made up here might match less than it
says, or more.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ccq_tui.claude_lines import objects, text
from ccq_tui.text import one_line

RULE_LIMIT = 400
"""Most characters of a rule, or a directory, that can be granted: a longer one cannot be read in a row."""
PLACES = {
    "session": ("For this session", ""),
    "localSettings": ("In this project, always", "kept in .claude/settings.local.json"),
    "projectSettings": ("In this project, always and for everyone", "kept in .claude/settings.json"),
    "userSettings": ("In all projects, always", "kept in your user settings"),
}
"""How long a suggestion holds and where it is kept, by its destination."""
KINDS = ("addRules", "setMode", "addDirectories")
"""The kinds of suggestions that Claude Code was seen to make, and that are offered."""
MODES = {
    "default": ("default", "ask before edits and commands"),
    "acceptEdits": ("accept edits", "accept every file edit"),
    "plan": ("plan", "plan, and change nothing"),
    "auto": ("auto", "let a classifier decide for you"),
    "dontAsk": ("don't ask", "deny whatever needs your permission"),
    "bypassPermissions": ("bypass permissions", "allow everything"),
}
"""The name and the effect of each permission mode."""
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
        kind: Its effect, one of `KINDS` in what is offered.
        destination: Its place: session, localSettings, projectSettings, userSettings.
        rules: The rules added.
        behavior: The effect of the rules: allow, deny or ask; or "".
        mode: The permission mode to go to, or "".
        directories: The directories added.
    """

    kind: str
    destination: str = "session"
    rules: tuple[Rule, ...] = ()
    behavior: str = ""
    mode: str = ""
    directories: tuple[str, ...] = ()


AUTO = Suggestion("setMode", mode="auto")
"""Auto mode for the rest of a session, which only Claude Code's own screen offers: it is not suggested."""


def read_suggestions(raw: Iterable[Any]) -> Iterator[tuple[Suggestion, Any]]:
    """Read suggestions as the agent's program writes them, each with that form; leave out unreadable ones."""
    # Most suggestions to read; Claude Code was never seen to make more than three.
    for one in islice(raw, 20):
        if not isinstance(one, dict):
            continue
        directories = one.get("directories")
        read = Suggestion(
            text(one, "type"),
            text(one, "destination") or "session",
            tuple(Rule(text(rule, "toolName"), text(rule, "ruleContent")) for rule in objects(one, "rules")),
            text(one, "behavior"),
            text(one, "mode"),
            tuple(map(str, directories)) if isinstance(directories, list) else (),
        )
        does_something = read.rules or read.mode or read.directories
        if read.kind and does_something and all(rule.tool for rule in read.rules):
            yield read, one


def written(suggestion: Suggestion) -> dict[str, Any]:
    """Write a suggestion, or a change of mode, for the agent's program."""
    rules = [
        {"toolName": rule.tool, **({"ruleContent": rule.content} if rule.content else {})}
        for rule in suggestion.rules
    ]
    fields = {"rules": rules, "behavior": suggestion.behavior, "mode": suggestion.mode}
    fields["directories"] = list(suggestion.directories)
    given = {name: value for name, value in fields.items() if value}
    return {"type": suggestion.kind, **given, "destination": suggestion.destination}


def is_readable(suggestion: Suggestion, command: str = "") -> bool:
    """Whether it allows something in words that fit into a row, whole; ``command`` as for `what`."""
    if suggestion.kind not in KINDS or suggestion.behavior not in ("", "allow"):
        return False
    parts = (*(rule.content for rule in suggestion.rules), *suggestion.directories)
    return all(len(part) <= RULE_LIMIT or part == command for part in parts)


def what(suggestion: Suggestion, command: str = "") -> str:
    """Describe the grant of a suggestion, harmless to draw; ``command`` is the one it was suggested for."""
    match suggestion.kind:
        case "setMode":
            known = MODES.get(suggestion.mode)
            return known[1] if known else f"go to {one_line(suggestion.mode, 40)} mode"
        case "addDirectories":
            return f"work in {_joined(suggestion.directories)}"
        case _:
            return _joined(_covered(rule, command) for rule in suggestion.rules)


def lasting(suggestion: Suggestion, command: str = "") -> str:
    """Describe a suggestion, harmless to draw: how long it holds, and what it grants."""
    return f"{how_long(suggestion)}: {what(suggestion, command)}"


def granted(suggestion: Suggestion, command: str = "") -> str:
    """Describe what was granted, behind "allowed"; harmless to draw."""
    place, _, time = how_long(suggestion).lower().partition(", ")
    how, mode = f"{time} {place}".strip(), mode_name(suggestion)
    does = what(suggestion, command)
    if suggestion.kind == "addDirectories":
        return f" · {does.replace('work', 'works', 1)} {how}"
    return f" · {mode} {how}" if mode else f" {how}: {does}"


def how_long(suggestion: Suggestion) -> str:
    """Describe how long a suggestion holds; harmless to draw."""
    return PLACES.get(suggestion.destination, (f"In {one_line(suggestion.destination, 60)}", ""))[0]


def kept(suggestion: Suggestion) -> str:
    """Describe where a suggestion is kept, or the mode that it goes to; harmless to draw, or ""."""
    place = PLACES.get(suggestion.destination, ("", ""))[1]
    return " · ".join(part for part in (mode_name(suggestion), place) if part)


def mode_name(suggestion: Suggestion) -> str:
    """Return the known mode that it goes to, or ""."""
    known = MODES.get(suggestion.mode) if suggestion.kind == "setMode" else None
    return f"{known[0]} mode" if known else ""


def _joined(parts: Iterable[str]) -> str:
    return " and ".join(one_line(part, RULE_LIMIT) for part in parts)


def _covered(rule: Rule, command: str) -> str:
    tool, content = one_line(rule.tool, 80), rule.content
    if content and content == command:
        return "exactly this command"
    if tool.startswith("mcp__"):
        tool = tool.removeprefix("mcp__").replace("__", " ", 1)
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
