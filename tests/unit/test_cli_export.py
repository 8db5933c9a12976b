"""Sessions printed and resumed from the shell."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from ccq_tui.agent.events import PromptAccepted
from ccq_tui.agent.history import SessionPast
from ccq_tui.agent.options import SessionOptions
from ccq_tui.agent.reader import ReaderError
from ccq_tui.cli import main
from ccq_tui.config.launch import Launch
from tests.unit.agent.recordings import prompt, said, text
from tests.unit.starting import Cli
from tests.unit.stocked import SESSION, asked, stock


def keep_session(directory: Path) -> None:
    """Write a session's file as Claude Code keeps it."""
    folder = Path(os.environ["CLAUDE_CONFIG_DIR"]) / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(directory))
    folder.mkdir(parents=True)
    above = None
    with (folder / f"{SESSION}.jsonl").open("w", encoding="utf-8") as file:
        for number, line in enumerate((prompt("Which \x1b[31mcache?"), said(text("**Redis**, I think.")))):
            name = f"00000000-0000-4000-8000-00000000000{number}"
            message = line["message"] | {"role": line["type"]}
            more = {"uuid": name, "parentUuid": above, "sessionId": SESSION, "cwd": str(directory)}
            at = {"timestamp": "2026-01-31T12:00:00.000Z", "isSidechain": False}
            file.write(json.dumps(line | {"message": message} | more | at) + "\n")
            above = name


def test_a_transcript_is_printed(tmp_path: Path, ccq: Cli) -> None:
    keep_session(tmp_path)
    with asked() as store:
        store.sessions.upsert(SESSION, str(tmp_path), name="cache")
    out = ccq("export", SESSION[:5])
    assert out.startswith("# cache\n")
    assert "## ❯ Prompt\n\n> Which ␛[31mcache?\n\n**Redis**, I think.\n" in out


def past(monkeypatch: pytest.MonkeyPatch, history: SessionPast | ReaderError) -> None:
    """Let the past be this, without a process that reads it."""

    async def read(options: SessionOptions) -> SessionPast:
        assert (options.resume, str(options.cwd)) == (SESSION, "/home/me/api")
        if isinstance(history, ReaderError):
            raise history
        return history

    monkeypatch.setattr("ccq_tui.agent.history.read_history", read)


def test_a_transcript_is_printed_as_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stock()
    past(monkeypatch, SessionPast(SESSION, (PromptAccepted("Which cache?"),)))
    assert main(["export", "8f", "--format", "json"]) == 0
    out, _ = capsys.readouterr()
    exported = json.loads(out)
    assert exported["session"] == {"name": "api-refactor", "id": SESSION, "cwd": "/home/me/api"}
    assert [block["kind"] for block in exported["blocks"]] == ["prompt"]


@pytest.mark.parametrize(
    ("history", "problem"),
    [
        (
            SessionPast(SESSION),
            f"Claude Code has no record of session {SESSION} in /home/me/api: check CLAUDE_CONFIG_DIR.\n",
        ),
        (ReaderError("it took \n long"), "the session cannot be read: it took long.\n"),
    ],
)
def test_what_cannot_be_printed_is_one_line(
    history: SessionPast | ReaderError,
    problem: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    stock()
    past(monkeypatch, history)
    assert main(["export", "8f"]) == 2
    assert capsys.readouterr() == ("", f"Error: {problem}")


@pytest.mark.parametrize(
    ("name", "flags"), [(SESSION[:5], []), (SESSION[:5], ["--cwd", "elsewhere"]), ("0" + SESSION[1:], [])]
)
def test_a_session_is_resumed_where_it_worked(
    name: str, flags: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[Launch] = []
    monkeypatch.chdir(tmp_path)
    for directory in ("work", "elsewhere"):
        (tmp_path / directory).mkdir()
    monkeypatch.setattr("ccq_tui.cli.session.show", lambda launch, *_: shown.append(launch) or 0)
    with asked() as store:
        store.sessions.upsert(SESSION, str(tmp_path / "work"))
    assert main(["resume", name, *flags]) == 0
    (launch,) = shown
    known = name != "0" + SESSION[1:]
    assert launch.resume == (SESSION if known else name)
    assert launch.settings.directory == tmp_path / ("elsewhere" if flags else "work" if known else "")
