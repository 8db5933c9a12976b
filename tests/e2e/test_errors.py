"""The whole program when things go wrong: the CLI is killed, and a directory is not trusted yet."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from ccq_tui.testing import Scenario
from tests.e2e.conftest import Running, Start
from tests.e2e.terminal import Terminal

DONE = "That was all."


def cli_of(run: Running) -> int:
    """Find the CLI that works in the run's project."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes()
                place = (entry / "cwd").readlink()
            except OSError:
                continue
            if place == run.home.project and b"claude" in words and b"--output-format" in words:
                return int(entry.name)
    raise AssertionError("there is no CLI")


def is_bold(terminal: Terminal, text: str) -> bool:
    """Say whether a text is on the screen and drawn in bold."""
    for y, line in enumerate(terminal.screen.display):
        if (x := line.find(text)) >= 0:
            return bool(terminal.screen.buffer[y][x].bold)
    return False


def test_a_killed_cli_is_reconnected_and_goes_on(start: Start) -> None:
    run = start(Scenario("e2e").says("Half of it").hangs().ends_turn().says(DONE).repeats())
    run.terminal.wait("Half of it")
    os.kill(cli_of(run), signal.SIGKILL)
    run.terminal.wait("F5 reconnect")
    assert "ended by signal 9 (SIGKILL)" in run.terminal.text
    assert "Traceback" not in run.terminal.text
    run.terminal.type("and more")
    run.terminal.press("f5")
    run.terminal.wait("F5 send it again")
    assert run.terminal.text.count("Half of it") == 1
    assert "❯ and more" in run.terminal.text


def test_a_directory_is_trusted_first(start: Start, tmp_path: Path) -> None:
    project = tmp_path / "shop"
    project.mkdir()
    (project / ".mcp.json").write_text('{"mcpServers": {"db": {"command": "/bin/false"}}}')
    run = start(Scenario("e2e").says(DONE), "--cwd", str(project))
    run.terminal.wait("runs /bin/false (MCP server db)")
    run.terminal.wait(lambda terminal: is_bold(terminal, "y trust"))
    run.terminal.press("d")
    run.terminal.wait(DONE)
    assert "left out, as you chose" in run.terminal.text
