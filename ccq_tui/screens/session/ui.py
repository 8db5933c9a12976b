"""The part of a session's screen that its controllers use."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Protocol

from textual.app import App
from textual.message import Message

from ccq_tui.config.launch import Launch
from ccq_tui.runtime.events import SessionEvent
from ccq_tui.runtime.session import SupervisedSession
from ccq_tui.screens.session.dock import Dock
from ccq_tui.screens.session.view import SessionView
from ccq_tui.widgets.notice_line import PASSING_SECONDS
from ccq_tui.widgets.transcript import Transcript

AGAIN_SECONDS = 2.0
"""Seconds in which a key that must be pressed twice counts as pressed again."""


class SessionUi(Protocol):
    """The session, the facts known about it, and the parts of the screen that a controller may use."""

    view: SessionView
    """The facts known about the session."""

    @property
    def session(self) -> SupervisedSession:
        """The session."""

    @property
    def launch(self) -> Launch:
        """The launch that started it."""

    @property
    def clock(self) -> Callable[[], float]:
        """Monotonic clock, in seconds."""

    @property
    def app(self) -> App[Any]:
        """The program."""

    @property
    def transcript(self) -> Transcript:
        """The log pane."""

    @property
    def dock(self) -> Dock:
        """The prompt, or the panel in its place."""

    @property
    def live(self) -> bool:
        """Whether the screen is composed and is not going away."""

    @property
    def in_front(self) -> bool:
        """Whether this session is the one on the terminal."""

    def say(self, text: str, seconds: float = PASSING_SECONDS, of: str = "", key: str = "") -> None:
        """Show a text above the prompt for some seconds; see `NoticeLine.say`."""

    def note(self, text: str, level: str = "info") -> None:
        """Add a notice to the transcript, to stay."""

    def start(
        self,
        work: Callable[[], Coroutine[Any, Any, None]],
        name: str,
        *,
        group: str = "default",
        exclusive: bool = False,
    ) -> None:
        """Run a coroutine beside the keys, for as long as the screen lives."""

    def after(self, seconds: float, call: Callable[[], object]) -> asyncio.TimerHandle:
        """Call something after a time, if the screen still lives then."""

    def edit(self, text: str, put: Callable[[str], None]) -> None:
        """Edit a text in the person's editor; ``put`` takes what was saved."""

    def pressed_again(self, key: str) -> bool:
        """Whether a key is pressed again within `AGAIN_SECONDS`."""

    def changed(self) -> None:
        """Draw what has changed."""

    def take(self, event: SessionEvent) -> None:
        """Take an event of the session."""

    def post_message(self, message: Message) -> bool:
        """Send a message to the program."""
