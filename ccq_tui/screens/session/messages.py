"""Messages of a session's screen to the program: wishes, and changes that concern others."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from textual.message import Message

from ccq_tui.config import Launch
from ccq_tui.supervisor.session import SupervisedSession


@dataclass
class SessionMessage(Message):
    """A message that names its session."""

    session: SupervisedSession


class InboxWanted(Message):
    """What waits in all sessions is to be shown."""


class OverviewWanted(Message):
    """All sessions are to be shown, by what they need."""


class StatisticsWanted(Message):
    """How long agents waited for a person is to be shown."""


class NewWanted(Message):
    """Another session is to be opened."""


@dataclass
class StepWanted(Message):
    """Another session is to be shown: so many places further."""

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
    """A session is to go on in another directory."""

    directory: Path


class ElsewhereWanted(SessionMessage):
    """What can be done about a session that another process runs is to be chosen."""


class SessionChanged(Message):
    """A list of sessions would say something else of one."""


@dataclass
class SessionNews(SessionMessage):
    """Something happened in a session that is not on the screen."""

    news: str
