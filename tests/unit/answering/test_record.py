"""Public JSON: what is printed and published only grows, and an answer means what the table says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from pydantic import TypeAdapter, ValidationError

from ccq_tui.inbox.kinds import parse_outcome
from ccq_tui.inbox.records import outcome_record
from ccq_tui.inbox.requests import (
    Allowed,
    Asker,
    Denied,
    ElicitationRequest,
    FormRequest,
    Origin,
    PermissionRequest,
    QuestionRequest,
    Request,
    RequestOutcome,
)
from ccq_tui.inbox.schema import Given
from ccq_tui.inbox.verdicts import InvalidOutcome
from ccq_tui.questions import Answer, Answered, Condition, Discussed, Kind, Option, Question, QuestionSet
from ccq_tui.remote.publication import read_answer
from tests.unit.answering.documents import RELEASED, documents
from tests.unit.answering.test_grammar import said
from tests.unit.inbox.made import sets, values
from tests.unit.questions.drive import field
from tests.unit.remote.publishing import permission, plan

RECORDED = json.loads(Path(__file__).with_name("documents.json").read_text(encoding="utf-8"))
ROWS = Path(__file__).with_name("records.txt").read_text(encoding="utf-8").splitlines()[1:]
GIVEN = TypeAdapter(Given)


def choice(text: str, *labels: str, multi: bool = False) -> Question:
    return Question(text, text, tuple(map(Option, labels)), multi_select=multi)


def asks(*questions: Question) -> QuestionRequest:
    return QuestionRequest("q", "s", QuestionSet("q", questions))


def fields(*required: str, **properties: dict[str, Any]) -> ElicitationRequest:
    return ElicitationRequest("e", "s", "deploy", "?", {"properties": properties, "required": [*required]})


NAME = {"type": "string", "minLength": 2}
COUNT = {"type": "integer", "minimum": 1}
TAGS = {"type": "array", "items": {"type": "string", "enum": ["x", "y", "z"]}, "maxItems": 2}
WORKERS = field("Workers", kind=Kind.NUMBER, number="integer", required=True)
WHY = field("Why", when=Condition(0, "3"))
REQUESTS: dict[str, Request] = {
    "cache": asks(choice("Which cache?", "Redis", "SQLite", "None")),
    "numbers": asks(choice("How many?", "2", "3", "4")),
    "café": asks(choice("Where?", "cafe\u0301", "tea")),
    "features": asks(
        choice("Which?", "Auth", "Logs", "Search", multi=True),
        Question("How many?", kind=Kind.NUMBER, minimum=1, maximum=8, step=1),
        Question("Which name?", kind=Kind.TEXT),
    ),
    "permission": permission(),
    "hooked": PermissionRequest("p", "s", "Bash", {}, origin=Origin(Asker.HOOK)),
    "plan": plan(),
    "form": fields("name", name=NAME, count=COUNT, sure={"type": "boolean"}, tags=TAGS),
    "share": fields(share={"type": "number"}),
    "broken": ElicitationRequest("e", "s", "deploy", "?", {"type": "array"}),
    "link": ElicitationRequest("e", "s", "deploy", "?", url="https://example.com/", host="example.com"),
    "release": FormRequest("f", "s", RELEASED),
    "workers": FormRequest("f", "s", QuestionSet("f", (WORKERS, WHY), is_form=True)),
}


def words(outcome: RequestOutcome) -> str:
    """Return an outcome as rows have it."""
    match outcome:
        case Answered(answers):
            return " · ".join(map(said, answers))
        case Allowed(text, suggestion, mode):
            parts = ["allowed", mode, suggestion and "for longer", text and f"“{text}”"]
        case Discussed(text) | Denied(text):
            parts = [type(outcome).__name__.lower(), text and f"“{text}”"]
        case _:
            parts = [type(outcome).__name__.lower()]
    return " ".join(filter(None, parts))


@pytest.mark.parametrize("row", ROWS)
def test_an_answer_means_what_the_table_says(row: str) -> None:
    name, given_, wanted = (one.strip(" ") for one in row.split(" | "))
    by, _, text = given_.partition(" ")
    request = REQUESTS[name]
    try:
        came = words(read_answer(json.loads(text), request) if by == "D" else parse_outcome(request, text))
    except InvalidOutcome as error:
        came = f"✗ {error}"
    assert came.replace("\n", "↵") == wanted or (wanted.endswith(":") and came.startswith(wanted))
    assert fits(text) == (by != "S")


def fits(text: str) -> bool:
    """Whether an answer has the public schema, which cannot say what each request takes."""
    try:
        GIVEN.validate_json(text, strict=True)
    except ValidationError:
        return False
    return True


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[" * 100_000, "it is nested too deeply"),
        (f'{{"version": {"9" * 9_999}}}', "it cannot be read: Exceeds the limit"),
        (b"x" * 5_000_001, "it has more than 5,000,000 bytes"),
    ],
)
def test_what_is_too_much_is_refused(text: str | bytes, reason: str) -> None:
    with pytest.raises(InvalidOutcome, match=reason):
        parse_outcome(REQUESTS["cache"], text)


@given(sets, values)
def test_any_json_is_an_answer_or_refused(questions: QuestionSet, content: object) -> None:
    request = QuestionRequest("x", "s", questions)
    for shape in ({"answers": content}, {"answers": [content]}, {"discuss": content}, {"content": content}):
        try:
            outcome = parse_outcome(request, shape)
        except InvalidOutcome:
            continue
        assert isinstance(outcome, Answered | Discussed)


def test_what_show_prints_can_be_given_again() -> None:
    typed = Answer(("Auth",), "x", "n", unselected="typed")
    outcome = Answered((typed, Answer(other="4"), Answer(other="api")))
    printed = json.dumps({"answers": (outcome_record(outcome) or {})["answers"]})
    assert words(parse_outcome(REQUESTS["features"], printed)) == words(outcome)


def grown(was: Any, now: Any) -> Any:
    """Return what a document is now, without what was added to it."""
    if isinstance(was, dict) and isinstance(now, dict):
        return {name: grown(was[name], now.get(name)) for name in was}
    if isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        return [grown(*pair) for pair in zip(was, now, strict=True)]
    return now


def test_what_was_printed_and_published_only_grew() -> None:
    now = json.loads(json.dumps(documents(), default=str))
    assert grown(RECORDED, now) == RECORDED
