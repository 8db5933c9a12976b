"""The command that shows a recording, where it has none to show."""

import io
import sys
from pathlib import Path

import pytest

from ccq_tui.cli import main
from tests.unit.agent.recordings import prompt, write
from tests.unit.starting import Cli


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["replay", *words]) == 2
    out, problem = capsys.readouterr()
    assert out == ""
    return problem


def test_help_says_what_can_be_read(ccq: Cli) -> None:
    text = ccq("replay", "--help")
    assert "Usage: ccq-tui replay [OPTIONS] FILE|-" in text


def test_what_is_wrong_with_a_file_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    told = refused(capsys, str(tmp_path / "missing"))
    assert told.startswith("Error: ")
    assert told.endswith("cannot be read: No such file or directory.\n")
    assert told.count("\n") == 1


def test_a_recording_is_printed_with_what_could_not_be_read(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = write(tmp_path / "good.jsonl", prompt("Hi"), b"{cut")
    assert main(["replay", str(path)]) == 0
    out, problem = capsys.readouterr()
    assert out.startswith("you: Hi\n")
    assert problem == "good.jsonl: 1 line could not be read: 2\n"


def test_a_terminal_is_no_recording(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdin", terminal)
    assert "standard input is the terminal" in refused(capsys, "-")
