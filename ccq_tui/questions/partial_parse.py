"""Reads a question set whose JSON is still being written, as far as it has come.

A complete question is read once; each later look parses only the text after it. A single question that grows
very long is parsed in steps that grow along, so that the work stays in proportion to the text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json

from ccq_tui.questions.model import Kind, Question, QuestionSet
from ccq_tui.questions.parse import QuestionFormatError, read_question

MOST_CHARACTERS = 1_000_000
"""Most characters of an incomplete call; a longer one is not read any further before it is complete."""
LOOKED_AT_FREELY = 4_096
"""Characters of an incomplete question up to which every look parses it."""
GROWTH = 32
"""A longer one is parsed again when it has grown by its length divided by this."""

_DECODER = json.JSONDecoder()
_BETWEEN = " \t\r\n,"
_SEVERAL = 2


@dataclass(frozen=True, slots=True)
class PartialSet:
    """The readable part of a set so far.

    Attributes:
        questions: The set; the last question may still grow.
        complete: Number of its complete questions.
    """

    questions: QuestionSet
    complete: int


class ArrivingSet:
    """Takes the fragments of one call's input.

    Attributes:
        parsed: Characters that were parsed in all looks so far.
    """

    def __init__(self, set_id: str) -> None:
        self.parsed = 0
        self._id = set_id
        self._fragments: list[str] = []
        self._length = 0
        self._head = ""
        """The text before the first question, once there is one."""
        self._text = ""
        """The text after the last complete question; all of it, before there is a head."""
        self._due = 0
        self._complete: list[Question] = []
        self._last: PartialSet | None = None
        self._lost = False

    def feed(self, fragment: str) -> None:
        """Take the next fragment; nothing is read yet."""
        self._length += len(fragment)
        if self._length > MOST_CHARACTERS:
            self._give_up()
        elif not self._lost:
            self._fragments.append(fragment)

    def look(self) -> PartialSet | None:
        """Read the new text; return None if nothing can be read, or nothing has changed."""
        if self._lost or not self._fragments or self._length < self._due:
            return None
        self._text += "".join(self._fragments)
        self._fragments.clear()
        if len(self._text) > LOOKED_AT_FREELY:
            self._due = self._length + len(self._text) // GROWTH
        try:
            look = self._read()
        except (ValueError, QuestionFormatError):
            # The complete call will report unreadable input.
            self._give_up()
            return None
        if look is None or look == self._last:
            return None
        self._last = look
        return look

    def _give_up(self) -> None:
        self._lost = True
        self._text = ""
        self._fragments.clear()

    def _read(self) -> PartialSet | None:
        if not self._text.strip():
            return None
        found = self._parse()
        items = found.get("questions")
        if not isinstance(items, list) or not items:
            return None
        if not all(isinstance(item, Mapping) for item in items):
            raise QuestionFormatError("questions", "expected objects")
        if not self._head:
            self._split()
        if len(items) >= _SEVERAL:
            self._settle(items[:-1])
        growing = _growing(items[-1])
        questions = (*self._complete, growing) if growing is not None else tuple(self._complete)
        if not questions:
            return None
        title = found.get("title")
        made = QuestionSet(self._id, questions, title=title if isinstance(title, str) else "")
        return PartialSet(made, len(self._complete))

    def _parse(self) -> Mapping[str, Any]:
        text = self._head + self._text
        self.parsed += len(text)
        found = from_json(text, allow_partial="trailing-strings")
        if not isinstance(found, Mapping):
            raise QuestionFormatError("", "expected an object")
        return found

    def _split(self) -> None:
        """Split off the text before the first question."""
        name = self._text.find('"questions"')
        start = self._text.find("[", name) + 1
        # The name may also be in another object: then nothing is read before the call is complete.
        head = self._text[:start]
        if name < 0 or not start or from_json(head + "]}").get("questions") != []:
            raise QuestionFormatError("questions", "not where they are expected")
        self._head, self._text = head, self._text[start:]

    def _settle(self, items: list[Any]) -> None:
        """Keep questions that others follow, and do not read them again."""
        at = 0
        for item in items:
            at = _past(self._text, at)
            _, at = _DECODER.raw_decode(self._text, at)
            self._complete.append(read_question(item, f"questions[{len(self._complete)}]"))
        self._text = self._text[_past(self._text, at) :]
        self._due = 0


def _past(text: str, at: int) -> int:
    while at < len(text) and text[at] in _BETWEEN:
        at += 1
    return at


def _growing(item: Mapping[str, Any]) -> Question | None:
    """Read a question that may still grow: None before its text and an option, or its field, can be shown."""
    texts = {name: value for name in _TEXTS if isinstance(value := item.get(name), str)}
    is_field = texts.get("kind") in (Kind.TEXT, Kind.NUMBER)
    if not is_field:
        texts.pop("kind", None)
    options = item.get("options")
    found = list(options) if isinstance(options, list) else []
    if found and isinstance(last := found[-1], Mapping) and not last.get("label"):
        found.pop()  # its label has only begun
    if not texts.get("question") or not (is_field or found):
        return None
    return read_question({**texts, "options": found, "multiSelect": item.get("multiSelect") is True}, "")


_TEXTS = ("question", "header", "kind", "description", "placeholder", "unit")
