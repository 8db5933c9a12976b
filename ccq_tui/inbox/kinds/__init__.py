"""The kinds of request: each is a class and its line of `KINDS`."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ccq_tui.answering.record import InvalidAnswer, read
from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.kinds.decisions import PermissionKind, PlanKind, decided
from ccq_tui.inbox.kinds.kind import RequestKind
from ccq_tui.inbox.kinds.sets import ElicitationKind, FormKind, QuestionKind
from ccq_tui.inbox.requests import Cancelled, PermissionRequest, Reply, Request, RequestOutcome
from ccq_tui.inbox.verdicts import InvalidOutcome
from ccq_tui.questions import Dismissed, Expired, Outcome
from ccq_tui.text import one_line

NAME = 60
"""Most characters of a request's name."""
KINDS: tuple[RequestKind, ...] = (QuestionKind(), PermissionKind(), PlanKind(), ElicitationKind(), FormKind())
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
