"""From the words of a command line, or JSON, to the outcome of a request: pure, and checked like a panel's.

One grammar for all three flags: ``[Q=]VALUE`` says it of question Q, and "Q=" is needed where a set has
several questions. In a set of one question a text is taken as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.requests import Allowed, Denied, PermissionRequest, PlanRequest
from ccq_tui.questions import Answer, Answered, Kind, Question, QuestionSet
from ccq_tui.questions.state import Draft, Page, typable
from ccq_tui.text import one_line

NONE = "none"
_ADDRESSED = re.compile(r"\s*(\d{1,6})\s*=(.*)", re.DOTALL)
_HALVES = re.compile("[\ud800-\udfff]")
_NUMBERS = re.compile(r"\s*\d{1,6}\s*(,\s*\d{1,6}\s*)*", re.ASCII)


class SayingError(ValueError):
    """What was said is no answer; the message says what would be one."""


@dataclass(frozen=True, slots=True)
class Said:
    """What was said of one question.

    Attributes:
        chosen: Numbers of options, from 1.
        nothing: Whether a multi select is to have nothing selected, on purpose.
        other: The text, or None when none was given.
        note: The note, or None when none was given.
        left_open: Whether the question stays without an answer, on purpose.
    """

    chosen: tuple[int, ...] = ()
    nothing: bool = False
    other: str | None = None
    note: str | None = None
    left_open: bool = False

    @property
    def has_answer(self) -> bool:
        """Whether there is more than a note."""
        return bool(self.chosen or self.nothing or self.other is not None or self.left_open)


def own_words(text: str, what: str) -> str:
    """Return a text as a panel's field would hold it; raises `SayingError` for halves of characters."""
    if _HALVES.search(text):
        raise SayingError(f"{what} holds half of a character, which is no text: give it in UTF-8")
    return typable(text)


def said_in_flags(
    questions: QuestionSet, choose: Sequence[str], other: Sequence[str], note: Sequence[str]
) -> list[Said]:
    """Read the flags, each of which may say something of any question; raises `SayingError`."""
    count = len(questions.questions)
    said = [Said() for _ in range(count)]
    for value in choose:
        place, text = _addressed("--choose", value, count, "N[,N]")
        if text.strip() == NONE:
            said[place] = replace(said[place], nothing=True)
        else:
            said[place] = replace(said[place], chosen=(*said[place].chosen, *_numbers(value, text)))
    for value in other:
        place, text = _addressed("--other", value, count, "TEXT")
        _once("--other", said[place].other, place)
        said[place] = replace(said[place], other=text)
    for value in note:
        place, text = _addressed("--note", value, count, "TEXT")
        _once("--note", said[place].note, place)
        said[place] = replace(said[place], note=text)
    return said


def answered(questions: QuestionSet, said: Sequence[Said]) -> Answered:
    """Make answers of what was said, by the rules of the panel; raises `SayingError`."""
    return Answered(
        tuple(
            _answer(number, question, words)
            for number, (question, words) in enumerate(zip(questions.questions, said, strict=True), 1)
        )
    )


def decided(
    request: PermissionRequest | PlanRequest, choose: Sequence[str], note: str | None
) -> Allowed | Denied:
    """Decide on a permission or a plan; raises `SayingError`.

    ``note`` is what the agent is told, for the choices that take it.
    """
    choices = kind_of(request).choices(request)
    allowed = f"choose 1 to {len(choices)}"
    numbers = [number for value in choose for number in _numbers(value, value)]
    if len(numbers) != 1:
        given = f"{len(numbers)} were given" if numbers else "none was given"
        raise SayingError(f"a {kind_of(request).WORD} takes one choice, and {given}: {allowed}")
    if not 1 <= numbers[0] <= len(choices):
        raise SayingError(f"there is no choice {numbers[0]}: {allowed}")
    choice = choices[numbers[0] - 1]
    with_text = " and ".join(str(place) for place, other in enumerate(choices, 1) if other.takes_text)
    if note is None and choice.takes_text:
        raise SayingError(f"choice {numbers[0]} needs --note TEXT: what Claude is told")
    if note is not None and not choice.takes_text:
        raise SayingError(f"choice {numbers[0]} takes no note: choose {with_text} to say something")
    text = own_words(note or "", "the note")
    if note is not None and not text.strip():
        raise SayingError("an empty note says nothing: give --note a text")
    return choice.outcome(text)


def _once(flag: str, before: str | None, place: int) -> None:
    if before is not None:
        raise SayingError(f"{flag} was given twice for question {place + 1}: give it once")


def _addressed(flag: str, value: str, count: int, sample: str) -> tuple[int, str]:
    """Take the question's number off a value; returns the question's index and the rest."""
    if count == 1 and flag != "--choose":
        return 0, value
    found = _ADDRESSED.fullmatch(value)
    if found is None:
        if count == 1:
            return 0, value
        raise SayingError(f"{flag} needs the question's number, 1 to {count}, as in {flag} 1={sample}")
    number = int(found[1])
    if not 1 <= number <= count:
        there_are = f"they are 1 to {count}" if count > 1 else "there is only question 1"
        raise SayingError(f"{flag} names question {number}, which there is not: {there_are}")
    return number - 1, found[2]


def _numbers(value: str, text: str) -> tuple[int, ...]:
    if not _NUMBERS.fullmatch(text):
        shown = one_line(value, 40)
        raise SayingError(
            f'--choose takes numbers of options, as in 2 or 1,3, or "{NONE}", and not “{shown}”'
        )
    return tuple(int(number) for number in text.split(","))


def _answer(number: int, question: Question, said: Said) -> Answer:
    if not said.has_answer:
        alone = "; a note alone is no answer" if said.note else ""
        raise SayingError(f"question {number} has no answer: {_wanted(question)}{alone}")
    note = own_words(said.note or "", f"the note on question {number}")
    if said.left_open:
        return Answer(note=note)
    other = None if said.other is None else own_words(said.other, f"the answer to question {number}")
    if other is not None and not other.strip():
        raise SayingError(f"question {number}: an empty text is no answer: {_wanted(question)}")
    page = Page(question, Draft(other=other or "", note=note, taken=True))
    if question.kind is not Kind.CHOICE:
        if said.chosen or said.nothing:
            raise SayingError(f"question {number} has no options: {_wanted(question)}")
        if page.problem:
            raise SayingError(f"question {number}: {page.problem.replace(' · ', ': ')}")
        return page.answer()
    chosen = tuple(sorted(set(said.chosen)))
    _check_choice(number, question, said, chosen)
    selected = tuple(place - 1 for place in chosen)
    return replace(
        page,
        draft=Draft(selected, other or "", other_on=other is not None, note=note, none=said.nothing),
    ).answer()


def _check_choice(number: int, question: Question, said: Said, chosen: tuple[int, ...]) -> None:
    count = len(question.options)
    beyond = next((place for place in chosen if not 1 <= place <= count), None)
    if beyond is not None:
        raise SayingError(f"question {number} has no option {beyond}: {_wanted(question)}")
    if not question.multi_select:
        given = len(chosen) + (said.other is not None)
        if said.nothing:
            raise SayingError(f"question {number} takes one choice, not none: {_wanted(question)}")
        if given > 1:
            raise SayingError(f"question {number} takes one choice, and {given} were given")
    elif said.nothing and (chosen or said.other is not None):
        raise SayingError(f'question {number} has both "{NONE}" and a choice: give one of them')


def _wanted(question: Question) -> str:
    """Say what a question takes."""
    if question.kind is not Kind.CHOICE:
        return f"it takes a {question.kind}, by --other"
    count = len(question.options)
    options = f"choose 1 to {count}" if count > 1 else "choose 1"
    none = f', or "{NONE}"' if question.multi_select else ""
    return f"{options}{none}, or --other TEXT"
