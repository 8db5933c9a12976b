"""The record of a form that was filled in: one JSON object."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Literal, NotRequired
from uuid import NAMESPACE_URL, uuid5

from pydantic import TypeAdapter
from typing_extensions import TypedDict

from ccq_tui.forms.reading import form_of
from ccq_tui.inbox.requests import FormRequest
from ccq_tui.inbox.store.rows import StoredRequest
from ccq_tui.questions import Answer, Answered, Kind, Question
from ccq_tui.questions.limits import asked, json_number

VERSION = 1
"""The version of the record's own fields."""


class TypedValue(TypedDict):
    """A text or a number."""

    value: str | int | float


class ChosenOption(TypedDict):
    """One option, or one's own words, which are ``other`` too."""

    value: str | bool
    label: str
    other: NotRequired[str]


class ChosenOptions(TypedDict):
    """Any number of options, and one's own words, which are ``other`` too."""

    values: list[str]
    labels: list[str]
    other: NotRequired[str]


class RecordDocument(TypedDict):
    """A form that was filled in; times are UTC."""

    schema_version: Literal[1]
    form: str
    form_version: str
    id: str
    started: str
    finished: str
    context: dict[str, str]
    answers: dict[str, TypedValue | ChosenOption | ChosenOptions | None]


def record_schema() -> dict[str, Any]:
    """Return the JSON Schema of a record."""
    schema = TypeAdapter(RecordDocument).json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def record_for(stored: StoredRequest) -> dict[str, Any]:
    """Return the record of an answered form, as `RecordDocument` has it, the same at each call.

    A skipped question is null; one that was not asked is left out. Raises TypeError for any other request.
    """
    request, outcome, finished = stored.request, stored.outcome, stored.settled_at
    if not isinstance(request, FormRequest) or not isinstance(outcome, Answered) or finished is None:
        raise TypeError("only an answered form has a record")
    form, questions = form_of(request.form), request.questions.questions
    shown = asked(questions, outcome.answers)
    return {
        "schema_version": VERSION,
        "form": form.questions.id,
        "form_version": str(form.document.get("version", "")),
        "id": str(uuid5(NAMESPACE_URL, f"{request.id} {stored.asked_at.isoformat()}")),
        "started": _utc(stored.asked_at),
        "finished": _utc(finished),
        "context": dict(request.context),
        "answers": {
            name: _answer(question, values, answer)
            for name, question, values, answer, is_shown in zip(
                form.names, questions, form.values, outcome.answers, shown, strict=True
            )
            if is_shown
        },
    }


def _utc(time: datetime) -> str:
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _answer(question: Question, values: Sequence[str | bool], answer: Answer) -> dict[str, Any] | None:
    if not answer.given:
        return None
    if question.kind is not Kind.CHOICE:
        return {"value": json_number(answer.other) if question.kind is Kind.NUMBER else answer.other}
    chosen: list[tuple[str | bool, str]] = [
        (value, option.label)
        for option, value in zip(question.options, values, strict=True)
        if option.label in answer.selected
    ]
    own = {"other": answer.other} if answer.other else {}
    chosen += [(text, text) for text in own.values()]
    if question.multi_select:
        return {"values": [value for value, _ in chosen], "labels": [label for _, label in chosen], **own}
    return {"value": chosen[0][0], "label": chosen[0][1], **own}
