"""The kinds of request: each is a module with the functions of `RequestKind`, and a line of `KINDS`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Protocol

from ccq_tui.answering.document import Passage
from ccq_tui.answering.record import InvalidAnswer, RecordShape, read
from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.choices import decided
from ccq_tui.inbox.kinds import elicitation, form, permission, plan, question
from ccq_tui.inbox.requests import Cancelled, PermissionRequest, Reply, Request, RequestOutcome
from ccq_tui.inbox.verdicts import InvalidOutcome
from ccq_tui.questions import Dismissed, Expired, Outcome
from ccq_tui.questions.asked import Asked
from ccq_tui.text import one_line


class RequestKind(Protocol):
    """The functions of a kind of request, which take requests of its own type alone.

    Attributes:
        WORD: The kind, in the database and in JSON.
        NOUN: The noun for counting its requests.
        TYPE: The type of its requests.
        OUTLIVES: Whether a request can be answered after the process that asked has ended.
        EXPIRES: Whether a request may end because nobody answered in time.
        CALLED: What a sentence calls a request.
        RECORD: The shape of its own fields in JSON.
        ENDS: The outcomes that settle a request; any request can be cancelled besides.
    """

    WORD: str
    NOUN: str
    TYPE: type[Any]
    OUTLIVES: bool
    EXPIRES: bool
    CALLED: str
    RECORD: type[RecordShape]
    ENDS: tuple[type[RequestOutcome], ...]

    def same(self, one: Any, other: Any, /) -> bool:
        """Whether two requests ask the same."""

    def check(self, request: Any, outcome: Any, /) -> None:
        """Refuse an outcome of `ENDS` that a request does not take, as `InvalidOutcome`."""

    def asked(self, request: Any, /) -> Asked:
        """Return a request as a person is asked it."""

    def title(self, request: Any, /) -> str:
        """Name the kind for a list."""

    def summary(self, request: Any, /) -> str:
        """Summarize a request in one line."""

    def news(self, request: Any, /) -> str:
        """Announce a request in a sentence, for a person who is looking elsewhere."""

    def topics(self, request: Any, /) -> tuple[str, ...]:
        """Name the topics of a request, for counting requests about the same topic."""

    def document(self, request: Any, outcome: RequestOutcome | None, /) -> Iterator[Passage]:
        """Return the whole request, with its answers."""

    def record(self, request: Any, /) -> Mapping[str, Any]:
        """Return the fields of `RECORD`."""

    def deliver(self, request: Any, outcome: Any, source: Mapping[str, Any], /) -> Reply:
        """Return the reply for an outcome of `ENDS`; ``source`` is the input of the call."""


NAME = 60
"""Most characters of a request's name."""
KINDS: tuple[RequestKind, ...] = (question, permission, plan, elicitation, form)
BY_TYPE = {kind.TYPE: kind for kind in KINDS}
TYPES: dict[str, type[Request]] = {kind.WORD: kind.TYPE for kind in KINDS}


def kind_of(request: Request) -> RequestKind:
    """Return the kind of a request."""
    return BY_TYPE[type(request)]


def named(request: Request) -> str:
    """Name a request in a sentence about several."""
    return one_line(kind_of(request).summary(request).replace(": ", " ", 1), NAME)


def closed_words(request: Request, outcome: RequestOutcome, actor: Actor | None) -> str:
    """Say that a request was settled elsewhere, for a person in front of this process."""
    name = f"“{named(request)}”"
    if isinstance(request, PermissionRequest):  # by its call, whose description may say anything
        name = named(replace(request, description=""))
    match outcome:
        case Cancelled(reason):
            return f"{name} was closed: {reason}"
        case Expired():
            return f"{name} was closed: nobody answered in time; nothing was chosen"
    return f"{name} was answered {actor.where_from_here if actor else 'elsewhere'}"


def outcome_of(request: Request, end: Outcome | Dismissed, edited: str = "") -> RequestOutcome:
    """Return what the end of its question set means for a request; raises `InvalidOutcome`.

    ``edited`` is the plan as the person edited it, or "".
    """
    asked = kind_of(request).asked(request)
    return decided(asked, end, edited) if asked.acts else end


def parse_outcome(request: Request, given: str | bytes | Mapping[str, Any]) -> RequestOutcome:
    """Read an outcome from the public JSON of an answer or a refusal, and check it.

    Raises `InvalidOutcome` with the field and the reason, in words that fit any surface.
    """
    try:
        outcome = outcome_of(request, read(kind_of(request).asked(request), given))
    except InvalidAnswer as error:
        raise InvalidOutcome(one_line(error.field, NAME), one_line(error.reason, 400)) from error
    check_outcome(request, outcome)
    return outcome


def check_outcome(request: Request, outcome: RequestOutcome) -> None:
    """Raise `InvalidOutcome` for an outcome that a request does not take; any request can be cancelled."""
    kind = kind_of(request)
    if isinstance(outcome, kind.ENDS):
        kind.check(request, outcome)
    elif not isinstance(outcome, Cancelled):
        raise InvalidOutcome("", f"{kind.CALLED} cannot end as “{type(outcome).__name__.lower()}”")


def reply_to(request: Request, outcome: RequestOutcome, source: Mapping[str, Any]) -> Reply:
    """Return the reply to the agent that asked; ``source`` is the input of its call.

    Raises `TypeError` for an outcome that does not settle the request.
    """
    if isinstance(outcome, Cancelled):
        return Reply(allow=False, text=outcome.reason, interrupt=True)
    if not isinstance(outcome, (kind := kind_of(request)).ENDS):
        raise TypeError(f"{type(outcome).__name__} does not settle {kind.CALLED}")
    return kind.deliver(request, outcome, source)
