"""The fields of a form file, as types; `docs/forms.md` explains each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, Strict, TypeAdapter, ValidationError, WrapValidator

from ccq_tui.questions.schema_form import LONGEST_PATTERN, MOST_FIELDS, MOST_OPTIONS

QuestionKind = Literal["choice", "multi", "text", "multiline", "number", "confirm", "date", "secret"]
CHOICES = ("choice", "multi", "confirm")
LONGEST_TEXT = 10_000
LONGEST_ID = 64
_ID = rf"^[A-Za-z0-9_][A-Za-z0-9_.-]{{0,{LONGEST_ID - 1}}}$"
Text = Annotated[str, Field(max_length=LONGEST_TEXT)]
Words = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]
Pattern = Annotated[str, Field(min_length=1, max_length=LONGEST_PATTERN)]
Id = Annotated[str, Field(pattern=_ID, description="Letters, digits, _, - and .")]
Flag = Annotated[bool, Strict()]
Count = Annotated[int, Strict(), Field(ge=0)]
Number = Annotated[float, Strict(), Field(allow_inf_nan=False)]


def _as_one(value: Any, read: Callable[[Any], Any]) -> Any:
    """Read a value of one of several types; an error names them once."""
    try:
        return read(value)
    except ValidationError as error:
        raise ValueError("must be a text, a number, true or false, or where fit a list of texts") from error


OneOf = WrapValidator(_as_one)


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionDocument:
    """One option of a choice."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    label: Words
    description: Text = ""
    value: Annotated[Words | None, Field(description="The recorded value; without it, the label")] = None


Option = Annotated[
    OptionDocument,
    BeforeValidator(
        lambda value: {"label": value} if isinstance(value, str) else value,
        json_schema_input_type=OptionDocument | str,
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class WhenDocument:
    """The earlier answer on which a question is asked: one of ``equals`` and ``contains``."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    question: Annotated[str, Field(description="The id of an earlier question")]
    equals: Annotated[
        Words | Flag | Annotated[int, Strict()] | Number | None,
        OneOf,
        Field(description="A label, a value, a text, a number, true or false"),
    ] = None
    contains: Annotated[
        Words | None, Field(description="A label or value of several choices, or a part of a text")
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionDocument:
    """One question."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    id: Id
    text: Words
    kind: QuestionKind
    header: Annotated[Text, Field(description="A word or two for its tab; without it, its id")] = ""
    help: Text = ""
    required: Flag = True
    options: Annotated[list[Option], Field(max_length=MOST_OPTIONS)] = field(default_factory=list)
    other: Annotated[Flag, Field(description="Whether an answer in one's own words is allowed")] = False
    placeholder: Text = ""
    default: Annotated[
        Text | Flag | Annotated[int, Strict()] | Number | list[Text] | None,
        OneOf,
        Field(description="Proposed: the person sees and confirms it"),
    ] = None
    min_length: Count | None = None
    max_length: Count | None = None
    pattern: Annotated[Pattern | None, Field(description="A regular expression, found in the text")] = None
    min: Number | None = None
    max: Number | None = None
    integer: Annotated[Flag, Field(description="Whether the number is whole")] = False
    min_choices: Count | None = None
    max_choices: Count | None = None
    when: WhenDocument | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FormDocument:
    """A form: what it asks, in which order."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    id: Id
    version: Annotated[Text | int, Field(description="Of its content; records name it")] = ""
    title: Text = ""
    description: Text = ""
    context: Annotated[list[Text], Field(max_length=50, description="Lines above the questions")] = field(
        default_factory=list
    )
    questions: Annotated[list[QuestionDocument], Field(min_length=1, max_length=MOST_FIELDS)]


FIELDS_OF = {
    "options": ("choice", "multi"),
    "other": ("choice", "multi"),
    "placeholder": ("text", "multiline", "number", "date", "secret"),
    **dict.fromkeys(("min_length", "max_length", "pattern"), ("text", "multiline", "secret")),
    **dict.fromkeys(("min", "max", "integer"), ("number",)),
    **dict.fromkeys(("min_choices", "max_choices"), ("multi",)),
}
"""The kinds of questions that have a field."""


@cache
def adapter() -> TypeAdapter[FormDocument]:
    """Return the reader of documents."""
    return TypeAdapter(FormDocument)


def form_schema() -> dict[str, Any]:
    """Return the JSON Schema of a form file."""
    schema = adapter().json_schema(mode="validation")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "A form of ccq-tui"}
