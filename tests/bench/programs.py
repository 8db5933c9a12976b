"""The programs that are measured, and how to read their screens."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ccq_tui.bridges.terminal.emulator import Screen

FLOORS = Path(__file__).parent / "floors"


def pointed(screen: Screen) -> object:
    """Tell which row the cursor of a list is on, which both screens draw as an arrow."""
    return tuple(y for y, line in enumerate(screen.display) if line.lstrip().startswith("❯"))


def coloured(screen: Screen) -> object:
    """Tell which row is highlighted, by the colours of its third cell."""
    return tuple(screen.buffer[y][2][1:4] for y in range(screen.lines))


@dataclass(frozen=True, slots=True)
class Program:
    """One program.

    Attributes:
        name: What the tables call it.
        command: How it is started; a prompt may follow.
        selected: Tells which row of a list is selected; another value means another row.
    """

    name: str
    command: tuple[str, ...]
    selected: Callable[[Screen], object] = pointed

    @property
    def is_screen(self) -> bool:
        """Whether people work with it, unlike the floors."""
        return self.name in (OURS, NATIVE)


OURS, NATIVE, SDK, TEXTUAL = "ccq-tui", "native", "bare SDK", "bare Textual"


def _bundled() -> str:
    """Find the CLI without importing the SDK, which takes a second."""
    found = importlib.util.find_spec("claude_agent_sdk")
    if found is None or found.origin is None:
        raise RuntimeError("claude-agent-sdk is not installed")
    return str(Path(found.origin).parent / "_bundled" / "claude")


def _installed() -> tuple[str, ...]:
    beside = Path(sys.executable).with_name("ccq-tui")
    return (str(beside),) if beside.exists() else (sys.executable, "-m", "ccq_tui")


PROGRAMS = {
    program.name: program
    for program in (
        Program(OURS, (*_installed(), "--permission-mode", "default")),
        Program(NATIVE, (_bundled(), "--permission-mode", "default")),
        Program(SDK, (sys.executable, str(FLOORS / "sdk.py"))),
        Program(TEXTUAL, (sys.executable, str(FLOORS / "textual_app.py")), coloured),
    )
}
