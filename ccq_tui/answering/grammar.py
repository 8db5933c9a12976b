"""The one grammar of answers: what a typed line, a value of JSON or TOML, and a flag stand for.

The first reading that matches decides: exact label or value, words for nothing, mark, mark and label, label
in any case, several with commas between them, own words. A text that names two options, or that nobody means
as own words, is refused with what is allowed.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any
from unicodedata import normalize

from ccq_tui.questions.limits import answer_problem, in_one_line, selection_problem, skips, wanted
from ccq_tui.questions.marks import MOST_QUOTED, WORD_OF, YES_NO, marks, quoted
from ccq_tui.questions.model import Answer, Kind, Question, fold

NONE = ("0", "none")
"""What selects none of the options of a multi-select on purpose."""
MOST_NAMED = 6
_MARKED = re.compile(r"(?:option\s+)?#?(\w{1,4})[.):]?", re.ASCII | re.IGNORECASE)
_GAP = re.compile(r"\s*(?:[.,:;)–—-]+\s+|\s(?=(?:and|but|if|please|with)\b))", re.IGNORECASE)
"""What stands between the name of an option and words about it."""


class TypedError(ValueError):
    """A text or value that answers nothing; the message says why, and what is allowed."""


@dataclass(frozen=True, slots=True)
class Names:
    """What names the options of a question.

    Attributes:
        question: The question.
        values: The recorded value of each option; () for its label.
    """

    question: Question
    values: Sequence[Any] = ()

    @property
    def marks(self) -> tuple[str, ...]:
        """The mark of each option."""
        return marks(self.question)

    def exact(self, text: str) -> int | None:
        """Return the place of the option with exactly this label or value; raises `TypedError` for two."""
        return self._only(plain(text), [self._texts(place) for place in range(len(self.marks))])

    def place(self, text: str) -> int | None:
        """Return the place of the option that a text names alone; raises `TypedError` where it names two."""
        if (place := self.exact(text)) is not None:
            return place
        text = plain(text)
        if (found := _MARKED.fullmatch(text)) and (mark := found[1].casefold()) in self.marks:
            return self.marks.index(mark)
        found = re.fullmatch(r"#?(\w{1,4})[.):]?\s+(.+)", text, re.ASCII | re.DOTALL)
        place = self._numbered(found[1].casefold(), found[2]) if found else None
        return self._label(text) if place is None else place

    def _label(self, text: str) -> int | None:
        """Return the place of the one option whose label or value reads so."""
        names = [[fold(one) for one in self._texts(place)] for place in range(len(self.marks))]
        if [one[0] for one in names] == YES_NO:
            names = [[*each, each[0][0]] for each in names]
        return self._only(fold(text), names, text)

    def _numbered(self, mark: str, name: str) -> int | None:
        """Return the option that a mark, or the number of its place, and its label name together."""
        place = self.exact(name)
        if place is None and (place := self._label(name)) is None:
            return None
        if mark in (self.marks[place], str(place + 1)):
            return place
        if mark not in self.marks:
            return None
        title = self.question.options[self.marks.index(mark)].title
        raise TypedError(f"{mark} is {quoted(title)}, not {quoted(name)}")

    def _texts(self, place: int) -> list[str]:
        one = self.question.options[place]
        value = self.values[place] if place < len(self.values) else one.label
        known = [one.label, one.title, str(value)]
        if one.act is not None:
            known += [one.label.removesuffix("…"), WORD_OF.get(one.act.key, one.label)]
        return [normalize("NFC", text).strip() for text in known]

    def _only(self, text: str, names: Sequence[Sequence[str]], written: str = "") -> int | None:
        """Return the one option that has a text among its names; equal labels are one option."""
        found = [place for place, each in enumerate(names) if text in each]
        labels = dict.fromkeys(self.question.options[place].label for place in found)
        if len(labels) > 1:
            raise TypedError(f"{quoted(written or text)} names two: {' and '.join(map(quoted, labels))}")
        return found[0] if found else None

    def several(self, text: str) -> list[int] | None:
        """Return the options that a text names with commas between them; None if a part names nothing."""
        parts = text.rstrip(",").split(",")
        longest = 1 + max((one.label.count(",") for one in self.question.options), default=0)
        found: list[int] = []
        while parts:
            for end in range(min(longest, len(parts)), 0, -1):  # a label may have commas of its own
                if (place := self.place(",".join(parts[:end]))) is not None:
                    break
            else:
                return None
            found.append(place)
            parts = parts[end:]
        return found

    def with_words(self, text: str) -> tuple[int, str] | None:
        """Return the option that a text begins with, and the words about it; None if it begins with none.

        Raises:
            TypedError: Another option follows: which of them is meant, nobody knows.
        """
        for gap in _GAP.finditer(text):
            if gap.start() and (place := self.place(text[: gap.start()])) is not None:
                words = text[gap.end() :].strip()
                rest = re.sub(r"(?:and|but|or)\s+", "", words, count=1, flags=re.IGNORECASE)
                second = self.with_words(rest) or (self.place(rest), "")
                if second[0] not in (None, place):
                    raise TypedError(f"one option, not several · {allowed(self.question)}")
                return place, words
        return None

    def act(self, text: str) -> tuple[int, str] | None:
        """Return the act that a text begins with, by its whole label or its mark, and the words behind it."""
        labels = sorted((one.label.removesuffix("…") for one in self.question.options), key=len, reverse=True)
        begins = (one for one in labels if text.casefold().startswith(one.casefold()))
        name = next(begins, text.split(maxsplit=1)[0])
        place = self.place(name)
        return None if place is None else (place, text[len(name) :].lstrip("….:, "))


def allowed(question: Question, *, named: bool = True) -> str:
    """Say what may be typed: the options by their marks, ``named`` with their labels, or a text."""
    if question.kind is not Kind.CHOICE:
        return f"type {wanted(question)}"
    if not (known := marks(question)):
        return "it has no options"
    choices = f"{known[0]} to {known[-1]}" if len(known) > 1 else known[0]
    if named:
        pairs = zip(known[:MOST_NAMED], question.options, strict=False)
        choices = ", ".join(f"{mark} {one.title[:MOST_QUOTED]}" for mark, one in pairs)
        choices += ", …" if len(known) > MOST_NAMED else ""
    if not question.multi_select:
        return f"choose {choices}"
    several = f"some of {choices}, as in {known[0]},{known[-1]}" if len(known) > 1 else choices
    return f"choose {several}{'' if question.skippable else ', or 0 for none'}"


def read_line(question: Question, text: str, values: Sequence[Any] = ()) -> Answer:
    """Return the answer that a line stands for, as a person types it.

    Words behind the name of an option are a note, where the question takes one. Nothing, and “skip”, “-” or
    “n/a” where the question may be left out so, are `Answer()`.

    Raises:
        TypedError: The question does not take this.
    """
    names, exact = Names(question, values), text.removeprefix("\ufeff")
    text = exact.strip()
    is_choice = question.kind is Kind.CHOICE
    place = names.exact(text) if is_choice else None
    if place is None and (not text or skips(question, text) or (text == "-" and question.optional)):
        return _nothing(names)
    if not is_choice:
        # Blanks around a text are a part of it, as they are not of a number or a date.
        blanks = question.kind is Kind.TEXT and not (question.field and question.field.format)
        return _typed(question, exact if blanks else text)
    if question.acts and place is None and (act := names.act(text)) is not None:
        return replace(_selected(names, [act[0]]), other=_words_of(question, *act))
    place = names.place(text) if place is None else place
    places = [place] if place is not None else names.several(text) if question.multi_select else None
    if places is None and question.multi_select and fold(text) in NONE:
        return _nothing(names) if question.skippable else _selected(names, [])
    return _own_words(names, text) if places is None else _selected(names, sorted(set(places)))


def _words_of(question: Question, place: int, words: str) -> str:
    """Return the words behind an act, refuse those behind one that takes none."""
    act = question.acts[place]
    if words and not act.takes_words:
        raise TypedError(f"{act.key} takes no words, not {quoted(words)}")
    return words


def _own_words(names: Names, text: str) -> Answer:
    """Return own words, or an option with a note; refuse what nobody means as words."""
    question = names.question
    if not question.multi_select and (behind := names.with_words(text)) is not None:
        if question.field is None:
            return replace(_selected(names, [behind[0]]), note=behind[1])
        raise TypedError(f"{quoted(behind[1])} is no part of an option · {allowed(question)}")
    begins = _MARKED.fullmatch(text.partition(",")[0].strip())
    listed = "," in text and begins is not None and begins[1].casefold() in names.marks
    if question.multi_select and question.field is not None:
        listed = listed or any(names.place(part) is not None for part in text.split(","))
    if question.closed or listed or re.fullmatch(r"(?=.*\d)[\d\s\W_]+", text):
        raise TypedError(f"no option {quoted(text)} · {allowed(question)}")
    return Answer(other=text)


def read_value(question: Question, value: Any, values: Sequence[Any] = ()) -> Answer:
    """Return the answer that a value of JSON or TOML stands for; a list is read element by element.

    Args:
        question: The question.
        value: A label, a recorded value, a list of them, a text, a number, true or false, None for a question
            that is left out, or the answer of a record.
        values: The recorded value of each option.

    Raises:
        TypedError: The question does not take it.
    """
    if isinstance(value, Mapping):  # as in a record, whose labels are its options
        own, values = value.get("other"), () if {"label", "labels"} & set(value) else values
        value = value.get("labels", value.get("values", value.get("label", value.get("value"))))
        if own is not None and value == own:
            return Answer(other=own)
    if value is None:
        return read_line(question, "")
    names = Names(question, values)
    if not (question.multi_select and isinstance(value, list)):
        return read_line(question, _text(names, value), values)
    texts = [_text(names, one) for one in value]
    places = [names.place(text) for text in texts]
    own = [text for text, place in zip(texts, places, strict=True) if place is None]
    if own and (question.closed or len(own) > 1):
        raise TypedError(f"no option {quoted(own[0])} · {allowed(question)}")
    chosen = sorted({place for place in places if place is not None})
    return replace(_selected(names, chosen, more=len(own)), other="".join(own))


def _text(names: Names, value: object) -> str:
    """Return the text of one value; a recorded one that is no text is the label that it stands for."""
    for place, one in enumerate(names.values):
        if isinstance(value, bool) and one is value:
            return names.question.options[place].label
    if isinstance(value, str | int | float | Decimal) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, date):  # of TOML, without quotes
        return value.isoformat()
    taken = "a text, a number, or a list of texts" if names.question.multi_select else "a text or a number"
    raise TypedError(f"must be {taken}")


def read_flag(names: Names, text: str) -> list[int]:
    """Return the options that a flag names by marks, numbers of places and labels, with commas between them.

    Raises:
        TypedError: It names none, or a number has two readings.
    """
    if (whole := names.place(text)) is not None and not plain(text).isdecimal():
        return [whole]
    return [_of_flag(names, plain(part)) for part in text.split(",")]


def _of_flag(names: Names, text: str) -> int:
    named, options = names.place(text), names.question.options
    at = int(text) - 1 if text.isdecimal() and len(text) < 6 else -1  # documented as its place
    if not 0 <= at < len(options):
        if named is None:
            raise TypedError(f"no option {quoted(text)} · {allowed(names.question)}")
        return named
    if named not in (None, at):
        one, other = quoted(options[named].title), quoted(options[at].title)
        raise TypedError(f"{text} may be {one} or, by its place, {other} · {allowed(names.question)}")
    return at


def acts_to_type(question: Question) -> list[str]:
    """Return what is typed for each way to decide."""
    return [f"{act.key} TEXT" if act.takes_words else act.key for act in question.acts]


def button(question: Question, place: int) -> str:
    """Return the text that names one option alone, for a button or a select."""
    label, names = question.options[place].label, Names(question)
    try:
        exact = read_line(question, label) == _selected(names, [place])
    except TypedError:
        exact = False
    return label if exact else f"{names.marks[place]}. {label}"


def plain(text: str) -> str:
    """Return a text without signs of emphasis around it, composed as labels are."""
    text = normalize("NFC", text).strip()
    return found[2].strip() if (found := re.fullmatch(r"([*_`]{1,3})(.+)\1", text, re.DOTALL)) else text


def _nothing(names: Names) -> Answer:
    if names.question.optional:
        return Answer()
    raise TypedError(f"an answer is needed · {allowed(names.question)}")


def _typed(question: Question, text: str) -> Answer:
    if question.field is not None and question.field.one_line and not question.secret:
        text = in_one_line(text)
    if problem := answer_problem(question, text):
        raise TypedError(problem)
    return Answer(other=text)


def _selected(names: Names, places: Sequence[int], *, more: int = 0) -> Answer:
    """Return an answer with options, and some ``more`` in own words."""
    question = names.question
    if len(places) > 1 and not question.multi_select:
        raise TypedError(f"one option, not {len(places)} · {allowed(names.question)}")
    if problem := selection_problem(question, len(places) + more):
        raise TypedError(problem)
    options = [question.options[place] for place in places]
    labels = tuple(option.label for option in options)
    preview = None if question.multi_select else options[0].preview
    return Answer(labels, preview=preview, empty=not labels and not more)
