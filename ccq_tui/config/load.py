"""Settings from all their sources, with the origin of each value."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from pydantic import ValidationError

from ccq_tui.choices import PermissionMode
from ccq_tui.config.claude_flags import ClaudeFlags
from ccq_tui.config.errors import SettingProblem, SettingsError, explain
from ccq_tui.config.files import SettingsFile, read_settings_file, unknown_settings
from ccq_tui.config.keymap import key_problems
from ccq_tui.config.paths import expanded, project_config, user_config
from ccq_tui.config.settings import ENV_PREFIX, Settings

DEFAULT = "default"
FLAGS = {"add_dirs": "--add-dir", "plugin_dirs": "--plugin-dir", "plugin_urls": "--plugin-url"}
NOT_FOR_PROJECTS = "cannot be set by a project's file, which anybody who writes to the repository can change"
PERSONAL = (
    "cli_path",  # runs
    "settings",  # has hooks, which run
    "mcp_config",  # has commands, which run
    "allowed_tools",  # lets tools run unasked
    "add_dirs",  # gives the agent the person's other files
    "append_system_prompt",  # steers the agent without being seen
    "question_timeout",  # ends a question without the person
    "on_question_timeout",  # the same
    "session_timeout",  # ends the person's session
    "prune_after",  # deletes the person's answers
    "status_line",  # a command that the person switched off
    "keys",  # lets a key decide that was meant for something else
    *ClaudeFlags.model_fields,  # run, steer, allow, or switch off what protects
)
"""Settings that a freshly cloned repository must not make."""
HARMLESS_MODES = ("default", "manual", "plan")


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings in force.

    Attributes:
        settings: Their values.
        origins: For each setting "default", a flag, the name of an environment variable, or ``path:line``.
        files: The settings files that were read, the strongest first.
    """

    settings: Settings
    origins: Mapping[str, str]
    files: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class _Value:
    value: Any
    origin: str


def load_settings(flags: Mapping[str, Any] | None = None, *, project: bool = True) -> Loaded:
    """Load the settings in force: flag, then environment, project file, user file, default.

    Raises `SettingsError` for a file that cannot be read, an unknown setting, or a value that is not
    allowed.
    """
    given = {name: _Value(value, flag_of(name)) for name, value in (flags or {}).items() if value is not None}
    strongest = given | {name: value for name, value in _environment().items() if name not in given}
    files = _files(strongest, project=project)
    problems = [problem for file in files for problem in unknown_settings(file, Settings.model_fields)]
    values = dict(strongest)
    for file in files:
        problems += _forbidden(file)
        problems += _wrong_keys(file, values)
        for name in file.values.keys() & Settings.model_fields.keys() - values.keys():
            values[name] = _Value(file.values[name], file.origin(name))
    if problems:
        raise SettingsError(problems)
    origins = {name: values[name].origin if name in values else DEFAULT for name in Settings.model_fields}
    return Loaded(_validated(values), origins, tuple(file.path for file in files))


def flag_of(name: str) -> str:
    """Return the flag of a setting, with its dashes."""
    return FLAGS.get(name, "--" + name.replace("_", "-"))


def _environment() -> dict[str, _Value]:
    """Return the settings in environment variables, as texts; an empty variable counts as not set."""
    fields = {f"{ENV_PREFIX}{name.upper()}": name for name in Settings.model_fields}
    given = ((fields.get(variable.upper()), variable, text) for variable, text in os.environ.items() if text)
    return {name: _Value(text, variable) for name, variable, text in given if name}


def _files(strongest: Mapping[str, _Value], *, project: bool) -> list[SettingsFile]:
    """Read the settings files that exist; the working directory decides the project."""
    start = Path.cwd()
    if "cwd" in strongest:
        start = expanded(strongest["cwd"].value)
    found, user = project_config(start) if project else None, user_config()
    files = [read_settings_file(found, "project")] if found else []
    if user.exists():
        files.append(read_settings_file(user, "user"))
    return files


def _forbidden(file: SettingsFile) -> list[SettingProblem]:
    """Refuse settings that let a freshly cloned repository run programs or grant itself permissions."""
    if file.owner != "project":
        return []
    wrong = {name: "" for name in PERSONAL if name in file.values}
    mode = file.values.get("permission_mode")
    if mode in get_args(PermissionMode) and mode not in HARMLESS_MODES:
        wrong["permission_mode"] = f"{mode} "
    if isinstance(cwd := file.values.get("cwd"), str) and not _inside(cwd, file.path.parent):
        wrong["cwd"] = "a directory outside of the project "
    return [
        SettingProblem(file.origin(name), f"{what}{NOT_FOR_PROJECTS}: use {user_config()}", name)
        for name, what in wrong.items()
    ]


def _wrong_keys(file: SettingsFile, stronger: Mapping[str, _Value]) -> list[SettingProblem]:
    """Report each wrong key of a file with its line."""
    keys = file.values.get("keys")
    if keys is None or "keys" in stronger or file.owner == "project":
        return []
    return [
        SettingProblem(
            file.origin(f"keys.{name}" if name else "keys"), message, f"keys.{name}" if name else "keys"
        )
        for name, message in key_problems({"preset": keys} if isinstance(keys, str) else keys)
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
        for entry in error.errors(include_url=False):
            name = str(entry["loc"][0])
            origin = values[name].origin
            # A flag's own name says which setting it is.
            problems.append(SettingProblem(origin, explain(entry), "" if origin == flag_of(name) else name))
        raise SettingsError(list(dict.fromkeys(problems))) from error
