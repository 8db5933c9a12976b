"""Commands that let Claude Code's own sessions ask in the inbox: they edit its settings files."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ccq_tui import __version__
from ccq_tui.cli.exits import ENDED, Refused
from ccq_tui.output import Styled, echo
from ccq_tui.text import one_line

if TYPE_CHECKING:
    from ccq_tui.bridges.claude_code.hook_settings import InstalledHook
    from ccq_tui.bridges.claude_code.settings_file import ClaudeSettingsFile

AnyCallable = TypeVar("AnyCallable", bound=Callable[..., Any])
_yes = click.option("--yes", is_flag=True, help="Change the file without asking.")


def _scoped(function: AnyCallable) -> AnyCallable:
    """Give a command the flags that choose the settings file."""
    project = click.option(
        "--project", is_flag=True, help="This project's settings: .claude/settings.json here."
    )
    user = click.option("--user", is_flag=True, help="Your settings, for all projects: the default.")
    return user(project(function))


@click.group()
def hooks() -> None:
    """Let Claude Code's own sessions ask in the inbox, too.

    Their dialogs stay; the first answer, there or here, counts: docs/bridges.md.
    """


@hooks.command()
@_scoped
@click.option("--permissions", is_flag=True, help="Permissions and plans too, not only questions.")
@click.option("--elicitation", is_flag=True, help="Forms of MCP servers too.")
@_yes
def install(user: bool, project: bool, permissions: bool, elicitation: bool, yes: bool) -> int:
    """Add the hooks to Claude Code's settings, or make those there what the flags say.

    The change is shown first. The rest of the file stays, and a copy of the file is kept beside it.
    """
    from ccq_tui.bridges.claude_code.hook_program import hook_command
    from ccq_tui.bridges.claude_code.hook_settings import wanted
    from ccq_tui.bridges.claude_code.settings_file import hooks_off

    file = _one_file(user, project)
    hooks = wanted(hook_command(), permissions=permissions, elicitation=elicitation)
    if not _change(file, hooks, yes=yes, same="The hooks are installed already"):
        return ENDED
    echo(f"Installed in {one_line(str(file.path), 300)}: {', '.join(hook.covers for hook in hooks)}.")
    if (off := hooks_off(os.environ, Path.cwd())) is not None:
        echo(f"“disableAllHooks” turns all hooks off: take that out of {one_line(str(off), 300)}.")
        return ENDED
    echo("Sessions of Claude Code that run already take them over; they ask here while a ccq-tui is open.")
    return ENDED


@hooks.command()
@_scoped
@_yes
def uninstall(user: bool, project: bool, yes: bool) -> int:
    """Take the hooks out of Claude Code's settings; what else the file holds stays."""
    file = _one_file(user, project)
    if _change(file, [], yes=yes, same="There are none of ours"):
        echo(f"Taken out of {one_line(str(file.path), 300)}.")
    return ENDED


@hooks.command()
@_scoped
def status(user: bool, project: bool) -> int:
    """Say what is installed where, and whether it works."""
    from ccq_tui.bridges.claude_code.hook_program import problem_of
    from ccq_tui.bridges.claude_code.hook_settings import SettingsFileError, installed
    from ccq_tui.bridges.claude_code.settings_file import USER, hooks_off, settings_files

    failed, off = False, hooks_off(os.environ, Path.cwd())
    both = user == project
    for file in settings_files(os.environ, Path.cwd()) if both else [_one_file(user, project)]:
        where = f"{file.scope:<9}{one_line(str(file.path), 300)}: "
        try:
            found = installed(file.read())
        except SettingsFileError as error:
            failed = True
            echo(f"{where}{error}")
            continue
        if not found:
            echo(where, Styled("not installed", dim=True))
        for hook in found:
            stands = problem_of(hook, trusted=file.scope == USER, off=off) or f"works, version {__version__}"
            echo(f"{where}{hook.covers} · {one_line(hook.command, 300)} · {stands}")
    return Refused.exit_code if failed else ENDED


def _one_file(user: bool, project: bool) -> ClaudeSettingsFile:
    from ccq_tui.bridges.claude_code.settings_file import ClaudeSettingsFile

    if user and project:
        raise Refused("--user and --project exclude each other: give one.")
    return ClaudeSettingsFile.of_project(Path.cwd()) if project else ClaudeSettingsFile.of_user(os.environ)


def _change(file: ClaudeSettingsFile, hooks: list[InstalledHook], *, yes: bool, same: str) -> bool:
    """Show the change to a file, ask, and write it; return whether it was written."""
    from ccq_tui.bridges.claude_code.hook_settings import SettingsFileError, with_hooks, with_options

    try:
        before = file.read()
        after = with_hooks(before, with_options(hooks, before))
        if after == before:
            echo(f"{same}: {one_line(str(file.path), 300)} stays as it is.")
            return False
        for line in file.change(before, after):
            echo(Styled(line, color={"+": "green", "-": "red"}.get(line[:1])))
        if not (yes or _agreed()):
            echo("Nothing was changed.")
            return False
        backup = file.write(before, after)
    except SettingsFileError as error:
        raise Refused(f"{one_line(str(file.path), 300)}: {error}; nothing was changed.") from error
    if backup is not None:
        echo(f"The file before the change is {one_line(str(backup), 300)}.")
    return True


def _agreed() -> bool:
    if not (sys.stdin is not None and sys.stdin.isatty()):
        raise Refused("there is no terminal to ask in: give --yes to change the file.")
    echo("Change the file? [y/N] ")
    return sys.stdin.readline().strip().casefold() in ("y", "yes")
