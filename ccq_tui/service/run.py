"""A run: the work on one ticket, in segments of a session with waits between them."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from ccq_tui.inbox.store.rows import stamp
from ccq_tui.service.people import Involved


class RunState(StrEnum):
    """What a run does."""

    QUEUED = "queued"
    WORKING = "working"
    WAITING = "waiting"
    """A request waits for a person, and no process runs."""
    PARKED = "parked"
    """As waiting, longer than the limit: the ticket says that it waits on."""
    ENDED = "ended"
    """It has answered its ticket; a message to the ticket continues it."""
    FAILED = "failed"
    STOPPED = "stopped"


WORKS = (RunState.QUEUED, RunState.WORKING)
WAITS = (RunState.WAITING, RunState.PARKED)
OVER = (RunState.ENDED, RunState.FAILED, RunState.STOPPED)

UNLINKED = "-"
QUESTION = "question"
"""The kind of a run whose ticket only asks something."""


@dataclass(frozen=True, slots=True)
class Run:
    """The work on one ticket.

    Attributes:
        id: Its id: 12 hexadecimal digits.
        source: The adapter of its ticket, such as "linear".
        ticket: The adapter's own id of the ticket; one run for each.
        title: The ticket's title.
        url: Where people see the ticket, or "".
        prompt: What the session is to do.
        repository: The name of its repository in the configuration.
        machine: The machine that has its worktree, or "" before one has taken it.
        session: Its Claude session id, or "" before the first segment.
        directory: Its worktree, or "".
        branch: The branch of its worktree, or "".
        state: What it does.
        segment: The number of the segment that was started last, from 0.
        result: The last message of its session, or the reason why it failed.
        people: Whom its ticket names, by their roles.
        link: What the address of its page is made with; `UNLINKED` for no page.
        kind: `QUESTION`, or "" for work.
        created: When it was created.
        changed: When it last changed.
    """

    id: str
    source: str
    ticket: str
    title: str
    url: str
    prompt: str
    repository: str
    created: datetime
    changed: datetime
    machine: str = ""
    session: str = ""
    directory: str = ""
    branch: str = ""
    state: RunState = RunState.QUEUED
    segment: int = 0
    result: str = ""
    people: Involved = field(default_factory=dict)
    link: str = ""
    kind: str = ""

    @property
    def labels(self) -> dict[str, str]:
        """The labels of its session."""
        return {"run": self.id, "ticket": self.ticket}


class Happened(StrEnum):
    """What happened in a run, as it is sent to its ticket."""

    STARTED = "started"
    REPORTED = "said"
    """The session wrote a text, or called a tool."""
    ASKED = "asked"
    """A question of a request waits for its answer."""
    ANSWERED = "answered"
    PARKED = "parked"
    ENDED = "ended"
    ACTED = "acted"
    """A person did something, or was refused: for the audit, not for the ticket."""
    REFUSED = "refused"
    """The ticket refuses an event for good: for the operator, not for the ticket."""


@dataclass(frozen=True, slots=True)
class RunEvent:
    """Something that happened in a run; recorded once, and sent by its adapter until it is delivered.

    Attributes:
        id: A UUID made of the run and of what happened: the same when it is recorded again.
        run: The id of the run.
        number: Its place among the events of all runs.
        kind: What happened.
        body: The details, as JSON: for each kind as `ccq_tui.service.port` names them.
        at: When.
    """

    id: str
    run: str
    number: int
    kind: Happened
    at: datetime
    body: Mapping[str, Any] = field(default_factory=dict)

    @property
    def record(self) -> dict[str, Any]:
        """It in JSON."""
        return {**asdict(self), "at": stamp(self.at)}
