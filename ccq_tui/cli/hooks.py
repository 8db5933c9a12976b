"""Commands that let Claude Code's own sessions ask in the inbox: they edit its settings files."""

import os
from pathlib import Path

import click

from ccq_tui import DOCS
from ccq_tui.bridges.claude_code import hook_settings
from ccq_tui.cli.edits import changed, note_directory, yes_flag
from ccq_tui.cli.exits import Refused
from ccq_tui.cli.options import switch, with_flags
from ccq_tui.edited_file import EditedFile
from ccq_tui.output import echo
from ccq_tui.text import one_line

_scoped = with_flags(
    switch("--user", "Your settings, for all projects: the default."),
    switch("--project", "This project's settings: .claude/settings.json here."),
)


@click.group(epilog=f"More: {DOCS}/bridges.md")
def hooks() -> None:
    """Let Claude Code's own sessions ask in the inbox, too.

    Their dialogs stay; the first answer, there or here, counts.
    """


@hooks.command()
@_scoped
@click.option("--permissions", is_flag=True, help="Permissions and plans too, not only questions.")
@click.option("--elicitation", is_flag=True, help="Forms of MCP servers too.")
@click.option(
    "--always", is_flag=True, help="Ask also while no ccq-tui is open; a hook then waits for hours."
)
@yes_flag
def install(user: bool, project: bool, permissions: bool, elicitation: bool, always: bool, yes: bool) -> None:
    """Add the hooks to Claude Code's settings, or change them.

    Those that are there become what the flags say. The change is shown first. The rest of the
    file stays, and a copy of the file is kept beside it.
    """
    file = _one_file(user, project)
    command = hook_settings.hook_command()
    hooks = hook_settings.wanted(command, permissions=permissions, elicitation=elicitation, always=always)
    if not changed([hook_settings.hooks_edit(file, hooks)], yes=yes, same="The hooks are installed already"):
        return
    if project:
        note_directory(Path.cwd())
    echo(f"Installed in {one_line(str(file.path), 300)}: {', '.join(hook.covers for hook in hooks)}.")
    if (off := hook_settings.hooks_off(os.environ, Path.cwd())) is not None:
        echo(f"“disableAllHooks” turns all hooks off: take that out of {one_line(str(off), 300)}.")
        return
    when = "at any time" if always else "while a ccq-tui is open"
    echo(f"Sessions of Claude Code that run already take them over; they ask here {when}.")


@hooks.command()
@_scoped
@yes_flag
def uninstall(user: bool, project: bool, yes: bool) -> None:
    """Take the hooks out of Claude Code's settings. The rest of the file stays."""
    file = _one_file(user, project)
    if changed([hook_settings.hooks_edit(file, [])], yes=yes, same="The hooks are not installed"):
        echo(f"Taken out of {one_line(str(file.path), 300)}.")


def _one_file(user: bool, project: bool) -> EditedFile:
    if user and project:
        raise Refused("--user and --project exclude each other: give one.")
    return hook_settings.project_settings(Path.cwd()) if project else hook_settings.user_settings(os.environ)
