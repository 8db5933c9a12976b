"""Changes of files that ccq-tui did not make alone: shown, agreed to, and made with a backup."""

import difflib
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import click

from ccq_tui.cli.exits import Refused
from ccq_tui.config.paths import state_dir
from ccq_tui.edited_file import Edit, EditedFile, SettingsFileError
from ccq_tui.output import Styled, echo
from ccq_tui.stored import write_whole
from ccq_tui.text import one_line

yes_flag = click.option("--yes", is_flag=True, help="Make the change without asking.")


def noted_directories() -> list[Path]:
    """Return the repositories and projects in which ccq-tui changed files."""
    with suppress(OSError, ValueError):
        return [Path(one) for one in _noted().read_text(encoding="utf-8").splitlines()]
    return []


def note_directory(directory: Path) -> None:
    """Remember a repository or project in which ccq-tui changed files, for ``ccq-tui uninstall``."""
    directories = list(dict.fromkeys([*map(str, noted_directories()), str(directory)]))
    with suppress(OSError):
        write_whole(_noted(), "\n".join(directories))


def _noted() -> Path:
    return state_dir() / "changed-directories"


def changed(edits: Sequence[Edit], *, yes: bool, same: str, more: Sequence[str] = ()) -> bool:
    """Show changes, ask, and write them; return whether they are written.

    Args:
        edits: The changes of files.
        yes: Whether a person has agreed already.
        same: What to say if nothing is to be changed.
        more: Lines about what the caller changes beside files.
    """
    texts = []
    for edit in edits:
        with _refusing(edit.file):
            before = edit.file.read()
            after = edit.file.left(edit.change(before))
            if after != before:
                texts.append((edit.file, before, after, edit.undo(before) == before))
    if not texts and not more:
        where = f": {one_line(str(edits[0].file.path), 300)} stays as it is" if edits else ""
        echo(f"{same}{where}.")
        return False
    for file, before, after, _ in texts:
        name = str(file.path)
        for line in difflib.unified_diff(
            before.splitlines(), after.splitlines(), name, name if after else "/dev/null", lineterm=""
        ):
            echo(Styled(line, color={"+": "green", "-": "red"}.get(line[:1])))
    for line in more:
        echo(one_line(line, 500))
    if not (yes or _agreed("Change " + ("the file" if len(texts) == 1 and not more else "this"))):
        echo("Nothing was changed.")
        return False
    for file, before, after, first in texts:
        with _refusing(file):
            backup = file.write(before, after, first=first)
        if backup is not None:
            echo(f"The file before ccq-tui is {one_line(str(backup), 300)}.")
    return True


@contextmanager
def _refusing(file: EditedFile) -> Iterator[None]:
    try:
        yield
    except SettingsFileError as error:
        raise Refused(f"{one_line(str(file.path), 300)}: {error}; nothing was changed.") from error


def _agreed(question: str) -> bool:
    if not (sys.stdin is not None and sys.stdin.isatty()):
        raise Refused("there is no terminal to ask in: give --yes to change the file.")
    echo(f"{question}? [y/N] ")
    return sys.stdin.readline().strip().casefold() in ("y", "yes")
