"""``ccq-tui wrap`` on the command line: what it explains and refuses; `tests/e2e` runs programs."""

from __future__ import annotations

import io
import re
import signal
import sys
from pathlib import Path

import pytest

from ccq_tui.bridges.terminal.detect import MOST_BYTES
from ccq_tui.cli import main
from ccq_tui.config.paths import config_dir
from tests.unit.starting import Cli

DOCS = Path(__file__).parents[2] / "docs" / "bridges.md"


def fed(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")


def test_the_example_of_the_docs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    text = DOCS.read_text(encoding="utf-8")
    (rule,) = re.findall(r"(?s)```toml\n(.*?)```", text)
    (command, printed) = re.findall(
        r"(?s)```console\n\$ printf '(.*?)' \| ccq-tui wrap --explain\n(.*?)```", text
    )[0]
    own = config_dir() / "prompts"
    own.mkdir(parents=True)
    (own / "mine.toml").write_text(rule, encoding="utf-8")
    fed(command.encode(), monkeypatch)
    assert main(["wrap", "--explain"]) == 0
    assert capsys.readouterr().out == printed.replace("/home/you/.config/ccq-tui", str(config_dir()))


def test_a_bad_rule_is_named_before_what_the_others_see(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    own = config_dir() / "prompts"
    own.mkdir(parents=True)
    (own / "mine.toml").write_text('[[rule]]\nname = "mine"', encoding="utf-8")
    fed(b"Go on? [y/n] ", monkeypatch)
    assert main(["wrap", "--explain"]) == 2
    printed = capsys.readouterr().out
    assert printed.startswith(f"{own / 'mine.toml'}: rule mine: shape: is missing")
    assert "lines: yes-no asks “Go on?” Yes | No" in printed


def test_a_recording_acts_on_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fed(b"\x1b]0;title\x07\x1b[31mred\x1b[m \x9b0m\xff ? [y/n] ", monkeypatch)
    assert main(["wrap", "--explain"]) == 0
    assert not set(capsys.readouterr().out) & {"\x1b", "\x07", "\x9b"}


@pytest.mark.parametrize(
    ("words", "data", "said"),
    [
        ([], b"", "name the command to run: ccq-tui wrap -- COMMAND."),
        (["--", ""], b"", "name the command to run: ccq-tui wrap -- COMMAND."),
        (["--explain"], b"x" * (MOST_BYTES + 1), "the recording must have at most 4,000,000 bytes."),
        (["--explain", "true"], b"", "--explain takes no command: pipe what a program wrote into"),
        (["--nmae", "x", "--", "true"], b"", "No such option '--nmae'"),
    ],
)
def test_what_it_cannot_do_is_refused(
    words: list[str], data: bytes, said: str, monkeypatch: pytest.MonkeyPatch, ccq: Cli
) -> None:
    fed(data, monkeypatch)
    assert said in ccq("wrap", *words, code=2)


def test_a_command_that_is_not_there_changes_no_signal(ccq: Cli) -> None:
    numbers = (signal.SIGPIPE, signal.SIGXFSZ)
    before = [signal.getsignal(number) for number in numbers]
    assert "/nonexistent/program" in ccq("wrap", "--", "/nonexistent/program", code=127)
    assert [signal.getsignal(number) for number in numbers] == before
