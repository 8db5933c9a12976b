"""Messages of a session's screen to the program: wishes, and changes that concern others."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from textual.message import Message

from ccq_tui.config.launch import Launch
from ccq_tui.supervisor.session import SupervisedSession


@dataclass
class SessionMessage(Message):
    """A message that names its session."""

    session: SupervisedSession


class InboxWanted(Message):
    """The inbox is to be shown."""


class OverviewWanted(Message):
    """The overview is to be shown."""


class StatisticsWanted(Message):
    """The statistics are to be shown."""


class NewWanted(Message):
    """Another session is to be opened."""


@dataclass
class StepWanted(Message):
    """The session ``step`` places further is to be shown."""

    step: int


class BarToggled(Message):
    """The side bar is to be shown, or hidden, in all sessions of the terminal."""


class NextWaitingWanted(Message):
    """The next session that waits for a person is to be shown."""


class CloseWanted(SessionMessage):
    """A session is to be ended and taken away."""


@dataclass
class ReplaceWanted(SessionMessage):
    """Another conversation is to take the place of a session."""

    launch: Launch


@dataclass
class MoveWanted(SessionMessage):
    """A session is to continue in another directory."""

    directory: Path


class ElsewhereWanted(SessionMessage):
    """The person is to choose what to do about a session that another process runs."""


class SessionChanged(Message):
    """The entry of a session in lists has changed."""


@dataclass
class SessionNews(SessionMessage):
    """Something happened in a session that is not on the screen."""

    news: str
