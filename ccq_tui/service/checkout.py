"""The worktree of a run: made from the repository as it is now, made again, pushed. For threads."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from ccq_tui.service.policy import Repository
from ccq_tui.worktrees.creation import back_in, has_branch, make, planned, root_of
from ccq_tui.worktrees.git import CHECKOUT_SECONDS, GitError, asked, git
from ccq_tui.worktrees.model import Worktree, WorktreeError, is_ours


def check_out(repository: Repository, run_id: str) -> Worktree:
    """Return the worktree of a run; make it if it is not there, from what was pushed or from the base.

    Raises `WorktreeError`, whose message says what is wrong: the repository cannot be fetched, for example.
    """
    try:
        worktree = Worktree(root_of(repository.path), f"run-{run_id}")
        if worktree.path.is_dir():
            if is_ours(worktree):
                return worktree
            # It was being made when the program was killed, before any work in it.
            words = ("worktree", "remove", "--force", "--force", "--", str(worktree.path))
            with suppress(GitError):
                git(worktree.root, *words, seconds=CHECKOUT_SECONDS)
        if has_branch(worktree.root, worktree.branch):
            return back_in(worktree.path, trusts=lambda _root: True) or worktree
        remote = _fetched(repository)
        base, pushed = repository.base, f"{remote}/{worktree.branch}"
        if remote and asked(repository.path, "rev-parse", "--verify", "--quiet", f"refs/remotes/{pushed}"):
            base = worktree.branch
        return make(planned(worktree.root, worktree.name, f"{remote}/{base}" if remote and base else base))
    except GitError as error:
        raise WorktreeError(str(error)) from error


def push(repository: Repository, directory: Path, branch: str) -> str:
    """Push the commits of a run's branch; return why that was not possible, or ""."""
    try:
        if has_branch(repository.path, branch):
            words = ("push", "--quiet", repository.remote, f"{branch}:{branch}")
            git(directory if directory.is_dir() else repository.path, *words, seconds=CHECKOUT_SECONDS)
    except GitError as error:
        return str(error)
    return ""


def _fetched(repository: Repository) -> str:
    """Return the remote, whose branches were fetched, or "" if the repository has none by that name."""
    if asked(repository.path, "remote", "get-url", "--", repository.remote) is None:
        return ""
    try:
        git(repository.path, "fetch", "--quiet", "--", repository.remote, seconds=CHECKOUT_SECONDS)
    except GitError as error:
        raise WorktreeError(f"{repository.remote} cannot be fetched: {error}") from error
    return repository.remote
