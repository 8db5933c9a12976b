"""The question about trust, in a terminal that a shell has before and after the program."""

import os
import shlex
import time
from pathlib import Path

import pytest

from ccq_tui.screens.sessions.trust import TRUST_QUESTION
from tests.e2e.conftest import program
from tests.e2e.terminal import Terminal

SERVERS = '{"mcpServers": {"db": {"command": "/bin/false"}}}'
ASKED = TRUST_QUESTION
SHELL = "the-shell$ "


@pytest.fixture
def project(tmp_path: Path) -> Path:
    place = tmp_path / "shop"
    place.mkdir()
    (place / ".mcp.json").write_text(SERVERS)
    return place


def environment(tmp_path: Path) -> dict[str, str]:
    home = tmp_path / "home"
    home.mkdir()
    names = ("PATH", "LANG", "PYTHONPYCACHEPREFIX")  # the last: where compiled modules are kept
    kept = {name: value for name, value in os.environ.items() if name in names}
    return kept | {"HOME": str(home), "PS1": SHELL, "CLAUDE_CONFIG_DIR": str(home / ".claude")}


def pause(terminal: Terminal, seconds: float) -> None:
    """Let the pause go by that the question waits for."""
    since = time.monotonic()
    terminal.wait(lambda _: time.monotonic() - since > seconds)


@pytest.mark.parametrize("typed", ["explain; echo LEAK; echo ED >leaked", "yes, d\x1bno; echo ED >leaked"])
def test_what_is_typed_ahead_neither_answers_nor_reaches_the_shell(
    project: Path, tmp_path: Path, typed: str
) -> None:
    env = environment(tmp_path)
    with Terminal(["/bin/sh", "-i"], env, project, (90, 24)) as terminal:
        terminal.wait(SHELL.strip()).type(f"{shlex.quote(program())}; echo ended $?\r")
        # Letters of the question begin, end and interrupt it, and Enter comes at once behind them.
        terminal.type(typed[:4]).wait(ASKED)
        for letter in typed[4:]:
            terminal.type(letter)
            pause(terminal, 0.02)
        terminal.type("\r")
        shown = typed.replace("\x1b", "")
        terminal.wait(lambda screen: f"for the prompt: {shown}" in screen.text)
        assert "❯ Do not trust it: quit" in terminal.text
        assert terminal.process.poll() is None
        pause(terminal, 1.0)
        assert ASKED in terminal.text, "nothing was answered"
        # What is typed on while it ends is nobody's.
        terminal.press("down up")
        pause(terminal, 1.0)  # a busy machine draws the row late, and Enter would be asked for again
        terminal.type("\recho ED >leaked\r").wait("ended 0")
        terminal.type("echo the end\r").wait(lambda screen: screen.text.count("the end") >= 2)
        terminal.type("exit\r").wait_end()
    assert not (project / "leaked").exists()
    assert not list((tmp_path / "home").rglob("trust.json"))
