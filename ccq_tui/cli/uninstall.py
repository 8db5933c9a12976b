"""The command that takes out what ccq-tui wrote, in files of other programs too, before it is removed."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import click

from ccq_tui.bridges.claude_code.hook_settings import hooks_edit, project_settings, user_settings
from ccq_tui.bridges.mcp.entries import SETUPS, entry_edit
from ccq_tui.cli.edits import changed, noted_directories, yes_flag
from ccq_tui.cli.exits import Refused
from ccq_tui.cli.store import opened_store
from ccq_tui.config.paths import config_dir, log_dir, state_dir
from ccq_tui.edited_file import Edit, EditedFile, SettingsFileError
from ccq_tui.forms.post_commit import HookChange, uninstalling
from ccq_tui.installation import remove_command
from ccq_tui.output import echo
from ccq_tui.processes import alive
from ccq_tui.remote.phone.service import installed_service
from ccq_tui.text import one_line
from ccq_tui.words import plural
from ccq_tui.worktrees.git import GitError

_MOST_SESSIONS = 100_000
_COMPLETION = re.compile(r'^eval "\$\(ccq-tui completion \w*\)"[ \t]*\n?', re.MULTILINE)
STAYS = "Records of reflections and forms, worktrees, and what you allowed in projects stay."


@click.command()
@click.option("--keep-data", is_flag=True, help="Keep the inbox, the settings and the log.")
@yes_flag
def uninstall(keep_data: bool, yes: bool) -> None:
    """Undo what ccq-tui wrote: hooks, MCP entries, completion, services, inbox and settings.

    All of it is shown first. Hooks are found in every project of the inbox, and where ccq-tui
    installed them. The program itself stays: the last line says how to remove it.
    """
    directories, waiting = _known()
    service = installed_service(sys.platform)
    if not (keep_data or service):
        _require_closed()
    repositories = list(_repositories(directories))
    edits = [edit for change in repositories for edit in change.edits]
    edits += _with_ours(_files(directories))
    data = [] if keep_data else [one for one in (config_dir(), state_dir(), log_dir()) if one.exists()]
    data = [one for one in data if not any(one.is_relative_to(other) for other in data if other != one)]
    more = [f"in {change.top}: {line}" for change in repositories for line in change.more]
    more += [f"stop and remove the service {service[0]}"] if service else []
    more += [f"delete {one}{waiting if one == state_dir() else ''}" for one in data]
    remove = f"To remove the program: {remove_command()}"
    if not changed(edits, yes=yes, same="There is nothing of ccq-tui", more=more):
        if not (edits or more):
            echo(remove)
        return
    for change in repositories:
        change.finish()
    if service:
        with suppress(OSError):
            subprocess.run(service[1], check=False, capture_output=True)  # noqa: S603 - fixed words
        service[0].unlink(missing_ok=True)
    if data:
        _require_closed()
    for one in data:
        shutil.rmtree(one)
    echo(f"Done. {STAYS} {remove}")


def _known() -> tuple[list[Path], str]:
    """Return all directories in which something may be, and what waits in the inbox, in words."""
    with opened_store() as store:
        sessions = store.sessions.page(limit=_MOST_SESSIONS)
        waiting = len(store.requests.waiting())
    words = [plural(len(sessions), "session"), f"{plural(waiting, 'request')} waiting"]
    directories = [Path.cwd(), *noted_directories(), *(Path(one.directory) for one in sessions)]
    there = [one for one in dict.fromkeys(directories) if one.is_absolute() and os.path.isdir(one)]  # noqa: PTH112
    return there, f" with the inbox: {', '.join(words)}"


def _require_closed() -> None:
    """Raise `Refused` while a program works with the inbox; name each, by a session of it if it has one."""
    with opened_store() as store:
        open_by = dict.fromkeys(store.listeners.running(), "")
        for session in store.sessions.page(limit=_MOST_SESSIONS):
            if session.owner is not None and alive(session.owner):
                open_by[session.owner] = f" with “{session.name or session.id}” in {session.directory}"
    if open_by:
        named = "; ".join(one_line(f"process {one.pid}{about}", 200) for one, about in open_by.items())
        raise Refused(f"a ccq-tui is open: {named}. Quit it, and end “ccq-tui phone” and “ccq-tui serve”.")


def _repositories(directories: Iterable[Path]) -> Iterator[HookChange]:
    """Yield what takes out git hooks, each file once: worktrees have them in common."""
    seen: set[Path] = set()
    for directory in directories:
        with suppress(GitError):
            change = uninstalling(directory)
            change.edits[:] = [edit for edit in change.edits if edit.file.path not in seen]
            seen |= {edit.file.path for edit in change.edits}
            if change.top not in seen and (change.edits or change.more):
                seen.add(change.top)
                yield change


def _files(directories: Iterable[Path]) -> Iterator[Edit]:
    """Yield what takes out what is ours of each file in which it may be."""
    for file in (user_settings(os.environ), *map(project_settings, directories)):
        yield hooks_edit(file, [])
    for client in SETUPS:
        yield entry_edit(client, None)
    home, config = Path.home(), Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    zsh = Path(os.environ.get("ZDOTDIR") or home)
    undo: Callable[[str], str] = partial(_COMPLETION.sub, "")
    for path in (home / ".bashrc", home / ".bash_profile", home / ".profile", zsh / ".zshrc"):
        yield Edit(EditedFile(path, home), undo, undo)
    yield Edit(EditedFile(config / "fish/completions/ccq-tui.fish", config), lambda _: "", lambda _: "")


def _with_ours(edits: Iterable[Edit]) -> Iterator[Edit]:
    seen: set[Path] = set()
    for edit in edits:
        if (target := edit.file.path.resolve()) in seen or not target.exists():
            continue
        seen.add(target)
        problem = ""
        try:
            text = edit.file.read()
            if edit.undo(text) != text:
                yield edit
            elif "ccq-tui completion" in text:
                problem = "take out “ccq-tui completion” yourself"
        except SettingsFileError as error:
            problem = str(error)
        if problem:
            echo(f"{one_line(str(edit.file.path), 300)} stays as it is: {problem}.", err=True)
