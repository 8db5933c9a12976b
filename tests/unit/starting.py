"""The command line with a screen that ends at once, for tests of what is started."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

from ccq_tui.agent.options import SessionOptions
from ccq_tui.config.launch import Launch


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

    async def start_nothing(self, options: SessionOptions, prompt: str) -> None:
        self.written_ahead.append(prompt)
