"""Starts the installed program in a pseudo-terminal, with the real CLI and the scripted model."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ccq_tui.testing import CleanHome, Scenario, ScriptedModel
from tests.e2e.terminal import NotShownError, Terminal


@dataclass
class Running:
    """A running program, and the model it talks to."""

    terminal: Terminal
    model: ScriptedModel
    home: CleanHome

    def result(self, tool_use_id: str) -> str:
        """Wait for the exact tool result that the model received."""
        try:
            return self.model.wait_for_result_sync(tool_use_id, limit=40.0).text
        except TimeoutError as error:
            raise NotShownError(f"no result of {tool_use_id}; the screen:\n{self.terminal.text}") from error


Start = Callable[..., Running]


def program() -> str:
    """Return the installed ccq-tui."""
    beside = Path(sys.executable).with_name("ccq-tui")
    found = str(beside) if beside.exists() else shutil.which("ccq-tui")
    assert found, "ccq-tui is not installed"
    return found


@pytest.fixture
def start(
    scripted_model: Callable[..., ScriptedModel], claude_env: Callable[..., CleanHome]
) -> Iterator[Start]:
    """A factory ``start(scenario, *arguments, size=(80, 24), prompt="go")`` of running programs."""
    with ExitStack() as ending:

        def make(
            scenario: Scenario,
            *arguments: str,
            size: tuple[int, int] = (80, 24),
            prompt: str = "go",
            home: CleanHome | None = None,
            variables: dict[str, str] | None = None,
            **options: Any,
        ) -> Running:
            model = scripted_model(scenario, **options)
            home = home or claude_env(model, **(variables or {}))
            env = home.env | {"ANTHROPIC_BASE_URL": model.url} | (variables or {})
            command = [program(), *arguments, *([prompt] if prompt else [])]
            terminal = ending.enter_context(Terminal(command, env, home.project, size))
            return Running(terminal, model, home)

        yield make
