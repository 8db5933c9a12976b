"""The git branch, as git's own files tell it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from ccq_tui.screens.session.status import git_branch


def git(directory: Path, *words: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b")
    done = subprocess.run(
        ["git", *identity, *words], cwd=directory, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_a_repository_a_directory_in_it_a_worktree_and_a_commit(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    (root / "deep" / "er").mkdir(parents=True)
    git(root, "init", "-q", "-b", "feature/x")
    assert git_branch(root / "deep" / "er") == "feature/x"
    git(root, "commit", "-q", "--allow-empty", "-m", "One")
    git(root, "worktree", "add", "-q", "-b", "other", str(tmp_path / "tree"))
    assert git_branch(tmp_path / "tree") == "other"
    git(root, "checkout", "-q", "--detach")
    assert git_branch(root) == git(root, "rev-parse", "HEAD")[:7]


def test_no_repository_and_files_that_are_not_gits(tmp_path: Path) -> None:
    assert git_branch(tmp_path) == ""
    (tmp_path / ".git").write_bytes(b"gitdir: nowhere\xff\0")
    assert git_branch(tmp_path) == ""
