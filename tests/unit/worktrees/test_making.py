"""Names of worktrees, making them in real repositories, and refusing where there can be none."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ccq_tui.config.launch import Launch, ProgramArguments
from ccq_tui.config.settings import Settings
from ccq_tui.config.trust import trusts
from ccq_tui.runtime.launches import launch_to_resume
from ccq_tui.screens.session.status import git_branch
from ccq_tui.worktrees import creation
from ccq_tui.worktrees.creation import back_in, make, planned
from ccq_tui.worktrees.model import (
    Worktree,
    WorktreeError,
    branch_of,
    can_be_there,
    folder_of,
    is_ours,
    made_up,
    problem_of,
    worktree_at,
)
from ccq_tui.worktrees.removal import begun
from tests.tables import each_row
from tests.unit.worktrees.repositories import commit, repository, run


def state(place: Path) -> tuple[str, str, str]:
    """What git knows of branches and worktrees, and which files there are."""
    files = sorted(str(path) for path in place.rglob("*") if ".git" not in path.parts)
    return run(place, "branch", "--all"), run(place, "worktree", "list"), "\n".join(files)


def refused(place: Path, name: str = "x") -> str:
    with pytest.raises(WorktreeError) as error:
        planned(place, name)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_a_worktree_has_a_branch_and_a_directory_of_its_own_that_git_does_not_report(repo: Path) -> None:
    (repo / "deep").mkdir()
    worktree = make(planned(repo / "deep", "fix/it"))
    assert worktree == Worktree(repo, "fix+it", "main")
    assert worktree.path == repo / ".claude/worktrees/fix+it"
    assert (worktree.path / "a.txt").is_file()
    assert git_branch(worktree.path) == worktree.branch == "worktree-fix+it"
    assert is_ours(worktree)
    assert run(repo, "status", "--porcelain") == ""
    assert "on branch worktree-fix+it, from main." in begun(worktree)
    # From inside of one, the next is made beside it.
    assert planned(worktree.path).worktree.root == repo
    assert planned(repo).worktree.name != planned(repo).worktree.name


def test_it_begins_where_claude_codes_own_does(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    clone = tmp_path / "clone"
    run(tmp_path, "clone", "--quiet", str(repo), str(clone))
    there, here = run(clone, "rev-parse", "HEAD"), commit(clone, "b.txt")
    assert (planned(clone).commit, planned(clone).worktree.base) == (there, "origin/main")
    (clone / ".claude").mkdir()
    (clone / ".claude/settings.json").write_text('{"worktree": {"baseRef": "head"}}')
    assert (planned(clone).commit, planned(clone).worktree.base) == (here, "main")
    run(clone, "checkout", "--quiet", "--detach", "HEAD")
    assert planned(clone).worktree.base == f"commit {here[:8]}"
    run(tmp_path, "clone", "--quiet", "--depth", "1", repo.as_uri(), str(tmp_path / "shallow"))
    assert (make(planned(tmp_path / "shallow", "x")).path / "a.txt").is_file()


def test_what_cannot_be_is_said_in_a_line_before_anything_is_made(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, bare, empty = tmp_path / "plain", tmp_path / "bare.git", tmp_path / "empty"
    plain.mkdir()
    run(tmp_path, "init", "--quiet", "--bare", str(bare))
    run(tmp_path, "init", "--quiet", str(empty))
    make(planned(repo, "taken"))
    run(repo, "branch", "worktree-old")
    before = state(repo)
    assert "is not in a git repository" in refused(plain)
    assert "git init" in refused(plain)
    assert "is a bare repository" in refused(bare)
    assert "is inside the directory of git" in refused(repo / ".git")
    assert "git commit --allow-empty" in refused(empty)
    assert f"--cwd {repo}/.claude/worktrees/taken" in refused(repo, "taken")
    assert "git branch -d worktree-old" in refused(repo, "old")
    assert "'fix it': a name has letters" in refused(repo, "fix it")
    assert "does not exist" in refused(tmp_path / "nowhere")
    assert state(repo) == before
    assert not (empty / ".claude").exists()
    (empty / ".claude").symlink_to(tmp_path)
    commit(empty, "a")
    assert f"{empty}/.claude is not a directory of the repository's own" in refused(empty)
    monkeypatch.setenv("PATH", str(plain))
    assert refused(repo) == "git is not installed, or not on PATH"


def test_when_it_fails_nothing_is_left_and_of_two_one_gets_the_name(repo: Path) -> None:
    before = state(repo)
    plan = planned(repo, "x")
    hook = repo / ".git/hooks/post-checkout"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(WorktreeError, match="worktree x cannot be created"):
        make(plan)
    assert state(repo) == before
    hook.unlink()
    second = planned(repo, "x")
    make(plan)
    (plan.worktree.path / "mine").write_text("")
    with pytest.raises(WorktreeError, match="already exists"):
        make(second)
    assert (plan.worktree.path / "mine").exists()


def test_git_that_does_not_end_is_ended_with_what_it_started(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = state(repo)
    hook = repo / ".git/hooks/post-checkout"
    hook.write_text("#!/bin/sh\nsleep 50\n")
    hook.chmod(0o755)

    git = creation.git

    def hasty(place: Path, *words: str, **limits: float) -> str:
        # Only what hangs: what it left is taken away however long that takes.
        return git(place, *words, **({"seconds": 2.0} if "add" in words else limits))

    monkeypatch.setattr(creation, "git", hasty)
    with pytest.raises(WorktreeError, match="took longer than"):
        make(planned(repo, "x"))
    assert state(repo) == before


def test_a_session_comes_back_to_its_worktree_also_after_that_was_removed(repo: Path) -> None:
    worktree = make(planned(repo, "x"))
    again = Worktree(repo, "x")
    assert back_in(worktree.path, trusts=trusts) == again
    commit(worktree.path, "b.txt")
    # By hand, so that git still counts on it.
    subprocess.run(["rm", "-r", str(worktree.path)], check=True)
    assert back_in(worktree.path, trusts=trusts) == again
    assert (worktree.path / "b.txt").is_file()
    run(repo, "worktree", "remove", str(worktree.path))
    assert can_be_there(worktree.path)
    assert back_in(worktree.path, trusts=trusts) == again
    assert can_be_there(worktree.path)
    run(repo, "worktree", "remove", str(worktree.path))
    run(repo, "branch", "-D", worktree.branch)
    assert back_in(worktree.path, trusts=trusts) == Worktree(repo, "x", "main")
    assert not (worktree.path / "b.txt").exists()
    assert git_branch(worktree.path) == "worktree-x"
    # Made by somebody else, or no worktree at all: nothing that this program would remove.
    run(repo, "worktree", "add", "--quiet", ".claude/worktrees/theirs")
    assert back_in(repo / ".claude/worktrees/theirs", trusts=trusts) is None
    assert back_in(repo, trusts=trusts) is None
    assert back_in(repo.parent / "gone/.claude/worktrees/x", trusts=trusts) is None
    assert not can_be_there(repo.parent / "gone/.claude/worktrees/x")
    assert not can_be_there(repo / "gone")
    assert not can_be_there(repo / ("x" * 300)), "what the system refuses to look at does not exist"


def test_in_a_submodule_it_is_the_submodules_own_and_empty_submodules_are_told(
    repo: Path, tmp_path: Path
) -> None:
    other = repository(tmp_path / "other")
    run(repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "sub")
    run(repo, "commit", "--quiet", "-m", "Add sub")
    inner = make(planned(repo / "sub", "x"))
    assert inner.root == repo / "sub"
    assert (inner.path / "a.txt").is_file()
    assert "submodules are empty" in begun(make(planned(repo, "x")))


@each_row("fix", "a/b", "Fix_1.2-x", "x" * 64)
def test_usual_names_are_taken(name: str) -> None:
    assert problem_of(name) == ""


@each_row(
    *("fix it", "-x", "--force", "a/-b", "../x", "a/../b", "/a", "a/", ".", "a..b", "a.lock", "a."),
    *("x" * 65, "ä", "a\n", "a;b", "$(a)", "a+b"),
)
def test_names_that_would_be_no_directory_or_no_branch_are_not(name: str) -> None:
    assert problem_of(name) != ""


@given(st.text(alphabet="ab.-_/@{~", min_size=1, max_size=8))
@example("a.lock")
@example("a/.b")
def test_what_is_taken_is_a_branch_for_git_and_stays_in_its_place(name: str) -> None:
    if problem_of(name):
        return
    folder = folder_of(name)
    assert subprocess.run(["git", "check-ref-format", "--branch", branch_of(folder)], check=False,
                          capture_output=True).returncode == 0  # fmt: skip
    worktree = Worktree(Path("/r"), folder)
    assert worktree.path.parent == Path("/r/.claude/worktrees")
    assert worktree_at(worktree.path) == worktree


def test_a_name_is_made_up_that_is_free() -> None:
    seen: list[str] = []

    def in_use(name: str) -> bool:
        seen.append(name)
        return len(seen) < 4

    assert made_up(in_use) == seen[-1]
    assert len(seen) == 4
    everything = made_up(lambda _name: True)
    assert all(problem_of(name) == "" for name in (*seen, everything))


def test_other_directories_are_no_worktrees() -> None:
    for place in ("/", "/r", "/.claude/worktrees", "/r/.claude/worktrees", "/r/.claude/worktrees/a/b"):
        assert worktree_at(Path(place)) is None


def test_it_goes_on_in_its_worktree_made_anew_and_else_here_which_is_said(repo: Path) -> None:
    made = make(planned(repo, "x"))
    run(repo, "worktree", "remove", str(made.path))
    here = Launch(
        settings=Settings(cwd=repo), program=ProgramArguments(flags={}), worktree=Worktree(repo, "mine")
    )

    def launched(directory: Path) -> Launch:
        return launch_to_resume("id", str(directory), here)

    again = launched(made.path)
    assert (again.settings.directory, again.resume, again.notices) == (made.path, "id", ())
    assert (made.path / "a.txt").is_file()
    elsewhere = launched(repo / "gone")
    assert (elsewhere.settings.directory, elsewhere.resume, elsewhere.worktree) == (repo, "id", None)
    assert elsewhere.notices == (f"Its directory {repo}/gone is gone: it is resumed in {repo}.",)
    made.path.parent.joinpath(".gitignore").unlink()
    run(repo, "worktree", "remove", str(made.path))
    (repo / ".claude/worktrees").rmdir()
    (repo / ".claude/worktrees").write_text("in the way")
    first, _second = launched(made.path).notices
    assert "is not a directory of the repository's own" in first
