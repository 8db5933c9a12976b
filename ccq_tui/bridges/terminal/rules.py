"""Rules, as data, for the texts on a screen that are prompts."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import ClassVar, Literal

FILES = Path(__file__).parent.parent / "prompts"


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


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptRule:
    """The look of one kind of prompt; its patterns match whole lines.

    Attributes:
        name: Its name.
        shape: The way to answer the prompt.
        reading: The program's way of reading, as the terminal's modes must show it.
        prompt: All of the cursor's line up to the cursor, with the group ``question``; also ``yes``, ``no``,
            ``letters`` (answers, with ``,``, ``|`` or ``/`` between them), ``default`` and ``typed`` (what
            stands in the field). Not for lists.
        below: A line allowed below the prompt, such as why an answer was rejected; without it, none is.
        row: A row of a list, with ``mark``, ``box`` in a check list, ``label`` and ``number``, or a numbered
            line.
        question: The lines above a list, with the group ``question``.
        paragraph: Whether it begins in the line above; not for lists.
        blanks: Whether the lines above a list include blank ones.
        by_number: Whether a row's number, typed, marks it; arrows do not, perhaps.
        hint: The line that ends a list, below it, or a part of its question; lines between are free.
        needs_hint: Whether there is no such list without it.
        detail: A line between rows that explains the one above it.
        skip: A line between rows that is none: a separator, or, with the groups ``mark`` and ``label``, a row
            that cannot be chosen.
        gray: Whether gray text explains a row.
        marked: Values of the group ``mark`` on the marked row; if empty, any value marks it.
        underlined: Whether the marked row is the underlined one.
        checked: Values of the group ``box`` if it is checked.
        yes: The text to type for yes.
        no: The text to type for no.
        meanings: What letters mean.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    name: str
    shape: Shape
    reading: Reading = "any"
    prompt: Pattern = NOTHING
    below: Pattern = NOTHING
    row: Pattern = NOTHING
    question: Pattern = NOTHING
    paragraph: bool = False
    blanks: bool = False
    by_number: bool = False
    hint: Pattern | None = None
    needs_hint: bool = False
    detail: Pattern = NOTHING
    skip: Pattern = NOTHING
    gray: bool = False
    marked: tuple[str, ...] = ()
    underlined: bool = False
    checked: tuple[str, ...] = ()
    yes: str = "y"
    no: str = "n"
    meanings: Mapping[str, str] = field(default_factory=dict)


def load_rules() -> tuple[PromptRule, ...]:
    """Read the rules, in the order in which they are tried."""
    from pydantic import TypeAdapter  # only what watches a program reads rules

    read = TypeAdapter(list[PromptRule]).validate_python
    files = (tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(FILES.glob("*.toml")))
    return tuple(rule for file in files for rule in read(file["rule"]))
