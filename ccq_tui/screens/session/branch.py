"""Which branch of git a directory is on, read from git's own files."""

from __future__ import annotations

from pathlib import Path

from ccq_tui.bounded import begin

MOST = 4096
"""Bytes of a file of git that are read."""
POINTER = "gitdir:"
REFERENCE = "ref: refs/heads/"


def git_branch(directory: Path) -> str:
    """Say which branch a directory is on. Reads files: not for the event loop.

    Args:
        directory: Any directory.

    Returns:
        The branch, the first digits of the commit when none is checked out, or "" outside of a repository.
    """
    try:
        for place in (directory, *directory.parents):
            git = place / ".git"
            if git.is_dir():
                return _named(_read(git / "HEAD"))
            if git.is_file():
                # A worktree or a submodule: the file says where git's directory is.
                pointer = _read(git).removeprefix(POINTER).strip()
                return _named(_read((place / pointer) / "HEAD"))
    except (OSError, ValueError):
        # Not to be read, or a path with a NUL: the line is without a branch.
        return ""
    return ""


def _read(path: Path) -> str:
    return begin(path, MOST).decode("utf-8", "replace").strip()


def _named(head: str) -> str:
    return head.removeprefix(REFERENCE) if head.startswith("ref:") else head[:7]
