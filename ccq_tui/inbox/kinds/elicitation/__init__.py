"""Elicitations: forms and links of MCP servers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from ccq_tui.answering.document import Passage, PassageKind
from ccq_tui.answering.record import RecordShape, SetFields, set_record
from ccq_tui.inbox.kinds import question
from ccq_tui.inbox.layout import QUOTED
from ccq_tui.inbox.requests import ElicitationRequest, Reply, RequestOutcome
from ccq_tui.inbox.verdicts import InvalidOutcome
from ccq_tui.questions import Answered, Declined, Dismissed
from ccq_tui.questions.asked import Asked
from ccq_tui.questions.schema_form import content_of
from ccq_tui.text import one_line


class ElicitationFields(SetFields, of=ElicitationRequest, names="server message mode url"):
    """A form or a link of an MCP server that waits.

    Attributes:
        requested_schema: As the server sent it.
        problem: Why it can only be declined or dismissed, or "".
    """

    mode: Literal["form", "url"]
    requested_schema: dict[str, Any]
    problem: str


WORD = "elicitation"
NOUN = "form"
TYPE = ElicitationRequest
OUTLIVES = EXPIRES = False
CALLED = "a form"
RECORD: type[RecordShape] = ElicitationFields
ENDS: tuple[type[RequestOutcome], ...] = (Answered, Declined, Dismissed)


def same(one: ElicitationRequest, other: ElicitationRequest) -> bool:
    """Whether two requests ask the same."""
    return all(getattr(one, name) == getattr(other, name) for name in ("server", "message", "url", "schema"))


def asked(request: ElicitationRequest) -> Asked:
    """Return its question set."""
    return request.form


def check(request: ElicitationRequest, outcome: RequestOutcome) -> None:
    """Refuse an outcome that it does not take: answers must fit the server's schema."""
    if not isinstance(outcome, Answered):
        return
    form = _usable(request)
    question.check_answers(form.questions, outcome.answers)


def _usable(request: ElicitationRequest) -> Asked:
    form = request.form
    if form.problem:
        problem = one_line(form.problem, 300)
        raise InvalidOutcome("", f"it cannot be filled in: {problem}; decline or dismiss it")
    return form


def deliver(request: ElicitationRequest, outcome: RequestOutcome, source: Mapping[str, Any]) -> Reply:  # noqa: ARG001
    """Return the reply for an outcome; raises `FieldError` for an answer outside the schema."""
    if not isinstance(outcome, Answered):
        return Reply(allow=False if isinstance(outcome, Declined) else None)
    return Reply(allow=True, input=None if request.url else content_of(request.form, outcome.answers))


def as_result(reply: Reply) -> dict[str, Any]:
    """Return a reply as an MCP server gets it: the action, and an accepted form's content."""
    if reply.allow:
        return {"action": "accept"} | ({"content": reply.input} if reply.input is not None else {})
    return {"action": "cancel" if reply.allow is None or reply.interrupt else "decline"}


def title(request: ElicitationRequest) -> str:
    """Name the kind for a list."""
    return "link" if request.url else NOUN


def summary(request: ElicitationRequest) -> str:
    """Summarize the request in one line."""
    return f"{request.server}: {request.message}"


def news(request: ElicitationRequest) -> str:
    """Announce the request in a sentence."""
    return f"{one_line(request.server, 40)} asks: {one_line(request.message, QUOTED)}"


def topics(request: ElicitationRequest) -> tuple[str, ...]:
    """Name the server."""
    return (one_line(request.server, QUOTED),)


def document(request: ElicitationRequest, outcome: RequestOutcome | None) -> Iterator[Passage]:
    """Return the whole request, with its answers."""
    yield Passage(
        PassageKind.HEAD, f"{one_line(request.server, 60)} asks: {request.questions.intro}".rstrip()
    )
    yield Passage(PassageKind.TEXT, request.form.problem)
    yield from question.document(request, outcome)


def record(request: ElicitationRequest) -> dict[str, Any]:
    """Return its own fields in JSON."""
    form, mode = request.form, "url" if request.url else "form"
    schema = dict(request.schema)
    return set_record(ElicitationFields, form.questions, form, request, mode=mode, requested_schema=schema)
