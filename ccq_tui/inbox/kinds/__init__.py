"""The kinds of request: each is a module with the functions of `RequestKind`, and a line of `KINDS`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from ccq_tui.inbox.kinds import elicitation, permission, plan, question
from ccq_tui.inbox.layout import Passage
from ccq_tui.inbox.requests import Cancelled, Request, RequestOutcome

if TYPE_CHECKING:
    from ccq_tui.inbox.choices import Choice
    from ccq_tui.inbox.decision import DecisionState
    from ccq_tui.questions.state import PanelState


class RequestKind(Protocol):
    """What a kind of request says of its requests; each takes those of its own type.

    Attributes:
        WORD: The kind, in the database and in JSON.
        NOUN: What several are counted as.
        TYPE: The type of its requests.
        OUTLIVES: Whether it can be answered when the process that asked is gone.
        EXPIRES: Whether it may end because nobody answered in time.
    """

    WORD: str
    NOUN: str
    TYPE: type[Any]
    OUTLIVES: bool
    EXPIRES: bool

    def same(self, one: Any, other: Any, /) -> bool:
        """Whether two requests ask the same."""

    def check(self, request: Any, outcome: RequestOutcome, /) -> None:
        """Refuse an outcome that a request does not take, as `InvalidOutcome`."""

    def first_draft(self, request: Any, /) -> PanelState | DecisionState:
        """Return the draft with which a request opens."""

    def refusal(self) -> RequestOutcome:
        """Return the outcome of declining a request."""

    def choices(self, request: Any, /) -> tuple[Choice, ...]:
        """Return the ways to decide on a request; none where it is answered."""

    def title(self, request: Any, /) -> str:
        """Name the kind, as a list has it."""

    def summary(self, request: Any, /) -> str:
        """Say what is asked, in a line."""

    def news(self, request: Any, /) -> str:
        """Say that it is asked, in a sentence for somebody who looks elsewhere."""

    def subject(self, request: Any, /) -> str:
        """Name what is asked about, as a part of a sentence."""

    def topics(self, request: Any, /) -> tuple[str, ...]:
        """Name what is asked about, so that requests about the same can be counted."""

    def passages(self, request: Any, /) -> Iterator[Passage]:
        """Return all of what is asked, for a screen that draws it."""

    def copied(self, request: Any, /) -> str:
        """Return what is asked as plain text for the clipboard."""

    def lines(self, request: Any, outcome: RequestOutcome | None, /) -> Iterator[str]:
        """Say all of what is asked, with what was answered."""

    def how(self, request: Any, name: str, /) -> list[str]:
        """Say which command answers a request."""

    def record(self, request: Any, /) -> Mapping[str, Any]:
        """Return what a request has of its own in JSON (`ccq_tui.inbox.schema`)."""


KINDS: tuple[RequestKind, ...] = (question, permission, plan, elicitation)
_BY_TYPE = {kind.TYPE: kind for kind in KINDS}


def kind_of(request: Request) -> RequestKind:
    """Return the kind of a request."""
    return _BY_TYPE[type(request)]


def check_outcome(request: Request, outcome: RequestOutcome) -> None:
    """Refuse an outcome that a request does not take.

    Args:
        request: The request.
        outcome: How it is to end; anything can be withdrawn.

    Raises:
        InvalidOutcome: It cannot end so; the field and the reason say why.
    """
    if not isinstance(outcome, Cancelled):
        kind_of(request).check(request, outcome)
