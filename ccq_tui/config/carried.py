"""The effects of a project's own files: programs, allowed tools, variables. Read here, never obeyed."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ccq_tui.bounded import JSON_BYTES, UnfitFileError, begin, parse_json
from ccq_tui.claude_files import claude_directory
from ccq_tui.config.paths import project_directories

if TYPE_CHECKING:
    from ccq_tui.config.load import SettingsFile

FILES = (".claude/settings.json", ".claude/settings.local.json", ".mcp.json")
"""Files in which a project keeps settings, hooks and MCP servers of Claude Code."""
MOST_EFFECTS = 50
MOST_CHARACTERS = 300
_RUN = ("apiKeyHelper", "awsAuthRefresh", "awsCredentialExport", "gcpAuthRefresh", "otelHeadersHelper")


@dataclass(frozen=True, slots=True)
class CarriedFile:
    """A file of a project that a session would obey.

    Attributes:
        path: The file.
        effects: Its effects, one line each; unsanitised text of bounded length.
    """

    path: Path
    effects: tuple[str, ...]


def carried_files(directory: Path, settings: "SettingsFile | None" = None) -> tuple[CarriedFile, ...]:
    """Read the files with effects that a session in a directory would obey; the person's own are skipped.

    In a git repository, includes those of parent directories up to its root. ``settings`` is the project's
    file of ccq-tui's settings.
    """
    mine = {place / "settings.json" for place in (Path.home() / ".claude", claude_directory())}
    paths = [
        path
        for place in project_directories(directory)
        for name in FILES
        if (path := place / name) not in mine
    ]
    found = [CarriedFile(path, _bounded(_effects(path))) for path in paths]
    if settings is not None:
        found.append(CarriedFile(settings.path, _bounded(_settings(settings.values, "sets for ccq-tui"))))
    return tuple(file for file in found if file.effects)


def _bounded(effects: Iterable[str]) -> tuple[str, ...]:
    lines = [f"{line[:MOST_CHARACTERS]}…" if len(line) > MOST_CHARACTERS else line for line in effects]
    if len(lines) > MOST_EFFECTS:
        lines = [*lines[:MOST_EFFECTS], f"… and {len(lines) - MOST_EFFECTS} more"]
    return tuple(lines)


def _effects(path: Path) -> Iterable[str]:
    try:
        data = parse_json(begin(path, JSON_BYTES).decode("utf-8-sig", errors="replace") or "null")
    except (OSError, UnfitFileError):
        return ()  # the CLI cannot read it either
    except ValueError:
        return ("cannot be read, so its effects are unknown",)
    if not isinstance(data, Mapping):
        return ()
    return _servers(data) if path.name == ".mcp.json" else _claude(data)


def _claude(data: Mapping[str, Any]) -> Iterator[str]:
    rest = {name: value for name, value in data.items() if name != "$schema"}
    yield from _hooks(mapping(rest.pop("hooks", None)))
    for name in [name for name, value in rest.items() if name in _RUN or "command" in mapping(value)]:
        value = rest.pop(name)
        yield f"runs {_words(mapping(value).get('command', value))} ({name})"
    permissions = mapping(rest.pop("permissions", None))
    for rule in _list(permissions.get("allow")):
        yield f"allows {_words(rule)} unasked"
    for place in _list(permissions.get("additionalDirectories")):
        yield f"lets the agent into {_words(place)}"
    if mode := permissions.get("defaultMode"):
        yield f"starts in {_words(mode)} mode"
    for name, value in mapping(rest.pop("env", None)).items():
        yield f"sets the variable {name}={_words(value)}"
    yield from _settings(rest, "sets")


def _hooks(hooks: Mapping[str, Any]) -> Iterator[str]:
    for event, matchers in hooks.items():
        for matcher in _list(matchers):
            for hook in _list(mapping(matcher).get("hooks")):
                entry = mapping(hook)
                what = entry.get("command") or entry.get("url") or entry.get("prompt") or entry
                yield f"runs {_words(what)} (hook, {event})"


def _servers(data: Mapping[str, Any]) -> Iterator[str]:
    for name, server in mapping(data.get("mcpServers")).items():
        entry = mapping(server)
        if "url" in entry:
            yield f"connects to {_words(entry['url'])} (MCP server {name})"
        else:
            words = " ".join(_words(word) for word in [entry.get("command", "?"), *_list(entry.get("args"))])
            yield f"runs {words} (MCP server {name})"


def _settings(data: Mapping[str, Any], verb: str) -> Iterator[str]:
    for name, value in data.items():
        yield f"{verb} {name} = {_words(value)}"


def _words(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def mapping(value: Any) -> Mapping[str, Any]:
    """Return a value of JSON if it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
