"""The program that lists and deletes Claude Code's sessions, on files as Claude Code writes them."""

import json
import re
from pathlib import Path

import pytest
from claude_agent_sdk import list_sessions

from ccq_tui.agent.claude import records
from ccq_tui.agent.claude.records import deleted, listed, main
from ccq_tui.worktrees.creation import make, planned
from tests.tables import each_row
from tests.unit.worktrees.repositories import repository

ONE = "11111111-2222-4333-8444-555555555555"
TWO = "22222222-2222-4333-8444-555555555555"


def entry(kind: str, content: object, **more: object) -> str:
    body = {"type": kind, "message": {"role": kind, "content": content}, "cwd": "/work"}
    return json.dumps(body | more)


@pytest.fixture
def projects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    (tmp_path / "projects" / "-work").mkdir(parents=True)
    return tmp_path / "projects" / "-work"


def write(projects: Path, session_id: str, *lines: str) -> Path:
    path = projects / f"{session_id}.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_sessions_of_all_directories_come_with_what_was_said_last(projects: Path) -> None:
    write(
        projects,
        ONE,
        entry("user", "Fix the login"),
        entry("assistant", [{"type": "text", "text": "Looking."}, {"type": "tool_use", "name": "Read"}]),
        entry("user", [{"type": "tool_result", "content": "x"}]),
        entry("user", "<command-name>/cost</command-name>"),
        entry("assistant", [{"type": "text", "text": "a subagent"}], isSidechain=True),
        '{"half a li',
        entry("assistant", [{"type": "text", "text": "Fixed."}]),
        entry("user", "Thanks"),
    )
    (found,) = listed("", 10)
    assert (found.session_id, found.directory) == (ONE, "/work")
    assert found.summary == "Fix the login · Thanks"
    assert found.last == (("assistant", "Looking."), ("assistant", "Fixed."), ("user", "Thanks"))


def test_sessions_of_other_worktrees_belong_to_the_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    repo = repository(tmp_path / "repo")
    worktree = make(planned(repo, "x")).path
    for session_id, place in ((ONE, repo), (TWO, worktree)):
        name = re.sub(r"[^A-Za-z0-9]", "-", str(place))
        (tmp_path / "config/projects" / name).mkdir(parents=True)
        write(tmp_path / "config/projects" / name, session_id, entry("user", "Hello", cwd=str(place)))
    found = {one.session_id: one.directory for one in listed(str(repo), 10)}
    assert found == {ONE: str(repo), TWO: str(worktree)}


def test_only_the_end_of_a_large_record_is_read(projects: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "TAIL", 400)
    write(projects, ONE, *(entry("user", f"prompt {number} " + "x" * 50) for number in range(100)))
    (found,) = listed("", 10)
    assert [text.split()[1] for _who, text in found.last] == ["98", "99"]


def test_one_file_is_deleted_and_nothing_else(projects: Path) -> None:
    ended, stays = write(projects, ONE, entry("user", "a")), write(projects, TWO, entry("user", "b"))
    (projects / ONE / "subagents").mkdir(parents=True)
    assert deleted(ONE) == str(ended)
    assert not ended.exists()
    assert stays.exists()
    assert (projects / ONE / "subagents").is_dir()


@each_row("../../x", "*", "", ONE[:-1], f"{ONE}/../{TWO}")
def test_what_is_no_session_deletes_nothing(name: str, *, projects: Path) -> None:
    stays = write(projects, TWO, entry("user", "b"))
    with pytest.raises(ValueError):
        deleted(name)
    with pytest.raises(FileNotFoundError):
        deleted(ONE)
    assert stays.exists()


def test_a_title_is_the_one_that_claude_code_knows_too(
    projects: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(projects, ONE, entry("user", "Fix the login"))
    main("rename", ONE, "Login")
    assert capsys.readouterr().out == "null"
    assert [one.summary for one in list_sessions()] == ["Login"]
