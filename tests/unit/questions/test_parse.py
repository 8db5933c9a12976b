"""Reading the input of a question call."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.questions import Answer, Kind, Option, Question, QuestionSet
from ccq_tui.questions.parse import QuestionFormatError, parse_question_set
from ccq_tui.questions.wire import encode
from tests.tables import table


def one(**fields: Any) -> dict[str, Any]:
    """Give an input of one question with the given fields."""
    return {"questions": [{"question": "Q?", "options": ["a", "b"]} | fields]}


def parsed(source: dict[str, Any]) -> Question:
    return parse_question_set("toolu_1", source).questions[0]


def test_base_schema() -> None:
    source = {
        "questions": [
            {
                "question": "Which database?",
                "header": "Database",
                "options": [
                    {"label": "SQLite (Recommended)", "description": "A file", "preview": "+--+"},
                    {"label": "PostgreSQL", "description": "A server"},
                ],
                "multiSelect": False,
            },
            {
                "question": "Which features?",
                "header": "Features",
                "options": [{"label": "Auth", "description": ""}, {"label": "Logs", "description": ""}],
                "multiSelect": True,
            },
        ]
    }
    result = parse_question_set("toolu_1", source)
    assert result == QuestionSet(
        id="toolu_1",
        questions=(
            Question(
                "Which database?",
                "Database",
                (Option("SQLite (Recommended)", "A file", "+--+"), Option("PostgreSQL", "A server")),
            ),
            Question("Which features?", "Features", (Option("Auth"), Option("Logs")), multi_select=True),
        ),
    )
    assert result.source is source


def test_extended_schema() -> None:
    source = {
        "title": "Set-up",
        "questions": [
            {
                "question": "Name?",
                "kind": "text",
                "placeholder": "my-app",
                "defaultValue": "app",
                "options": [],
            },
            {
                "question": "How many?",
                "kind": "number",
                "description": "Workers",
                "min": 1,
                "max": 8,
                "step": 0.5,
                "defaultValue": 2.0,
                "unit": "cores",
            },
        ],
    }
    result = parse_question_set("t", source)
    assert result.title == "Set-up"
    assert result.questions == (
        Question("Name?", kind=Kind.TEXT, placeholder="my-app", default="app"),
        Question(
            "How many?",
            kind=Kind.NUMBER,
            description="Workers",
            minimum=1,
            maximum=8,
            step=0.5,
            default="2",
            unit="cores",
        ),
    )


def test_questions_as_a_json_string() -> None:
    source = one()
    text = {"questions": json.dumps(source["questions"])}
    assert parsed(text) == parsed(source)


def test_questions_as_one_object_is_a_set_of_one() -> None:
    source = one()
    (item,) = source["questions"]
    for questions in (item, json.dumps(item)):
        assert parsed({"questions": questions}) == parsed(source)
        made = parse_question_set("t", {"questions": questions})
        assert encode(made, (Answer(("a",)),))["questions"] == source["questions"], "it is echoed as a list"


@pytest.mark.parametrize("fields", [{}, {"header": None}, {"header": ""}])
def test_a_missing_header_is_empty(fields: dict[str, Any]) -> None:
    assert parsed(one(**fields)).header == ""


@pytest.mark.parametrize(
    ("fields", "multi"),
    [
        ({}, False),
        ({"multiSelect": True}, True),
        ({"multi_select": True}, True),
        ({"multiSelect": None, "multi_select": True}, True),
        ({"multiSelect": False, "multi_select": True}, False),
    ],
)
def test_both_spellings_of_multi_select(fields: dict[str, Any], multi: bool) -> None:
    assert parsed(one(**fields)).multi_select is multi


def test_options_as_strings_and_without_description_may_repeat() -> None:
    question = parsed(one(options=["same", {"label": "same"}, {"label": ""}]))
    assert question.options == (Option("same"), Option("same"), Option(""))


def test_the_same_question_twice_is_two_questions() -> None:
    item = one()["questions"][0]
    assert len(parse_question_set("t", {"questions": [item, item]}).questions) == 2


def test_a_plain_string_is_a_question_for_a_text() -> None:
    assert parsed({"questions": ["Which name?"]}) == Question("Which name?", kind=Kind.TEXT)


def test_the_input_may_be_the_one_question_itself() -> None:
    found = parsed({"question": "Which?", "options": ["a", "b"], "multi_select": True})
    assert found == Question("Which?", options=(Option("a"), Option("b")), multi_select=True)


def test_no_options_means_a_text() -> None:
    assert parsed({"questions": [{"question": "Name?"}]}).kind is Kind.TEXT


@pytest.mark.parametrize(
    ("source", "path"),
    [*table(__file__, "parse_refused.json"), (one(kind="number", max=10**400), "questions[0].max")],
)
def test_what_is_wrong_is_named_by_its_path(source: dict[str, Any], path: str) -> None:
    with pytest.raises(QuestionFormatError) as caught:
        parse_question_set("t", source)
    assert caught.value.path == path
    assert str(caught.value).startswith(f"{path}: ")


ODD: list[Any] = [None, True, 0, -1, 2.5, 10**400, float("nan"), "", "x", "7", "[]", "[3]", "{", "[" * 50_000]
ODD += [
    "number",
    "text",
    "choice",
    [],
    {},
    [None],
    [[]],
    ["a", {"label": "b"}],
    [{"label": 3}],
    [{"preview": {}}],
]
VALUES = st.sampled_from(ODD) | st.integers() | st.text(max_size=4)
FIELDS = [
    "question",
    "header",
    "options",
    "kind",
    "multiSelect",
    "min",
    "max",
    "step",
    "defaultValue",
    "label",
]
LOOSE = st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=6)
SOUND = LOOSE.map(lambda fields: {"question": "Q?", "options": ["a"]} | fields)
SOURCES = st.fixed_dictionaries(
    {}, optional={"questions": VALUES | st.lists(LOOSE | SOUND, max_size=3), "title": VALUES}
)


@given(SOURCES)
def test_any_input_is_a_set_or_a_named_error(source: dict[str, Any]) -> None:
    try:
        result = parse_question_set("t", source)
    except QuestionFormatError:
        return
    assert result.questions
