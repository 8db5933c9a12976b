"""The one reader of input, from pipes, files and terminals."""

import asyncio
import os
import pty
import sys
import termios
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from ccq_tui.plain.lines import MOST_BYTES, InputEnded, Interrupted, Lines
from ccq_tui.plain.mode import plain_reason
from tests.steps import until_true
from tests.tables import each_row, table
from tests.unit.plain.talking import Pipe


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    master, slave = pty.openpty()
    yield master, slave
    os.close(master)
    with suppress(OSError):
        os.close(slave)


async def test_lines_of_a_pipe_are_read_one_by_one_and_no_further(capsys: pytest.CaptureFixture[str]) -> None:
    pipe = Pipe()
    pipe.write("2\r\nfirst \\\n\tsecond\nrest\nend")
    assert [await pipe.lines.input("Choose:"), await pipe.lines.input()] == ["2", "first \n\tsecond"]
    assert os.read(pipe.source, 4) == b"rest", "another program finds the rest"
    pipe.end()
    assert (await pipe.lines.input("More?"), await pipe.lines.input("More?")) == ("", "end")
    for _ in range(2):
        with pytest.raises(InputEnded):
            await pipe.lines.input("Choose:")
    text = "Choose:\nyou: 2\nyou: first\n    second\nMore?\nyou:\nMore?\nyou: end\nChoose:\nChoose:\n"
    assert capsys.readouterr().out == text


@pytest.mark.parametrize("content", ["one\ntwo", "one\ntwo\n"])
async def test_a_file_is_an_input_too(tmp_path: Path, content: str) -> None:
    (tmp_path / "answers").write_text(content)
    with (tmp_path / "answers").open("rb") as file:
        lines = Lines(file.fileno())
        assert [await lines.input(), await lines.input()] == ["one", "two"]
        with pytest.raises(InputEnded):
            await lines.input()


async def test_a_closed_input_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputEnded):
        await Lines().input()


async def test_what_a_line_holds_is_text(capsys: pytest.CaptureFixture[str]) -> None:
    pipe = Pipe()
    pipe.write("\x1b[2Jno\x00\n")
    os.write(pipe._writes, b"M\xfcnchen\nM\xc3\xbcnchen\n")
    assert await pipe.lines.input() == "[2Jno"
    assert await pipe.lines.input("Where?") == "München", "a value is exact or refused"
    assert "Where?\nnote: The line was not used: it is not UTF-8.\nWhere?\n" in capsys.readouterr().out
    pipe.lines.say("claude", "you: yes\n\npermission: \x1b[31mred")
    assert capsys.readouterr().out.endswith("claude: you: yes\n\n  permission: ␛[31mred\n")


async def test_a_line_of_a_pipe_survives_the_wait_for_it() -> None:
    pipe = Pipe()
    pipe.write("a \\\nhal")
    waiting = asyncio.ensure_future(pipe.lines.input())
    await until_true(lambda: pipe.lines._rest == b"hal")
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    pipe.write("f\n")
    assert await pipe.lines.input() == "a \nhalf"


async def test_a_line_begun_at_a_terminal_for_what_is_over_is_shown_and_not_used(
    terminal: tuple[int, int], capsys: pytest.CaptureFixture[str]
) -> None:
    master, slave = terminal
    lines = Lines(slave)
    waiting = asyncio.ensure_future(lines.input("Choose:"))
    await until_true(lambda: lines._awaited is not None)
    os.write(master, b"2")
    await until_true(lambda: b"2" in os.read(master, 100))  # echoed: it has arrived
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    os.write(master, b"yes\n")
    assert await lines.input() == "yes"
    assert "note: The line you had begun is not used: 2\n" in capsys.readouterr().out


async def test_ctrl_c_ends_the_wait_for_a_line_alone() -> None:
    pipe = Pipe()
    assert not pipe.lines.interrupt()
    waiting = asyncio.ensure_future(pipe.lines.input())
    await until_true(pipe.lines.interrupt)
    with pytest.raises(Interrupted):
        await waiting
    pipe.write("on\n")
    assert await pipe.lines.input() == "on"


async def test_sentences_and_prompts_break_between_words(
    terminal: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    master, slave = terminal
    termios.tcsetwinsize(slave, (12, 24))
    with os.fdopen(os.dup(slave), "w") as out:
        monkeypatch.setattr(sys, "stdout", out)
        lines = Lines(slave)
        lines.note("Answered here:\nsome words of this length")
        waiting = asyncio.ensure_future(lines.input("Type a text, ? for further help:"))
        await until_true(lines.interrupt)
        with pytest.raises(Interrupted):
            await waiting
    printed = os.read(master, 1_000).decode().replace("\r", "")
    note = "note: Answered here:\n  some words of this\n  length\n"
    assert printed.startswith(f"{note}Type a text, ? for\nfurther help: ")


async def test_a_terminal_that_goes_away_ends_the_input() -> None:
    master, slave = pty.openpty()
    lines = Lines(slave)
    waiting = asyncio.ensure_future(lines.input())
    await until_true(lambda: lines._awaited is not None)
    os.close(master)
    with pytest.raises(InputEnded):
        await waiting
    os.close(slave)


@pytest.mark.timeout(30)
async def test_a_line_without_an_end_is_bounded_and_read_in_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "answers").write_text("ü" * 600_000 + "\nnext\n")
    with (tmp_path / "answers").open("rb") as file:
        lines = Lines(file.fileno())
        assert await lines.input() == "ü" * (MOST_BYTES // 2)
        assert os.lseek(file.fileno(), 0, os.SEEK_CUR) == 1_200_001, "another program finds the next line"
        assert await lines.input() == "next"
    assert "note: The line was cut after 1,000,000 bytes." in capsys.readouterr().out


@each_row(*table(__file__, "lines.json")["the_reasons_to_go_line_by_line"])
def test_the_reasons_to_go_line_by_line(environ: dict[str, str], flag: bool, reason: str) -> None:
    assert plain_reason(environ, flag=flag) == reason


def test_a_screen_needs_no_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ccq_tui.plain.mode.not_terminals", lambda: ["input"])
    assert plain_reason({"TERM": "xterm"}) == ""
