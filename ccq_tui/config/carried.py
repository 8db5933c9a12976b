"""The effects of a project's own files: programs, allowed tools, variables. Read here, never obeyed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ccq_tui.bounded import JSON_BYTES, SETTINGS_BYTES, UnfitFileError, begin, parse_json, parse_toml
from ccq_tui.claude_files import claude_directory

FILES = (".claude/settings.json", ".claude/settings.local.json", ".mcp.json", ".ccq-tui.toml")
"""Files in which a project keeps settings, hooks and MCP servers."""
MOST_BYTES = JSON_BYTES
MOST_EFFECTS = 50
MOST_CHARACTERS = 300
_RUN = ("apiKeyHelper", "awsAuthRefresh", "awsCredentialExport", "gcpAuthRefresh", "otelHeadersHelper")
_HARMLESS = frozenset({"$schema"})


def candidates(directory: Path) -> list[Path]:
    """List the files that a session in a directory would obey, whether they exist or not.

    In a git repository, includes those of parent directories up to its root. Never includes the person's own.
    """
    upwards = [directory, *directory.parents]
    root = next((number for number, place in enumerate(upwards) if (place / ".git").exists()), 0)
    mine = {place / "settings.json" for place in (Path.home() / ".claude", claude_directory())}
    return [path for place in upwards[: root + 1] for name in FILES if (path := place / name) not in mine]


def read(path: Path) -> bytes:
    """Read at most `MOST_BYTES` of a file; an unreadable file counts as empty."""
    try:
        return begin(path, MOST_BYTES)
    except (OSError, UnfitFileError):
        return b""  # the CLI cannot read it either


def effects(path: Path, content: bytes) -> tuple[str, ...]:
    """Describe what a file would do, one effect per line: unsanitised text of bounded length."""
    text = content.decode("utf-8-sig", errors="replace")
    try:
        if path.suffix == ".toml" and len(content) > SETTINGS_BYTES:
            raise UnfitFileError("is too large")
        data = parse_toml(text) if path.suffix == ".toml" else parse_json(text)
    except ValueError:
        return ("cannot be read, so its effects are unknown",)
    if not isinstance(data, Mapping):
        return ()
    if path.suffix == ".toml":
        found = _settings(data, "sets for ccq-tui")
    elif path.name == ".mcp.json":
        found = _servers(data)
    else:
        found = _claude(data)
    lines = [f"{line[:MOST_CHARACTERS]}…" if len(line) > MOST_CHARACTERS else line for line in found]
    if len(lines) > MOST_EFFECTS:
        lines = [*lines[:MOST_EFFECTS], f"… and {len(lines) - MOST_EFFECTS} more"]
    return tuple(lines)


def _claude(data: Mapping[str, Any]) -> Iterator[str]:
    rest = {name: value for name, value in data.items() if name not in _HARMLESS}
    yield from _hooks(_mapping(rest.pop("hooks", None)))
    for name in _RUN:
        if name in rest:
            yield f"runs {_words(rest.pop(name))} ({name})"
    for name in [name for name, value in rest.items() if "command" in _mapping(value)]:
        yield f"runs {_words(_mapping(rest.pop(name))['command'])} ({name})"
    permissions = _mapping(rest.pop("permissions", None))
    for rule in _list(permissions.get("allow")):
        yield f"allows {_words(rule)} unasked"
    for place in _list(permissions.get("additionalDirectories")):
        yield f"lets the agent into {_words(place)}"
    if mode := permissions.get("defaultMode"):
        yield f"starts in {_words(mode)} mode"
    for name, value in _mapping(rest.pop("env", None)).items():
        yield f"sets the variable {name}={_words(value)}"
    yield from _settings(rest, "sets")


def _hooks(hooks: Mapping[str, Any]) -> Iterator[str]:
    for event, matchers in hooks.items():
        for matcher in _list(matchers):
            for hook in _list(_mapping(matcher).get("hooks")):
                said = _mapping(hook)
                what = said.get("command") or said.get("url") or said.get("prompt") or said
                yield f"runs {_words(what)} (hook, {event})"


def _servers(data: Mapping[str, Any]) -> Iterator[str]:
    for name, server in _mapping(data.get("mcpServers")).items():
        said = _mapping(server)
        if "url" in said:
            yield f"connects to {_words(said['url'])} (MCP server {name})"
        else:
            words = " ".join(_words(word) for word in [said.get("command", "?"), *_list(said.get("args"))])
            yield f"runs {words} (MCP server {name})"


def _settings(data: Mapping[str, Any], verb: str) -> Iterator[str]:
    for name, value in data.items():
        yield f"{verb} {name} = {_words(value)}"


def _words(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
