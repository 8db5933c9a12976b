"""A program that a shell stops, takes into the background, brings back and ends."""

from __future__ import annotations

import os
import shutil
import signal
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from ccq_tui.testing import clean_environment
from tests.e2e.conftest import program
from tests.e2e.terminal import Terminal
from tests.processes import children
from tests.steps import step


@pytest.mark.skipif(shutil.which("bash") is None, reason="a shell with job control")
def test_it_goes_on_where_it_was_and_ends_when_it_is_told_to(tmp_path: Path) -> None:
    home = clean_environment("http://127.0.0.1:9", root=tmp_path)
    shell = [shutil.which("bash") or "", "--norc", "--noprofile", "-i"]
    with ExitStack() as ending, Terminal(shell, home.env | {"PS1": "$ "}, home.project) as terminal:
        terminal.type(f"{program()} demo single --speed 0\n")
        terminal.wait_panel("Which database")
        (pid,) = children(terminal.process.pid)
        ending.callback(kill_all, pid)
        for how in (signal.SIGSTOP, signal.SIGTSTP):
            with step(f"{how.name}, then in the background, then in front again"):
                os.kill(pid, how)
                terminal.wait("Stopped")
                terminal.type("bg\n")
                terminal.wait("bg")
                terminal.wait(lambda _: ") T " in Path(f"/proc/{pid}/stat").read_text())
                terminal.type("clear; fg\n")
                terminal.wait_panel("Which database")
                terminal.press("down")
                row = "❯ ○ 2" if how is signal.SIGSTOP else "❯ ○ 3"
                # The row may be drawn before the rest, over what the shell said of the stop.
                terminal.wait(lambda at, row=row: row in at.text and "Stopped" not in at.text)
        with step("ended by the shell while it is stopped"):
            os.kill(pid, signal.SIGSTOP)
            terminal.wait("Stopped")
            # It sees keys typed ahead and may not read them, being in the background: no reason to stop.
            terminal.type("kill %1; sleep 1\ntrue typed ahead\n")
            terminal.wait(lambda _: not Path(f"/proc/{pid}").exists())
            terminal.type("\n")  # the shell says what became of jobs before it asks
            terminal.wait("Exit 143")
        terminal.type("exit\n")
        assert terminal.wait_end() == 0


@pytest.mark.skipif(shutil.which("bash") is None, reason="a shell with job control")
def test_ctrl_z_gives_the_terminal_to_the_shell_and_a_quit_signal_leaves_it_whole(tmp_path: Path) -> None:
    home = clean_environment("http://127.0.0.1:9", root=tmp_path)
    shell = [shutil.which("bash") or "", "--norc", "--noprofile", "-i"]
    with ExitStack() as ending, Terminal(shell, home.env | {"PS1": "$ "}, home.project) as terminal:
        terminal.type(f"{program()} demo single --speed 0\n")
        terminal.wait_panel("Which database")
        (pid,) = children(terminal.process.pid)
        ending.callback(kill_all, pid)
        with step("suspended in the middle of a text, and back in it"):
            terminal.type("owords typed in a burst\x1a")
            terminal.wait("Stopped")
            terminal.type("echo in the she''ll\n")
            terminal.wait("in the shell")
            terminal.type("clear; fg\n")
            terminal.wait("words typed in a burst")
            terminal.type(" and after it")
            terminal.wait("words typed in a burst and after it")
        with step("ended by SIGQUIT"):
            os.kill(pid, signal.SIGQUIT)
            terminal.wait(lambda _: not Path(f"/proc/{pid}").exists())
            terminal.type("echo $? she''ll\n")
            terminal.wait("131 shell")
        terminal.type("exit\n")
        terminal.wait_end()
        assert terminal.restored


def kill_all(group: int) -> None:
    """Leave nothing of a job behind that did not end: it is no child of ours."""
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
