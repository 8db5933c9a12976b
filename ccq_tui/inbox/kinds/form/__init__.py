"""Forms of ours: questionnaires without an agent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ccq_tui.answering.document import Passage, PassageKind
from ccq_tui.answering.record import RecordShape, SetFields, set_record
from ccq_tui.inbox.kinds import question
from ccq_tui.inbox.layout import QUOTED
from ccq_tui.inbox.requests import FormRequest, Reply, RequestOutcome
from ccq_tui.questions import Answered, Declined, Dismissed, Expired, QuestionSet
from ccq_tui.questions.asked import Asked
from ccq_tui.text import one_line


class FormFields(SetFields, of=QuestionSet, names="title intro about"):
    """A form of ours that waits.

    Attributes:
        about: What the form is about, by name.
    """

    about: dict[str, str]


WORD = "form"
NOUN = "form"
TYPE = FormRequest
OUTLIVES = EXPIRES = True
CALLED = "a form"
RECORD: type[RecordShape] = FormFields
ENDS: tuple[type[RequestOutcome], ...] = (Answered, Declined, Dismissed, Expired)


def same(one: FormRequest, other: FormRequest) -> bool:
    """Whether two requests ask the same."""
    return (one.questions, one.context) == (other.questions, other.context)


def asked(request: FormRequest) -> Asked:
    """Return its question set, and what each option of a form's file is recorded as."""
    written = [one.get("options", ()) for one in request.form.get("questions", ())]
    values = (tuple(map(_value, options)) for options in written)
    return Asked(request.questions, values=tuple(values))


def _value(option: str | Mapping[str, str]) -> str:
    return option if isinstance(option, str) else option.get("value") or option["label"]


def check(request: FormRequest, outcome: RequestOutcome) -> None:
    """Refuse answers that the form does not take."""
    if isinstance(outcome, Answered):
        question.check_answers(request.questions, outcome.answers)


def deliver(request: FormRequest, outcome: RequestOutcome, source: Mapping[str, Any]) -> Reply:  # noqa: ARG001
    """Return whether the record is written; the form's asker makes it of the answers."""
    if isinstance(outcome, Answered):
        return Reply(allow=True)
    return Reply(allow=None if isinstance(outcome, Dismissed) else False)


def title(request: FormRequest) -> str:  # noqa: ARG001 - the same for all
    """Name the kind for a list."""
    return NOUN


def summary(request: FormRequest) -> str:
    """Summarize the request in one line."""
    return request.questions.title or request.questions.questions[0].text


def news(request: FormRequest) -> str:
    """Announce the request in a sentence."""
    return f"A form waits: {one_line(summary(request), QUOTED)}"


def topics(request: FormRequest) -> tuple[str, ...]:
    """Name the form."""
    return (one_line(summary(request), QUOTED),)


def document(request: FormRequest, outcome: RequestOutcome | None) -> Iterator[Passage]:
    """Return the whole request, with its answers."""
    yield Passage(PassageKind.HEAD, summary(request))
    yield Passage(PassageKind.VERBATIM, request.questions.intro)
    for name, value in request.context.items():
        yield Passage(PassageKind.FIELD, value, name=name)
    yield from question.document(request, outcome)


def record(request: FormRequest) -> dict[str, Any]:
    """Return its own fields in JSON."""
    return set_record(FormFields, request.questions, about=dict(request.context))
