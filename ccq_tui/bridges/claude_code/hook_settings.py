"""Our hooks in a settings file of Claude Code: found, added, removed, and whether what they run works."""

import os
import shlex
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from ccq_tui.bridges.claude_code.hook_input import ELICITATION, PERMISSION
from ccq_tui.claude_files import claude_directory
from ccq_tui.claude_lines import QUESTION_TOOL
from ccq_tui.edited_file import Edit, EditedFile, SettingsFileError, read_object, rewritten
from ccq_tui.processes import own_command
from ccq_tui.text import one_line

TIMEOUT = 86_400
"""Seconds; without a timeout, Claude Code drops a hook after 600."""
PROGRAM, MODULE, COMMAND = "ccq-tui", "ccq_tui", "hook"
ALWAYS = "--always"


class HookWords(NamedTuple):
    """The words of a command that runs our hook.

    Attributes:
        program: The word before those that make it our hook.
        plain: All words but the options.
        options: The words behind, such as ``--wait 2h``.
    """

    program: str
    plain: list[str]
    options: list[str]


@dataclass(frozen=True, slots=True)
class InstalledHook:
    """One of our hooks.

    Attributes:
        event: The event.
        matcher: The tools that it is for, or "" for all.
        command: The command that it runs.
        timeout: Seconds until Claude Code drops it, or None if not given.
    """

    event: str
    matcher: str
    command: str
    timeout: float | None = TIMEOUT

    @property
    def covers(self) -> str:
        """The kinds of requests that it is for, in words."""
        if self.event == ELICITATION:
            return "elicitations"
        if self.event != PERMISSION:
            return self.event
        return "questions" if self.matcher == QUESTION_TOOL else "questions, permissions and plans"

    @property
    def words(self) -> HookWords:
        """The words of the command."""
        return hook_words(self.command) or HookWords("", [], [])

    def entry(self) -> dict[str, Any]:
        """Return the hook in the form of the file."""
        return {"type": "command", "command": self.command, "timeout": self.timeout}


def wanted(
    command: str, *, permissions: bool, elicitation: bool, always: bool = False
) -> list[InstalledHook]:
    """Return the hooks to install: for questions, and if wanted for permissions, plans and elicitations.

    With ``always``, they ask although no ccq-tui is open.
    """
    command += f" {ALWAYS}" * always
    asked = [InstalledHook(PERMISSION, "*" if permissions else QUESTION_TOOL, command)]
    return [*asked, InstalledHook(ELICITATION, "", command)] if elicitation else asked


def installed(text: str) -> list[InstalledHook]:
    """Return our hooks in the text of a file; raises `SettingsFileError` if it is not like settings."""
    return [hook for hook, *_ in _found(_read(text))]


def with_options(hooks: Iterable[InstalledHook], text: str) -> list[InstalledHook]:
    """Return hooks with the options of those in a file for the same event, which a person wrote there.

    Raises `SettingsFileError` if the text is not like settings.
    """
    given = {hook.event: [word for word in hook.words.options if word != ALWAYS] for hook in installed(text)}
    return [
        replace(hook, command=" ".join((hook.command, *map(shlex.quote, given.get(hook.event, ())))))
        for hook in hooks
    ]


def with_hooks(text: str, hooks: list[InstalledHook]) -> str:
    """Return the text of a file with these hooks of ours, and no others of ours.

    Raises `SettingsFileError` if the text is not like settings.
    """
    if sorted(installed(text), key=str) == sorted(hooks, key=str):
        return text
    settings = _read(text)
    for hook, entry, group, event in list(_found(settings)):
        group["hooks"] = [one for one in group["hooks"] if one is not entry]
        if not group["hooks"]:
            event[:] = [one for one in event if one is not group]
        # What becomes empty goes, too.
        if not event:
            del settings["hooks"][hook.event]
        if not settings["hooks"]:
            del settings["hooks"]
    for hook in hooks:
        matcher = {"matcher": hook.matcher} if hook.matcher else {}
        group = {**matcher, "hooks": [hook.entry()]}
        settings.setdefault("hooks", {}).setdefault(hook.event, []).append(group)
    return rewritten(text, settings)


def hooks_edit(file: EditedFile, hooks: list[InstalledHook]) -> Edit:
    """Return the change of a file that leaves these hooks of ours, with the options that stand there."""
    undo = partial(with_hooks, hooks=[])
    return Edit(file, lambda text: with_hooks(text, with_options(hooks, text)), undo)


def _found(
    settings: dict[str, Any],
) -> Iterator[tuple[InstalledHook, dict[str, Any], dict[str, Any], list[Any]]]:
    """Yield each hook of ours with its entry, its group, and the groups of its event."""
    for name, event in settings.get("hooks", {}).items():
        for group in event if isinstance(event, list) else ():
            entries = group.get("hooks") if isinstance(group, dict) else None
            for entry in entries if isinstance(entries, list) else ():
                if (hook := _hook(name, group, entry)) is not None:
                    yield hook, entry, group, event


def _hook(event: str, group: Any, entry: Any) -> InstalledHook | None:
    command = entry.get("command") if isinstance(entry, Mapping) else None
    if not isinstance(command, str) or hook_words(command) is None:
        return None
    matcher, timeout = group.get("matcher"), entry.get("timeout")
    number = timeout if isinstance(timeout, int | float) and not isinstance(timeout, bool) else None
    return InstalledHook(event, matcher if isinstance(matcher, str) else "", command, number)


def hook_words(command: str) -> HookWords | None:
    """Split a command that runs our program, in any directory, as a hook; return None for another."""
    with suppress(ValueError):
        words = shlex.split(command)
        for at, word in enumerate(words):
            name = PurePath(word.replace("\\", "/")).name.removesuffix(".exe")
            behind = [COMMAND] if name == PROGRAM else ["-m", MODULE, COMMAND]
            ends = at + 1 + len(behind)
            if words[at + 1 : ends] == behind:
                return HookWords(word, words[:ends], words[ends:])
    return None


def _read(text: str) -> dict[str, Any]:
    """Read a file, and check that hooks can be found and added in it."""
    settings = read_object(text)
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict):
        raise SettingsFileError('its "hooks" is no JSON object')
    for name in (PERMISSION, ELICITATION):
        if not isinstance(hooks.get(name, []), list):
            raise SettingsFileError(f'its "hooks" has a "{name}" that is no list')
    return settings


def user_settings(environment: Mapping[str, str]) -> EditedFile:
    """Return the settings of the person, for all projects."""
    directory = claude_directory(environment)
    home = directory if environment.get("CLAUDE_CONFIG_DIR") else Path.home()
    return EditedFile(directory / "settings.json", home)


def project_settings(directory: Path) -> EditedFile:
    """Return the settings of a project, for everyone who works in it."""
    return EditedFile(directory / ".claude" / "settings.json", directory, 0o644)


def settings_files(environment: Mapping[str, str], directory: Path) -> list[EditedFile]:
    """Return the settings files that hooks can be in: the person's, then the project's; each file once."""
    user, project = user_settings(environment), project_settings(directory)
    return [user] if user.path == project.path else [user, project]


def hooks_off(environment: Mapping[str, str], directory: Path) -> Path | None:
    """Return the settings file that turns all hooks off for Claude Code in a project, or None."""
    project = project_settings(directory)
    local = replace(project, path=project.path.with_name("settings.local.json"))
    off = None
    for file in (user_settings(environment), project, local):
        with suppress(SettingsFileError):
            disabled = _read(file.read()).get("disableAllHooks")
            if isinstance(disabled, bool):
                off = file.path if disabled else None
    return off


AGAIN = "run ccq-tui hooks install again"


def hook_command() -> str:
    """Return the command for Claude Code."""
    return shlex.join([*own_command(), COMMAND])


def problem_of(hook: InstalledHook, *, off: Path | None) -> str:
    """Say what is wrong with an installed hook and what to do, or "". Its program is not run.

    ``off`` is the settings file that turns all hooks off, or None.
    """
    if off is not None:
        return f"“disableAllHooks” turns it off: take that out of {one_line(str(off), 300)}"
    if shutil.which(os.path.expanduser(hook.words.program)) is None:  # noqa: PTH111 - as a shell does it
        return f"its program is gone: {AGAIN}"
    if hook.timeout is None or hook.timeout < TIMEOUT:
        return f"Claude Code drops it too early: {AGAIN}"
    same = shlex.join(hook.words.plain) == hook_command()
    return "" if same else f"it runs another ccq-tui than this one: {AGAIN}"
