"""The child as its driver sees it."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ccq_tui.testing import CleanHome
from tests.agent.killed.points import Victim

ROOT = Path(__file__).parents[3]
END_SECONDS = 90.0


class Process:
    """A running child.

    Args:
        home: Where it and its CLI live.
        database: The inbox's file.
        drafted: Takes when it was given each draft, by the draft's text.
    """

    def __init__(self, home: CleanHome, database: Path, drafted: dict[str, float]) -> None:
        self._events: queue.Queue[dict[str, Any]] = queue.Queue()
        self._drafted = drafted
        self._errors = (home.root / "stderr").open("ab")
        self._child = subprocess.Popen(
            [sys.executable, "-m", "tests.agent.killed.child", str(database), str(home.project)],
            cwd=ROOT, env=home.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors,
        )  # fmt: skip
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def tell(self, **order: Any) -> None:
        """Give an order; one that is killed meanwhile does not hear it."""
        assert self._child.stdin is not None
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
            self._gone()

    def end(self) -> bool:
        """End it in order.

        Returns:
            Whether it did not have to be killed for it.
        """
        assert self._child.stdin is not None
        self._child.stdin.close()
        try:
            self._child.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._child.kill()
        self._gone()
        return self._child.returncode == 0

    def _gone(self) -> None:
        self._child.wait()
        self._errors.close()

    def _read(self) -> None:
        assert self._child.stdout is not None
        with contextlib.suppress(ValueError):  # the kill cut a line in two
            for line in self._child.stdout:
                event = json.loads(line)
                if event["event"] == "Drafted":
                    self._drafted[event["text"]] = event["at"]
                else:
                    self._events.put(event)


def children(pid: int) -> list[int]:
    """Return the processes that a process has started and that still run."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # The name in parentheses may hold anything; behind it are the state and the parent.
            state, parent = path.read_text(errors="replace").rpartition(")")[2].split()[:2]
            if int(parent) == pid and state not in "ZX":
                found.append(int(path.parent.name))
    return found


def command(pid: int) -> str:
    """Return how a process was started, or "" when it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace").replace("\0", " ")
    except OSError:
        return ""


def end_all(home: CleanHome) -> None:
    """Kill what still runs in a home: CLIs whose programs were killed go on."""
    for pid in running(home):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def running(home: CleanHome) -> list[int]:
    """Return what runs in a home."""
    return running_below(home.config)


def running_below(root: Path, seconds: float = 0.0) -> list[int]:
    """Return what still runs after a time with a home in a directory, or sooner if nothing does."""
    deadline, wanted = time.monotonic() + seconds, f"CLAUDE_CONFIG_DIR={root}".encode()
    while True:
        found = [pid for pid in map(int, _numbers()) if _environment(pid).startswith(wanted)]
        if not found or time.monotonic() >= deadline:
            return found
        time.sleep(0.1)


def _numbers() -> Iterator[str]:
    return (path.name for path in Path("/proc").iterdir() if path.name.isdecimal())


def _environment(pid: int) -> bytes:
    """Return where a process has its configuration, as a line of its environment, or nothing."""
    try:
        lines = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return b""  # it ended meanwhile, or is another user's
    return next((line for line in lines if line.startswith(b"CLAUDE_CONFIG_DIR=")), b"")
