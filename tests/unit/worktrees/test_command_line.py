"""``--worktree`` on the command line, and going back to the worktree of a session."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ccq_tui.cli import main
from ccq_tui.config.launch import Trusted, launch_with, trusting
from ccq_tui.config.paths import inbox_path
from ccq_tui.inbox.store.store import Store
from ccq_tui.runtime.launches import made
from ccq_tui.worktrees.creation import make, planned
from ccq_tui.worktrees.model import Worktree
from tests.tables import each_row, table
from tests.unit.starting import Cli, FakeApp
from tests.unit.worktrees.repositories import run


@pytest.fixture
def place(repo: Path) -> Path:
    return repo


def test_the_session_works_in_its_worktree_with_the_settings_it_carries(app: FakeApp, repo: Path) -> None:
    (repo / ".ccq-tui.toml").write_text('model = "opus"\n')
    run(repo, "add", "-A")
    run(repo, "commit", "--quiet", "-m", "Choose")
    (repo / ".ccq-tui.toml").write_text('model = "other"\n')
    trust(repo)
    launch = app.started("-w", "fix/it", "do it")
    assert launch.worktree == Worktree(repo, "fix+it", "main")
    assert (launch.settings.directory, launch.prompt) == (launch.worktree.path, "do it")
    assert launch.trusted.carried is not None, "it has another file than the checkout"
    assert launch.settings.model is None
    assert launch.trusted.carried.loaded.settings.model == "opus"
    unnamed = app.started("--worktree", "--model", "haiku", "--", "do it")
    assert unnamed.worktree is not None
    assert (unnamed.prompt, unnamed.settings.directory.parent) == ("do it", launch.worktree.path.parent)


def trust(directory: Path) -> None:
    trusting(launch_with({"cwd": directory}))


def test_in_an_untrusted_repository_nothing_is_made_or_run_first(
    app: FakeApp, repo: Path, tmp_path: Path
) -> None:
    ran = programs(repo, tmp_path)
    (repo / ".ccq-tui.toml").write_text('log_level = "debug"\ntheme = "ccq-light"\n')
    before = state_of(repo)
    launch = app.started("-w", "x", "do it")
    assert (state_of(repo), ran()) == (before, set())
    assert (launch.worktree, launch.settings.log_level, launch.settings.theme) == (None, "info", "ccq-dark")
    assert launch.plan is not None
    assert launch.trusted.carried is not None
    # Left out: a worktree, but nothing that the repository names runs.
    without = replace(launch, trusted=Trusted(project_settings=False))
    there = made(without)
    assert there.settings.directory == there.worktree.path
    assert there.trusted == Trusted(project_settings=False)
    assert (there.worktree.path / "a.txt").read_text() == "text\n"
    assert ran() == set()
    # Trusted: git works as it does for the person.
    trust(repo)
    assert app.started("-w", "y").worktree is not None
    assert {"post-checkout", "smudge"} <= ran()


def test_a_worktree_is_made_anew_without_the_programs_of_an_untrusted_repository(
    app: FakeApp, repo: Path, tmp_path: Path
) -> None:
    worktree = make(planned(repo, "x"))
    run(repo, "worktree", "remove", str(worktree.path))
    ran = programs(repo, tmp_path)
    (repo / ".ccq-tui.toml").write_text('model = "opus"\n')
    store = Store(inbox_path())
    store.sessions.upsert(WITH_ID, str(worktree.path))
    store.close()
    assert app.started("--resume", WITH_ID).settings.directory == worktree.path
    assert (worktree.path / "a.txt").read_text() == "text\n"
    assert ran() == set()


WITH_ID = "00000000-0000-4000-8000-000000000002"


def programs(repo: Path, tmp_path: Path) -> Callable[[], set[str]]:
    """Let the repository name programs for all that git can run here; return what tells which ran."""
    place = tmp_path / "ran"
    place.mkdir()

    def program(name: str) -> str:
        path = tmp_path / f"run-{name}"
        path.write_text(f"#!/bin/sh\ntouch {place / name}\ncat 2>/dev/null\n")
        path.chmod(0o700)
        return str(path)

    for hook in ("post-checkout", "reference-transaction", "post-index-change"):
        (repo / ".git/hooks").mkdir(exist_ok=True)
        (repo / ".git/hooks" / hook).symlink_to(program(hook))
    run(repo, "config", "core.fsmonitor", program("fsmonitor"))
    run(repo, "config", "filter.planted.smudge", program("smudge"))
    run(repo, "config", "filter.planted.clean", program("clean"))
    run(repo, "config", "filter.planted.required", "true")
    (repo / ".git/info").mkdir(exist_ok=True)
    (repo / ".git/info/attributes").write_text("*.txt filter=planted\n")
    for one in place.iterdir():
        one.unlink()
    return lambda: {path.name for path in place.iterdir()}


def state_of(repo: Path) -> set[str]:
    return {str(path) for path in repo.rglob("*")}


@each_row(*table(__file__, "command_line.json")["what_is_wrong_is_exit_2_and_makes_nothing"])
def test_what_is_wrong_is_exit_2_and_makes_nothing(
    words: list[str], text: str, *, app: FakeApp, repo: Path, ccq: Cli
) -> None:
    assert text in ccq(*words, code=2)
    assert app.launches == []
    assert not (repo / ".claude").exists()


def test_without_a_screen_or_with_settings_that_cannot_be_used_nothing_is_left(
    app: FakeApp, repo: Path, monkeypatch: pytest.MonkeyPatch, ccq: Cli
) -> None:
    (repo / ".ccq-tui.toml").write_text('questions = "no"\n')
    run(repo, "add", "-A")
    run(repo, "commit", "--quiet", "-m", "Break")
    (repo / ".ccq-tui.toml").unlink()
    assert ".claude/worktrees/x/.ccq-tui.toml:1: questions" in ccq("-w", "x", code=2)
    monkeypatch.setattr("ccq_tui.cli.session.not_terminals", lambda: ["input"])
    assert main(["-w", "x"]) == 2
    assert not (repo / ".claude").exists()
    assert "worktree" not in run(repo, "branch")
    assert app.launches == []


def test_a_session_is_resumed_in_its_worktree_from_anywhere(
    app: FakeApp, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = app.started("-w", "x").worktree
    assert made is not None
    with_id = "00000000-0000-4000-8000-000000000001"
    store = Store(inbox_path())
    store.sessions.upsert(with_id, str(made.path))
    store.close()
    assert app.started("--resume", with_id).settings.directory == made.path
    # It was removed, as one that held nothing.
    run(repo, "worktree", "remove", str(made.path))
    assert app.started("--resume", with_id).settings.directory == made.path
    assert (made.path / "a.txt").is_file()
    run(repo, "worktree", "remove", str(made.path))
    monkeypatch.chdir(repo.parent)
    assert app.started("resume", "00000000").settings.directory == made.path
    assert app.started("--cwd", str(repo), "--resume", with_id).settings.directory == repo
    shutil.rmtree(repo)
    assert main(["resume", "00000000"]) == 2
