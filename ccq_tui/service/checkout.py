"""The worktree of a run: made from the repository as it is now, made again, pushed. For threads."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote, urlencode

from ccq_tui.service.policy import Repository
from ccq_tui.service.run import Run
from ccq_tui.worktrees.creation import back_in, has_branch, make, planned, root_of
from ccq_tui.worktrees.git import CHECKOUT_SECONDS, GitError, asked, git
from ccq_tui.worktrees.model import Worktree, WorktreeError, is_ours

_GITHUB = re.compile(r"[/@]github\.com[:/]([\w.-]+/[\w.-]+?)(\.git)?/?$", re.ASCII)
MOST_BODY = 2_000
"""Most characters of a pull request's text: it is part of an address."""


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


def push(repository: Repository, run: Run, words: str) -> str:
    """Push the commits of a run's branch, if it has any.

    Args:
        repository: The repository.
        run: The run.
        words: The words of its end, which are the text of a pull request.

    Returns:
        Where they are, in Markdown, with a link that opens a pull request at GitHub; or why they are not.
    """
    directory, remote, branch = Path(run.directory), repository.remote, run.branch
    here = directory if directory.is_dir() else repository.path
    try:
        if asked(here, "rev-list", "--max-count=1", branch, "--not", f"--remotes={remote}"):
            git(here, "push", "--quiet", "--", remote, f"{branch}:{branch}", seconds=CHECKOUT_SECONDS)
    except GitError as error:
        return f"The branch {branch} could not be pushed: {error}"
    if not asked(here, "rev-parse", "--verify", "--quiet", f"refs/remotes/{remote}/{branch}"):
        return ""
    said = f"Branch: `{branch}` at {remote}"
    if found := _GITHUB.search(asked(here, "remote", "get-url", "--", remote) or ""):
        text = f"{words[:MOST_BODY]}\n\n{run.url}".strip()
        query = urlencode({"quick_pull": "1", "title": run.title, "body": text})
        said += f" · [open a pull request](https://github.com/{found[1]}/compare/{quote(branch)}?{query})"
    return said


def _fetched(repository: Repository) -> str:
    """Return the remote, whose branches were fetched, or "" if the repository has none by that name."""
    if asked(repository.path, "remote", "get-url", "--", repository.remote) is None:
        return ""
    try:
        git(repository.path, "fetch", "--quiet", "--", repository.remote, seconds=CHECKOUT_SECONDS)
    except GitError as error:
        raise WorktreeError(f"{repository.remote} cannot be fetched: {error}") from error
    return repository.remote
