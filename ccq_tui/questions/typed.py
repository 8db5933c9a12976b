"""Answers as a person types them in one line: numbers and labels of options, numbers, texts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ccq_tui.questions.limits import answer_problem, selection_problem, skips
from ccq_tui.questions.model import Answer, Kind, Option, Question, same_words

NONE = ("0", "none")
"""What selects none of the options of a multi-select on purpose."""
YES_NO = ["Yes", "No"]
"""Options that their first letters name, too."""
MOST_NAMED = 6
MOST_QUOTED = 40
_NUMBERS = re.compile(r"\d+(\s*,\s*\d+)*\s*,?", re.ASCII)


class TypedError(ValueError):
    """A line that answers nothing; the message says why, and what is allowed."""


def read_typed(question: Question, text: str) -> Answer:
    """Return the answer that a typed text stands for.

    An option is named by its number, its label in any case, or both as in “2. Blue”, Yes and No by their
    first letter, several of a multi-select with commas between them. Another text is an answer in the
    person's own words, unless the question is closed. Nothing, and "skip", "-" or "n/a" where the question
    may be skipped so, are `Answer()` where it is optional.

    Raises:
        TypedError: The question does not take this.
    """
    text = text.strip()
    if not text or skips(question, text):
        return _nothing(question)
    if question.kind is not Kind.CHOICE:
        if question.field is not None and question.field.one_line:
            text = " ".join(text.split())
        if problem := answer_problem(question, text):
            raise TypedError(problem)
        return Answer(other=text)
    places = _places(question, text)
    if places is None and question.multi_select and text.casefold() in NONE:
        return _nothing(question) if question.skippable else _selected(question, [])
    if places is not None:
        return _selected(question, [question.options[place] for place in sorted(set(places))])
    if question.closed or _NUMBERS.fullmatch(text):
        raise TypedError(f"no option “{text[:MOST_QUOTED]}” · {allowed(question)}")
    return Answer(other=text)


def named(question: Question, place: int) -> str:
    """Return what names one option alone, for a button: its label, with its number where that is needed."""
    label = question.options[place].label
    exact = _place(question.options, label) == place and not skips(question, label)
    return label if exact else f"{place + 1}. {label}"


def allowed(question: Question) -> str:
    """Say what a line may be: the options by number, or the kind of text."""
    if question.kind is not Kind.CHOICE:
        return f"type a {question.kind}"
    options = enumerate(question.options[:MOST_NAMED], 1)
    named = ", ".join(f"{number} {one.title[:MOST_QUOTED]}" for number, one in options)
    more = ", …" if len(question.options) > MOST_NAMED else ""
    several = " · several with commas between them" if question.multi_select else ""
    return f"choose {named}{more}{several}"


def _nothing(question: Question) -> Answer:
    if question.optional:
        return Answer()
    raise TypedError(f"an answer is needed · {allowed(question)}")


def _selected(question: Question, options: Sequence[Option]) -> Answer:
    if len(options) > 1 and not question.multi_select:
        raise TypedError(f"one option, not {len(options)} · {allowed(question)}")
    if problem := selection_problem(question, len(options)):
        raise TypedError(problem)
    labels = tuple(option.label for option in options)
    return Answer(labels, preview=None if question.multi_select else options[0].preview, empty=not labels)


def _places(question: Question, text: str) -> list[int] | None:
    """Return the places of the options that a text names, or None if it names something else."""
    place = _place(question.options, text)
    if place is not None:
        return [place]
    parts = text.rstrip(",").split(",")
    found: list[int] = []
    while parts:
        # A label may have commas of its own: the longest one counts.
        for end in range(len(parts), 0, -1):
            place = _place(question.options, ",".join(parts[:end]))
            if place is not None:
                break
        else:
            return None
        found.append(place)
        parts = parts[end:]
    return found


def _place(options: Sequence[Option], text: str) -> int | None:
    """Return the place of the option with this number, else with this label."""
    text = text.strip()
    if text.isascii() and text.isdigit() and 1 <= int(text[:6]) <= len(options) and len(text) < 6:
        return int(text) - 1
    if [one.label for one in options] == YES_NO and text.lower() in ("y", "n"):
        return int(text.lower() == "n")
    names = ((one.label, one.title, f"{place}. {one.label}") for place, one in enumerate(options, 1))
    found = (place for place, each in enumerate(names) for name in each if text and same_words(name, text))
    return next(found, None)
