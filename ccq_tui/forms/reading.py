"""Reads forms: the fields of a file of TOML or JSON."""

import re
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, Strict, TypeAdapter, ValidationError, WrapValidator

from ccq_tui.answering.grammar import TypedError, read_value
from ccq_tui.bounded import UnfitFileError, parse_json, parse_toml, read_bytes, toml_place
from ccq_tui.config.errors import explain
from ccq_tui.config.paths import config_dir, expanded
from ccq_tui.questions import Answer, FieldRules, Kind, Option, Question, QuestionSet
from ccq_tui.questions import schema_form as schemas
from ccq_tui.questions.limits import PatternError, matcher
from ccq_tui.questions.model import Asked, Condition
from ccq_tui.questions.schema_form import LONGEST_PATTERN, MOST_FIELDS, MOST_OPTIONS
from ccq_tui.text import one_line
from ccq_tui.words import listed

LONGEST_TEXT = 10_000
Text = Annotated[str, Field(max_length=LONGEST_TEXT)]
Words = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]
Pattern = Annotated[str, Field(min_length=1, max_length=LONGEST_PATTERN)]
Id = Annotated[
    str, Field(pattern="^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$", description="Letters, digits, _, - and .")
]
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


AnyOption = Annotated[
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
    kind: Literal["choice", "multi", "text", "multiline", "number", "confirm", "date", "secret"]
    header: Annotated[Text, Field(description="A word or two for its tab; without it, its id")] = ""
    help: Text = ""
    required: Flag = True
    options: Annotated[list[AnyOption], Field(max_length=MOST_OPTIONS)] = field(default_factory=list)
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


SUFFIXES = (".toml", ".json")
MOST_BYTES = 200_000
"""Largest form file."""
MOST_NAMED = 20
_QUESTION = re.compile(r"^[ \t]*(\[\[[ \t]*questions[ \t]*\]\])|(\{)(?=[^{}]*\"text\"\s*:)", re.MULTILINE)
"""Where a question begins in a file of TOML, and as a rule in one of JSON."""
_OWNERS = {"": FormDocument, "questions": QuestionDocument, "options": OptionDocument, "when": WhenDocument}


class FormFileError(ValueError):
    """A form that cannot be used.

    Attributes:
        problems: What is wrong, each with its place in the file; the message has all of them, in lines.
    """

    def __init__(self, name: str, *problems: str, line: int = 0, placed: Sequence[str] = ()) -> None:
        self.problems = (*placed, *(_placed(name, line, problem) for problem in problems))
        super().__init__("\n".join(self.problems))


def _placed(name: str, line: int, problem: str) -> str:
    return one_line(f"{name}:{line}: {problem}" if line else f"{name}: {problem}", 500)


def find_form(name: str) -> Asked:
    """Return the form of a name: a path, "-" for standard input, a person's own form, or a built-in one.

    Raises `FormFileError` for a form that does not exist or cannot be used.
    """
    if not name.strip():
        raise FormFileError("FORM", ": is empty; name a form, or a question with --option")
    if name == "-":
        return read_form(sys.stdin.buffer.read(MOST_BYTES + 1), "standard input")
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", name) or name.endswith(SUFFIXES):
        return _read_file(expanded(name), name)
    for path in (directory / f"{name}{suffix}" for directory in _places() for suffix in SUFFIXES):
        if path.exists():
            return _read_file(path, str(path))
    known = sorted(
        {path.stem for place in _places() for path in place.glob("*.*") if path.suffix in SUFFIXES}
    )
    what = f"no form has this name; there are {listed(known, MOST_NAMED)}; a path has its suffix: {name}.toml"
    raise FormFileError(name, what)


def _places() -> tuple[Path, Path]:
    return config_dir() / "forms", Path(__file__).parent / "builtin"


def _read_file(path: Path, name: str) -> Asked:
    try:
        return read_form(read_bytes(path, MOST_BYTES), name)
    except UnfitFileError as error:
        raise FormFileError(name, str(error)) from error
    except OSError as error:
        raise FormFileError(name, f"cannot be read: {error.strerror}") from error


def read_form(text: str | bytes, name: str) -> Asked:
    """Return the form that a text of TOML or JSON describes; ``name`` is that of its file, for messages.

    A name that ends in .toml or .json says which it is, else its content does. Raises `FormFileError` with
    every mistake.
    """
    if len(text) > MOST_BYTES:
        raise FormFileError(name, f"is larger than {MOST_BYTES:,} bytes")
    try:
        content = text if isinstance(text, str) else text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormFileError(name, f"is not UTF-8 text: {error.reason}") from error
    is_json = name.endswith(".json") or (not name.endswith(".toml") and content.lstrip().startswith("{"))
    try:
        document = parse_json(content, keys=_alone) if is_json else parse_toml(content)
    except tomllib.TOMLDecodeError as error:
        cause, line, column = toml_place(error, content)
        where = f" ({column})" if column else ""
        raise FormFileError(name, f"is not TOML: {cause}{where}", line=line) from error
    except ValueError as error:
        cause, line = getattr(error, "msg", str(error)), getattr(error, "lineno", 0)
        raise FormFileError(name, f"is not JSON: {cause}", line=line) from error
    begins = [found.start(found.lastindex or 0) for found in _QUESTION.finditer(content)]
    return form_of(document, name, [content.count("\n", 0, at) + 1 for at in begins])


def _alone(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON; raises ValueError for a name that it has twice."""
    names = Counter(name for name, _ in pairs)
    if len(names) < len(pairs):
        raise ValueError(f"an object has the name “{names.most_common(1)[0][0]}” twice; leave one out")
    return dict(pairs)


def form_of(document: Mapping[str, Any], name: str = "form", lines: Sequence[int] = ()) -> Asked:
    """Return the form of a document, the content of a form file.

    Args:
        document: The content.
        name: The name for messages.
        lines: The line at which each question begins, for messages.

    Raises:
        FormFileError: Its message lists every mistake with its place, such as ``question 3, when.question``.
    """
    if not isinstance(document, Mapping):
        raise FormFileError(name, "must be an object with “id” and “questions”")
    questions = document.get("questions")
    known = isinstance(questions, list) and len(lines) == len(questions)

    def placed(number: int, field: str, problem: str) -> str:
        place = f"question {number + 1}{field and f', {field}'}"
        return _placed(name, lines[number] if known else 0, f"{place}: {problem}")

    try:
        read = adapter().validate_python(document)
    except ValidationError as error:
        wrong, line = error.errors(include_url=False)[:MOST_NAMED], 1 if lines else 0
        raise FormFileError(name, placed=[_wrong(one, name, line, placed) for one in wrong]) from error
    problems: list[str] = []
    asked: list[schemas.Field] = []
    for number, question in enumerate(read.questions):
        try:
            asked.append(_field(question, read.questions[:number], asked))
        except _QuestionError as error:
            problems += [placed(number, *problem) for problem in error.args]
            asked.append((Question(question.text), ()))
    if problems:
        raise FormFileError(name, placed=problems)
    intro = "\n".join(line for line in (read.description, *read.context) if line)
    questions, values = zip(*asked, strict=True)
    form = QuestionSet(read.id, questions, read.title, intro=intro, is_form=True)
    return Asked(form, tuple(one.id for one in read.questions), values, document=document)


# -- a form file ----------------------------------------------------------------------------------------


class _QuestionError(Exception):
    """What is wrong with one question: each argument is a field, or "", and the problem."""


def _field(
    document: QuestionDocument, before: Sequence[QuestionDocument], asked: Sequence[schemas.Field]
) -> schemas.Field:
    problems, when = list(_contradictions(document, before)), None
    try:
        when = _condition(document.when, before, asked)
    except _QuestionError as error:
        problems += error.args
    options = tuple(Option(one.label, one.description) for one in document.options)
    values: tuple[Any, ...] = tuple(one.value or one.label for one in document.options)
    if document.kind == "confirm":
        options, values = (Option(schemas.YES), Option(schemas.NO)), (True, False)
    is_choice = document.kind in ("choice", "multi", "confirm")
    question = Question(
        document.text,
        document.header or document.id.replace("_", " ").replace("-", " ").capitalize(),
        options,
        multi_select=document.kind == "multi",
        kind=Kind.CHOICE if is_choice else Kind.NUMBER if document.kind == "number" else Kind.TEXT,
        description=document.help,
        placeholder=document.placeholder,
        minimum=document.min,
        maximum=document.max,
        closed=is_choice and not document.other,
        field=FieldRules(
            required=document.required,
            fewest=document.min_choices if is_choice else document.min_length,
            most=document.max_choices if is_choice else document.max_length,
            pattern=document.pattern or "",
            format="date" if document.kind == "date" else "",
            number="" if document.kind != "number" else "integer" if document.integer else "number",
            one_line=not is_choice and document.kind != "multiline",
            skippable=True,
            secret=document.kind == "secret",
        ),
        when=when,
    )
    if not problems:
        problems += _impossible(document, question, values)
    if problems:
        raise _QuestionError(*problems)
    return _with_default(question, document.default, values), values


def _with_default(question: Question, default: Any, values: Sequence[Any]) -> Question:
    """Return a question that proposes an answer; raises `_QuestionError`."""
    if default in (None, "", []):
        return question
    if question.secret:
        raise _QuestionError(("default", "is not for secret: no file may have it"))
    try:
        answer = read_value(question, default, values)
    except TypedError as error:
        raise _QuestionError(("default", f"is no answer: {error}")) from error
    if answer.other and question.options:
        raise _QuestionError(("default", f"must be one of its options, not {answer.other!r}"))
    preset = answer.selected or tuple(text for text in (answer.other,) if text)
    return replace(question, field=replace(question.field or FieldRules(), preset=preset))


def _impossible(
    document: QuestionDocument, question: Question, values: Sequence[Any]
) -> Iterator[tuple[str, str]]:
    """Yield what can never be asked, or answered as the question wants it."""
    labels = [option.label for option in question.options]
    if question.kind is Kind.CHOICE and not labels:
        yield "options", "needs at least one"
    for several in (labels, values):
        if twice := next((one for one, count in Counter(several).items() if count > 1), None):
            yield "options", f"has {twice!r} twice"
            break
    if (document.min_choices or 0) > len(labels):
        problem = f"must be at most {len(labels)}, the number of its options, not {document.min_choices}"
        yield "min_choices", problem
    try:
        matcher(document.pattern or "")
    except PatternError as error:
        yield "pattern", f"cannot be checked here: {error}"


def _contradictions(
    document: QuestionDocument, before: Sequence[QuestionDocument]
) -> Iterator[tuple[str, str]]:
    if document.id in (one.id for one in before):
        yield "id", f"{document.id!r} is the id of an earlier question; each needs its own"
    for name, kinds in FIELDS_OF.items():
        if getattr(document, name) not in (None, False, "", []) and document.kind not in kinds:
            yield name, f"is for {', '.join(kinds)}, not for {document.kind}"
    for least, most in (("min", "max"), ("min_length", "max_length"), ("min_choices", "max_choices")):
        low, high = getattr(document, least), getattr(document, most)
        if low is not None and high is not None and low > high:
            yield least, f"must be at most {most} ({high:g}), not {low:g}"


def _condition(
    when: WhenDocument | None, before: Sequence[QuestionDocument], asked: Sequence[schemas.Field]
) -> Condition | None:
    """Return a question's condition; raises `_QuestionError`."""
    if when is None:
        return None
    number = next((place for place, one in enumerate(before) if one.id == when.question), None)
    if number is None:
        earlier = (
            f"there are {listed([one.id for one in before], MOST_NAMED)}" if before else "it is the first"
        )
        problem = f"must be the id of an earlier question, not {when.question!r}; {earlier}"
        raise _QuestionError(("when.question", problem))
    if (when.equals is None) == (when.contains is None):
        raise _QuestionError(("when", "needs one of “equals” and “contains”"))
    name, value = ("equals", when.equals) if when.contains is None else ("contains", when.contains)
    (question, values), part = asked[number], name == "contains"
    if part and not (question.multi_select or question.kind is Kind.TEXT):
        problem = f"is for multi, text and multiline; use “equals” for {before[number].kind}"
        raise _QuestionError(("when.contains", problem))
    alone = replace(question, multi_select=False, field=None)  # a part need not keep the limits
    try:
        answer = read_value(alone, value, values)
    except TypedError as error:
        raise _QuestionError((f"when.{name}", f"is no answer to {when.question!r}: {error}")) from error
    return Condition(number, answer.other or answer.selected[0], part)


def _wrong(one: Mapping[str, Any], name: str, line: int, placed: Callable[[int, str, str], str]) -> str:
    """Say what the types of a document refuse, and where."""
    match one["loc"]:
        case ("questions", int(number), *rest):
            return placed(number, _path(rest), _reason(one))
    path = _path(one["loc"])
    return _placed(name, line, f"{path}: {_reason(one)}" if path else _reason(one))


def _path(parts: Sequence[str | int]) -> str:
    """Return the place of a field in words: “options 3, label” is the label of the third one."""
    path = ""
    for part in parts:
        path += f" {part + 1}" if isinstance(part, int) else f"{', ' if path[-1:].isdigit() else '.'}{part}"
    return path.removeprefix(".")


def _reason(wrong: Mapping[str, Any]) -> str:
    """Say what is wrong in a place, and what is allowed there."""
    inside = next((part for part in wrong["loc"][-2::-1] if isinstance(part, str)), "")
    match wrong["type"]:
        case "unexpected_keyword_argument":
            return f"is no field; there are {', '.join(one.name for one in fields(_OWNERS[inside]))}"
        case "missing" if not inside:
            return "is missing; a form needs “id” and “questions”"
        case "string_pattern_mismatch":
            return f"must be letters, digits, _, - and ., at most 64, not {wrong['input']!r}"
        case "too_short":
            return "needs at least one question"
        case "too_long":
            return f"is longer than {wrong['ctx']['max_length']} entries"
        case "string_too_long":
            return f"is longer than {wrong['ctx']['max_length']:,} characters"
    return explain(wrong)


# -- given answers --------------------------------------------------------------------------------------


class GivenError(ValueError):
    """Answers that do not fit a form; the message names each mistake in a line of its own."""


def read_given(form: Asked, values: Mapping[str, Any]) -> tuple[Answer | None, ...]:
    """Return the answers that values by question id stand for; None where there is none.

    A value is a label or a recorded value, a list of them, a text, a number, true or false, or null for a
    question that is skipped. A whole record, which has them under ``answers``, is read, too.

    Raises:
        GivenError: A question does not exist, or does not take its value.
    """
    found = values.get("answers", values)
    if not isinstance(found, Mapping):
        raise GivenError("answers: must be values by question id")
    known = listed(form.names, MOST_NAMED)
    problems = [
        f"{one_line(name, 60)}: no question has this id; there are {known}"
        for name in found
        if name not in form.names
    ]
    given: list[Answer | None] = []
    for name, question, recorded in zip(form.names, form.questions.questions, form.values, strict=True):
        try:
            given.append(read_value(question, found[name], recorded) if name in found else None)
        except TypedError as error:
            problems.append(f"{name}: {error}")
    if problems:
        raise GivenError("\n".join(problems))
    return tuple(given)
