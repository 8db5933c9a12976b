"""Looks at what a worktree holds, removes one that holds nothing, and puts both into words.

What looks and removes runs git: not for the event loop.
"""

import logging
import os
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ccq_tui.text import one_line
from ccq_tui.words import SHORT, listed, plural
from ccq_tui.worktrees.creation import tidy
from ccq_tui.worktrees.git import CHECKOUT_SECONDS, GitError, asked, git
from ccq_tui.worktrees.model import Worktree, git_directory

_logger = logging.getLogger(__name__)

DOING = {
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "BISECT_LOG": "a bisection",
    "sequencer": "a series of cherry-picks or reverts",
    "MERGE_AUTOSTASH": "a merge",
}

_LEFT_DETACHED = re.compile(r"([0-9a-f]{40,64}) .*\tcheckout: moving from [0-9a-f]{40,64} to ")
"""A line of HEAD's log that leaves a commit which no branch was on."""


@dataclass(frozen=True, slots=True)
class WorktreeContents:
    """The contents that would be lost with a worktree.

    Attributes:
        changed: Number of changed or new files that are not committed.
        hidden: Files that git is set not to look at, and that may differ from the committed ones.
        ignored: Ignored files and directories that are no caches.
        commits: Number of commits that no other branch, remote branch or tag has.
        doing: The operation under way in it, or "".
        submodules: Whether it has checked-out submodules, which may hold anything.
        branch: The branch that is checked out, or "".
        tip: The commit that the worktree's own branch ends in; "" if there is no such branch.
    """

    changed: int = 0
    hidden: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    commits: int = 0
    doing: str = ""
    submodules: bool = False
    branch: str = ""
    tip: str = ""

    @property
    def words(self) -> str:
        """What would be lost, in words, or ""."""
        parts = (
            plural(self.changed, "file") + " not committed" if self.changed else "",
            plural(self.commits, "commit") + " on no other branch" if self.commits else "",
            f"{self.doing} under way" if self.doing else "",
            "submodules" if self.submodules else "",
            f"files hidden from git ({_named(self.hidden)})" if self.hidden else "",
            f"files that git ignores ({_named(self.ignored)})" if self.ignored else "",
        )
        return ", ".join(part for part in parts if part)


def held_by(worktree: Worktree) -> WorktreeContents:
    """Return the contents of a worktree; raises `GitError`."""
    own = git_directory(worktree.path)
    if own is None:
        raise GitError(f"{worktree.path} is no longer a worktree")
    changed, ignored = 0, []
    for mark, name in _status(worktree.path):
        if mark != "!!":
            changed += 1
        elif not _is_cache(worktree.path / name):
            ignored.append(name)
    tip = asked(worktree.root, "rev-parse", "--verify", "--quiet", f"refs/heads/{worktree.branch}") or ""
    return WorktreeContents(
        changed,
        tuple(_hidden(worktree.path)),
        tuple(ignored),
        _commits(worktree, own, tip),
        next((words for name, words in DOING.items() if (own / name).exists()), ""),
        (own / "modules").is_dir(),
        asked(worktree.path, "symbolic-ref", "--quiet", "--short", "HEAD") or "",
        tip,
    )


def remove(worktree: Worktree, held: WorktreeContents) -> None:
    """Remove a worktree that was seen to hold nothing, and its branch; raises `GitError`."""
    # Without --force: git looks again, and refuses when a file was changed since.
    git(worktree.root, "worktree", "remove", "--", str(worktree.path), seconds=CHECKOUT_SECONDS)
    if held.tip:
        # Not "branch -D": a commit that came to it since stays.
        git(worktree.root, "update-ref", "-d", f"refs/heads/{worktree.branch}", held.tip)
    tidy(worktree.root)


def discard(worktree: Worktree) -> bool:
    """Remove a worktree in which nobody worked; return whether it is gone."""
    try:
        held = held_by(worktree)
        if not held.words:
            remove(worktree, held)
    except GitError as error:
        _logger.warning("A worktree that was not used stays: %s", error)
        return False
    return not held.words


def _status(path: Path) -> Iterator[tuple[str, str]]:
    words = ("--untracked-files=normal", "--ignored=traditional", "--ignore-submodules=none", "--no-renames")
    # A watcher of the file system, or a list that git keeps of new files, could be wrong.
    afresh = ("-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false")
    for record in git(path, *afresh, "status", "--porcelain=v1", "-z", *words).split("\0"):
        if record:
            yield record[:2], record[3:]


def _hidden(path: Path) -> list[str]:
    """Return the files that status passes over: skip-worktree, assume-unchanged. They may differ."""
    found: list[str] = []
    for record in git(path, "ls-files", "-v", "-z").split("\0"):
        tag, _, name = record.partition(" ")
        # A sparse checkout has most of its files only in the index.
        is_there = tag == "h" or os.path.lexists(path / name)
        if name and (tag == "S" or tag.islower()) and is_there:
            found.append(name)
    return found


def _is_cache(path: Path) -> bool:
    if not path.is_dir() or (path / ".git").exists():
        return False
    # A directory with this file says that its content can be made again: https://bford.info/cachedir.
    return path.name in {"__pycache__", "node_modules"} or (path / "CACHEDIR.TAG").is_file()


def _commits(worktree: Worktree, own: Path, tip: str) -> int:
    """Count the commits that only this worktree leads to."""
    path = worktree.path.resolve()
    others: list[str] = []
    for record in git(worktree.root, "worktree", "list", "--porcelain").split("\n\n"):
        facts = dict(line.partition(" ")[::2] for line in record.splitlines())
        head = facts.get("HEAD", "")
        if Path(facts.get("worktree", "")) != path and head.strip("0"):
            others.append(head)
    # References under refs/worktree belong to one worktree, and are deleted with it.
    mine = ["HEAD", *([tip] if tip else []), "--glob=refs/worktree/*", *_left_detached(own)]
    kept = [f"--exclude={worktree.branch}", "--branches", "--remotes", "--tags", *others]
    return int(git(worktree.path, "rev-list", "--count", *mine, "--not", *kept))


def _left_detached(own: Path) -> list[str]:
    """Return the commits that HEAD was on without a branch and then left: only its log has them."""
    try:
        lines = (own / "logs" / "HEAD").read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise GitError(f"the log of its HEAD cannot be read: {error.strerror}") from error
    return list(dict.fromkeys(found[1] for line in lines if (found := _LEFT_DETACHED.match(line))))


def begun(worktree: Worktree) -> str:
    """Return the message that names a session's worktree."""
    base = f", from {worktree.base}" if worktree.base else ""
    text = f"Works in the worktree {worktree.path} on branch {worktree.branch}{base}."
    if worktree.submodules:
        text += " Its submodules are empty; git submodule update --init fills them."
    return text


def kept(
    worktree: Worktree, why: str, session_id: str = "", branch: str = "", *, in_use: bool = False
) -> tuple[str, ...]:
    """Return lines that say that a worktree is kept, how to go back, and how to remove it.

    Args:
        worktree: The worktree.
        why: Why it is kept.
        session_id: The session that can be resumed in it, or "".
        branch: The branch that is checked out, if it is known.
        in_use: Whether it is needed: then no line says how to remove it.
    """
    git = f"git -C {shlex.quote(str(worktree.root))}"
    inside = shlex.quote(str(worktree.path.relative_to(worktree.root)))
    path = shlex.quote(str(worktree.path))
    back = f"ccq-tui resume {session_id[:SHORT]}" if session_id else f"ccq-tui --cwd {path}"
    lines = (
        f"The worktree {worktree.name} is kept, on branch {branch or worktree.branch}: {why}.",
        f"  Go back:            {back}",
    )
    if in_use:
        return lines
    return (
        *lines,
        f"  Remove it:          {git} worktree remove --force {inside}",
        f"  and its branch:     {git} branch -D {worktree.branch}",
    )


def removed(worktree: Worktree) -> str:
    """Return the message that a worktree was removed."""
    return f"The worktree {worktree.name} had no changes of its own and was removed with its branch."


def _named(names: Sequence[str]) -> str:
    return listed([one_line(name, 60) for name in names], 3)
