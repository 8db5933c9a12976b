"""Rules, as data, for the texts on a screen that are prompts: shipped ones and a person's own."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import Any

from ccq_tui.bounded import UnfitFileError, parse_toml, read_text
from ccq_tui.text import one_line

SHIPPED = Path(__file__).parent.parent / "prompts"
MOST_FILES = 100
MOST_RULES = 200
LONGEST_PATTERN = 1000
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


class RuleFileError(ValueError):
    """A file of rules cannot be used; the message names the place and the right content."""


class Shape(StrEnum):
    """The way to answer a prompt."""

    YES_NO = "yes-no"
    """With one of two words."""
    LETTERS = "letters"
    """With one of the words or letters that it names."""
    NUMBER = "number"
    """With the number of a line above it."""
    ENTER = "enter"
    """With Enter alone."""
    TEXT = "text"
    """With a line of text."""
    LIST = "list"
    """By moving a mark to a row."""
    CHECKS = "checks"
    """By moving a mark and checking boxes."""

    @property
    def is_list(self) -> bool:
        """Whether a person moves a mark."""
        return self in (Shape.LIST, Shape.CHECKS)


class Reading(StrEnum):
    """The program's way of reading, as the terminal's modes must show it."""

    LINES = "lines"
    """Line by line, with echo."""
    KEYS = "keys"
    """Key by key."""
    ANY = "any"


Pattern = re.Pattern[str]
NOTHING: Pattern = re.compile(r"(?!)")
"""Matches no text."""
_GROUPS: Mapping[Shape, frozenset[str]] = {
    Shape.YES_NO: frozenset({"question"}),
    Shape.LETTERS: frozenset({"question", "letters"}),
    Shape.NUMBER: frozenset({"question"}),
    Shape.TEXT: frozenset({"question"}),
    Shape.ENTER: frozenset({"question"}),
    Shape.LIST: frozenset({"label"}),
    Shape.CHECKS: frozenset({"label", "box"}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptRule:
    """The look of one kind of prompt; `docs/bridges.md` explains each field.

    Attributes:
        name: Its name; a person's own rule replaces a shipped one of the same name.
        shape: The way to answer the prompt.
        reading: The program's way of reading.
        prompt: All of the cursor's line up to the cursor; not for lists.
        after: Text allowed after the cursor.
        below: A line allowed below the prompt; without it, none is.
        row: A row of a list, or a numbered line.
        question: The lines above a list.
        paragraph: Whether a list's question is all lines up to the next blank one; of another prompt, whether
            it begins in the line above.
        blanks: Whether the lines above a list include blank ones.
        by_number: Whether a row's number, typed, marks it; arrows do not, perhaps.
        hint: The line that ends a list, below it, or a part of its question; lines between are free.
        needs_hint: Whether there is no such list without it.
        detail: A line between rows that explains the one above it.
        marked: Values of the group ``mark`` on the marked row; if empty, any value marks it.
        underlined: Whether the marked row is the underlined one.
        checked: Values of the group ``box`` if it is checked.
        own_text: The label of a row that takes a text.
        left_out: The label of a row that is not offered in the inbox.
        submit: A row that ends a check list.
        review: The name of the rule of the list that may come next to confirm it, and the label to choose.
        yes: The text to type for yes.
        no: The text to type for no.
        must_read: Whether the program must be known to read from its terminal.
        first_screen: Whether it never is on the second screen of full-screen programs.
        asked: Whether the prompt is asked without a request.
        file: The file of the rule.
    """

    name: str
    shape: Shape
    reading: Reading = Reading.ANY
    prompt: Pattern = NOTHING
    after: Pattern | None = None
    below: Pattern | None = None
    row: Pattern = NOTHING
    question: Pattern = NOTHING
    paragraph: bool = False
    blanks: bool = False
    by_number: bool = False
    hint: Pattern | None = None
    needs_hint: bool = False
    detail: Pattern | None = None
    marked: tuple[str, ...] = ()
    underlined: bool = False
    checked: tuple[str, ...] = ()
    own_text: Pattern | None = None
    left_out: Pattern | None = None
    submit: Pattern | None = None
    review: tuple[str, str] | None = None
    yes: str = "y"
    no: str = "n"
    must_read: bool = False
    first_screen: bool = False
    asked: bool = True
    file: str = ""


_PATTERNS = frozenset(field.name for field in fields(PromptRule) if str(field.type).startswith("Pattern"))
_FLAGS = frozenset(field.name for field in fields(PromptRule) if field.type == "bool")
_WORDS = frozenset({"yes", "no"})
_LISTS = frozenset({"marked", "checked", "review"})
KNOWN = frozenset({"name", "shape", "reading"}) | _PATTERNS | _FLAGS | _WORDS | _LISTS


def load_rules(own: Path | None) -> tuple[tuple[PromptRule, ...], list[str]]:
    """Read the shipped rules, and a person's own from a directory, which may not exist.

    Returns the rules, the person's first, and a line for each of their files that cannot be used. Raises
    `RuleFileError` if a shipped file is damaged.
    """
    problems: list[str] = []
    theirs: list[PromptRule] = []
    for path in _files(own)[:MOST_FILES] if own is not None else ():
        try:
            theirs += read_rules(path)
        except RuleFileError as error:
            problems.append(str(error))
    if len(theirs) > MOST_RULES:
        problems.append(f"{own}: more than {MOST_RULES} rules; the others are not used")
        del theirs[MOST_RULES:]
    taken = {rule.name for rule in theirs}
    shipped = [rule for path in _files(SHIPPED) for rule in read_rules(path)]
    return (*theirs, *(rule for rule in shipped if rule.name not in taken)), problems


def _files(directory: Path) -> list[Path]:
    try:
        return sorted(directory.glob("*.toml"))
    except OSError:
        return []


def read_rules(path: Path) -> list[PromptRule]:
    """Read a file of rules; raises `RuleFileError`."""
    shown = one_line(str(path), 300)
    try:
        values = parse_toml(read_text(path))
    except UnfitFileError as error:
        raise RuleFileError(f"{shown}: {error}") from error
    except tomllib.TOMLDecodeError as error:
        raise RuleFileError(f"{shown}: is not TOML: {one_line(str(error), 200)}") from error
    rules = values.pop("rule", None)
    if values or not isinstance(rules, list) or not all(isinstance(one, dict) for one in rules):
        raise RuleFileError(f"{shown}: a file of rules has [[rule]] tables and nothing else")
    return [_Reader(shown, number, values).rule() for number, values in enumerate(rules, 1)]


class _Reader:
    """The reader of one rule, with a file's name for a person and the rule's number in it, from 1."""

    def __init__(self, file: str, number: int, values: Mapping[str, Any]) -> None:
        self._file, self._values = file, values
        self._called = f"rule {number}"

    def rule(self) -> PromptRule:
        name = self._text("name", required=True)
        if not _NAME.fullmatch(name) or len(name) > 60:
            raise self._wrong("name", "lower-case words joined by -, at most 60 characters", name)
        self._called = f"rule {name}"
        if unknown := sorted(set(self._values) - KNOWN):
            raise self._wrong(unknown[0], f"no field of a rule; there are {', '.join(sorted(KNOWN))}")
        shape = Shape(self._one_of("shape", Shape))
        patterns = {field: self._pattern(field) for field in _PATTERNS}
        self._check_groups(shape, patterns)
        marked, checked = self._texts("marked"), self._texts("checked")
        if shape is Shape.CHECKS and not checked:
            raise self._wrong("checked", "what a checked box holds, as a list of texts")
        review = self._texts("review")
        if review and len(review) != 2:
            raise self._wrong("review", "two texts: the name of a rule, and a label")
        given: dict[str, Any] = {field: pattern for field, pattern in patterns.items() if pattern is not None}
        given |= {word: self._text(word) or word[0] for word in _WORDS}
        given |= {flag: self._flag(flag) for flag in _FLAGS}
        return PromptRule(
            name=name,
            shape=shape,
            reading=Reading(self._one_of("reading", Reading, Reading.ANY)),
            marked=marked,
            checked=checked,
            review=(review[0], review[1]) if review else None,
            file=self._file,
            **given,
        )

    def _check_groups(self, shape: Shape, patterns: Mapping[str, Pattern | None]) -> None:
        needed = [("row", shape.is_list or shape is Shape.NUMBER), ("question", shape.is_list)]
        for field, wanted in (*needed, ("prompt", not shape.is_list)):
            if wanted and patterns[field] is None:
                raise self._wrong(field, f"a pattern, which a rule of shape {shape} needs")
        holder = "row" if shape.is_list else "prompt"
        pattern = patterns[holder]
        groups = set(pattern.groupindex) if pattern else set()
        missing = sorted(_GROUPS[shape] - groups)
        row = patterns["row"]
        if shape is Shape.NUMBER and row is not None and not {"number", "label"} <= set(row.groupindex):
            missing, holder = ["number", "label"], "row"
        question = patterns["question"]
        if shape.is_list and question is not None and "question" not in question.groupindex:
            missing, holder = ["question"], "question"
        if missing:
            named = ", ".join(f"(?P<{name}>…)" for name in missing)
            raise self._wrong(holder, f"a pattern with {named}")
        if shape.is_list and "mark" not in groups and not self._values.get("underlined"):
            raise self._wrong(holder, "a pattern with (?P<mark>…), or underlined = true")

    def _pattern(self, field: str) -> Pattern | None:
        text = self._text(field)
        if not text:
            return None
        if len(text) > LONGEST_PATTERN:
            raise self._wrong(field, f"a pattern of at most {LONGEST_PATTERN} characters")
        try:
            return re.compile(text)
        except (re.error, RecursionError, OverflowError) as error:
            raise self._wrong(field, f"a regular expression ({one_line(str(error), 100)})", text) from error

    def _text(self, field: str, *, required: bool = False) -> str:
        value = self._values.get(field, "")
        if not isinstance(value, str) or (required and not value):
            raise self._wrong(field, "a text", value)
        return value

    def _texts(self, field: str) -> tuple[str, ...]:
        value = self._values.get(field, [])
        if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
            raise self._wrong(field, "a list of texts", value)
        return tuple(value)

    def _flag(self, field: str) -> bool:
        value = self._values.get(field, field == "asked")
        if not isinstance(value, bool):
            raise self._wrong(field, "true or false", value)
        return value

    def _one_of(self, field: str, there: Iterable[str], default: str = "") -> str:
        value = self._values.get(field, default)
        names = [str(one) for one in there]
        if value not in names:
            raise self._wrong(field, f"one of {', '.join(names)}", value)
        return str(value)

    def _wrong(self, field: str, right: str, found: object = None) -> RuleFileError:
        but = "" if found is None else f", not {one_line(repr(found), 80)}"
        return RuleFileError(f"{self._file}: {self._called}: {one_line(field, 60)}: expected {right}{but}")
