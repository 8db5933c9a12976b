"""What a screen asks of the program about its sessions, or reports to it."""

from __future__ import annotations

from typing import Any

from textual.message import Message


class ProgramAction(Message):
    """An action of `ccq_tui.app.ACTIONS`, by its name and with its arguments."""

    def __init__(self, name: str, *arguments: Any) -> None:
        super().__init__()
        self.name, self.arguments = name, arguments
