"""The messages about a worktree to a person."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from ccq_tui.text import one_line
from ccq_tui.words import SHORT, listed, plural
from ccq_tui.worktrees.model import Worktree
from ccq_tui.worktrees.removal import WorktreeContents

MOST_NAMES = 3
LONGEST = 60
"""Characters shown of a session's id, which may be cut short."""


def begun(worktree: Worktree) -> str:
    """Return the message that names a session's worktree."""
    base = f", from {worktree.base}" if worktree.base else ""
    text = f"Works in the worktree {worktree.path} on branch {worktree.branch}{base}."
    if worktree.submodules:
        text += " Its submodules are empty; git submodule update --init fills them."
    return text


def held_words(held: WorktreeContents) -> str:
    """Return the contents that would be lost, in words."""
    ignored, hidden = _named(held.ignored), _named(held.hidden)
    parts = (
        plural(held.changed, "file") + " not committed" if held.changed else "",
        plural(held.commits, "commit") + " on no other branch" if held.commits else "",
        f"{held.doing} under way" if held.doing else "",
        "submodules" if held.submodules else "",
        f"files hidden from git ({hidden})" if hidden else "",
        f"files that git ignores ({ignored})" if ignored else "",
    )
    return ", ".join(part for part in parts if part)


def kept(
    worktree: Worktree, why: str, session_id: str = "", branch: str = "", *, in_use: bool = False
) -> tuple[str, ...]:
    """Return lines that say that a worktree is kept, how to go back, and how to remove it.

    Args:
        worktree: The worktree.
        why: Why it is kept.
        session_id: The session that can be resumed in it, or "".
        branch: The branch that is checked out, if it is known.
        in_use: Whether somebody needs it: then no line says how to remove it.
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
    return listed([one_line(name, LONGEST) for name in names], MOST_NAMES)
