"""Our hooks in a settings file of Claude Code: found, added and removed; everything else stays as it is."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any

from ccq_tui.bounded import parse_json
from ccq_tui.bridges.edited_file import PROJECT, USER, EditedFile, SettingsFileError
from ccq_tui.bridges.json_text import TextSpan, places, replaced, with_item, with_member, without
from ccq_tui.claude_files import claude_directory

TIMEOUT = 86_400
"""Seconds; without a timeout, Claude Code drops a hook after 600."""
PROGRAM, MODULE, COMMAND = "ccq-tui", "ccq_tui", "hook"
ALWAYS = "--always"
QUESTIONS, EVERYTHING = "AskUserQuestion", "*"
PERMISSION, ELICITATION = "PermissionRequest", "Elicitation"


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
        return "questions" if self.matcher == QUESTIONS else "questions, permissions and plans"

    @property
    def program(self) -> str:
        """The program that it runs: the word before those that make it our hook."""
        words = _words(self.command)
        return words[_ours(words)]

    @property
    def options(self) -> list[str]:
        """The words after those that make it our hook, such as ``--wait 2h``."""
        words = _words(self.command)
        return words[words.index(COMMAND, _ours(words)) + 1 :]

    @property
    def plain(self) -> InstalledHook:
        """The hook without its options."""
        words = _words(self.command)
        return replace(self, command=shlex.join(words[: words.index(COMMAND, _ours(words)) + 1]))

    def entry(self) -> dict[str, Any]:
        """Return the hook in the form of the file."""
        return {"type": "command", "command": self.command, "timeout": self.timeout}

    def group(self) -> dict[str, Any]:
        """Return the hook with its matcher, in the form of the file."""
        return {**({"matcher": self.matcher} if self.matcher else {}), "hooks": [self.entry()]}


def wanted(
    command: str, *, permissions: bool, elicitation: bool, always: bool = False
) -> list[InstalledHook]:
    """Return the hooks to install: for questions, and if wanted for permissions, plans and elicitations.

    With ``always``, they ask although no ccq-tui is open.
    """
    command += f" {ALWAYS}" * always
    asked = [InstalledHook(PERMISSION, EVERYTHING if permissions else QUESTIONS, command)]
    return [*asked, InstalledHook(ELICITATION, "", command)] if elicitation else asked


def installed(text: str) -> list[InstalledHook]:
    """Return our hooks in the text of a file; raises `SettingsFileError` if it is not like settings."""
    return [hook for hook, *_ in _found(_read(text))] if text.strip() else []


def with_options(hooks: Iterable[InstalledHook], text: str) -> list[InstalledHook]:
    """Return hooks with the options of those in a file for the same event, which a person wrote there.

    Raises `SettingsFileError` if the text is not like settings.
    """
    given = {hook.event: [word for word in hook.options if word != ALWAYS] for hook in installed(text)}
    return [
        replace(hook, command=" ".join((hook.command, *map(shlex.quote, given.get(hook.event, ())))))
        for hook in hooks
    ]


def turns_off(text: str) -> bool | None:
    """Return whether a file turns all hooks off, or None if it does not say.

    Raises `SettingsFileError` if the text is not like settings.
    """
    said = _read(text).members.get("disableAllHooks") if text.strip() else None
    return said.value if said is not None and isinstance(said.value, bool) else None


def with_hooks(text: str, hooks: list[InstalledHook]) -> str:
    """Return the text of a file with these hooks of ours, and no others of ours.

    Raises `SettingsFileError` if the text is no JSON, or not like settings.
    """
    if not text.strip():
        if not hooks:
            return text
        text = "{}\n"
    left = list(hooks)
    while (changed := _step(text, left)) != text:
        text = changed
    for hook in left:
        text = _with(text, hook)
    return text


def _step(text: str, left: list[InstalledHook]) -> str:
    """Change or remove one hook that is not in ``left``; remove from ``left`` the hooks already there."""
    kept = list(left)
    for hook, entry, group, event, hooks, root in _found(_read(text)):
        if hook in kept and entry.value == hook.entry():
            kept.remove(hook)
            continue
        same = next((one for one in kept if (one.event, one.matcher) == (hook.event, hook.matcher)), None)
        if same is not None:
            return replaced(text, entry, same.entry())
        return _without(text, entry, group, event, hooks, root)
    left[:] = kept
    return text


def _without(
    text: str, entry: TextSpan, group: TextSpan, event: TextSpan, hooks: TextSpan, root: TextSpan
) -> str:
    """Remove an entry, with everything that becomes empty."""
    if len(group.members["hooks"].items) > 1:
        return without(text, group.members["hooks"], entry)
    if len(event.items) > 1:
        return without(text, event, group)
    if len(hooks.members) > 1:
        return without(text, hooks, event)
    return without(text, root, hooks)


def _with(text: str, hook: InstalledHook) -> str:
    root = _read(text)
    hooks = root.members.get("hooks")
    if hooks is None:
        return with_member(text, root, "hooks", {hook.event: [hook.group()]})
    event = hooks.members.get(hook.event)
    if event is None:
        return with_member(text, hooks, hook.event, [hook.group()])
    return with_item(text, event, hook.group())


def _found(
    root: TextSpan,
) -> Iterator[tuple[InstalledHook, TextSpan, TextSpan, TextSpan, TextSpan, TextSpan]]:
    """Yield each hook of ours with the spans of its entry, group and event, of all hooks, and of the root."""
    hooks = root.members.get("hooks")
    for name, event in hooks.members.items() if hooks else ():
        for group in event.items:
            entries = group.members.get("hooks")
            for entry in entries.items if entries else ():
                if (hook := _hook(name, group.value, entry.value)) is not None:
                    yield hook, entry, group, event, hooks, root  # type: ignore[misc]  # there is one


def _hook(event: str, group: Any, entry: Any) -> InstalledHook | None:
    command = entry.get("command") if isinstance(entry, Mapping) else None
    if not isinstance(command, str) or _ours(_words(command)) < 0:
        return None
    matcher, timeout = group.get("matcher"), entry.get("timeout")
    number = timeout if isinstance(timeout, int | float) and not isinstance(timeout, bool) else None
    return InstalledHook(event, matcher if isinstance(matcher, str) else "", command, number)


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return []


def _ours(words: list[str]) -> int:
    """Return the index of the word of a command that is our program, in any directory; -1 if none is."""
    for at, word in enumerate(words[:-1]):
        name = PurePath(word.replace("\\", "/")).name
        if name.removesuffix(".exe") == PROGRAM and words[at + 1] == COMMAND:
            return at
        if words[at + 1 : at + 4] == ["-m", MODULE, COMMAND]:
            return at
    return -1


def _read(text: str) -> TextSpan:
    """Read a file, and check that hooks can be found and added in it."""
    try:
        parse_json(text)
    except json.JSONDecodeError as error:
        raise SettingsFileError(_problem(text, error)) from error
    except ValueError as error:
        raise SettingsFileError(str(error)) from error
    root = places(text)
    if not isinstance(root.value, dict):
        raise SettingsFileError("it is no JSON object")
    hooks = root.members.get("hooks")
    if "hooks" in root.twice:
        raise SettingsFileError('it has "hooks" twice: Claude Code reads the last one alone')
    if hooks is None:
        return root
    if not isinstance(hooks.value, dict):
        raise SettingsFileError('its "hooks" is no JSON object')
    for name in (PERMISSION, ELICITATION):
        event = hooks.members.get(name)
        if name in hooks.twice:
            raise SettingsFileError(f'its "hooks" has "{name}" twice: Claude Code reads the last one alone')
        if event is not None and not isinstance(event.value, list):
            raise SettingsFileError(f'its "hooks" has a "{name}" that is no list')
    return root


def _problem(text: str, error: json.JSONDecodeError) -> str:
    if text.startswith("\ufeff"):
        return "it begins with a byte order mark, which JSON does not have: save it without"
    line = text.splitlines()[error.lineno - 1] if error.lineno <= len(text.splitlines()) else ""
    if line.lstrip().startswith(("//", "/*", "#")) or text[error.pos : error.pos + 2] in ("//", "/*"):
        return f"line {error.lineno} is a comment, which JSON does not have: take it out"
    return f"line {error.lineno} is no JSON: {error.msg.lower()}, at character {error.colno}"


def user_settings(environment: Mapping[str, str]) -> EditedFile:
    """Return the settings of the person, for all projects."""
    directory = claude_directory(environment)
    home = directory if environment.get("CLAUDE_CONFIG_DIR") else Path.home()
    return EditedFile(USER, directory / "settings.json", home)


def project_settings(directory: Path) -> EditedFile:
    """Return the settings of a project, for everyone who works in it."""
    return EditedFile(PROJECT, directory / ".claude" / "settings.json", directory)


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
            if (said := turns_off(file.read())) is not None:
                off = file.path if said else None
    return off
