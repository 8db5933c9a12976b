"""Reading the input of a question call."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.questions import Answer, Option, Question
from ccq_tui.questions.parse import QuestionFormatError, parse_question_set
from ccq_tui.questions.wire import encode
from tests.tables import each_row, table

TABLES = table(__file__, "parse.json")


def one(**fields: Any) -> dict[str, Any]:
    """Give an input of one question with the given fields."""
    return {"questions": [{"question": "Q?", "options": ["a", "b"]} | fields]}


@each_row(*TABLES["read"])
def test_an_input_is_read_as_the_table_says(source: dict[str, Any], wanted: list[dict[str, Any]]) -> None:
    result = parse_question_set("toolu_1", source)
    made = [{**each, "options": tuple(Option(**row) for row in each.get("options", ()))} for each in wanted]
    assert result.questions == tuple(Question(**each) for each in made)
    assert (result.title, result.source) == (source.get("title", ""), source)


def test_one_object_is_echoed_as_a_list() -> None:
    source = one()
    made = parse_question_set("t", {"questions": source["questions"][0]})
    assert encode(made, (Answer(("a",)),))["questions"] == source["questions"]


@each_row(*TABLES["refused"], (one(kind="number", max=10**400), "questions[0].max"))
def test_what_is_wrong_is_named_by_its_path(source: dict[str, Any], path: str) -> None:
    with pytest.raises(QuestionFormatError) as caught:
        parse_question_set("t", source)
    assert caught.value.path == path
    assert str(caught.value).startswith(f"{path}: ")


ODD: list[Any] = [None, True, 0, -1, 2.5, 10**400, float("nan"), "", "x", "7", "[]", "[3]", "{", "[" * 50_000]
ODD += TABLES["odd"]
VALUES = st.sampled_from(ODD) | st.integers() | st.text(max_size=4)
LOOSE = st.dictionaries(st.sampled_from(TABLES["fields"]), VALUES, max_size=6)
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
