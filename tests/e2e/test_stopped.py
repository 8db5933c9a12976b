"""A program that a shell stops, takes into the background, brings back and ends."""

import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from ccq_tui.input.gate import SEEN
from ccq_tui.stored import locked
from ccq_tui.testing import CleanHome, clean_environment
from tests.e2e.conftest import program
from tests.e2e.terminal import Terminal
from tests.processes import children, stat
from tests.steps import step

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="a shell with job control")


@contextmanager
def in_a_shell(home: CleanHome, shown: str, words: str = "") -> Iterator[tuple[Terminal, int]]:
    """Run the program in a shell; yields the shell and, once the program shows a text, its process."""
    command = [shutil.which("bash") or "", "--norc", "--noprofile", "-i"]
    with Terminal(command, home.env | {"PS1": "$ "}, home.project) as terminal:
        terminal.type(f"{program()} {words}\n").wait(shown)
        (pid,) = children(terminal.process.pid)
        try:
            yield terminal, pid
        finally:
            with suppress(ProcessLookupError):  # it is no child of ours
                os.killpg(pid, signal.SIGKILL)


@pytest.fixture
def home(tmp_path: Path) -> CleanHome:
    return clean_environment("http://127.0.0.1:9", root=tmp_path)


def test_it_goes_on_where_it_was_and_ends_when_it_is_told_to(home: CleanHome) -> None:
    with in_a_shell(home, "Which database", "demo single --speed 0") as (shell, pid):
        shell.wait_panel("Which database", seconds=SEEN)
        for how in (signal.SIGSTOP, signal.SIGTSTP):
            with step(f"{how.name}, then in the background, then in front again"):
                os.kill(pid, how)
                shell.wait("Stopped").type("bg\n").wait("bg")
                shell.wait(lambda _: stat(pid)[0] == "T").type("clear; fg\n").wait_panel("Which database")
                shell.press("down")
                row = "❯ ○ 2" if how is signal.SIGSTOP else "❯ ○ 3"
                # The row may be drawn before the rest, over what the shell said of the stop.
                shell.wait(lambda at, row=row: row in at.text and "Stopped" not in at.text)
        with step("ended by the shell while it is stopped"):
            os.kill(pid, signal.SIGSTOP)
            shell.wait("Stopped")
            # It sees keys typed ahead and may not read them, being in the background: no reason to stop.
            shell.type("kill %1; sleep 1\ntrue typed ahead\n").wait(lambda _: not stat(pid))
            shell.type("\n")  # the shell says what became of jobs before it asks
            shell.wait("Exit 143")
        shell.type("exit\n")
        assert shell.wait_end() == 0


def test_ctrl_z_gives_the_terminal_to_the_shell_and_a_quit_signal_leaves_it_whole(home: CleanHome) -> None:
    settings = home.home / ".config" / "ccq-tui" / "config.toml"
    settings.parent.mkdir()
    settings.write_text('on_request = ["true"]\n', encoding="utf-8")
    lock = home.home / ".local" / "state" / "ccq-tui" / "leader.lock"

    def is_free() -> bool:
        with locked(lock, 0.0) as alone:
            return alone

    with in_a_shell(home, "ready") as (shell, pid):
        shell.wait(lambda _: lock.exists() and not is_free())
        with step("suspended in the middle of a text, while another process may publish, and back in it"):
            shell.type("words typed in a burst\x1a").wait("Stopped")
            assert is_free()
            shell.type("echo in the she''ll\n").wait("in the shell")
            shell.type("clear; fg\n").wait("words typed in a burst")
            shell.wait(lambda _: not is_free())
            shell.type(" and after it").wait("words typed in a burst and after it")
        with step("ended by SIGQUIT"):
            os.kill(pid, signal.SIGQUIT)
            shell.wait(lambda _: not stat(pid)).type("echo $? she''ll\n").wait("131 shell")
        shell.type("exit\n").wait_end()
        assert shell.restored
