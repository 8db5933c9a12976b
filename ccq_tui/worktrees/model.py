"""A worktree: the rules for its name, its place, and whether ccq-tui made it."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ccq_tui.bounded import begin

INSIDE = (".claude", "worktrees")
"""The directory of the worktrees in a repository, as in Claude Code."""
MARK = "ccq-tui"
"""A file in git's own directory of a worktree that marks it as made by ccq-tui."""
POINTER = "gitdir:"
MOST = 4096
"""Most bytes read of a file of git."""

LONGEST = 64
RULE = (
    'letters, digits, ".", "_" and "-", beginning with a letter, a digit or "_"; '
    'parts may be separated by "/"'
)
_FIRST = (
    *("amber", "bold", "brisk", "calm", "clear", "clever", "deep", "eager", "early", "gentle", "golden"),
    *("keen", "kind", "late", "light", "lucid", "mild", "neat", "quick", "quiet", "silver", "still"),
    *("sunny", "swift", "tidy", "warm", "wide", "wise"),
)
_SECOND = (
    *("alder", "badger", "birch", "brook", "cedar", "comet", "crane", "delta", "falcon", "fern", "finch"),
    *("harbor", "heron", "island", "lark", "maple", "marten", "meadow", "otter", "pine", "plover", "raven"),
    *("reef", "river", "robin", "spruce", "swan", "tern", "willow", "wren"),
)


def problem_of(name: str) -> str:
    """Return what is wrong with a name that a person wrote, or ""."""
    if len(name) > LONGEST:
        return f"it has more than {LONGEST} characters"
    parts = name.split("/")
    if not all(re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]*", part) for part in parts):
        return f"a name has {RULE}"
    # Git does not allow these in a branch.
    if ".." in name or any(part.endswith((".lock", ".")) for part in parts):
        return 'git takes no ".." in a branch, and no part that ends in "." or ".lock"'
    return ""


def folder_of(name: str) -> str:
    """Return the name of a worktree's directory, in one piece."""
    return name.replace("/", "+")


def branch_of(folder: str) -> str:
    """Return the branch of the worktree in a directory of this name; people read that of a run."""
    return f"ccq/{folder}" if re.fullmatch(r"run-[0-9a-f]{12}", folder) else f"worktree-{folder}"


def made_up(in_use: Callable[[str], bool]) -> str:
    """Generate a name that can be read aloud and is not in use."""
    # Imported here: nothing else needs it, and every start imports this module.
    import secrets

    for _ in range(50):
        name = f"{secrets.choice(_FIRST)}-{secrets.choice(_SECOND)}"
        if not in_use(name):
            return name
    return f"{secrets.choice(_FIRST)}-{secrets.choice(_SECOND)}-{secrets.token_hex(4)}"


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
