"""Looks at what a worktree holds, and removes one that holds nothing. Runs git: not for the event loop."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ccq_tui.worktrees.git import CHECKOUT_SECONDS, GitError, asked, git
from ccq_tui.worktrees.making import tidy
from ccq_tui.worktrees.model import Worktree, git_directory

_logger = logging.getLogger(__name__)

DOING = {
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "BISECT_LOG": "a bisection",
}
CACHES = frozenset({"__pycache__", "node_modules"})
CACHE_TAG = "CACHEDIR.TAG"
"""The file by which a directory says that its content can be made again: https://bford.info/cachedir."""


@dataclass(frozen=True, slots=True)
class Held:
    """What would be lost with a worktree.

    Attributes:
        changed: How many files are changed or new, and not committed.
        ignored: Ignored files and directories that are no caches.
        commits: How many commits no other branch, remote branch or tag has.
        doing: What is under way in it, or "".
        submodules: Whether it has checked-out submodules, which may hold anything.
        branch: The branch that is checked out, or "".
        tip: The commit that the worktree's own branch ends in; "" where there is no such branch.
    """

    changed: int = 0
    ignored: tuple[str, ...] = ()
    commits: int = 0
    doing: str = ""
    submodules: bool = False
    branch: str = ""
    tip: str = ""

    @property
    def nothing(self) -> bool:
        """Whether it can go."""
        return not (self.changed or self.ignored or self.commits or self.doing or self.submodules)


def held_by(worktree: Worktree) -> Held:
    """Look at what a worktree holds.

    Raises:
        GitError: It cannot be seen.
    """
    own = git_directory(worktree.path)
    if own is None:
        raise GitError(f"{worktree.path} is not a worktree any more")
    changed, ignored = 0, []
    for mark, name in _status(worktree.path):
        if mark != "!!":
            changed += 1
        elif not _is_cache(worktree.path / name):
            ignored.append(name)
    tip = asked(worktree.root, "rev-parse", "--verify", "--quiet", f"refs/heads/{worktree.branch}") or ""
    return Held(
        changed,
        tuple(ignored),
        _commits(worktree, tip),
        next((words for name, words in DOING.items() if (own / name).exists()), ""),
        (own / "modules").is_dir(),
        asked(worktree.path, "symbolic-ref", "--quiet", "--short", "HEAD") or "",
        tip,
    )


def remove(worktree: Worktree, held: Held) -> None:
    """Remove a worktree that holds nothing, and its branch.

    Args:
        worktree: The worktree.
        held: What was seen in it, just now.

    Raises:
        GitError: It stays, or its branch does.
    """
    # Without --force: git looks again, and refuses when a file was changed since.
    git(worktree.root, "worktree", "remove", "--", str(worktree.path), seconds=CHECKOUT_SECONDS)
    if held.tip:
        # Not "branch -D": a commit that came to it since stays.
        git(worktree.root, "update-ref", "-d", f"refs/heads/{worktree.branch}", held.tip)
    tidy(worktree.root)


def discard(worktree: Worktree) -> bool:
    """Remove a worktree in which nobody worked; whether it is gone."""
    try:
        held = held_by(worktree)
        if held.nothing:
            remove(worktree, held)
    except GitError as error:
        _logger.warning("A worktree that was not used stays: %s", error)
        return False
    return held.nothing


def _status(path: Path) -> Iterator[tuple[str, str]]:
    words = ("--untracked-files=normal", "--ignored=traditional", "--ignore-submodules=none", "--no-renames")
    for record in git(path, "status", "--porcelain=v1", "-z", *words).split("\0"):
        if record:
            yield record[:2], record[3:]


def _is_cache(path: Path) -> bool:
    return path.name in CACHES or (path / CACHE_TAG).is_file()


def _commits(worktree: Worktree, tip: str) -> int:
    """Count the commits that only this worktree leads to."""
    path = worktree.path.resolve()
    others: list[str] = []
    for record in git(worktree.root, "worktree", "list", "--porcelain").split("\n\n"):
        facts = dict(line.partition(" ")[::2] for line in record.splitlines())
        head = facts.get("HEAD", "")
        if Path(facts.get("worktree", "")) != path and head.strip("0"):
            others.append(head)
    mine = ["HEAD", *([tip] if tip else [])]
    kept = [f"--exclude={worktree.branch}", "--branches", "--remotes", "--tags", *others]
    return int(git(worktree.path, "rev-list", "--count", *mine, "--not", *kept))
