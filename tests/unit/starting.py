"""The command line in this process: what it prints, and what it starts with a screen that ends at once."""

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ccq_tui.cli import main
from ccq_tui.config.launch import Launch
from ccq_tui.config.paths import user_config


def write_settings(text: str) -> Path:
    """Write the person's own settings; return their file."""
    user_config().parent.mkdir(parents=True, exist_ok=True)
    user_config().write_text(text, encoding="utf-8")
    return user_config()


class Cli:
    """Runs commands in this process."""

    def __init__(self, captured: pytest.CaptureFixture[str]) -> None:
        self._captured = captured

    def __call__(self, *words: str, code: int = 0) -> str:
        """Run a command that ends with a code; return what it printed, as a problem or as its output."""
        self._captured.readouterr()
        assert main(words) == code
        out, problem = self._captured.readouterr()
        assert (out == "") == bool(code)
        return problem if code else out

    def json(self, *words: str) -> Any:
        """Run a command with ``--json``; return what it printed."""
        body = json.loads(self(*words, "--json"))
        assert body["version"] == 1
        return body


class FakeApp(ModuleType):
    """Stands in for the screen and remembers what it was started with."""

    def __init__(self) -> None:
        super().__init__("ccq_tui.app")
        self.launches: list[Launch] = []
        self.written_ahead: list[str] = []
        self.early: list[object] = []
        self.ending: Callable[[], int] = lambda: 0

    async def run(self, launch: Launch, early: object = None, ahead: object = None) -> int:
        self.launches.append(launch)
        self.early.append(early)
        return self.ending()

    def started(self, *words: str) -> Launch:
        """Run the command line; return what it started now."""
        before = len(self.launches)
        assert main(words) == 0
        (launch,) = self.launches[before:]
        return launch

    async def start_nothing(self, options: Launch, prompt: str, head_start: object) -> None:
        self.written_ahead.append(prompt)
