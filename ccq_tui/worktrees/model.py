"""A worktree: its name, its place, and whether ccq-tui made it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ccq_tui.bounded import begin
from ccq_tui.worktrees.names import branch_of

INSIDE = (".claude", "worktrees")
"""The directory of the worktrees in a repository, as in Claude Code."""
MARK = "ccq-tui"
"""A file in git's own directory of a worktree that marks it as made by ccq-tui."""
POINTER = "gitdir:"
MOST = 4096
"""Most bytes read of a file of git."""


class WorktreeError(Exception):
    """There can be no such worktree; the message says what is wrong and what to do."""


@dataclass(frozen=True, slots=True)
class Worktree:
    """A worktree with a branch of its own.

    Attributes:
        root: The checkout of the repository in which it is.
        name: The name of its directory.
        base: The start of its branch, as a person calls it, or "" if it is not known any more.
        submodules: Whether the repository has submodules, which are empty in a new worktree.
    """

    root: Path
    name: str
    base: str = ""
    submodules: bool = False

    @property
    def path(self) -> Path:
        """The directory to work in."""
        return self.root.joinpath(*INSIDE, self.name)

    @property
    def branch(self) -> str:
        """The branch that was made for it; another one may be checked out now."""
        return branch_of(self.name)


def worktree_at(directory: Path) -> Worktree | None:
    """Return the worktree that a directory is by its path alone, whether it is there or not, or None."""
    if len(directory.parents) < 4 or (directory.parts[-3], directory.parts[-2]) != INSIDE:
        return None
    return Worktree(directory.parents[2], directory.name)


def checkout_of(directory: str) -> str:
    """Return the checkout to which a directory belongs by its path alone: that of a worktree, or itself."""
    worktree = worktree_at(Path(directory)) if directory else None
    return str(worktree.root) if worktree is not None else directory


def can_be_there(directory: Path) -> bool:
    """Return whether a directory is there, or is a worktree that can be made again. Looks at the disk."""
    try:
        if directory.is_dir():
            return True
        worktree = worktree_at(directory)
        return worktree is not None and (worktree.root / ".git").exists()
    except OSError:
        return False  # the way there is closed to this person, or its disk does not answer


def git_directory(place: Path) -> Path | None:
    """Return git's own directory of a linked worktree, which its file ``.git`` names, or None. Reads it."""
    try:
        pointer = begin(place / ".git", MOST).decode("utf-8", "surrogateescape").strip()
    except (OSError, ValueError):
        return None
    return place / pointer.removeprefix(POINTER).strip() if pointer.startswith(POINTER) else None


def is_ours(worktree: Worktree) -> bool:
    """Return whether a worktree is there and ccq-tui made it; others are never removed. Reads files."""
    own = git_directory(worktree.path)
    return own is not None and (own / MARK).is_file()


def main_checkout(place: Path) -> Path | None:
    """Return the checkout that a linked worktree belongs to, or None. Reads files."""
    own = git_directory(place)
    # Git's directory of a linked worktree is CHECKOUT/.git/worktrees/NAME, which nothing else is.
    if own is None or own.parent.name != "worktrees" or own.parents[1].name != ".git":
        return None
    return own.parents[2].resolve()
