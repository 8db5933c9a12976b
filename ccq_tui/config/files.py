"""Settings files: their values, and the line of each setting."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from ccq_tui.bounded import UnfitFileError, parse_toml, read_text, toml_place
from ccq_tui.config.errors import SettingProblem, SettingsError
from ccq_tui.config.paths import expanded
from ccq_tui.config.values import is_inline_json

Owner = Literal["project", "user"]
PATHS = ("cwd", "cli_path", "debug_file")
PATH_LISTS = ("add_dirs", "plugin_dirs")
JSON_OR_PATHS = ("settings", "mcp_config", "agents")
MOST_NAMED = 20
"""Most unknown names that are reported one by one."""
MOST_LINES = 200
"""Most names whose lines are found."""
MOST_PARSED = 500_000
"""Most characters parsed to find those lines: text that only looks like keys would take minutes."""


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A settings file that was read.

    Attributes:
        path: Its path.
        owner: Whether it is the person's own or the project's.
        values: Its settings, with relative paths made absolute from the file's own directory.
        lines: The line of each setting, counted from 1.
    """

    path: Path
    owner: Owner
    values: dict[str, Any] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)

    def origin(self, name: str) -> str:
        """Return ``path:line`` of a setting, or the path alone when the line is unknown."""
        line = self.lines.get(name)
        return f"{self.path}:{line}" if line else str(self.path)


def read_settings_file(path: Path, owner: Owner) -> SettingsFile:
    """Read a TOML file of settings, their values unchecked; raises `SettingsError`."""
    try:
        text = read_text(path)
    except UnfitFileError as error:
        raise SettingsError([SettingProblem(str(path), str(error))]) from error
    try:
        values = parse_toml(text)
    except tomllib.TOMLDecodeError as error:
        cause, line, column = toml_place(error, text)
        message = f"is not TOML: {cause} ({column})" if line else f"is not TOML: {cause}"
        raise SettingsError([SettingProblem(f"{path}:{line}" if line else str(path), message)]) from error
    base = path.parent.absolute()
    return SettingsFile(
        path,
        owner,
        {name: _anchored(name, value, base) for name, value in values.items()},
        _lines(text, values),
    )


def unknown_settings(file: SettingsFile, known: Iterable[str]) -> list[SettingProblem]:
    """List a file's unknown settings, each with the name that was probably meant."""
    names = sorted(known)
    problems = []
    unknown = [name for name in file.values if name not in names]
    for name in unknown[:MOST_NAMED]:
        close = difflib.get_close_matches(name.replace("-", "_"), names, n=1)
        hint = f"; did you mean {close[0]}?" if close else f"; there are {', '.join(names)}"
        problems.append(SettingProblem(file.origin(name), f"is not a setting{hint}", name))
    if len(unknown) > MOST_NAMED:
        more = f"{len(unknown) - MOST_NAMED} more names are not settings either"
        problems.append(SettingProblem(str(file.path), more))
    return problems


def _lines(text: str, values: Mapping[str, Any]) -> dict[str, int]:
    """Find the line of each top-level key, and of each key in a table under it, which is "table.key".

    A line inside a multi-line text or list may only look like a key. The text before it tells them apart: it
    is a whole TOML document only where a statement begins.
    """
    statements = _Statements(text.split("\n"))  # as TOML and editors count: not at U+2028 and the like
    found: dict[str, int] = {}
    for name, value in islice(values.items(), MOST_LINES):
        found |= statements.line_of(name, _key(name), 0)
        for inner in islice(value, MOST_LINES) if isinstance(value, dict) and name in found else ():
            dotted = rf"{_key(name)}\s*\.\s*{_key(inner)}"
            whole = f"{name}.{inner}"
            # A key of an inline table ({a = 1, b = 2}) has the table's line.
            found[whole] = found[name]
            found |= statements.line_of(whole, rf"(?:{dotted}|{_key(inner)})", found[name] - 1)
    return found


def _key(name: str) -> str:
    return rf"""["']?{re.escape(name)}["']?"""


class _Statements:
    """The lines of a TOML file; finds those on which a statement begins."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._begins = {0: True}
        self._left = MOST_PARSED

    def line_of(self, name: str, key: str, start: int) -> dict[str, int]:
        """Return ``{name: line}`` for a key, or {} when its line cannot be found."""
        pattern = re.compile(rf"\s*\[*\s*{key}\s*[.=\]]")
        for number in range(start, len(self._lines)):
            if pattern.match(self._lines[number]) and self._is_begin(number):
                return {name: number + 1}
        return {}

    def _is_begin(self, number: int) -> bool:
        if number not in self._begins:
            if self._left < 0:
                return False
            # From the last known beginning: the text before that is checked already.
            known = max(line for line, begins in self._begins.items() if begins and line < number)
            before = "\n".join(self._lines[known:number])
            self._left -= len(before)
            self._begins[number] = _is_toml(before)
        return self._begins[number]


def _is_toml(text: str) -> bool:
    try:
        parse_toml(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


def _anchored(name: str, value: Any, base: Path) -> Any:
    """Make a setting's relative paths start at the file's directory; leave the rest for the checks."""
    if isinstance(value, list):
        lists = name in PATH_LISTS or name in JSON_OR_PATHS
        return [_absolute(item, base, inline=name in JSON_OR_PATHS) for item in value] if lists else value
    if name in PATH_LISTS and isinstance(value, str):
        return [_absolute(value, base)]  # a list, so that the path is not split like a variable's
    if name in JSON_OR_PATHS:
        return _absolute(value, base, inline=True)
    if name == "theme" and isinstance(value, str) and not value.endswith(".toml"):
        return value
    if name == "cli_path" and isinstance(value, str) and Path(value).name == value:
        return value  # a program's name, to be found on PATH
    return _absolute(value, base) if name in PATHS or name == "theme" else value


def _absolute(value: Any, base: Path, *, inline: bool = False) -> Any:
    if not isinstance(value, str) or not value or (inline and is_inline_json(value)):
        return value
    return str(base / expanded(value))
