"""What a worktree may be called."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ccq_tui.worktrees.model import Worktree, branch_of, folder_of, made_up, problem_of, worktree_at


@pytest.mark.parametrize("name", ["fix", "a/b", "Fix_1.2-x", "x" * 64])
def test_usual_names_are_taken(name: str) -> None:
    assert problem_of(name) == ""


@pytest.mark.parametrize(
    "name",
    [
        *("fix it", "-x", "--force", "a/-b", "../x", "a/../b", "/a", "a/", ".", "a..b", "a.lock", "a."),
        *("x" * 65, "ä", "a\n", "a;b", "$(a)", "a+b"),
    ],
)
def test_names_that_would_be_no_directory_or_no_branch_are_not(name: str) -> None:
    assert problem_of(name) != ""


@settings(max_examples=40)
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
