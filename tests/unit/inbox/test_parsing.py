"""The public JSON of an answer: what it means to a request, or the field and the reason that refuse it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given

from ccq_tui.inbox.answer_json import load_answer
from ccq_tui.inbox.kinds import parse_outcome
from ccq_tui.inbox.records import outcome_record
from ccq_tui.inbox.requests import (
    Allowed,
    Asker,
    Denied,
    ElicitationRequest,
    Origin,
    PermissionRequest,
    PlanRequest,
    QuestionRequest,
    Request,
    RequestOutcome,
)
from ccq_tui.inbox.suggestions import Rule, Suggestion
from ccq_tui.inbox.verdicts import InvalidOutcome
from ccq_tui.questions import Answer, Answered, Discussed, Kind, Option, Question, QuestionSet
from tests.unit.inbox.made import sets, values

ONE = Question("Which cache?", "Cache", (Option("Redis"), Option("SQLite", preview="a = 1"), Option("None")))
MANY = Question("Which features?", "Features", (Option("Auth"), Option("Logs"), Option("Search")), True)
PORT = Question("How many?", "Workers", kind=Kind.NUMBER, minimum=1, maximum=8, step=1)
NAME = Question("Which name?", "Name", kind=Kind.TEXT)
CACHE = QuestionRequest("c", "s", QuestionSet("c", (ONE,)))
FEATURES = QuestionRequest("f", "s", QuestionSet("f", (MANY, PORT, NAME)))
LASTING = Suggestion("addRules", "session", (Rule("Bash", "ls"),), "allow")
PERMISSION = PermissionRequest("p", "s", "Bash", {"command": "ls"}, suggestions=(LASTING,))
HOOKED = PermissionRequest("p", "s", "Bash", {"command": "ls"}, origin=Origin(Asker.HOOK))
PLAN = PlanRequest("plan", "s", "# Plan")
SCHEMA = {
    "properties": {
        "name": {"type": "string", "minLength": 2},
        "count": {"type": "integer", "minimum": 1},
        "sure": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string", "enum": ["x", "y", "z"]}, "maxItems": 2},
    },
    "required": ["name"],
}
FORM = ElicitationRequest("e", "s", "deploy", "Details?", SCHEMA)
BROKEN = ElicitationRequest("e", "s", "deploy", "Details?", {"type": "array"})
LINK = ElicitationRequest("e", "s", "deploy", "Sign in", url="https://example.com/", host="example.com")
FOUR_API = [{"other": " 4"}, {"other": "api"}]

ALL_NULL = "every answer is null: answer one question at least, or decline"
UNFIT = "it cannot be filled in: its schema is not that of an object; decline or dismiss it"
HALF = "it holds half of a character, which UTF-8 does not have"


@pytest.mark.parametrize(
    ("request_", "data", "outcome"),
    [
        (CACHE, {"answers": [{"selected": [2]}]}, Answered((Answer(("SQLite",), preview="a = 1"),))),
        (CACHE, {"answers": [{"selected": ["None", 3]}]}, Answered((Answer(("None",)),))),
        (CACHE, {"answers": [{"other": "a\x1bb\r\nc"}]}, Answered((Answer(other="ab\nc"),))),
        (CACHE, {"answers": [{"selected": [1], "other": ""}]}, Answered((Answer(("Redis",)),))),
        (CACHE, {"discuss": "Why?"}, Discussed("Why?")),
        (
            FEATURES,
            {"answers": [{"selected": ["Search", 1], "other": "more", "note": "n"}, *FOUR_API]},
            Answered((Answer(("Auth", "Search"), "more", "n"), Answer(other="4"), Answer(other="api"))),
        ),
        (
            FEATURES,
            {"answers": [{"empty": True, "unselected": "typed"}, None, None]},
            Answered((Answer(empty=True), Answer(), Answer())),
        ),
        (PERMISSION, {"choice": 1}, Allowed()),
        (PERMISSION, {"choice": 3, "note": None}, Allowed(suggestion=LASTING)),
        (PERMISSION, {"choice": 4, "note": "once"}, Allowed("once")),
        (HOOKED, {"choice": 3, "note": "no"}, Denied("no")),
        (PLAN, {"choice": 3}, Allowed(mode="acceptEdits")),
        (
            FORM,
            {"content": {"name": "Ada", "count": 5, "sure": False, "tags": ["x", "z"]}},
            Answered((Answer(other="Ada"), Answer(other="5"), Answer(("No",)), Answer(("x", "z")))),
        ),
        (
            FORM,
            {"answers": [{"other": "Ada"}, {}, {"selected": [2]}, None]},
            Answered((Answer(other="Ada"), Answer(), Answer(("No",)), Answer())),
        ),
        (LINK, {"answers": [{"selected": [2]}]}, Answered((Answer(("Accept without opening it here",)),))),
    ],
)
def test_an_answer(request_: Request, data: dict[str, object], outcome: RequestOutcome) -> None:
    assert parse_outcome(request_, load_answer(json.dumps({"version": 1, **data}))) == outcome


@pytest.mark.parametrize(
    ("text", "field", "reason"),
    [
        ("", "", "it cannot be read: Expecting value"),
        ("\ufeff{}", "", "it cannot be read: "),
        ("[" * 100_000, "", "it is nested too deeply"),
        ("[]", "", "an object is needed"),
        ('{"version": 2}', "version", "it must be 1"),
        ('{"version": true}', "version", "it must be 1"),
        ('{"version": NaN}', "version", "it must be 1"),
        (f'{{"version": {"9" * 9_999}}}', "", "it cannot be read: Exceeds the limit"),
        ('{"discuss": "a", "discuss": "b"}', "", "an object has the field “discuss” twice"),
        ('{"answers": [{"other": "a", "\\u006fther": "b"}]}', "", "an object has the field “other” twice"),
    ],
)
def test_json_that_cannot_be_read(text: str, field: str, reason: str) -> None:
    with pytest.raises(InvalidOutcome) as refused:
        load_answer(text)
    assert refused.value.field == field
    assert refused.value.reason.startswith(reason)


WRONG_DECISION = [
    {},
    {"choice": "1"},
    {"choice": True},
    {"choice": 1.0},
    {"choice": None},
    {"choice": 0},
    {"choice": 6},
]


@pytest.mark.parametrize(
    ("request_", "data", "field", "reason"),
    [
        (CACHE, {}, "", "either “answers” or “discuss” is needed"),
        (CACHE, {"answers": [], "discuss": "x"}, "", "either “answers” or “discuss” is needed"),
        (CACHE, {"answer": []}, "", "unknown field “answer”; known are answers, discuss"),
        (CACHE, {"discuss": " "}, "discuss", "an empty reply says nothing"),
        (CACHE, {"discuss": 4}, "discuss", "a text is needed"),
        (CACHE, {"discuss": "\ud83d"}, "discuss", HALF),
        (CACHE, {"answers": {}}, "answers", "a list of 1 is needed, one answer a question"),
        (FEATURES, {"answers": [{}]}, "answers", "a list of 3 is needed, one answer a question"),
        (FEATURES, {"answers": [None] * 3}, "answers", ALL_NULL),
        (FORM, {"discuss": "why?"}, "", "a form cannot end as “discussed”"),
        (FORM, {"answers": [{}, {}, {}, {}]}, "answers[0]", "no answer"),
        (FORM, {"answers": [None, {"other": "5"}, {}, {}]}, "answers[0]", "name: the form needs this"),
        (FORM, {"content": []}, "content", "an object of values by their names is needed"),
        (FORM, {"content": {"name": "A"}}, "content.name", "too short: at least 2 characters, not 1"),
        (FORM, {"content": {"name": "Ada", "count": "5"}}, "content.count", "“count” takes a number"),
        (FORM, {"content": {"name": "Ada", "tags": 1}}, "content.tags", "“tags” takes a list of its options"),
        (FORM, {"content": {"name": "Ada", "more": 1}}, "content", "the form has no field “more”"),
        (FORM, {"content": {}}, "content.name", "the form needs this"),
        (FORM, {"content": {}, "answers": []}, "", "unknown field “answers”; known are content"),
        (BROKEN, {"answers": [{}]}, "", UNFIT),
        *((PLAN, data, "choice", "a number from 1 to 5 is needed") for data in WRONG_DECISION),
        (PLAN, {"choice": 1, "why": "so"}, "", "unknown field “why”; known are choice, note"),
        (PLAN, {"choice": 1, "note": 1}, "note", "a text is needed"),
        (PLAN, {"choice": 1, "note": "x"}, "note", "choice 1 takes none; 4 and 5 do"),
        (PLAN, {"choice": 4, "note": " "}, "note", "choice 4 needs your message to Claude"),
        (HOOKED, {"choice": 4}, "choice", "a number from 1 to 3 is needed"),
    ],
)  # fmt: skip
def test_what_is_no_answer(request_: Request, data: dict[str, object], field: str, reason: str) -> None:
    with pytest.raises(InvalidOutcome) as refused:
        parse_outcome(request_, data)
    assert (refused.value.field, refused.value.reason) == (field, reason)


@pytest.mark.parametrize(
    ("answer", "field", "reason"),
    [
        (1, "", "an object is needed, or null to leave the question open"),
        ({}, "", "no answer"),
        ({"note": "n"}, "", "no answer; a note alone is none"),
        ({"choice": 4}, "", "unknown field “choice”; known are selected, other, note, empty, unselected"),
        ({"selected": "Auth"}, ".selected", "a list of labels or numbers is needed"),
        ({"selected": None}, ".selected", "a list of labels or numbers is needed"),
        ({"selected": [{}]}, ".selected", "labels or numbers of options are needed"),
        ({"selected": ["auth"]}, ".selected", "no option “auth”; there are “Auth”, “Logs”, “Search”"),
        ({"selected": [True]}, ".selected", "no option “True”; there are “Auth”, “Logs”, “Search”"),
        ({"selected": [9]}, ".selected", "no option 9; there are “Auth”, “Logs”, “Search”"),
        ({"selected": [float("inf")]}, ".selected", "no option “inf”; there are “Auth”, “Logs”, “Search”"),
        ({"empty": "no"}, ".empty", "true or false is needed"),
        ({"empty": True, "selected": [1]}, ".empty", "not together with a selection or a text"),
        ({"other": 4}, ".other", "a text is needed"),
        ({"other": " \n"}, ".other", "a blank text is no answer"),
        ({"other": "a\udc00"}, ".other", HALF),
        ({"selected": [1], "note": "\ud800"}, ".note", HALF),
    ],
)  # fmt: skip
def test_what_is_no_answer_to_a_question(answer: object, field: str, reason: str) -> None:
    with pytest.raises(InvalidOutcome) as refused:
        parse_outcome(FEATURES, {"answers": [answer, *FOUR_API]})
    assert (refused.value.field, refused.value.reason) == (f"answers[0]{field}", reason)


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
    outcome = Answered(
        (Answer(("Auth",), "x", "n", unselected="typed"), Answer(other="4"), Answer(other="api"))
    )
    printed = json.dumps({"answers": outcome_record(outcome)["answers"]})  # type: ignore[index]
    (first, *rest) = outcome.answers
    assert parse_outcome(FEATURES, load_answer(printed)) == Answered((replace(first, unselected=""), *rest))
