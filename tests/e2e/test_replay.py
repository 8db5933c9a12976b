"""A recording that comes through a pipe, while the keys come from the terminal."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests.e2e.terminal import Terminal
from tests.unit.agent.recordings import QUESTIONS, call, init, prompt, said, write

LATER = b"{this was cut"


def test_a_pipe_is_shown_as_it_comes_and_keys_work_meanwhile(tmp_path: Path) -> None:
    first = write(tmp_path / "first", init(), prompt("Make it faster"))
    rest = write(tmp_path / "rest", LATER, said(call("AskUserQuestion", QUESTIONS)))
    go = tmp_path / "go"
    os.mkfifo(go)
    # Reading the fifo holds the second half back until the test has seen the first.
    script = f"(cat {first}; cat {go}; cat {rest}) | {sys.executable} -m ccq_tui replay -"
    environment = dict(os.environ) | {"PYTHONPATH": str(Path(__file__).parents[2])}
    with Terminal(["sh", "-c", script], environment, tmp_path) as terminal:
        terminal.wait("Make it faster")
        terminal.wait("▶ replay · standard input · 2 lines")
        terminal.press("ctrl+f")
        terminal.wait("⌕ Find in the transcript")
        terminal.press("escape")
        go.write_bytes(b"")
        terminal.wait("Claude asked · Approach")
        terminal.wait("■ replay · standard input · 4 lines · 1 unreadable")
        terminal.press("ctrl+q")
        assert terminal.wait_end() == 0
        terminal.wait("standard input: 1 line could not be read: 3")
        assert terminal.restored
