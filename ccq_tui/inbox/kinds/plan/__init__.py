"""Plans that wait for approval."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ccq_tui.answering.document import Passage, PassageKind
from ccq_tui.answering.record import RecordShape, made
from ccq_tui.inbox.agent_texts import rejection
from ccq_tui.inbox.choices import ChoiceRecord, check_words, choice_records, plan_asked
from ccq_tui.inbox.requests import Allowed, Denied, PlanRequest, Reply, RequestOutcome
from ccq_tui.inbox.suggestions import Suggestion
from ccq_tui.inbox.verdicts import InvalidOutcome
from ccq_tui.text import one_line


class PlanFields(RecordShape, of=PlanRequest, names="plan"):
    """A plan that waits for approval."""

    choices: list[ChoiceRecord]


WORD = "plan"
NOUN = "decision"
TYPE = PlanRequest
OUTLIVES = EXPIRES = False
CALLED = "a plan"
RECORD: type[RecordShape] = PlanFields
ENDS: tuple[type[RequestOutcome], ...] = (Allowed, Denied)
asked = plan_asked


def same(one: PlanRequest, other: PlanRequest) -> bool:
    """Whether two requests ask the same."""
    return one.plan == other.plan


def check(request: PlanRequest, outcome: Allowed | Denied) -> None:
    """Refuse an outcome that it does not take."""
    if isinstance(outcome, Allowed):
        if outcome.suggestion is not None:
            raise InvalidOutcome("suggestion", "only a permission takes it")
        if outcome.mode not in ("", *(getattr(one, "mode", "") for one in asked(request).values[0])):
            raise InvalidOutcome("mode", f"a plan is not carried out in “{one_line(outcome.mode, 40)}”")
        check_words(request, outcome)


def deliver(request: PlanRequest, outcome: Allowed | Denied, source: Mapping[str, Any]) -> Reply:  # noqa: ARG001
    """Return the reply for an outcome: an approved plan with the person's edits, in the chosen mode."""
    if isinstance(outcome, Denied):
        return Reply(allow=False, text=rejection(outcome.text))
    grants = (Suggestion("setMode", mode=outcome.mode),) if outcome.mode else ()
    edited = {"plan": outcome.plan} if outcome.plan else {}
    return Reply(allow=True, input={**source, **edited}, text=outcome.text, grants=grants)


def title(request: PlanRequest) -> str:  # noqa: ARG001 - one is like the other
    """Name the kind for a list."""
    return WORD


def summary(request: PlanRequest) -> str:
    """Summarize the request in one line."""
    return request.plan.strip().lstrip("# ").partition("\n")[0]


def news(request: PlanRequest) -> str:  # noqa: ARG001 - one is like the other
    """Announce the request in a sentence."""
    return "Claude proposes a plan"


def topics(request: PlanRequest) -> tuple[str, ...]:  # noqa: ARG001 - one is like the other
    """Name the subject of the request."""
    return ("plan",)


def document(request: PlanRequest, outcome: RequestOutcome | None) -> Iterator[Passage]:  # noqa: ARG001
    """Return the whole request."""
    yield Passage(PassageKind.HEAD, f"{request.origin.called} proposes a plan")
    yield Passage(PassageKind.VERBATIM, request.plan)


def record(request: PlanRequest) -> dict[str, Any]:
    """Return its own fields in JSON."""
    return made(PlanFields, request, choices=choice_records(asked(request)))
