"""Settings from all their sources: files, environment and flags, each with its origin."""

import difflib
import hashlib
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import ValidationError

from ccq_tui.bounded import UnfitFileError, parse_toml, read_text, toml_place
from ccq_tui.choices import PermissionMode
from ccq_tui.config.errors import PROBLEMS, SettingProblem, SettingsError, explain
from ccq_tui.config.paths import expanded, project_config, user_config
from ccq_tui.config.settings import ENV_PREFIX, Settings
from ccq_tui.config.values import is_inline_json

DEFAULT = "default"
FLAGS = {"add_dirs": "--add-dir", "plugin_dirs": "--plugin-dir", "plugin_urls": "--plugin-url"}
NOT_FOR_PROJECTS = "cannot be set by a project's file, which anybody who writes to the repository can change"
OF_PROJECTS = frozenset(
    {
        *("model", "permission_mode", "effort", "cwd", "disallowed_tools", "max_turns", "max_budget_usd"),
        *("questions", "max_question_rounds", "question_previews", "extended_questions", "recall_answers"),
        *("theme", "bell", "notify", "notify_after", "progress", "reduce_motion", "vim_prompt", "log_level"),
        *("park_after", "max_live_sessions", "native_sessions", "repair_records"),
    }
)
"""The settings that a freshly cloned repository may make: none runs a program, grants or hides anything."""


Owner = Literal["project", "user"]
PATHS = ("cwd", "cli_path", "debug_file", "theme")


MOST_NAMED = 20
"""Most unknown names that are reported at a time."""


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A settings file that was read.

    Attributes:
        path: Its path.
        owner: Whether it is the person's own or the project's.
        values: Its settings, with relative paths made absolute from the file's own directory.
        text: Its content.
    """

    path: Path
    owner: Owner
    values: Mapping[str, Any]
    text: str

    @property
    def digest(self) -> str:
        """Digest of its content."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def origin(self, name: str) -> str:
        """Return ``path:line`` of a setting or a key in a table, "table.key"; the path alone if unknown."""
        line, tables = 0, ""
        for key in map(_key, name.split(".")):
            # A key of an inline table ({a = 1, b = 2}) has the table's line.
            line = self._line(tables + key, max(line - 1, 0)) or line
            tables = rf"(?:{tables}{key}\s*\.\s*)?"
        return f"{self.path}:{line}" if line else str(self.path)

    def _line(self, key: str, start: int) -> int:
        """Return the number of the first line with a key from a place on, or 0."""
        lines = self.text.split("\n")[start:]  # as TOML and editors count: not at U+2028 and the like
        pattern = re.compile(rf"\s*\[*\s*{key}\s*[.=\]]")
        return next((number for number, line in enumerate(lines, start + 1) if pattern.match(line)), 0)


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
    anchored = {name: _anchored(name, value, base) for name, value in values.items()}
    return SettingsFile(path, owner, anchored, text)


def unknown_settings(file: SettingsFile, known: Iterable[str]) -> list[SettingProblem]:
    """List a file's unknown settings, each with the name that was probably meant."""
    names = sorted(known)
    problems = []
    for name in islice((name for name in file.values if name not in names), MOST_NAMED):
        close = difflib.get_close_matches(name.replace("-", "_"), names, n=1)
        there_are = "" if file.owner == "project" else f"; there are {', '.join(names)}"
        hint = f"; did you mean {close[0]}?" if close else there_are
        problems.append(SettingProblem(file.origin(name), f"is not a setting{hint}", name))
    return problems


def _key(name: str) -> str:
    return rf"""["']?{re.escape(name)}["']?"""


def _anchored(name: str, value: Any, base: Path) -> Any:
    """Make a setting's relative paths start at the file's directory; leave the rest for the checks."""
    inline = name in ("settings", "mcp_config", "agents")
    if inline or name in ("add_dirs", "plugin_dirs"):
        if isinstance(value, list):
            return [_absolute(item, base, inline=inline) for item in value]
        found = _absolute(value, base, inline=inline)
        # A list, so that the path is not split like a variable's.
        return found if inline or not isinstance(value, str) else [found]
    # A theme of that name, or a program to be found on PATH.
    named = {"theme": not str(value).endswith(".toml"), "cli_path": Path(str(value)).name == value}
    return _absolute(value, base) if name in PATHS and not named.get(name) else value


def _absolute(value: Any, base: Path, *, inline: bool = False) -> Any:
    if not isinstance(value, str) or not value or (inline and is_inline_json(value)):
        return value
    return str(base / expanded(value))


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings in force.

    Attributes:
        settings: Their values.
        origins: For each setting "default", a flag, the name of an environment variable, or ``path:line``.
        files: The settings files that were read, the strongest first.
        warnings: What a project's file has that is not a setting, such as one of a later version.
        project: The project's file, or None.
    """

    settings: Settings
    origins: Mapping[str, str]
    files: tuple[Path, ...]
    warnings: tuple[str, ...] = ()
    project: SettingsFile | None = None


@dataclass(frozen=True, slots=True)
class _Value:
    value: Any
    source: SettingsFile | str

    def origin(self, name: str) -> str:
        """Return where a setting, or a key in a table, comes from."""
        return self.source if isinstance(self.source, str) else self.source.origin(name)


def load_settings(flags: Mapping[str, Any] | None = None, *, project: bool = True) -> Loaded:
    """Load the settings in force: flag, then environment, project file, user file, default.

    Raises `SettingsError` for a file that cannot be read, a value that is not allowed, or an unknown setting
    in the person's own file; in a project's file, that is a warning.
    """
    given = ((name, value) for name, value in (flags or {}).items() if value is not None)
    values = _environment() | {name: _Value(value, _flag_of(name)) for name, value in given}
    files = _files(values, project=project)
    problems: list[SettingProblem] = []
    warnings: list[SettingProblem] = []
    for file in files:
        unknown = unknown_settings(file, Settings.model_fields)
        (warnings if file.owner == "project" else problems).extend(unknown)
        problems += _forbidden(file)
        for name in file.values.keys() & Settings.model_fields.keys() - values.keys():
            values[name] = _Value(file.values[name], file)
    if problems:
        raise SettingsError(problems)
    origins = {
        name: values[name].origin(name) if name in values else DEFAULT for name in Settings.model_fields
    }
    paths = tuple(file.path for file in files)
    of_project = next((file for file in files if file.owner == "project"), None)
    return Loaded(_validated(values), origins, paths, tuple(map(str, warnings)), of_project)


def _flag_of(name: str) -> str:
    """Return the flag of a setting, with its dashes."""
    return FLAGS.get(name, "--" + name.replace("_", "-"))


def _environment() -> dict[str, _Value]:
    """Return the settings in environment variables, as texts; an empty variable counts as not set."""
    fields = {f"{ENV_PREFIX}{name.upper()}": name for name in Settings.model_fields}
    given = ((fields.get(variable.upper()), variable, text) for variable, text in os.environ.items() if text)
    return {name: _Value(text, variable) for name, variable, text in given if name}


def _files(strongest: Mapping[str, _Value], *, project: bool) -> list[SettingsFile]:
    """Read the settings files that exist; the working directory decides the project."""
    start = expanded(strongest["cwd"].value) if "cwd" in strongest else _here()
    found, user = project_config(start) if project else None, user_config()
    files = [read_settings_file(found, "project")] if found else []
    if os.path.exists(user):  # noqa: PTH110 - Path.exists raises below a directory that cannot be entered
        files.append(read_settings_file(user, "user"))
    return files


def _here() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError as error:
        message = "it no longer exists: go to another one, or name one with --cwd"
        raise SettingsError([SettingProblem("working directory", message)]) from error


def _forbidden(file: SettingsFile) -> list[SettingProblem]:
    """Refuse settings that let a freshly cloned repository run programs or grant itself permissions."""
    if file.owner != "project":
        return []
    known = file.values.keys() & Settings.model_fields.keys()
    wrong = {name: "" for name in Settings.model_fields if name in known - OF_PROJECTS}
    mode = file.values.get("permission_mode")
    if mode in get_args(PermissionMode) and mode not in ("default", "manual", "plan"):
        wrong["permission_mode"] = f"{mode} "
    if isinstance(cwd := file.values.get("cwd"), str) and not _inside(cwd, file.path.parent):
        wrong["cwd"] = "a directory outside of the project "
    return [
        SettingProblem(file.origin(name), f"{what}{NOT_FOR_PROJECTS}: use {user_config()}", name)
        for name, what in wrong.items()
    ]


def _inside(path: str, directory: Path) -> bool:
    """Whether a path, links followed, is in a directory."""
    try:
        return expanded(path).resolve().is_relative_to(directory.resolve())
    except (OSError, RuntimeError, ValueError):  # links in a circle, a NUL
        return False


def _validated(values: Mapping[str, _Value]) -> Settings:
    try:
        return Settings(**{name: value.value for name, value in values.items()})
    except ValidationError as error:
        problems = []
        for name, problem in wrong_values(error):
            origin = values[name.partition(".")[0]].origin(name)
            # A flag's own name says which setting it is.
            problems.append(SettingProblem(origin, problem, "" if origin == _flag_of(name) else name))
        raise SettingsError(list(dict.fromkeys(problems))) from error


def wrong_values(error: ValidationError) -> Iterator[tuple[str, str]]:
    """Yield each setting that was refused, "table.key" for one in a table, and what is wrong with it."""
    for entry in error.errors(include_url=False):
        name = str(entry["loc"][0])
        for inner, problem in entry.get("ctx", {}).get(PROBLEMS) or [("", explain(entry))]:
            yield f"{name}.{inner}" if inner else name, problem
