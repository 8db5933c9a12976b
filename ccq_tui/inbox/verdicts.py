"""The results of an attempt to settle a request, and the errors of an inbox."""

from dataclasses import dataclass
from datetime import datetime

from ccq_tui.answering.record import InvalidAnswer
from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.requests import Cancelled, RequestOutcome
from ccq_tui.questions import Expired


@dataclass(frozen=True, slots=True)
class Accepted:
    """This attempt settled the request."""


@dataclass(frozen=True, slots=True)
class AlreadySettled:
    """Another surface was faster, and nothing was changed.

    Attributes:
        actor: Who settled it, or None if unknown.
        at: The time, in UTC.
        outcome: The outcome.
    """

    actor: Actor | None
    at: datetime
    outcome: RequestOutcome

    @property
    def words(self) -> str:
        """How it was settled, for a person in front of this process."""
        match self.outcome:
            case Cancelled(reason):
                return f"The request was closed: {reason}"
            case Expired():
                return "Nobody answered it in time; nothing was chosen"
        where = self.actor.where_from_here if self.actor else "elsewhere"
        return f"Already answered {where} at {self.at.astimezone():%H:%M:%S}"


@dataclass(frozen=True, slots=True)
class Unknown:
    """No request has this id."""


Verdict = Accepted | AlreadySettled | Unknown


class InboxError(Exception):
    """The inbox failed at a task, and changed nothing; the message is for a person."""


class InboxUnavailable(InboxError):  # noqa: N818 - says what the inbox is
    """The database cannot be opened, read or written: no room, no permission, no answer in time."""


class InboxBusy(InboxUnavailable):
    """Another process held the database for longer than we wait."""


class InboxClosed(InboxUnavailable):
    """The program ended its use of the inbox."""


class InboxTooNew(InboxError):  # noqa: N818 - says what the inbox is
    """The database was made by a newer version of the program."""


class InvalidOutcome(InvalidAnswer, InboxError):  # noqa: N818 - says what the outcome is
    """A request does not take an outcome; nothing was changed. Its field and reason are as of an answer."""
