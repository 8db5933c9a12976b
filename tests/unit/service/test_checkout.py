"""The branch of a run is pushed if it has commits, and the end of the run says where it is."""

import os
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from ccq_tui.service.policy import Repository
from ccq_tui.service.run import Run
from ccq_tui.service.segment import check_out, push
from tests.unit.worktrees.repositories import repository, run

NOW = datetime.now(UTC)


def test_a_worktree_of_another_run_that_was_being_made_hinders_none(tmp_path: Path) -> None:
    root = repository(tmp_path / "shop")
    check_out(Repository(root), "0a1b")
    half_made = root / ".git" / "worktrees" / "run-0a1b" / "commondir"
    half_made.write_text("", encoding="utf-8")
    os.utime(half_made, (0, 0))
    assert check_out(Repository(root), "2c3d").path.is_dir()


@pytest.mark.parametrize("url", ["git@github.com:acme/shop.git", "https://github.com/acme/shop", ""])
def test_commits_are_pushed_and_a_pull_request_is_a_link(url: str, tmp_path: Path) -> None:
    root, origin = repository(tmp_path / "shop"), tmp_path / "origin.git"
    run(tmp_path, "clone", "--quiet", "--bare", str(root), "origin.git")
    run(root, "remote", "add", "origin", str(origin))
    here = Repository(root, push=True)
    worktree = check_out(here, "0a1b")
    run(root, "remote", "set-url", "origin", url or str(origin))
    run(root, "remote", "set-url", "--push", "origin", str(origin))
    ticket = ("linear", "t", "Dates & times", "https://linear.app/T-1", "Do it.", "shop")
    made = Run("0a1b", *ticket, NOW, NOW, directory=str(worktree.path), branch=worktree.branch)
    assert push(here, made, "Done.") == "", "nothing was committed"
    assert made.branch not in run(origin, "branch", "--list")
    run(worktree.path, "commit", "--quiet", "--allow-empty", "-m", "Made")
    for _ in range(2):  # as a step does that is repeated
        message, _, link = push(here, made, "Done.\n\nSee [it].").partition(" · ")
        assert message == f"Branch: `{made.branch}` at origin"
        assert run(origin, "log", "-1", "--format=%s", made.branch) == "Made"
        if not url:
            assert link == ""
            continue
        assert link.startswith(f"[open a pull request](https://github.com/acme/shop/compare/{made.branch}?")
        assert parse_qs(urlsplit(link[len("[open a pull request](") : -1]).query) == {
            "quick_pull": ["1"],
            "title": ["Dates & times"],
            "body": ["Done.\n\nSee [it].\n\nhttps://linear.app/T-1"],
        }
    run(worktree.path, "commit", "--quiet", "--allow-empty", "-m", "More")
    run(root, "remote", "set-url", "--push", "origin", str(tmp_path / "gone.git"))
    assert push(here, made, "").startswith(f"The branch {made.branch} could not be pushed: ")
