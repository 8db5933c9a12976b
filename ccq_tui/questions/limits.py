"""What answers a question takes: numbers, texts, selections; with messages that a person can act on."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache
from typing import Any
from unicodedata import normalize
from urllib.parse import urlsplit

from ccq_tui.questions.model import Answer, Condition, Kind, Question, QuestionSet

MAX_DIGITS = 400
"""Most characters of a number; longer input is refused unread, so that the work stays bounded."""

LARGEST_EXACT = 2**53
"""Up to here a double holds each whole number."""


def number_problem(question: Question, text: str) -> str:
    """Return what is wrong with a typed number, or "" for an allowed one."""
    value = _parse(text.strip())
    low, high, step = (_decimal(bound) for bound in (question.minimum, question.maximum, question.step))
    if value is None:
        example = low if low is not None else high
        return f"not a number · type one such as {'5' if example is None else _plain(example)}"
    if (low is not None and value < low) or (high is not None and value > high):
        return f"out of range · {allowed_range(question)}"
    if step and step > 0:
        base = low if low is not None else Decimal(0)
        # Exact at any size: a decimal's remainder fails if the quotient has more digits than its context.
        if (Fraction(value) - Fraction(base)) % Fraction(step):
            return f"not in steps of {_plain(step)}" + (f" from {_plain(base)}" if base else "")
    return _sending_problem(question.field.number, value) if question.field else ""


def same_number(one: str, other: str) -> bool:
    """Return whether two texts are the same number, however it is written."""
    value = _parse(one.strip())
    return value is not None and value == _parse(other.strip())


def exact_number(text: str) -> int | float | None:
    """Return a number as JSON holds it, or None where it would arrive as another one."""
    value = _parse(text.strip())
    return None if value is None or Decimal(repr(float(value))) != value else json_number(text)


def json_number(text: str) -> int | float:
    """Return a number that `number_problem` allows, as JSON holds it."""
    value = Decimal(text.strip())
    return int(value) if value == value.to_integral_value() else float(value)


def fraction(number: float) -> Fraction:
    """Return a number as it is written: as doubles, 1 is no multiple of 0.01."""
    return Fraction(Decimal(str(number)))


def _sending_problem(kind: str, value: Decimal) -> str:
    """Return why a number would arrive as another one, or ""."""
    if kind == "integer" and value != value.to_integral_value():
        return "not a whole number"
    if kind and Decimal(repr(float(value))) != value:
        # The programs on the way hold numbers as doubles, and would round it silently.
        return f"too {'large' if abs(value) > LARGEST_EXACT else 'precise'} to arrive exactly"
    return ""


def allowed_range(question: Question) -> str:
    """Return the numbers that a question allows, in words, or "" if any is."""
    low, high = _decimal(question.minimum), _decimal(question.maximum)
    unit = f" {question.unit}" if question.unit else ""
    if low is not None and high is not None:
        return f"{_plain(low)} to {_plain(high)}{unit}"
    if low is not None:
        return f"at least {_plain(low)}{unit}"
    if high is not None:
        return f"at most {_plain(high)}{unit}"
    return unit.strip()


def _parse(text: str) -> Decimal | None:
    # The form that everybody reads as a number: Python alone takes ``1_000``, "NaN" and digits of any script.
    if len(text) > MAX_DIGITS or not re.fullmatch(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", text, re.ASCII):
        return None
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    # A huge exponent would make the range arithmetic unbounded.
    return value if abs(value.adjusted()) <= MAX_DIGITS else None


def _decimal(value: float | None) -> Decimal | None:
    return None if value is None else Decimal(str(value))


def _plain(value: Decimal) -> str:
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


_EMAIL = re.compile(
    r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?=.{1,253}\Z)[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*", re.ASCII
)
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s\x00-\x20<>\"{}|\\^`]+")
_DATE_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})", re.ASCII)


SKIPS = ("skip", "-", "n/a")


def skips(question: Question, text: str) -> bool:
    """Return whether a text says that an optional field stays empty."""
    return question.skippable and question.optional and text.strip().casefold() in SKIPS


def in_one_line(text: str) -> str:
    """Return a text without line breaks, with its own blanks."""
    return " ".join(text.strip("\r\n").splitlines()).replace("\t", " ")


def answer_problem(question: Question, text: str) -> str:
    """Return what is wrong with a text, not blank, in the field of a text or number question, or ""."""
    if skips(question, text):
        return ""
    if question.kind is Kind.NUMBER:
        return number_problem(question, text)
    rules = question.field
    if rules is None:
        return ""
    if rules.one_line and "\n" in text:
        return "one line is allowed · leave the line breaks out"
    if rules.fewest is not None and len(text) < rules.fewest:
        return f"too short · at least {counted(rules.fewest, 'character')}, not {len(text)}"
    if rules.most is not None and len(text) > rules.most:
        return f"too long · at most {counted(rules.most, 'character')}, not {len(text)}"
    if rules.format in FORMATS and not _fits(rules.format, text):
        return f"not {FORMATS[rules.format][0]}"
    if rules.pattern and not matcher(rules.pattern)(text):
        return f"does not match {rules.pattern}"
    return ""


def selection_problem(question: Question, count: int) -> str:
    """Return what is wrong with selecting ``count`` options, or ""."""
    rules = question.field
    if rules is None or not question.multi_select:
        return ""
    if rules.fewest is not None and count < rules.fewest:
        return f"choose at least {rules.fewest}, not {count}"
    if rules.most is not None and count > rules.most:
        return f"choose at most {rules.most}, not {count}"
    return ""


def allowed_words(question: Question) -> str:
    """Return a line that says which answers are allowed, or "" if all are."""
    if question.field is None:
        return allowed_range(question) if question.kind is Kind.NUMBER else ""
    return " · ".join(filter(None, ("" if question.required else "optional", limit_words(question))))


def limit_words(question: Question) -> str:
    """Return the limits of an answer, those of a number with its kind, or "" if there are none."""
    rules = question.field
    if question.kind is Kind.NUMBER:
        whole = "a whole number" if rules and rules.number == "integer" else "a number"
        return ", ".join(filter(None, (whole, allowed_range(question))))
    words = [length_words(question)]
    if question.kind is Kind.TEXT and rules:
        if rules.format:
            named = FORMATS[rules.format][0] if rules.format in FORMATS else f"format “{rules.format}”"
            words.insert(0, named)
        if rules.pattern:
            words.append(f"matching {rules.pattern}")
    return " · ".join(filter(None, words))


def wanted(question: Question) -> str:
    """Say what answers a question: a number of options, or a text or number with its limits."""
    limits, rules = limit_words(question), question.field
    if question.kind is Kind.CHOICE:
        return limits or ("choose any number" if question.multi_select else "choose one")
    if question.kind is Kind.NUMBER or (rules is not None and rules.format in FORMATS):
        return limits
    kind = "secret, which is not shown" if question.secret else question.kind
    return ", ".join(filter(None, (f"a {kind}", limits)))


def length_words(question: Question) -> str:
    """Return how many characters or options are allowed, or "" if any number is."""
    rules, noun = question.field, "character" if question.kind is Kind.TEXT else "option"
    fewest, most = (rules.fewest, rules.most) if rules else (None, None)
    if fewest and most is not None:
        return counted(most, noun) if fewest == most else f"{fewest} to {counted(most, noun)}"
    if fewest:
        return f"at least {counted(fewest, noun)}"
    return "" if most is None else f"at most {counted(most, noun)}"


def counted(number: int, noun: str) -> str:
    """Return a number of things in words."""
    return f"{number} {noun}{'s' if number != 1 else ''}"


class PatternError(ValueError):
    """A pattern that cannot be checked in bounded time."""


@lru_cache(maxsize=64)
def matcher(pattern: str) -> Callable[[str], bool]:
    """Return a search for a pattern in a text, whose time grows with the text alone.

    With Python's own expressions, the author of a pattern could stop the program for hours. Raises
    `PatternError` for an invalid pattern, or one that needs backtracking (lookarounds, back references).
    """
    # Imported here: only a form with a pattern needs it.
    from pydantic_core import SchemaError, SchemaValidator, core_schema

    try:
        schema = core_schema.str_schema(pattern=pattern, regex_engine="rust-regex")
        return SchemaValidator(schema).isinstance_python
    except SchemaError as error:
        raise PatternError(str(error).strip().splitlines()[-1].rpartition("rror: ")[2].rstrip(".")) from error


def _fits(named: str, text: str) -> bool:
    _, pattern, read = FORMATS[named]
    try:
        read(text)
    except ValueError:
        return False
    return pattern.fullmatch(text) is not None


def _date_time(text: str) -> datetime:
    # Python reads at most six digits of a second, and no leap second.
    return datetime.fromisoformat(re.sub(r"(\.\d{6})\d+", r"\1", text.upper()))


FORMATS: Mapping[str, tuple[str, re.Pattern[str], Callable[[str], Any]]] = {
    "email": ("an email address, such as ada@example.com", _EMAIL, str),
    "uri": (
        "a web address or other URI, such as https://example.com",
        _URI,
        lambda text: urlsplit(text).port,
    ),
    "date": ("a date, such as 2026-01-31", re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII), date.fromisoformat),
    "date-time": ("a date with time and zone, such as 2026-01-31T12:00:00Z", _DATE_TIME, _date_time),
}
"""Formats that are checked: words, form, and a reader that raises ValueError for what is none."""


def asked(questions: Sequence[Question], answers: Sequence[Answer]) -> tuple[bool, ...]:
    """Return for each question whether it is asked; the answer to one that is not asked counts as none."""
    counted: list[Answer] = []
    found: list[bool] = []
    for question, answer in zip(questions, answers, strict=True):
        found.append(question.when is None or _holds(question.when, questions, counted))
        counted.append(answer if found[-1] else Answer())
    return tuple(found)


def _holds(when: Condition, questions: Sequence[Question], earlier: Sequence[Answer]) -> bool:
    if not 0 <= when.question < len(earlier):
        return False
    answer, wanted = earlier[when.question], normalize("NFC", when.value)
    typed = normalize("NFC", answer.other.strip())
    given = [*(normalize("NFC", label) for label in answer.selected), *([typed] if typed else [])]
    if when.contains:
        return wanted in given or (typed != "" and wanted in typed)
    is_number = questions[when.question].kind is Kind.NUMBER
    return given == [wanted] or (is_number and same_number(typed, wanted))


class FieldError(ValueError):
    """A value that a question does not take; the message is for a person.

    Attributes:
        number: The question's place, from 0.
        part: The wrong part of the answer: "selected", "other", "note", "empty" or "".
    """

    def __init__(self, number: int, part: str, problem: str) -> None:
        super().__init__(problem)
        self.number = number
        self.part = part


def check(questions: QuestionSet, answers: Sequence[Answer]) -> None:
    """Refuse answers, one per question, that a set does not take; raises `FieldError`."""
    shown = asked(questions.questions, answers)
    for number, (question, answer) in enumerate(zip(questions.questions, answers, strict=True)):
        rules = [*_of_answers(question, answer)]
        if questions.is_prompt:
            rules += [
                ("note", answer.note, "a program's prompt takes no note: leave it out"),
                ("other", not answer.other.isprintable(), "a program's prompt takes one line of plain text"),
            ]
        if questions.is_form:
            rules += _of_forms(question, answer, is_asked=shown[number])
        for part, wrong, reason in rules:
            if wrong:
                raise FieldError(number, part, reason.replace(" · ", ": "))


Rules = Iterator[tuple[str, object, str]]
"""Parts of an answer, each with whether it is wrong, and why."""


def _of_answers(question: Question, answer: Answer) -> Rules:
    other, labels = answer.other, Counter(option.label for option in question.options)
    if question.kind is Kind.CHOICE:
        beyond = Counter(answer.selected) - labels
        yield "selected", beyond, f"no option “{next(iter(beyond), '')}”, or it is given too often"
        yield "other", other and question.closed, "it takes one of its options, and no text of your own"
        single, both = not question.multi_select, answer.selected or other
        yield "empty", answer.empty and single, "the question takes one choice, not none"
        yield "empty", answer.empty and both, "not together with a selection or a text"
        several = len(answer.selected) + bool(other) > 1
        yield "selected", single and several, "the question takes one choice"
    else:
        yield "selected", answer.selected not in ((), tuple(labels)), "the question has no options"
        yield "other", answer.selected and other, "not together with a selection"
        yield "empty", answer.empty, f"the question takes a {question.kind}, not a selection"
    yield "other", other and not other.strip(), "a blank text is no answer"
    if other and question.kind is Kind.NUMBER:
        problem = number_problem(question, other)
        yield "other", problem, problem


def _of_forms(question: Question, answer: Answer, *, is_asked: bool) -> Rules:
    part = "other" if answer.other else "selected"
    yield part, not is_asked and answer != Answer(), "it is not asked, given the answers before it"
    yield "note", answer.note, "a form takes no notes"
    is_given = answer.given and not (answer.empty and question.skippable)
    yield "", is_asked and question.required and not is_given, "the form needs this"
    if is_given and question.kind is Kind.CHOICE:
        problem = selection_problem(question, len(answer.selected) + bool(answer.other))
        yield "selected", problem, problem
    elif is_given:
        problem = answer_problem(question, answer.other)
        yield "other", problem, problem
