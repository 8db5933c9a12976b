"""Reads a question set whose JSON is still being written, as far as it has come.

Each look parses all of it, and there are fewer looks at a long text: the work stays in proportion to it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json

from ccq_tui.questions.model import Kind, Question, QuestionSet
from ccq_tui.questions.parse import QuestionFormatError, read_question


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
        self._due = 1
        """The length at which the next look parses it."""
        self._last: PartialSet | None = None
        self._lost = False

    def feed(self, fragment: str) -> None:
        """Take the next fragment; nothing is read yet."""
        self._length += len(fragment)
        # Most characters of an incomplete call; a longer one is not read any further before it is complete.
        if self._length > 1_000_000:
            self._give_up()
        elif not self._lost:
            self._fragments.append(fragment)

    def parse(self) -> PartialSet | None:
        """Read the text; return None if nothing can be read, or nothing has changed."""
        if self._lost or self._length < self._due:
            return None
        # Beyond 8 KB, it is parsed again when it has grown by one in 64 of the further characters.
        self._due = self._length + 1 + max(0, self._length - 8_192) // 64
        self._fragments = ["".join(self._fragments)]
        try:
            parsed = self._read(self._fragments[0])
        except ValueError:
            # The complete call will report unreadable input.
            self._give_up()
            return None
        if parsed is None or parsed == self._last:
            return None
        self._last = parsed
        return parsed

    def _give_up(self) -> None:
        self._lost = True
        self._fragments.clear()

    def _read(self, text: str) -> PartialSet | None:
        if not text.strip():
            return None
        self.parsed += len(text)
        found = from_json(text, allow_partial="trailing-strings")
        if not isinstance(found, Mapping):
            raise QuestionFormatError("", "expected an object")
        items = found.get("questions")
        if not isinstance(items, list) or not items:
            return None
        if not all(isinstance(item, Mapping) for item in items):
            raise QuestionFormatError("questions", "expected objects")
        complete = [read_question(item, f"questions[{index}]") for index, item in enumerate(items[:-1])]
        growing = _growing(items[-1])
        questions = (*complete, growing) if growing is not None else tuple(complete)
        if not questions:
            return None
        title = found.get("title")
        made = QuestionSet(self._id, questions, title=title if isinstance(title, str) else "")
        return PartialSet(made, len(complete))


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
