"""Forms of MCP servers as question sets, and their answers as values that fit the server's schema."""

import json
from collections.abc import Sequence
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.answering.record import InvalidAnswer
from ccq_tui.answering.record import read as read_answer
from ccq_tui.questions import Answer, Answered, Kind, Option
from ccq_tui.questions.limits import FieldError, allowed_words, answer_problem
from ccq_tui.questions.model import Asked, FieldRules
from ccq_tui.questions.schema_form import content_of, read_form
from ccq_tui.questions.state import opened
from tests.tables import each_row, table

TABLES = table(__file__, "schema_form.json")


def given_back(asked: Asked, content: dict[str, Any]) -> Sequence[Answer]:
    """Return the answers that values stand for."""
    given = read_answer(asked, {"content": content})
    assert isinstance(given, Answered)
    return given.answers


def form(properties: dict[str, Any], *required: str, order: tuple[str, ...] = (), **more: Any) -> Asked:
    schema = {"type": "object", "properties": properties, "required": list(required), **more}
    return read_form("f", "Deploy asks", "Please give details", schema, order)


TEXT = {"type": "string"}


def test_each_kind_of_field_is_asked_as_a_question() -> None:
    read = form(
        {
            "name": {"type": "string", "title": "Your name", "description": "Full name", "maxLength": 9},
            "count": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3},
            "sure": {"type": "boolean"},
            "env": {"type": "string", "enum": ["p", "d"], "enumNames": ["Production", "d"], "default": "p"},
            "tags": {"type": "array", "items": {"anyOf": [{"const": "x", "title": "X"}]}, "minItems": 1},
        },
        "name",
    )
    name, count, sure, env, tags = read.questions.questions
    assert (read.questions.intro, read.questions.is_form) == ("Please give details", True)
    assert (name.text, name.description) == ("Your name", "Full name")
    assert (name.kind, name.required) == (Kind.TEXT, True)
    assert allowed_words(name) == "at most 9 characters"
    assert allowed_words(count) == "optional · a whole number, 1 to 9"
    assert [option.label for option in sure.options] == ["Yes", "No"]
    assert [(one.label, one.description) for one in env.options] == [("Production", "sent as p"), ("d", "")]
    assert tags.multi_select
    assert tags.closed
    assert allowed_words(tags) == "optional · at least 1 option"
    pages = opened(read.questions).pages
    drafts = [Answer(), Answer(other="3"), Answer(), Answer(selected=("Production",)), Answer()]
    assert [page.as_answer() for page in pages] == drafts, "a default is a draft from the beginning"


def test_fields_come_in_the_servers_order() -> None:
    read = form({"a": TEXT, "b": TEXT, "c": TEXT}, order=("c", "gone", "a"))
    assert read.names == ("c", "a", "b")


def test_values_have_the_types_of_the_schema() -> None:
    properties = {
        "count": {"type": "integer"},
        "ratio": {"type": "number"},
        "whole": {"type": "number"},
        "sure": {"type": "boolean"},
        "tags": {"type": "array", "items": {"enum": ["b", "a"]}},
        "none": {"type": "array", "items": {"enum": ["b", "a"]}},
        "text": TEXT,
        "left": TEXT,
    }
    answers = (
        Answer(other="5.0"),
        Answer(other=".25"),
        Answer(other="-7"),
        Answer(selected=("No",)),
        Answer(selected=("a", "b")),
        Answer(empty=True),
        Answer(other="  as typed\n"),
        Answer(),
    )
    content = content_of(form(properties), answers)
    expected = '{"count": 5, "ratio": 0.25, "whole": -7, "sure": false, "tags": ["b", "a"], "none": [], '
    assert json.dumps(content) == expected + '"text": "  as typed\\n"}'
    assert content_of(form(properties), given_back(form(properties), content)) == content


@each_row(*TABLES["refused"])
def test_what_does_not_fit_is_said_in_words(schema: dict[str, Any], text: str, problem: str) -> None:
    read = form({"x": {"type": "string", **schema}})
    assert not read.problem
    assert answer_problem(read.questions.questions[0], text) == problem
    with pytest.raises(FieldError) as caught:
        content_of(read, (Answer(other=text),))
    assert (caught.value.number, caught.value.part) == (0, "other")


@each_row(*TABLES["what_fits_a_format_is_taken"])
def test_what_fits_a_format_is_taken(named: str, good: str) -> None:
    read = form({"x": {"type": "string", "format": named}})
    assert content_of(read, (Answer(other=good),)) == {"x": good}


@each_row(
    *TABLES["unfit"],
    ({"x": {"type": "string", "pattern": "a" * 1001}}, "a pattern of more than 1,000 characters"),
    ({"x": {"type": "number", "maximum": 10**400}}, "a “maximum” that is too large"),
    ({f"x{number}": TEXT for number in range(101)}, "101 fields, more than 100"),
)
def test_what_cannot_be_used_is_said_in_one_line(properties: dict[str, Any], problem: str) -> None:
    read = form(properties)
    assert problem in read.problem
    assert "\n" not in read.problem
    if problem:
        (question,) = read.questions.questions
        assert not question.options
        assert "Decline or cancel it" in question.description


def test_an_option_that_would_be_invisible_has_a_label() -> None:
    read = form({"x": {"type": "string", "enum": ["", "b", "c"], "enumNames": ["", " ", "C"]}})
    assert read.questions.questions[0].options == (
        Option("(empty)", "sent as no text"),
        Option("b"),
        Option("C", "sent as c"),
    )
    assert content_of(read, (Answer(selected=("(empty)",)),)) == {"x": ""}


def test_steps_and_limits_are_compared_as_they_are_written() -> None:
    read = form({"x": {"type": "number", "minimum": 1, "multipleOf": 0.01, "default": 1e300}})
    assert not read.problem
    assert read.questions.questions[0].field == FieldRules(number="number", preset=("1e+300",))
    assert content_of(read, (Answer(other="1.07"),)) == {"x": 1.07}


def test_a_required_field_that_is_not_there_is_a_contradiction() -> None:
    assert form({"a": TEXT}, "b").problem == "it requires “b”, a field that it does not have"
    with_one_of = {"type": "object", "properties": {}, "oneOf": []}
    assert "oneOf" in read_form("f", "t", "m", with_one_of).problem


def test_a_pattern_takes_no_longer_with_a_text_made_for_it() -> None:
    question = form({"x": {"type": "string", "pattern": "^(a+)+$"}}).questions.questions[0]
    assert answer_problem(question, "a" * 50_000 + "!")


def test_a_form_without_fields_is_agreed_to() -> None:
    read = form({})
    (question,) = read.questions.questions
    assert (question.text, [one.label for one in question.options]) == ("Please give details", ["Accept"])
    assert content_of(read, (Answer(selected=("Accept",)),)) == {}


def test_values_that_are_not_the_forms_are_refused() -> None:
    read = form({"a": {"type": "string", "enum": ["x"]}, "n": {"type": "integer"}})
    with pytest.raises(InvalidAnswer, match="no field “b”"):
        given_back(read, {"b": 1})
    for wrong in ({"a": "y"}, {"a": ["x"]}, {"n": "one"}, {"n": True}, {"n": 1.5}):
        with pytest.raises(InvalidAnswer):
            given_back(read, wrong)


LIMITS = st.integers(0, 6)
SCHEMAS = st.one_of(
    st.fixed_dictionaries({"type": st.just("string")}, optional={"minLength": LIMITS, "maxLength": LIMITS}),
    st.fixed_dictionaries(
        {"type": st.sampled_from(["integer", "number"])},
        optional={"minimum": LIMITS, "maximum": LIMITS, "multipleOf": st.sampled_from([1, 2, 0.5])},
    ),
    st.fixed_dictionaries({"type": st.just("boolean")}),
    st.fixed_dictionaries({"type": st.just("string"), "enum": st.just(["a", "b", "c"])}),
    st.fixed_dictionaries(
        {"type": st.just("array"), "items": st.just({"type": "string", "enum": ["a", "b", "c"]})},
        optional={"minItems": LIMITS, "maxItems": LIMITS},
    ),
)
ANSWERS = st.builds(
    Answer,
    selected=st.lists(st.sampled_from(["a", "b", "c", "Yes", "No"]), unique=True).map(tuple),
    other=st.one_of(st.just(""), st.text(max_size=8), st.integers(-9, 9).map(str), st.floats().map(str)),
    empty=st.booleans(),
)


@given(st.lists(SCHEMAS, min_size=1, max_size=3), st.lists(ANSWERS, min_size=3, max_size=3), st.booleans())
def test_what_is_accepted_fits_the_schema(
    schemas: list[dict[str, Any]], answers: list[Answer], required: bool
) -> None:
    properties = {f"f{number}": schema for number, schema in enumerate(schemas)}
    whole = {"type": "object", "properties": properties, "required": list(properties) if required else []}
    read = read_form("f", "t", "m", whole)
    if read.problem:
        return
    given = []
    for question, answer in zip(read.questions.questions, answers, strict=False):
        labels = {option.label for option in question.options}
        chosen = tuple(label for label in answer.selected if label in labels)
        if question.kind is not Kind.CHOICE:
            given.append(Answer(other=answer.other if answer.other.strip() else ""))
        elif question.multi_select:
            given.append(Answer(selected=chosen, empty=answer.empty and not chosen))
        else:
            given.append(Answer(selected=chosen[:1]))
    try:
        content = content_of(read, given)
    except FieldError:
        return
    jsonschema.validate(json.loads(json.dumps(content)), whole)
    assert content_of(read, given_back(read, content)) == content


WORDS = ["type", "enum", "oneOf", "items", "default", "minLength", "minimum", "required", "title", "pattern"]
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.sampled_from(["string", "a", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=4),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["a", "b"]), JSON), JSON)
def test_whatever_comes_as_a_schema_is_a_form_or_has_a_problem(properties: Any, required: Any) -> None:
    read = read_form("f", "t", "m", {"properties": properties, "required": required})
    assert bool(read.problem) or len(read.names) == len(properties)
    assert opened(read.questions).pages
