"""A program that a shell stops, takes into the background, brings back and ends."""

import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from ccq_tui.input.gate import SEEN
from ccq_tui.stored import locked
from ccq_tui.testing import clean_environment
from tests.e2e.conftest import program
from tests.e2e.terminal import Terminal
from tests.processes import children, stat
from tests.steps import step

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="a shell with job control")


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Terminal]:
    """A shell in which the demo runs and asks."""
    home = clean_environment("http://127.0.0.1:9", root=tmp_path)
    command = [shutil.which("bash") or "", "--norc", "--noprofile", "-i"]
    with Terminal(command, home.env | {"PS1": "$ "}, home.project) as terminal:
        terminal.type(f"{program()} demo single --speed 0\n")
        terminal.wait_panel("Which database", seconds=SEEN)
        (pid,) = children(terminal.process.pid)
        yield terminal
        with suppress(ProcessLookupError):  # it is no child of ours
            os.killpg(pid, signal.SIGKILL)


def test_it_goes_on_where_it_was_and_ends_when_it_is_told_to(shell: Terminal) -> None:
    (pid,) = children(shell.process.pid)
    for how in (signal.SIGSTOP, signal.SIGTSTP):
        with step(f"{how.name}, then in the background, then in front again"):
            os.kill(pid, how)
            shell.wait("Stopped")
            shell.type("bg\n")
            shell.wait("bg")
            shell.wait(lambda _: stat(pid)[0] == "T")
            shell.type("clear; fg\n")
            shell.wait_panel("Which database")
            shell.press("down")
            row = "❯ ○ 2" if how is signal.SIGSTOP else "❯ ○ 3"
            # The row may be drawn before the rest, over what the shell said of the stop.
            shell.wait(lambda at, row=row: row in at.text and "Stopped" not in at.text)
    with step("ended by the shell while it is stopped"):
        os.kill(pid, signal.SIGSTOP)
        shell.wait("Stopped")
        # It sees keys typed ahead and may not read them, being in the background: no reason to stop.
        shell.type("kill %1; sleep 1\ntrue typed ahead\n")
        shell.wait(lambda _: not stat(pid))
        shell.type("\n")  # the shell says what became of jobs before it asks
        shell.wait("Exit 143")
    shell.type("exit\n")
    assert shell.wait_end() == 0


def test_ctrl_z_gives_the_terminal_to_the_shell_and_a_quit_signal_leaves_it_whole(shell: Terminal) -> None:
    (pid,) = children(shell.process.pid)
    with step("suspended in the middle of a text, and back in it"):
        shell.type("owords typed in a burst\x1a")
        shell.wait("Stopped")
        shell.type("echo in the she''ll\n")
        shell.wait("in the shell")
        shell.type("clear; fg\n")
        shell.wait("words typed in a burst")
        shell.type(" and after it")
        shell.wait("words typed in a burst and after it")
    with step("ended by SIGQUIT"):
        os.kill(pid, signal.SIGQUIT)
        shell.wait(lambda _: not stat(pid))
        shell.type("echo $? she''ll\n")
        shell.wait("131 shell")
    shell.type("exit\n")
    shell.wait_end()
    assert shell.restored


def test_another_process_may_publish_while_it_is_suspended(tmp_path: Path) -> None:
    home = clean_environment("http://127.0.0.1:9", root=tmp_path)
    settings = home.home / ".config" / "ccq-tui" / "config.toml"
    settings.parent.mkdir()
    settings.write_text('on_request = ["true"]\n', encoding="utf-8")
    lock = home.home / ".local" / "state" / "ccq-tui" / "leader.lock"
    command = [shutil.which("bash") or "", "--norc", "--noprofile", "-i"]

    def is_free() -> bool:
        with locked(lock, 0.0) as alone:
            return alone

    with Terminal(command, home.env | {"PS1": "$ "}, home.project) as terminal:
        terminal.type(f"{program()}\n")
        terminal.wait("ready")
        terminal.wait(lambda _: lock.exists() and not is_free())
        (pid,) = children(terminal.process.pid)
        try:
            terminal.press("ctrl+z")
            terminal.wait("Stopped")
            assert is_free()
            terminal.type("clear; fg\n")
            terminal.wait(lambda _: not is_free())
        finally:
            os.killpg(pid, signal.SIGKILL)
