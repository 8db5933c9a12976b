"""The part of a session's screen that its controllers use, and what it asks of the program."""

from typing import Any, Protocol

from textual.app import App
from textual.message import Message

from ccq_tui.commands.command import CommandUi
from ccq_tui.runtime.view import Surroundings
from ccq_tui.screens.session.dock import Dock
from ccq_tui.widgets.search_bar import SearchBar
from ccq_tui.widgets.transcript import Transcript


class ProgramAction(Message):
    """An action of `ccq_tui.app.ACTIONS`, by its name and with its arguments."""

    def __init__(self, name: str, *arguments: Any) -> None:
        super().__init__()
        self.name, self.arguments = name, arguments


class SessionUi(CommandUi, Protocol):
    """What the controllers of a screen use besides: the parts of the screen."""

    around: Surroundings
    transcript: Transcript
    dock: Dock
    search_bar: SearchBar

    @property
    def app(self) -> App[Any]:
        """The program."""

    @property
    def in_front(self) -> bool:
        """Whether this session is the one on the terminal."""

    def surround(self, **facts: Any) -> None:
        """Take in what is known beside the session's own facts, by the names of `Surroundings`."""

    def changed(self) -> None:
        """Draw what has changed."""
