"""Questions as public JSON, and answers read back from theirs: one writer and one reader for all surfaces.

The shapes are the schema; within a version they only grow. An answer is read strictly: what is ambiguous or
unknown is refused, and nothing guessed.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from typing import Any, ClassVar, Literal, TypeGuard
from unicodedata import normalize

from ccq_tui.questions.limits import SKIPS, allowed_range, allowed_words, length_words, number_problem, skips
from ccq_tui.questions.marks import MOST_QUOTED, marks, quoted
from ccq_tui.questions.model import Answer, Asked, Condition, FieldRules, Kind, Option, Question, QuestionSet
from ccq_tui.questions.outcome import Answered, Declined, Discussed, Dismissed, Outcome

VERSION = 1
"""Of all public JSON: changes when its readers must change."""
MOST_JSON = 5_000_000
"""Most bytes of an answer to read."""
MOST_LABELS = 6

Record = dict[str, Any]


class InvalidAnswer(Exception):  # noqa: N818 - says what the answer is
    """JSON that is no answer.

    Attributes:
        field: The wrong part of it: a path such as ``answers[0].selected``, or "" for all of it.
        reason: The reason, for a person; it may quote what was given.
    """

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}" if field else reason)
        self.field = field
        self.reason = reason


# -- shapes -------------------------------------------------------------------------------------------------


class RecordShape:
    """An object of the public JSON: what a class of ours has under the same names, and fields of its own.

    Given ``of`` the class, and ``names`` the fields in their order. A field with a default may be left out.
    """

    of: ClassVar[type[Any] | None] = None
    names: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, of: type[Any] | None = None, names: str = "") -> None:
        cls.of, cls.names = of, tuple(dict.fromkeys((*names.split(), *cls.__annotations__)))


class OptionRecord(RecordShape, of=Option, names="number label description recommended preview"):
    """An option of a question; it is chosen by its number or its label.

    Attributes:
        shown: The label without the mark of a recommendation, if it has one.
        mark: What names it where it is typed, if its number would mislead.
    """

    number: int
    shown: str | None = None
    mark: str | None = None


class ConditionRecord(RecordShape):
    """The earlier answer on which a question is asked: the whole of it, or a part.

    Attributes:
        options: Numbers of the earlier question's options that this answer may be.
    """

    question: int
    equals: str | None = None
    contains: str | None = None
    options: list[int] | None = None


class CheckRecord(RecordShape):
    """A rule for an answer, which can be checked where it is given; others are checked where it arrives.

    Attributes:
        rule: That it is a number, a whole one, in a range, or of a length: characters or options.
        says: What is wrong with an answer that breaks it.
    """

    rule: Literal["number", "range", "whole", "length"]
    says: str
    minimum: float | None = None
    maximum: float | None = None


class ProposalRecord(RecordShape):
    """The answer that is there from the beginning, and counts once a person confirms it."""

    selected: list[int]
    text: str


TEXTS = "number text header kind multi_select description options minimum maximum step unit default"


class QuestionRecord(RecordShape, of=Question, names=TEXTS):
    """A question.

    Attributes:
        closed: Whether it takes no text of one's own.
        required: Whether a form needs an answer to it.
        one_line: Whether a text has no line break.
        allowed: Which answers it takes, in words.
        format: The format of a text, for example email.
        none: Whether nothing selected is an answer, given on purpose.
        skip: Texts that leave it without an answer for good, as nothing does.
    """

    number: int
    options: list[OptionRecord]
    closed: bool | None = None
    required: bool | None = None
    one_line: bool | None = None
    allowed: str | None = None
    format: str | None = None
    when: ConditionRecord | None = None
    checks: list[CheckRecord] | None = None
    proposed: ProposalRecord | None = None
    none: bool | None = None
    skip: list[str] | None = None


class SetFields(RecordShape):
    """What every request with questions has.

    Attributes:
        review: Whether its answers are reviewed before they are confirmed.
        notes: Whether it takes a note beside an answer.
        reply: Whether it takes a reply in prose instead of answers.
        dismiss: Whether it can be dismissed: neither answered nor declined.
    """

    questions: list[QuestionRecord]
    review: bool | None = None
    notes: bool | None = None
    reply: bool | None = None
    dismiss: bool | None = None


class AnswerRecord(RecordShape, of=Answer, names="selected other note empty unselected"):
    """The answer to one question."""


# -- written ------------------------------------------------------------------------------------------------


@cache
def fields_of(shape: type[RecordShape]) -> tuple[tuple[str, str, bool], ...]:
    """Return a shape's fields: its name here, that in JSON, and whether it may be left out."""
    names = dict.fromkeys(name for one in reversed(shape.__mro__) for name in vars(one).get("names", ()))
    return tuple((name, name.rstrip("_"), hasattr(shape, name)) for name in names)


def made(shape: type[RecordShape], *sources: object, **given: Any) -> Record:
    """Return a record of a shape: its fields as given, else as a source has them, times as texts."""
    record: Record = {}
    for name, key, is_optional in fields_of(shape):  # type: ignore[arg-type]  # a class is hashable
        value = given.get(name)
        if name not in given:
            for one in sources:
                if (value := getattr(one, name, None)) is not None:
                    break
        if isinstance(value, datetime):
            value = value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        if value is not None or not is_optional:
            record[key] = value
    return record


def set_record(shape: type[SetFields], asked: QuestionSet, *sources: object, **given: Any) -> Record:
    """Return a record of a request with questions: these, and how they are answered."""
    line = {"one_line": True} if asked.is_prompt else {}
    records = [
        question_record(number, one, asked.questions) | line for number, one in enumerate(asked.questions, 1)
    ]
    prose = asked.takes_prose
    ways = {"review": asked.needs_review, "notes": prose, "reply": prose, "dismiss": asked.is_form}
    return made(shape, asked, *sources, **{"questions": records, **ways, **given})


def question_record(number: int, question: Question, earlier: Sequence[Question] = ()) -> Record:
    """Return a question; ``earlier`` has the one that its condition is about."""
    rules, proposed = question.field, _proposal(question)
    pairs = enumerate(zip(question.options, marks(question), strict=True), 1)
    preset = rules.preset if rules and question.kind is not Kind.CHOICE else ()
    return made(
        QuestionRecord,
        question,
        number=number,
        options=[_option(place, *pair) for place, pair in pairs],
        default=next(iter(preset), question.default),
        required=rules and rules.required,
        one_line=rules and rules.one_line,
        allowed=allowed_words(question) or ("" if rules else None),
        format=(rules and rules.format) or None,
        when=question.when and _condition(question.when, earlier),
        checks=[*_checks(question)] or None,
        proposed=proposed,
        none=(question.multi_select and not question.skippable) or None,
        skip=[*SKIPS] if question.skippable and question.optional else None,
    )


def _option(number: int, option: Option, mark: str) -> Record:
    shown = option.title if option.recommended else None
    return made(OptionRecord, option, number=number, shown=shown, mark=mark if mark != str(number) else None)


def _condition(when: Condition, earlier: Sequence[Question]) -> Record:
    options = earlier[when.question].options if when.question < len(earlier) else ()
    wanted = normalize("NFC", when.value)
    found = [place for place, one in enumerate(options, 1) if normalize("NFC", one.label) == wanted]
    relation = {"contains" if when.contains else "equals": when.value}
    return made(ConditionRecord, question=when.question + 1, options=found or None, **relation)


def _checks(question: Question) -> Iterator[Record]:
    rules = question.field or FieldRules()
    if question.kind is Kind.NUMBER:
        yield made(CheckRecord, rule="number", says=number_problem(question, ""))
        if allowed := allowed_range(replace(question, unit="")):
            yield made(CheckRecord, question, rule="range", says=f"out of range · {allowed}")
        if rules.number == "integer":
            yield made(CheckRecord, rule="whole", says="not a whole number")
    elif allowed := length_words(question):
        yield made(CheckRecord, rule="length", says=allowed, minimum=rules.fewest, maximum=rules.most)


def _proposal(question: Question) -> Record | None:
    preset = question.field.preset if question.field else ()
    if question.kind is Kind.CHOICE:
        selected = [place for place, one in enumerate(question.options, 1) if one.label in preset]
        return {"selected": selected, "text": ""} if selected else None
    if not (preset or question.default):
        return None
    from ccq_tui.questions.state import proposed  # most lists propose nothing

    return {"selected": [], "text": proposed(question)}


# -- read ---------------------------------------------------------------------------------------------------


REFUSALS: Mapping[str, Declined | Dismissed] = {"decline": Declined(), "dismiss": Dismissed()}


def read(asked: Asked, given: str | bytes | Mapping[str, Any]) -> Outcome | Dismissed:
    """Read an answer to a request, or a refusal; raises `InvalidAnswer`."""
    data = _loaded(given)
    if (name := next((one for one in REFUSALS if data.get(one) is True), "")) != "":
        _check_fields(data, (name,))
        return REFUSALS[name]
    if asked.problem:
        raise InvalidAnswer("", f"it cannot be filled in: {asked.problem}; decline or dismiss it")
    if asked.acts:
        return _decision(asked.question, data)
    if "content" in data and (asked.names or asked.questions.is_agreement):
        return _content(asked, data)
    _check_fields(data, ("answers", "discuss"))
    if ("answers" in data) == ("discuss" in data):
        raise InvalidAnswer("", "either “answers” or “discuss” is needed")
    if "discuss" in data:
        prose = _words(data, "discuss", "discuss")
        if not prose.strip():
            raise InvalidAnswer("discuss", "an empty reply says nothing")
        return Discussed(prose)
    questions, answers = asked.questions.questions, data["answers"]
    if not isinstance(answers, list) or len(answers) != len(questions):
        raise InvalidAnswer("answers", f"a list of {len(questions)} is needed, one answer a question")
    if all(answer is None for answer in answers) and not asked.questions.is_form:
        raise InvalidAnswer("answers", "every answer is null: answer one question at least, or decline")
    pairs = enumerate(zip(questions, answers, strict=True))
    return Answered(tuple(_answer(f"answers[{number}]", *pair) for number, pair in pairs))


def _loaded(given: str | bytes | Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the fields of an answer, its version checked."""
    data: Any = given
    if isinstance(given, str | bytes):
        if len(given) > MOST_JSON:
            raise InvalidAnswer("", f"it has more than {MOST_JSON:,} bytes: shorten it")
        try:
            data = json.loads(given, object_pairs_hook=_fields, parse_float=Decimal)
        except RecursionError as error:
            raise InvalidAnswer("", "it is nested too deeply") from error
        except ValueError as error:
            raise InvalidAnswer("", f"it cannot be read: {error}") from error
    if not isinstance(data, Mapping):
        raise InvalidAnswer("", "an object is needed")
    version = data.get("version", VERSION)
    if not is_number(version) or version != VERSION:
        raise InvalidAnswer("version", f"it must be {VERSION}")
    return {name: value for name, value in data.items() if name != "version"}


def _decision(question: Question, data: Mapping[str, Any]) -> Answered:
    """Read the number of a way to decide, and the words with it."""
    _check_fields(data, ("choice", "note"))
    number, options = data.get("choice"), question.options
    if not is_number(number) or not 1 <= number <= len(options):
        raise InvalidAnswer("choice", f"a number from 1 to {len(options)} is needed")
    return Answered((Answer((options[number - 1].label,), _words(data, "note", "note")),))


def _content(form: Asked, data: Mapping[str, Any]) -> Answered:
    """Read values by their names, texts as they are."""
    from ccq_tui.answering.grammar import TypedError
    from ccq_tui.questions.limits import FieldError, check

    _check_fields(data, ("content",))
    if not isinstance(values := data["content"], Mapping):
        raise InvalidAnswer("content", "an object of values by their names is needed")
    names, questions = form.names, form.questions.questions
    if (strange := next((name for name in values if name not in names), None)) is not None:
        raise InvalidAnswer("content", f"the form has no field {quoted(strange)}")
    if not names:  # it asks for an agreement alone
        return Answered((Answer((questions[0].options[-1].label,)),))
    answers = [Answer()] * len(names)
    try:
        for place, name in enumerate(names):
            if name in values:
                answers[place] = _valued(questions[place], values[name], form.values[place])
        check(form.questions, answers)
    except TypedError as error:
        problem = str(error).replace(" · ", ": ")
        raise InvalidAnswer(f"content.{names[place][:MOST_QUOTED]}", problem) from error
    except FieldError as error:
        raise InvalidAnswer(f"content.{names[error.number][:MOST_QUOTED]}", str(error)) from error
    return Answered(tuple(answers))


def _valued(question: Question, value: object, values: Sequence[Any]) -> Answer:
    from ccq_tui.answering.grammar import TypedError, read_value

    if not isinstance(value, str | int | float | Decimal | list):
        raise TypedError("a value is needed")
    if isinstance(value, str) and question.kind is Kind.TEXT:
        return Answer(other=value)
    return read_value(question, value, values)


def _answer(path: str, question: Question, given: object) -> Answer:
    if given is None:
        return Answer()
    if not isinstance(given, Mapping):
        raise InvalidAnswer(path, "an object is needed, or null to leave the question open")
    _check_fields(given, AnswerRecord.names, path)
    selected, empty = given.get("selected", []), given.get("empty", False)
    if not isinstance(selected, list):
        raise InvalidAnswer(f"{path}.selected", "a list of labels or numbers is needed")
    if not isinstance(empty, bool):
        raise InvalidAnswer(f"{path}.empty", "true or false is needed")
    other, note, _ = (_words(given, name, f"{path}.{name}") for name in ("other", "note", "unselected"))
    chosen = sorted({_place(f"{path}.selected", question, item) for item in selected})
    single = question.kind is Kind.CHOICE and not question.multi_select
    labels = tuple(question.options[place].label for place in chosen)
    preview = question.options[chosen[0]].preview if single and chosen else None
    if skips(question, other) and question.kind is not Kind.CHOICE:
        other = ""
    empty = empty and not (question.skippable and question.optional)
    answer = Answer(labels, other.strip() if question.kind is Kind.NUMBER else other, note, preview, empty)
    # What an optional field of a form has for a default is the server's to apply.
    # The answers before it decide whether a required one is asked: the check of the outcome knows them.
    needed = question.field is None or (question.required and question.when is None)
    if not answer.given and (note or needed):
        raise InvalidAnswer(path, "no answer" + ("; a note alone is none" if note else ""))
    return answer


def _place(path: str, question: Question, item: object) -> int:
    """Return the place of an option, given by its label or its number."""
    labels = [normalize("NFC", option.label) for option in question.options]
    if is_number(item) and 1 <= item <= len(labels):
        return item - 1
    if not isinstance(item, str | int | float | Decimal):
        raise InvalidAnswer(path, "labels or numbers of options are needed")
    if isinstance(item, str) and (label := normalize("NFC", item)) in labels:
        return labels.index(label)
    known = ", ".join(map(quoted, labels[:MOST_LABELS])) or "none"
    more = ", …" if len(labels) > MOST_LABELS else ""
    raise InvalidAnswer(
        path, f"no option {item if is_number(item) else quoted(str(item))}; there are {known}{more}"
    )


def _check_fields(data: Mapping[str, Any], known: tuple[str, ...], path: str = "") -> None:
    """Refuse a field that is not known."""
    strange = next((name for name in data if name not in known), None)
    if strange is not None:
        raise InvalidAnswer(path, f"unknown field {quoted(strange)}; known are {', '.join(known)}")


def _words(data: Mapping[str, Any], name: str, path: str) -> str:
    """Return a text as a panel's field would hold it, or "" for none."""
    from ccq_tui.questions.state import typable  # a list reads no answers

    value = data.get(name)
    if not isinstance(value, str | None):
        raise InvalidAnswer(path, "a text is needed")
    if re.search("[\ud800-\udfff]", value or ""):
        raise InvalidAnswer(path, "it holds half of a character, which UTF-8 does not have")
    return typable(value or "")


def is_number(value: object) -> TypeGuard[int]:
    """Whether a value is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name, value in pairs:
        if name in fields:
            raise InvalidAnswer("", f"an object has the field {quoted(name)} twice")
        fields[name] = value
    return fields
