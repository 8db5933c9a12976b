"""The programs that are measured."""

import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Program:
    """One program.

    Attributes:
        name: What the tables call it.
        command: How it is started; a prompt may follow.
    """

    name: str
    command: tuple[str, ...]


OURS, NATIVE, BARE = "ccq-tui", "native", "bare SDK"


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
        Program(BARE, (sys.executable, str(Path(__file__).with_name("bare.py")))),
    )
}
