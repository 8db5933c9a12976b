"""A request as a document: parts that each surface draws in its own way; foreign texts are as they came."""

from collections.abc import Iterable, Iterator
from enum import Enum, auto
from typing import NamedTuple

from ccq_tui.questions.limits import asked, wanted
from ccq_tui.questions.marks import marks
from ccq_tui.questions.model import Answer, Kind, Question
from ccq_tui.questions.prose import SKIPPED, UNSELECTED, answer_line, shown_label


class PassageKind(Enum):
    """What a block is; a surface that draws no difference draws it as a text."""

    HEAD = auto()
    TEXT = auto()
    VERBATIM = auto()
    """A text whose lines matter: a plan, or the preview of the option before it."""
    FIELD = auto()
    """A named value, whose lines matter."""
    CHANGE = auto()
    """A line of a change: its sign is the mark, its number the name."""
    OPTION = auto()
    """An option: its name, and behind it a text about it."""
    ANSWER = auto()


class Passage(NamedTuple):
    """A part of a document.

    Attributes:
        part: What it is.
        text: Its text.
        mark: What names it among others, or its sign.
        name: The name of a value or an option; what is wanted, of a question.
        chosen: Whether an option was taken, None as long as nothing is.
    """

    part: PassageKind
    text: str
    mark: str = ""
    name: str = ""
    chosen: bool | None = None


def question_blocks(question: Question, number: str = "", answer: Answer | None = None) -> Iterator[Passage]:
    """Return a question behind its number, and its answer once it is given."""
    yield Passage(
        PassageKind.HEAD, question.text, number, " · ".join(_facts(question, given=answer is not None))
    )
    yield Passage(PassageKind.TEXT, question.description)
    options = question.options if question.kind is Kind.CHOICE else ()
    for mark, option in zip(marks(question), options, strict=False):
        chosen = None if answer is None else option.label in answer.selected
        about = " (recommended)" * option.recommended + f": {option.description}" * bool(option.description)
        yield Passage(PassageKind.OPTION, about, mark, shown_label(option.label), chosen)
        yield Passage(PassageKind.VERBATIM, option.preview or "", mark)
    if answer is not None:
        skipped = question.skippable and not answer.given
        yield Passage(PassageKind.ANSWER, SKIPPED if skipped else answer_line(answer), "→ ")
        yield Passage(PassageKind.ANSWER, answer.note, "✎ ")
        yield Passage(PassageKind.ANSWER, answer.unselected, UNSELECTED)


def _facts(question: Question, *, given: bool) -> Iterator[str]:
    yield wanted(question)
    yield from ["optional"] * question.optional
    proposed = ", ".join(question.field.preset if question.field else ()) or question.default
    if proposed and not given:
        yield f"proposed: {proposed}"
    if (when := question.when) is not None and not given:
        relation = "has" if when.contains else "is"
        yield f"asked only where the answer to {when.question + 1} {relation} “{when.value}”"


def set_blocks(questions: tuple[Question, ...], answers: Iterable[Answer] = ()) -> Iterator[Passage]:
    """Return the questions of a set with their answers, without those that these leave out."""
    given = tuple(answers)
    shown = asked(questions, given) if len(given) == len(questions) else [True] * len(questions)
    for at, question in enumerate(questions):
        if shown[at]:
            yield from question_blocks(question, str(at + 1), given[at] if at < len(given) else None)
