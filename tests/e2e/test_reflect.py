"""Commits in a real terminal, and the reflections that the hook asks for after them."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from ccq_tui.config.paths import config_dir
from ccq_tui.forms.commits import RECORDS
from ccq_tui.forms.reading import find_form
from ccq_tui.input.gate import REPEAT
from tests.e2e.conftest import program
from tests.e2e.filling import fill_in_by_keys
from tests.e2e.terminal import Terminal
from tests.ten import records
from tests.unit.worktrees.repositories import _first_repo, _repo, run

__all__ = ["_first_repo", "_repo"]

REFLECTION = find_form("commit-reflection")
GIVEN = (
    *("Bug fixing", "Hard", "High", "Mostly me", "Very High", "slow\nthen fast"),
    *(["AI misunderstanding", "My own clarity/changing direction"], None, "run", "Completed what I intended"),
)
FIRST = "What type of work was it?"
ENDED = "ended 42"


@pytest.fixture(autouse=True)
def _installed(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("PS1", "> ")
    # What is there already fails, and ends in a way that nothing after it would run.
    hook = repo / ".git/hooks/post-commit"
    hook.write_text("#!/bin/sh\necho \"earlier hook\"\nexec sh -c 'exit 3'\n", encoding="utf-8")
    hook.chmod(0o755)
    subprocess.run([program(), "reflect", "install"], cwd=repo, check=True, timeout=60)


def shell(directory: Path, commands: str) -> Terminal:
    """Run commands at a shell's prompt; what they end with is shown at their end."""
    terminal = Terminal(["sh"], os.environ, directory)
    terminal.type(f"{commands}; echo $? ended $((6 * 7))\r")
    return terminal


def unwrapped(terminal: Terminal) -> str:
    """Return the screen without blanks: paths are longer than its lines."""
    return "".join(terminal.text.split())


def test_a_commit_at_a_terminal_is_reflected_on(repo: Path) -> None:
    (repo / "new.txt").write_text("1\n2\n", encoding="utf-8")
    with shell(repo, "git add new.txt && git commit -q -m 'Add a file'") as terminal:
        terminal.wait(lambda one: FIRST in one.panel and "F1" in one.panel)
        assert "Add a file" in terminal.text, "the commit is in sight"
        fill_in_by_keys(terminal, REFLECTION, dict(zip(REFLECTION.names, GIVEN, strict=True)))
        terminal.wait(f"0 {ENDED}")
        assert f"Recordedin{repo / RECORDS}." in unwrapped(terminal)
        assert "earlier hook" in terminal.written
    with shell(repo, f"{program()} reflect") as terminal:
        terminal.wait_panel("Add another one?")
        terminal.press("enter")
        terminal.wait(f"Nothing was recorded.\n1 {ENDED}")
    (record,) = records(repo / RECORDS)
    assert record["form"] == "commit-reflection"
    assert record["context"] == {
        "hash": run(repo, "rev-parse", "HEAD"),
        "message": "Add a file",
        "author": "A <a@example.org>",
        "branch": "main",
        "changed": "1 file, +2 -0",
        "files": "+2 -0 new.txt",
    }
    answers = [one and one.get("values", one.get("value")) for one in record["answers"].values()]
    assert (tuple(record["answers"]), tuple(answers)) == (REFLECTION.names, GIVEN)


def test_leaving_the_questions_in_a_worktree_ends_the_commit_well(repo: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    run(repo, "worktree", "add", "--quiet", str(tree))
    with shell(tree, "CCQ_PLAIN=1 git commit -q --allow-empty -m 'Try it'") as terminal:
        terminal.wait(FIRST)
        terminal.press("ctrl+c")
        terminal.wait("y leaves")
        terminal.press("y enter")
        terminal.wait(f"0 {ENDED}")
        assert "draft is kept" in terminal.prose
    with shell(tree, f"{program()} reflect") as terminal:
        terminal.wait(lambda one: FIRST in one.panel and "F1" in one.panel)
        terminal.press("escape")
        terminal.wait("Leave?")
        time.sleep(REPEAT)  # sooner, it is the key that is held down
        terminal.press("escape")
        terminal.wait(f"130 {ENDED}")
    assert run(tree, "log", "-1", "--format=%s") == "Try it"
    assert not (repo / RECORDS).exists()
    assert run(repo, "worktree", "remove", str(tree)) == "", "nothing was left in it"


@pytest.mark.parametrize(
    "commands",
    [
        "CI=true git commit -q --allow-empty -m new",
        "TERM=dumb git commit -q --allow-empty -m new",
        "git commit -q --allow-empty -m new 2>/dev/null",
        "setsid -w git commit -q --allow-empty -m new",
        "git commit -q --allow-empty -m new & wait $!",
        "git commit -q --amend -m new",
        "git cherry-pick --allow-empty side && git commit -q --allow-empty --amend -m new",
        "GIT_EDITOR=true GIT_SEQUENCE_EDITOR='sed -i s/pick/reword/' git rebase -q -i --root && "
        "GIT_SEQUENCE_EDITOR='sed -i s/pick/edit/' git rebase -q -i --root && "
        "git commit -q --allow-empty -m new && git rebase --continue",
        "git config ccq.reflect false && git commit -q --allow-empty -m new",
    ],
    ids=["ci", "dumb", "no_stderr", "no_tty", "background", "amend", "pick", "rebase", "off"],
)
def test_nothing_is_asked_elsewhere_and_the_commit_stands(repo: Path, commands: str) -> None:
    run(repo, "branch", "side", run(repo, "commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "Side"))
    with shell(repo, f"GIT_EDITOR=true; export GIT_EDITOR; {commands}") as terminal:
        terminal.wait(f"0 {ENDED}")
        assert FIRST not in terminal.written
        assert "earlier hook" in terminal.written or "2>/dev/null" in commands
    assert run(repo, "log", "-1", "--format=%s") == "new"


def test_what_is_wrong_with_the_form_or_the_program_fails_no_commit(repo: Path) -> None:
    forms = config_dir() / "forms"
    forms.mkdir(parents=True)
    (forms / "commit-reflection.toml").write_text("questions = 3", encoding="utf-8")
    with shell(repo, "git commit -q --allow-empty -m new") as terminal:
        terminal.wait(f"0 {ENDED}")
        assert "commit-reflection.toml:" in unwrapped(terminal)
    hook = repo / ".git/hooks/post-commit"
    hook.write_text(hook.read_text(encoding="utf-8").replace(program(), "/gone/ccq-tui"), encoding="utf-8")
    with shell(repo, "PATH=/usr/bin:/bin git commit -q --allow-empty -m newer") as terminal:
        terminal.wait(f"0 {ENDED}")
    assert run(repo, "log", "-2", "--format=%s") == "newer\nnew"
