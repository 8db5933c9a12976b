"""What commands use of the surface on which a person gives them."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from ccq_tui.agent.events import AgentEvent
from ccq_tui.runtime.prompt_queue import PromptSurface, PromptText
from ccq_tui.runtime.view import SessionView
from ccq_tui.transcript.model import TranscriptModel

PASSING_SECONDS = 4.0
"""Seconds for which a passing text is shown."""


@dataclass(frozen=True, slots=True)
class PickRow:
    """Something to choose.

    Attributes:
        value: Value that choosing it returns.
        label: Its name.
        description: Its description, or "".
        right: A word at the right end of its line, such as a key, or "".
        current: Whether it is the present choice.
    """

    value: str
    label: str
    description: str = ""
    right: str = ""
    current: bool = False

    @property
    def key(self) -> str:
        """Key of the row: its value."""
        return self.value

    @property
    def found_by(self) -> str:
        """The text in which a filter looks."""
        return f"{self.label} {self.description} {self.right}".casefold()


class PromptInput(PromptText, Protocol):
    """The field of the prompt."""

    @property
    def text(self) -> str:
        """What is typed."""

    def put(self, text: str) -> None:
        """Replace the text."""


class TranscriptLog(Protocol):
    """What commands use of a transcript on the screen."""

    @property
    def model(self) -> TranscriptModel:
        """Its blocks."""

    def apply(self, event: AgentEvent) -> object:
        """Show an event."""

    def action_end(self) -> None:
        """Scroll to its end."""


class CommandUi(PromptSurface, Protocol):
    """The surface on which a person gives commands, with the facts known about the session."""

    view: SessionView
    """The facts known about the session."""

    @property
    def clock(self) -> Callable[[], float]:
        """Monotonic clock, in seconds."""

    def say(self, text: str, seconds: float = PASSING_SECONDS, of: str = "", key: str = "") -> None:
        """Show a text above the prompt for some seconds; see `NoticeLine.say`."""

    def act(self, name: str, *arguments: Any) -> None:
        """Have the program do one of its actions."""

    def start(
        self,
        work: Callable[[], Coroutine[Any, Any, None]],
        name: str,
        *,
        group: str = "default",
        exclusive: bool = False,
    ) -> None:
        """Run a coroutine; one of an ``exclusive`` group ends the one before."""

    @property
    def prompt(self) -> PromptInput:
        """The field of the prompt."""

    @property
    def transcript(self) -> TranscriptLog:
        """The transcript."""

    def hush(self, of: str) -> None:
        """Take back the passing text of an owner."""

    def say_unsent(self, words: str, seconds: float) -> None:
        """Show why the text of the prompt was not sent, until it changes."""

    async def pick(
        self,
        title: str,
        rows: Iterable[PickRow],
        by_itself: bool,
        *,
        about: str,
        choose: str,
        preview: Callable[[str], None] | None,
    ) -> str | None:
        """Let the person choose from a list, opened ``by_itself`` or with a key; None when they left it."""

    async def copy(self, text: str) -> None:
        """Put a text into the clipboard."""

    def edit_file(self, path: Path, then: str = "") -> None:
        """Open a file in the person's editor; ``then`` says what follows from a change."""
