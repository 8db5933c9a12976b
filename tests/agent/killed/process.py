"""The child as its driver sees it."""

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, Literal

from ccq_tui.testing import CleanHome
from tests.processes import children, command, with_variable

ROOT = Path(__file__).parents[3]
END_SECONDS = 90.0
Victim = Literal["program", "cli", "both"]


class Process:
    """A running child.

    Args:
        home: Where it and its CLI live.
        database: The inbox's file.
    """

    def __init__(self, home: CleanHome, database: Path) -> None:
        self._events: queue.Queue[dict[str, Any]] = queue.Queue()
        self._errors = (home.root / "stderr").open("ab")
        self._child = subprocess.Popen(
            [sys.executable, "-m", "tests.agent.killed.child", str(database), str(home.project)],
            cwd=ROOT, env=home.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors,
        )  # fmt: skip
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def tell(self, **order: Any) -> None:
        """Give an order; one that is killed meanwhile does not hear it."""
        with contextlib.suppress(BrokenPipeError):
            self._child.stdin.write(json.dumps(order).encode() + b"\n")
            self._child.stdin.flush()

    def event(self, seconds: float) -> dict[str, Any] | None:
        """Return the next event, or None when none comes in time."""
        try:
            return self._events.get(timeout=seconds)
        except queue.Empty:
            return None

    def clis(self) -> list[int]:
        """Return its CLI processes."""
        return [pid for pid in children(self._child.pid) if "stream-json" in command(pid)]

    def kill(self, victim: Victim) -> None:
        """Kill the program, its CLI, or both, at once."""
        clis = self.clis() if victim != "program" else []
        if victim != "cli":
            self._child.kill()
        for pid in clis:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if victim != "cli":
            self._reap()

    def end(self) -> bool:
        """End it in order.

        Returns:
            Whether it did not have to be killed for it.
        """
        self._child.stdin.close()
        try:
            self._child.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._child.kill()
        self._reap()
        return self._child.returncode == 0

    def _reap(self) -> None:
        self._child.wait()
        self._errors.close()

    def _read(self) -> None:
        assert self._child.stdout is not None
        with contextlib.suppress(ValueError):  # the kill cut a line in two
            for line in self._child.stdout:
                self._events.put(json.loads(line))


def end_all(home: CleanHome) -> None:
    """Kill what still runs in a home: CLIs whose programs were killed go on."""
    for pid in running_below(home.config):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def running_below(root: Path, seconds: float = 0.0) -> list[int]:
    """Return what still runs after a time with a home in a directory, or sooner if nothing does."""
    deadline = time.monotonic() + seconds
    while (found := with_variable(f"CLAUDE_CONFIG_DIR={root}")) and time.monotonic() < deadline:
        time.sleep(0.1)
    return found
