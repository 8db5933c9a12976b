"""Request outcomes from command-line words or JSON: pure, and checked like a panel's.

All three flags share one grammar: ``[Q=]VALUE`` applies to question Q, and "Q=" is needed if a set has
several questions. In a set of one question a text is taken unchanged.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.records import VERSION
from ccq_tui.inbox.requests import (
    Allowed,
    AnsweredRequest,
    Denied,
    ElicitationRequest,
    PermissionRequest,
    PlanRequest,
    Request,
    RequestOutcome,
)
from ccq_tui.questions import Answer, Answered, Discussed, Kind, Question, QuestionSet
from ccq_tui.questions.schema_form import FieldError, FormError
from ccq_tui.questions.state import Draft, Page, typable
from ccq_tui.text import one_line

NONE = "none"
_ADDRESSED = re.compile(r"\s*(\d{1,6})\s*=(.*)", re.DOTALL)
_HALVES = re.compile("[\ud800-\udfff]")
_NUMBERS = re.compile(r"\s*\d{1,6}\s*(,\s*\d{1,6}\s*)*", re.ASCII)


MOST_JSON = 5_000_000
"""Most bytes of an answer to read."""
MOST_DIGITS = 100
SET_SHAPE = 'as in {"answers": [{"selected": ["LABEL"], "other": "TEXT", "note": "TEXT"}]}'
FORM_SHAPE = 'as in {"content": {"name": "Ada", "count": 3}}'
DECISION_SHAPE = 'as in {"choice": 1} or {"choice": 5, "note": "TEXT"}'
_ANSWER_FIELDS = ("selected", "other", "note", "empty", "unselected")


class SayingError(ValueError):
    """The input is no answer; the message says what would be one."""


@dataclass(frozen=True, slots=True)
class Said:
    """The input for one question.

    Attributes:
        chosen: Numbers of options, from 1.
        nothing: Whether a multi-select stays empty on purpose.
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
        raise SayingError(f"{what} holds half of a character: give it in UTF-8")
    return typable(text)


def said_in_flags(
    questions: QuestionSet, choose: Sequence[str], other: Sequence[str], note: Sequence[str]
) -> list[Said]:
    """Read the flags, each of which can apply to any question; raises `SayingError`."""
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
    """Make answers from the input, by the rules of the panel; raises `SayingError`."""
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

    ``note`` is the message to the agent, for the choices that take one.
    """
    choices = kind_of(request).choices(request)
    allowed = f"choose 1 to {len(choices)}"
    numbers = [number for value in choose for number in _numbers(value, value)]
    if len(numbers) != 1:
        given = f"{len(numbers)} were given" if numbers else "none was given"
        raise SayingError(f"a {kind_of(request).WORD} takes one choice, and {given}: {allowed}")
    if not 1 <= numbers[0] <= len(choices):
        raise SayingError(f"choice {numbers[0]} does not exist: {allowed}")
    choice = choices[numbers[0] - 1]
    with_text = " and ".join(str(place) for place, other in enumerate(choices, 1) if other.takes_text)
    if note is None and choice.takes_text:
        raise SayingError(f"choice {numbers[0]} needs --note TEXT: your message to Claude")
    if note is not None and not choice.takes_text:
        raise SayingError(f"choice {numbers[0]} takes no note: choose {with_text} to add one")
    text = own_words(note or "", "the note")
    if note is not None and not text.strip():
        raise SayingError("the note is empty: give --note a text")
    return choice.outcome(text)


def _once(flag: str, before: str | None, place: int) -> None:
    if before is not None:
        raise SayingError(f"{flag} was given twice for question {place + 1}: give it once")


def _addressed(flag: str, value: str, count: int, sample: str) -> tuple[int, str]:
    """Split the question's number off a value; return the question's index and the rest."""
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
        raise SayingError(f"{flag} names question {number}, which does not exist: {there_are}")
    return number - 1, found[2]


def _numbers(value: str, text: str) -> tuple[int, ...]:
    if not _NUMBERS.fullmatch(text):
        shown = one_line(value, 40)
        raise SayingError(f'--choose takes numbers of options, as in 2 or 1,3, or "{NONE}", not “{shown}”')
    return tuple(int(number) for number in text.split(","))


def _answer(number: int, question: Question, said: Said) -> Answer:
    if not said.has_answer and not said.note and question.field and not question.required:
        return Answer()  # a default that nobody saw is the server's to apply
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
        if said.nothing or (said.chosen and not question.options):
            raise SayingError(f"question {number} has no options: {_wanted(question)}")
        if said.chosen:
            _check_choice(number, question, said, said.chosen)
            return Answer((question.options[0].label,))
        if page.problem:
            raise SayingError(f"question {number}: {page.problem.replace(' · ', ': ')}")
        return page.answer()
    chosen = tuple(sorted(set(said.chosen)))
    _check_choice(number, question, said, chosen)
    selected = tuple(place - 1 for place in chosen)
    return replace(
        page, draft=Draft(selected, other or "", other_on=other is not None, note=note, none=said.nothing)
    ).answer()


def _check_choice(number: int, question: Question, said: Said, chosen: tuple[int, ...]) -> None:
    count = len(question.options)
    beyond = next((place for place in chosen if not 1 <= place <= count), None)
    if beyond is not None:
        raise SayingError(f"question {number} has no option {beyond}: {_wanted(question)}")
    if question.closed and said.other is not None:
        raise SayingError(f"question {number} takes its options alone: {_wanted(question)}")
    if not question.multi_select:
        given = len(chosen) + (said.other is not None)
        if said.nothing:
            raise SayingError(f"question {number} takes one choice, not none: {_wanted(question)}")
        if given > 1:
            raise SayingError(f"question {number} takes one choice, not {given}: give one")
    elif said.nothing and (chosen or said.other is not None):
        raise SayingError(f'question {number} has both "{NONE}" and a choice: give one of them')


def _wanted(question: Question) -> str:
    """Say which answers a question takes."""
    if question.kind is not Kind.CHOICE:
        return f"it takes a {question.kind}, by --other" + (", or the choice 1" if question.options else "")
    count = len(question.options)
    options = f"choose 1 to {count}" if count > 1 else "choose 1"
    none = f', or "{NONE}"' if question.multi_select else ""
    if question.closed:
        return f"{options}{none}" if count else "it can only be declined"
    return f"{options}{none}, or --other TEXT"


def said_in_json(request: Request, text: str) -> RequestOutcome:
    """Read an answer to a request; raises `SayingError`."""
    content = _object(text)
    version = content.get("version", VERSION)
    if not _is_number(version) or version != VERSION:
        raise SayingError(f"the JSON has an unknown version; the version must be {VERSION}")
    if not isinstance(request, AnsweredRequest):
        _only(content, ("version", "choice", "note"), "the JSON", DECISION_SHAPE)
        number, note = content.get("choice"), content.get("note")
        if not _is_number(number) or not isinstance(note, str | None):
            raise SayingError(f"the JSON must be a decision, {DECISION_SHAPE}")
        return decided(request, (str(number),), note)
    if isinstance(request, ElicitationRequest) and "content" in content:
        return _filled_in(request, content)
    _only(content, ("version", "answers", "discuss"), "the JSON", SET_SHAPE)
    if ("answers" in content) == ("discuss" in content):
        raise SayingError('the JSON must have either "answers" or "discuss", ' + SET_SHAPE)
    if "discuss" in content:
        return discussed(content["discuss"])
    questions, answers = request.questions.questions, content["answers"]
    if not isinstance(answers, list) or len(answers) != len(questions):
        raise SayingError(f'"answers" must be a list of {len(questions)}, one a question, {SET_SHAPE}')
    if all(answer is None for answer in answers):
        raise SayingError("every answer is null: answer one question at least, or use ccq-tui decline")
    said = [
        _said(number, question, answer)
        for number, (question, answer) in enumerate(zip(questions, answers, strict=True), 1)
    ]
    return answered(request.questions, said)


def _filled_in(request: ElicitationRequest, content: Mapping[str, Any]) -> Answered:
    """Read a form's values by name, in the types that its server expects."""
    _only(content, ("version", "content"), "the JSON", FORM_SHAPE)
    form, values = request.form, content["content"]
    if not isinstance(values, Mapping):
        raise SayingError(f'"content" must be an object, {FORM_SHAPE}')
    if form.problem:
        raise SayingError(f"the form cannot be filled in: {one_line(form.problem, 300)}")
    try:
        return Answered(form.answers(values))
    except FormError as error:
        raise SayingError(one_line(str(error), 200)) from error
    except FieldError as error:
        name = one_line(form.fields[error.number].name, 40)
        raise SayingError(f"content.{name}: {one_line(str(error), 200)}") from error


def discussed(text: object) -> Discussed:
    """Make a reply in prose; raises `SayingError` for a missing or empty text."""
    prose = own_words(text, "the reply") if isinstance(text, str) else ""
    if not prose.strip():
        raise SayingError("the reply is empty: give --discuss a text")
    return Discussed(prose)


def _object(text: str) -> dict[str, Any]:
    try:
        content = json.loads(
            text, object_pairs_hook=_fields, parse_constant=_no_constant, parse_int=_whole_number
        )
    except SayingError:
        raise
    except RecursionError as error:
        raise SayingError("the JSON is nested too deeply: flatten it") from error
    except ValueError as error:
        raise SayingError(f"that is not JSON: {one_line(str(error), 120)}") from error
    if not isinstance(content, dict):
        raise SayingError(f"the JSON must be an object, {SET_SHAPE}")
    return content


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the fields of an object; a name given twice is ambiguous and refused."""
    fields: dict[str, Any] = {}
    for name, value in pairs:
        if name in fields:
            twice = f"the field “{one_line(name, 40)}” twice in one object"
            raise SayingError(f"the JSON has {twice}: give it once")
        fields[name] = value
    return fields


def _no_constant(name: str) -> None:
    raise SayingError(f"the JSON holds {name}, which is not a number: give a finite one")


def _whole_number(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise SayingError(f"the JSON holds a number of more than {MOST_DIGITS} digits: give a shorter one")
    return int(digits)


def _said(number: int, question: Question, answer: object) -> Said:
    if answer is None:
        return Said(left_open=True)
    path = f"answers[{number - 1}]"
    if not isinstance(answer, Mapping):
        raise SayingError(f"{path} must be an object, or null to leave question {number} open")
    _only(answer, _ANSWER_FIELDS, path, f"it may have {', '.join(_ANSWER_FIELDS)}")
    selected, empty = answer.get("selected", []), answer.get("empty", False)
    if not isinstance(selected, list):
        raise SayingError(f"{path}.selected must be a list of labels or numbers")
    if not isinstance(empty, bool):
        raise SayingError(f"{path}.empty must be true or false")
    _text(answer, "unselected", path)  # checked alone: only a panel leaves a text unselected
    return Said(
        chosen=tuple(_chosen(number, question, item) for item in selected),
        nothing=empty,
        other=_text(answer, "other", path),
        note=_text(answer, "note", path),
    )


def _text(answer: Mapping[str, Any], name: str, path: str) -> str | None:
    value = answer.get(name)
    if not isinstance(value, str | None):
        raise SayingError(f"{path}.{name} must be a text")
    return value or None


def _chosen(number: int, question: Question, item: object) -> int:
    """Return the number of an option given by its label or its number."""
    if _is_number(item):
        return int(str(item))
    if not isinstance(item, str | int | float):
        raise SayingError(f"answers[{number - 1}].selected must hold only labels or numbers of options")
    labels = [option.label for option in question.options]
    if item in labels:
        return labels.index(str(item)) + 1
    known = ", ".join(f"“{one_line(label, 40)}”" for label in labels[:6]) or "none"
    raise SayingError(
        f"question {number} has no option “{one_line(str(item), 40)}”: its labels are {known}"
        + (", …" if len(labels) > 6 else "")
    )


def _only(content: Mapping[str, Any], known: tuple[str, ...], path: str, shape: str) -> None:
    strange = next((name for name in content if name not in known), None)
    if strange is not None:
        raise SayingError(f"{path} has an unknown field “{one_line(str(strange), 40)}”: {shape}")


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**6
