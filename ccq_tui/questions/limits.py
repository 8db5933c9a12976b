"""The rules of a form for its fields, with messages that a person can act on."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from ccq_tui.questions.model import Kind, Question
from ccq_tui.questions.numbers import allowed_range, number_problem

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
