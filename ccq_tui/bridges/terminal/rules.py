"""Rules, as data, for the texts on a screen that are prompts: shipped ones and a person's own."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar, Literal

from ccq_tui.bounded import UnfitFileError, parse_toml, read_text
from ccq_tui.config.errors import explain
from ccq_tui.text import one_line

SHIPPED = Path(__file__).parent.parent / "prompts"
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


Reading = Literal["lines", "keys", "any"]
Pattern = re.Pattern[str]
NOTHING: Pattern = re.compile(r"(?!)")
"""Matches no text."""
_QUESTION = frozenset({"question"})
_GROUPS: Mapping[Shape, Mapping[str, frozenset[str]]] = {
    **{shape: {"prompt": _QUESTION} for shape in (Shape.YES_NO, Shape.TEXT, Shape.ENTER)},
    Shape.LETTERS: {"prompt": _QUESTION | {"letters"}},
    Shape.NUMBER: {"prompt": _QUESTION, "row": frozenset({"number", "label"})},
    Shape.LIST: {"row": frozenset({"label"}), "question": _QUESTION},
    Shape.CHECKS: {"row": frozenset({"label", "box"}), "question": _QUESTION},
}
"""The patterns that a rule needs, with their groups."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptRule:
    """The look of one kind of prompt; `docs/bridges.md` explains each field.

    Attributes:
        name: Its name; a person's own rule replaces a shipped one of the same name.
        shape: The way to answer the prompt.
        reading: The program's way of reading, as the terminal's modes must show it.
        prompt: All of the cursor's line up to the cursor; not for lists.
        below: A line allowed below the prompt; without it, none is.
        row: A row of a list, or a numbered line.
        question: The lines above a list.
        paragraph: Whether it begins in the line above; not for lists.
        blanks: Whether the lines above a list include blank ones.
        by_number: Whether a row's number, typed, marks it; arrows do not, perhaps.
        hint: The line that ends a list, below it, or a part of its question; lines between are free.
        needs_hint: Whether there is no such list without it.
        detail: A line between rows that explains the one above it.
        marked: Values of the group ``mark`` on the marked row; if empty, any value marks it.
        underlined: Whether the marked row is the underlined one.
        checked: Values of the group ``box`` if it is checked.
        yes: The text to type for yes.
        no: The text to type for no.
        file: The file of the rule.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    name: str
    shape: Shape
    reading: Reading = "any"
    prompt: Pattern = NOTHING
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
    yes: str = "y"
    no: str = "n"
    file: str = ""


def load_rules(own: Path | None) -> tuple[tuple[PromptRule, ...], list[str]]:
    """Read the shipped rules, and a person's own from a directory, which may not exist.

    Returns the rules, the person's first, and a line for each of their files that cannot be used. Raises
    `RuleFileError` if a shipped file is damaged.
    """
    problems: list[str] = []
    theirs: list[PromptRule] = []
    for path in _files(own) if own is not None else ():
        try:
            theirs += read_rules(path)
        except RuleFileError as error:
            problems.append(str(error))
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
    return [_rule(shown, number, values) for number, values in enumerate(rules, 1)]


def _rule(file: str, number: int, values: Mapping[str, Any]) -> PromptRule:
    from pydantic import TypeAdapter, ValidationError  # only what watches a program reads rules

    name = values.get("name")
    named = isinstance(name, str) and _NAME.fullmatch(name) is not None
    called = f"{file}: rule {name if named else number}"
    if not named:
        raise RuleFileError(
            f"{called}: name: must be lower-case words joined by -, not {one_line(repr(name), 80)}"
        )
    try:
        rule = TypeAdapter(PromptRule).validate_python({**values, "file": file})
    except ValidationError as error:
        wrong = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in wrong["loc"])
        raise RuleFileError(f"{called}: {one_line(place, 60)}: {one_line(explain(wrong), 200)}") from error
    for field, needed in _lacking(rule):
        raise RuleFileError(f"{called}: {field}: must be {needed}")
    return rule


def _lacking(rule: PromptRule) -> Iterator[tuple[str, str]]:
    """Yield the fields that a rule of its shape needs otherwise, and how."""
    shape = rule.shape
    for field, needed in _GROUPS[shape].items():
        pattern: Pattern = getattr(rule, field)
        if pattern is NOTHING:
            yield field, f"a pattern, which a rule of shape {shape} needs"
        elif missing := sorted(needed - set(pattern.groupindex)):
            yield field, f"a pattern with {', '.join(f'(?P<{name}>…)' for name in missing)}"
    if shape.is_list and not rule.underlined and "mark" not in rule.row.groupindex:
        yield "row", "a pattern with (?P<mark>…), or underlined = true"
    if shape is Shape.CHECKS and not rule.checked:
        yield "checked", "what a checked box holds, as a list of texts"
