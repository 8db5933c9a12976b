"""``ccq-tui reflect`` and its commands, in a real repository."""

import json
from pathlib import Path

import pytest

from ccq_tui.cli import main
from ccq_tui.config.paths import config_dir
from ccq_tui.forms.commits import RECORDS
from ccq_tui.forms.post_commit import AGENTS, EDITORS
from tests.unit.starting import Cli
from tests.unit.worktrees.repositories import run


@pytest.fixture(autouse=True)
def _there(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repo)
    for name in ("TERM_PROGRAM", *AGENTS, *EDITORS):
        monkeypatch.delenv(name, raising=False)


def recorded(repo: Path) -> None:
    """Write one reflection and a torn line."""
    answers = {"work_type": {"value": "Docs", "label": "Docs"}, "feedback": {"value": "Read first."}}
    context = {"hash": "1234567890", "message": "Fix it"}
    record = {"id": "1", "finished": "2026-11-02T10:05:00Z", "context": context, "answers": answers}
    (repo / RECORDS).write_text(f"{json.dumps(record)}\n{{torn", encoding="utf-8")


def test_the_hook_is_installed_examined_and_uninstalled(
    ccq: Cli, repo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = repo / ".git/hooks/post-commit"
    assert ccq("reflect", "status") == "not installed\n"
    assert main(["reflect", "install"]) == 2
    assert "there is no terminal to ask in" in capsys.readouterr().err
    assert not hook.exists()
    shown = ccq("reflect", "install", "--yes").splitlines()
    assert shown[:2] == [f"--- {hook}", f"+++ {hook}"]
    assert shown[-2:] == [
        "git config --local ccq.reflect true",
        f"Installed: {hook}. ccq-tui reflect asks after your next commit.",
    ]
    stays = f"The hook is installed already: {hook} stays as it is.\n"
    assert ccq("reflect", "install") == stays
    assert ccq("reflect", "status") == f"installed: {hook}\n"
    hook.unlink()
    replaced = "Nothing is asked after a commit: git runs no hook here that asks. "
    assert ccq("reflect", "status").splitlines()[1] == f"{replaced}To repair: ccq-tui reflect install."
    assert ccq("reflect", "uninstall", "--yes") == (
        "git config --local ccq.reflect --unset\nUninstalled: ccq-tui reflect asks no longer.\n"
    )
    assert ccq("reflect", "uninstall") == "The hook is not installed.\n"
    run(repo, "config", "core.hooksPath", ".husky/_")
    tracked = repo / ".husky/post-commit"
    tracked.parent.mkdir()
    tracked.touch()
    run(repo, "add", "-A")
    assert "Husky replaces this file" in ccq("reflect", "install", "--yes")
    run(repo, "worktree", "add", "--quiet", str(tmp_path / "tree"))
    monkeypatch.setenv("TERM_PROGRAM", "vscode")
    assert ccq("reflect", "status").splitlines()[1:] == [
        f"These worktrees have other hooks; install it there, too: {tmp_path / 'tree'}.",
        "It does not ask in this terminal, which is an editor's: TERM_PROGRAM is set. "
        "To be asked: git config ccq.reflectInEditors true.",
    ]
    run(repo, "config", "ccq.reflectInEditors", "true")
    assert len(ccq("reflect", "status").splitlines()) == 2
    monkeypatch.setenv("CLAUDECODE", "1")
    text = "It does not ask in this terminal, which is an agent's: CLAUDECODE is set."
    assert ccq("reflect", "status").splitlines()[-1] == text


def test_reflections_are_printed_whole_with_what_could_not_be_read(
    ccq: Cli, repo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ccq("reflect", "list") == "No reflections.\n"
    assert main(["reflect", "feedback"]) == 0
    assert capsys.readouterr() == ("", "No feedback yet.\n")
    recorded(repo)
    assert main(["reflect", "list"]) == 0
    assert capsys.readouterr().err == f"Left out of {repo / RECORDS}: 1 line that cannot be read (2).\n"
    inner = repo / "inner"
    inner.mkdir()
    monkeypatch.chdir(inner)
    assert "2026-11-02  1234567  Docs" in ccq("reflect", "list")
    assert ccq("reflect", "list", "--since", "2026-11-03") == "No reflections.\n"
    assert "1234567 Fix it: Read first." in ccq("reflect", "feedback", "--last", "1")
    monkeypatch.setenv("HOME", str(repo))
    ccq("reflect", "list", "--file", f"~/{RECORDS}")
    monkeypatch.chdir(tmp_path)
    assert "1234567 Fix it" in ccq("reflect", "feedback", "--file", str(repo / RECORDS))


def test_what_cannot_be_done_says_why(
    ccq: Cli, repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for words, problem in {
        "HEAD~9": "“HEAD~9” is no commit: name one, such as HEAD~1 or a hash.",
        "-- -x": "“-x” is no commit",
        "--output .": ". is a directory; name a file in it",
        "--output no/r.jsonl": "make it first",
        "list --file no.jsonl": "no.jsonl does not exist; --file takes a file of reflections.",
        "list --file .": "Is a directory: .",
        "list --since noon": "--since takes a time",
    }.items():
        assert problem in ccq("reflect", *words.split(), code=2), words
    again = {
        "id": "2",
        "finished": "2026-11-02T10:05:00Z",
        "context": {"hash": run(repo, "rev-parse", "HEAD")},
    }
    (repo / RECORDS).write_text(json.dumps(again | {"answers": {}}), encoding="utf-8")
    monkeypatch.setenv("HOME", str(repo))
    for words in (), ("--output", f"~/{RECORDS}"):
        assert " has a reflection of 2026-11-02" in ccq("reflect", *words, code=2)
    (repo / RECORDS).unlink()
    forms = config_dir() / "forms"
    forms.mkdir(parents=True)
    (forms / "commit-reflection.toml").write_text("id = 3\n", encoding="utf-8")
    assert "commit-reflection.toml: " in ccq("reflect", code=2)
    monkeypatch.chdir(tmp_path)
    for command in ("", "install", "uninstall", "status", "list"):
        assert "not a git repository" in ccq("reflect", *command.split(), code=2)
