"""The files of a directory, as the prompt offers them, without those that git ignores."""

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from ccq_tui.worktrees.git import GitError, git

MOST_FILES = 200_000
SKIPPED = frozenset(
    {
        ".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv", ".tox", ".nox", ".cache",
        ".mypy_cache", ".ruff_cache", ".pytest_cache", ".gradle", ".idea", ".terraform",
        "target", "dist", "build",
    }
)  # fmt: skip
"""Directories left out if no git says what to leave out."""


def list_files(directory: Path) -> tuple[str, ...]:
    """List the files under a directory and the directories they are in, with a slash; for a thread.

    Names that cannot be typed into a prompt are left out: not UTF-8, control characters, or both a quote
    and a blank.
    """
    names = _from_git(directory)
    if names is None:
        names = _from_walk(directory)
    paths: dict[str, None] = {}
    for name in names:
        if len(paths) >= MOST_FILES:
            break
        if _typable(name):
            paths.update(dict.fromkeys(_parents(name, paths)))
            paths[name] = None
    return tuple(paths)


def untracked_files(directory: Path) -> tuple[str, ...]:
    """Return the files under a directory that git does not know and would add; for a thread."""
    return tuple(filter(_typable, _from_git(directory, "-o") or ()))


def _from_git(directory: Path, which: str = "-co") -> Iterable[str] | None:
    with suppress(GitError):
        return git(
            directory, "ls-files", "-z", "--exclude-standard", "--deduplicate", which, inert=True
        ).split("\0")
    return None


def _from_walk(directory: Path) -> Iterator[str]:
    ends = time.monotonic() + 5.0
    for place, inner, files in os.walk(directory):
        inner[:] = sorted(name for name in inner if name not in SKIPPED)
        here = os.path.relpath(place, directory)
        yield from (name if here == "." else f"{here}/{name}" for name in sorted(files))
        if time.monotonic() > ends:
            return


def _parents(name: str, known: dict[str, None]) -> list[str]:
    """Return the directories of a path that are not known yet, the outermost first."""
    new: list[str] = []
    end = name.rfind("/")
    while end > 0 and name[: end + 1] not in known:
        new.append(name[: end + 1])
        end = name.rfind("/", 0, end)
    return new[::-1]


def _typable(name: str) -> bool:
    return bool(name) and name.isprintable() and not ('"' in name and " " in name)
