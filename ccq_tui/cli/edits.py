"""The change of another program's settings file: shown, agreed to, and made with a backup."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable

import click

from ccq_tui.bridges.edited_file import EditedFile, SettingsFileError
from ccq_tui.cli.exits import Refused
from ccq_tui.output import Styled, echo
from ccq_tui.text import one_line

yes_flag = click.option("--yes", is_flag=True, help="Change the file without asking.")


def changed(file: EditedFile, change: Callable[[str], str], *, yes: bool, same: str) -> bool:
    """Show the change to a file, ask, and write it; return whether it was written."""
    try:
        before = file.read()
        after = change(before)
        if after == before:
            echo(f"{same}: {one_line(str(file.path), 300)} stays as it is.")
            return False
        texts, name = (before.splitlines(), after.splitlines()), str(file.path)
        for line in difflib.unified_diff(*texts, name, name, lineterm=""):
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
