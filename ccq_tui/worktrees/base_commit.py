"""From which commit a worktree's branch begins; as Claude Code chooses it."""

from __future__ import annotations

import os
from pathlib import Path

from ccq_tui.bounded import JSON_BYTES, parse_json, read_bytes
from ccq_tui.worktrees.git import asked
from ccq_tui.worktrees.model import WorktreeError

REMOTE = "refs/remotes/origin/HEAD"
FILES = ("settings.json", "settings.local.json")


def base_for(directory: Path, root: Path) -> tuple[str, str]:
    """Choose the commit: the default branch of origin as it was last fetched, else the one checked out.

    Claude Code's setting ``worktree.baseRef`` can say "head", which is always the one checked out.

    Args:
        directory: The directory that the worktree is made from.
        root: The checkout of the repository.

    Returns:
        The commit, and what a person calls it.

    Raises:
        WorktreeError: There is no commit yet.
        GitMissingError: There is no git.
    """
    if not _from_head(root) and (commit := _commit(directory, REMOTE)):
        return commit, asked(directory, "symbolic-ref", "--quiet", "--short", REMOTE) or "origin"
    commit = _commit(directory, "HEAD")
    if not commit:
        raise WorktreeError(
            f"{root} has no commit yet, so a worktree would have nothing to begin from; "
            "commit something first, for example with git commit --allow-empty -m Begin"
        )
    return commit, asked(directory, "symbolic-ref", "--quiet", "--short", "HEAD") or f"commit {commit[:8]}"


def _commit(directory: Path, name: str) -> str:
    return asked(directory, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}") or ""


def _from_head(root: Path) -> bool:
    """Read Claude Code's setting; the last file that has it counts."""
    own = Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude")
    said = ""
    for path in (own / FILES[0], *(root / ".claude" / name for name in FILES)):
        try:
            settings = parse_json(read_bytes(path, JSON_BYTES))
        except (OSError, ValueError):
            continue  # the CLI says what is wrong with it
        worktree = settings.get("worktree") if isinstance(settings, dict) else None
        said = str(worktree.get("baseRef", said)) if isinstance(worktree, dict) else said
    return said == "head"
