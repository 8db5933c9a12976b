"""What is in a worktree, and that it goes only where nothing is."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ccq_tui.worktrees.creation import make, planned
from ccq_tui.worktrees.git import GitError
from ccq_tui.worktrees.model import Worktree
from ccq_tui.worktrees.removal import held_by, kept, remove
from tests.unit.worktrees.repositories import commit, repository, run


def write(place: Path, name: str) -> None:
    (place / name).parent.mkdir(parents=True, exist_ok=True)
    (place / name).write_text("text", encoding="utf-8")


def pushed(worktree: Worktree) -> None:
    origin = worktree.root.parent / "origin.git"
    run(worktree.root, "clone", "--quiet", "--bare", ".", str(origin))
    run(worktree.root, "remote", "add", "origin", str(origin))
    commit(worktree.path, "b")
    run(worktree.path, "push", "--quiet", "origin", "HEAD:refs/heads/elsewhere")


def merged(worktree: Worktree) -> None:
    commit(worktree.path, "b")
    run(worktree.root, "merge", "--quiet", worktree.branch)


def on_another_branch(worktree: Worktree) -> None:
    run(worktree.path, "checkout", "--quiet", "-b", "feature")
    commit(worktree.path, "b")


def cached(worktree: Worktree) -> None:
    write(worktree.path, "__pycache__/a.pyc")
    write(worktree.path, "cache.log/CACHEDIR.TAG")


def seen_elsewhere(worktree: Worktree) -> None:
    """A commit that the main checkout stands on without a branch."""
    head = commit(worktree.path, "b")
    run(worktree.root, "checkout", "--quiet", "--detach", head)


def looked_around(worktree: Worktree) -> None:
    """HEAD was on a tag, without a branch, and came back."""
    run(worktree.root, "tag", "v1")
    run(worktree.path, "checkout", "--quiet", "v1")
    run(worktree.path, "checkout", "--quiet", worktree.branch)


def sparse(worktree: Worktree) -> None:
    """Files that a sparse checkout left out hold nothing."""
    run(worktree.path, "update-index", "--skip-worktree", "a.txt")
    (worktree.path / "a.txt").unlink()


WORK = (pushed, merged, on_another_branch, cached, seen_elsewhere, looked_around, sparse)


@pytest.mark.parametrize("work", [lambda _worktree: None, *WORK])
def test_where_nothing_would_be_lost_it_goes_with_its_branch(
    repo: Path, work: Callable[[Worktree], None]
) -> None:
    worktree = make(planned(repo, "x"))
    work(worktree)
    held = held_by(worktree)
    assert held.words == ""
    remove(worktree, held)
    assert not (repo / ".claude").exists()
    assert "worktree-x" not in run(repo, "branch") + run(repo, "worktree", "list")


def rebasing(place: Path) -> None:
    run(place, "checkout", "--quiet", "--detach", "HEAD")
    (Path(run(place, "rev-parse", "--absolute-git-dir")) / "rebase-merge").mkdir()


def hidden_from_status(place: Path) -> None:
    run(place, "config", "status.showUntrackedFiles", "no")
    write(place, "new")


def marked(mark: str, name: str = "a.txt") -> Callable[[Path], None]:
    """Change a file that git was told to pass over."""

    def work(place: Path) -> None:
        if not (place / name).exists():
            commit(place, name)
            run(place, "push", "--quiet", ".", "HEAD:refs/heads/kept")
        run(place, "update-index", mark, name)
        write(place, name)

    return work


def assumed_there(place: Path) -> None:
    run(place, "update-index", "--assume-unchanged", "a.txt")
    (place / "a.txt").unlink()


def detached(place: Path) -> None:
    run(place, "checkout", "--quiet", "--detach")
    commit(place, "b")


def left_detached(place: Path) -> None:
    detached(place)
    run(place, "checkout", "--quiet", "worktree-x")


def own_reference(place: Path) -> None:
    commit(place, "b")
    run(place, "update-ref", "refs/worktree/mine", "HEAD")
    run(place, "reset", "--quiet", "--hard", "HEAD~1")


def unseen_by_a_watcher(place: Path) -> None:
    """A program that is asked which files changed, and says: none."""
    (place.parent / "watcher").write_text("#!/bin/sh\nprintf 'token\\0'\n", encoding="utf-8")
    (place.parent / "watcher").chmod(0o700)
    run(place, "config", "core.fsmonitor", str(place.parent / "watcher"))
    run(place, "status")
    write(place, "a.txt")


def exclude(place: Path, pattern: str) -> None:
    file = Path(run(place, "rev-parse", "--git-path", "info/exclude"))
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"{pattern}\n", encoding="utf-8")


def excluded(place: Path) -> None:
    exclude(place, "*.mine")
    write(place, "a.mine")


def excluded_by_the_person(place: Path) -> None:
    write(place.parent, "ignored-names")
    (place.parent / "ignored-names").write_text("*.mine\n", encoding="utf-8")
    run(place, "config", "core.excludesFile", str(place.parent / "ignored-names"))
    write(place, "a.mine")


def mixed(place: Path) -> None:
    write(place, "a")
    write(place, "b.log")


def repository_called_cache(place: Path) -> None:
    repository(place / "node_modules")
    exclude(place, "node_modules/")


@pytest.mark.parametrize(
    ("work", "words"),
    [
        (marked("--skip-worktree"), "files hidden from git (a.txt)"),
        (marked("--assume-unchanged"), "files hidden from git (a.txt)"),
        (marked("--skip-worktree", "two\nlines"), "files hidden from git (two lines)"),
        (assumed_there, "files hidden from git (a.txt)"),
        (left_detached, "1 commit on no other branch"),
        (own_reference, "1 commit on no other branch"),
        (unseen_by_a_watcher, "1 file not committed"),
        (excluded, "files that git ignores (a.mine)"),
        (excluded_by_the_person, "files that git ignores (a.mine)"),
        (repository_called_cache, "files that git ignores (node_modules/)"),
        (lambda place: write(place, "a.txt"), "1 file not committed"),
        (lambda place: [write(place, name) for name in ("b", "c/d", "c/e")], "2 files not committed"),
        (hidden_from_status, "1 file not committed"),
        (lambda place: run(place, "rm", "--quiet", "a.txt"), "1 file not committed"),
        (lambda place: [commit(place, name) for name in "bc"], "2 commits on no other branch"),
        (detached, "1 commit on no other branch"),
        (lambda place: write(place, "a.log"), "files that git ignores (a.log)"),
        (mixed, "1 file not committed, files that git ignores (b.log)"),
        (rebasing, "a rebase under way"),
    ],
)
def test_where_something_would_be_lost_it_says_what(
    repo: Path, work: Callable[[Path], object], words: str
) -> None:
    worktree = make(planned(repo, "x"))
    work(worktree.path)
    assert held_by(worktree).words == words


def test_what_comes_between_the_look_and_the_end_stays(repo: Path) -> None:
    worktree = make(planned(repo, "x"))
    held = held_by(worktree)
    write(worktree.path, "late")
    with pytest.raises(GitError, match="contains modified or untracked files"):
        remove(worktree, held)
    assert (worktree.path / "late").exists()
    (worktree.path / "late").unlink()
    late = commit(worktree.path, "late")
    with pytest.raises(GitError):
        remove(worktree, held)
    assert run(repo, "rev-parse", worktree.branch) == late
    with pytest.raises(GitError):
        held_by(Worktree(repo, "never"))


def test_submodules_that_were_filled_may_hold_anything(repo: Path, tmp_path: Path) -> None:
    other = repository(tmp_path / "other")
    allowed = ("-c", "protocol.file.allow=always", "submodule", "--quiet")
    run(repo, *allowed, "add", str(other), "sub")
    run(repo, "commit", "--quiet", "-m", "Add sub")
    worktree = make(planned(repo, "x"))
    assert held_by(worktree).words == ""
    run(worktree.path, *allowed, "update", "--init")
    assert held_by(worktree).words == "submodules"


def test_how_to_go_back_and_how_to_remove_it_are_commands_that_work(repo: Path) -> None:
    worktree = make(planned(repo, "x"))
    commit(worktree.path, "b")
    first, back, *away = kept(worktree, held_by(worktree).words, "12345678-90ab")
    assert first == ("The worktree x is kept, on branch worktree-x: 1 commit on no other branch.")
    assert back.split() == ["Go", "back:", "ccq-tui", "resume", "12345678"]
    assert kept(worktree, "", in_use=True)[2:] == ()
    for line in away:
        run(repo.parent, *line.partition(" git ")[2].split())
    assert "worktree-x" not in run(repo, "branch") + run(repo, "worktree", "list")
    assert f"--cwd {worktree.path}" in kept(worktree, "")[1]
