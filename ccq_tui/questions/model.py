"""The question set: the data of one ``AskUserQuestion`` call, and of its answers.

Everything here is frozen and free of input and output, so that states can be compared, kept and replayed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any
from unicodedata import normalize

RECOMMENDED_SUFFIX = "(Recommended)"
CLAUDE = "Claude"
"""The asker in a session."""


class Kind(StrEnum):
    """The sort of answer that a question wants."""

    CHOICE = "choice"
    TEXT = "text"
    NUMBER = "number"


class Effect(StrEnum):
    """What an option does to the request that asks it."""

    ALLOWS = "allows"
    """It goes ahead, once."""
    LASTS = "lasts"
    """It goes ahead, and more than it is granted: a rule, a directory, a mode that asks less."""
    REFUSES = "refuses"


@dataclass(frozen=True, slots=True)
class Act:
    """What an option does besides being the answer: built from a request each time, and never stored.

    Attributes:
        effect: The effect.
        key: Its key on the panel, where it is one character, and its mark elsewhere.
        verb: What Enter does.
        about: The object of the verb, or "".
        takes_words: Whether it opens a text, and is no answer without one.
        brief: A shorter label for a narrow panel, or "".
        where: Where a grant is kept, or the mode that it goes to, or "".
    """

    effect: Effect
    key: str
    verb: str
    about: str = ""
    takes_words: bool = False
    brief: str = ""
    where: str = ""

    @property
    def allows(self) -> bool:
        """Whether the request goes ahead."""
        return self.effect is not Effect.REFUSES

    @property
    def does(self) -> str:
        """What Enter does, with its object."""
        return f"{self.verb} {self.about}".rstrip()

    @property
    def lasts(self) -> bool:
        """Whether it grants more than the request; its key alone does not take it."""
        return self.effect is Effect.LASTS


@dataclass(frozen=True, slots=True)
class Option:
    """One row a person can select.

    Attributes:
        label: The text that goes back to the agent, exactly as it came.
        description: A longer explanation, or "".
        preview: A mock-up, snippet or diagram to look at before choosing, or None.
        act: What it does, or None if it only answers.
    """

    label: str
    description: str = ""
    preview: str | None = None
    act: Act | None = None

    @property
    def recommended(self) -> bool:
        """Whether the agent marked the option as its recommendation at the end of the label."""
        return self.label.rstrip().endswith(RECOMMENDED_SUFFIX)

    @property
    def title(self) -> str:
        """The label without the recommendation mark, for display."""
        if not self.recommended:
            return self.label
        return self.label.rstrip().removesuffix(RECOMMENDED_SUFFIX).rstrip() or self.label


@dataclass(frozen=True, slots=True)
class FieldRules:
    """A form's rules for a field's value, beyond its kind.

    Attributes:
        required: Whether the form cannot be confirmed without it.
        preset: The labels selected, or the text typed, from the beginning: a person sees and confirms them.
        fewest: The fewest characters of a text or options of a multi-select, or None.
        most: The most of them, or None.
        pattern: A regular expression that is found in an allowed text, or "".
        format: The format of a text, such as "email", or "".
        number: "integer" or "number" for a value that is sent as a number, else "".
        one_line: Whether a text has no line break.
        skippable: Whether an optional field stays empty by "skip", "-" or "n/a" as its whole text, and by
            going on from a multi-select with nothing selected.
        secret: Whether nobody may read the text, nor any disk keep it.
    """

    required: bool = False
    preset: tuple[str, ...] = ()
    fewest: int | None = None
    most: int | None = None
    pattern: str = ""
    format: str = ""
    number: str = ""
    one_line: bool = False
    skippable: bool = False
    secret: bool = False


@dataclass(frozen=True, slots=True)
class Condition:
    """The earlier answer on which a question is asked.

    Attributes:
        question: The place of the earlier question in the set, from 0.
        value: The label of an option, or a text or number as typed.
        contains: Whether it is enough that the value is among the selected labels, or in the text; otherwise
            it must be the whole answer.
    """

    question: int
    value: str
    contains: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a set.

    Attributes:
        text: The question itself.
        header: A word or two for the tab.
        options: The options, in the agent's order; none for number questions, and for text questions at most
            one, the answer of an empty field.
        multi_select: Whether any number of options may be selected.
        kind: The sort of answer wanted.
        description: A longer explanation, or "".
        placeholder: A hint inside an empty text field, or "".
        minimum: The smallest number allowed, or None.
        maximum: The largest number allowed, or None.
        step: The distance between allowed numbers, or None.
        default: The answer proposed in a text or number field, or "".
        unit: The unit of a number, or "".
        closed: Whether only the options answer it, and no custom text.
        field: The rules of a form's field, or None.
        when: The condition on which it is asked, or None if it always is.
    """

    text: str
    header: str = ""
    options: tuple[Option, ...] = ()
    multi_select: bool = False
    kind: Kind = Kind.CHOICE
    description: str = ""
    placeholder: str = ""
    minimum: float | None = None
    maximum: float | None = None
    step: float | None = None
    default: str = ""
    unit: str = ""
    closed: bool = False
    field: FieldRules | None = None
    when: Condition | None = None

    @property
    def acts(self) -> tuple[Act, ...]:
        """What each option does; none where one only answers."""
        found = tuple(one.act for one in self.options if one.act is not None)
        return found if len(found) == len(self.options) else ()

    def act_of(self, answer: "Answer") -> Act | None:
        """Return what an answer does, or None if it only answers."""
        return next((one.act for one in self.options if one.label in answer.selected), None)

    @property
    def required(self) -> bool:
        """Whether the set cannot be confirmed without an answer to it."""
        return self.field is not None and self.field.required

    @property
    def optional(self) -> bool:
        """Whether it is a form's field that may stay empty."""
        return self.field is not None and not self.field.required

    @property
    def skippable(self) -> bool:
        """Whether nothing selected is no answer, and a text may say that there is none."""
        return self.field is not None and self.field.skippable

    @property
    def secret(self) -> bool:
        """Whether its text is drawn as dots, and kept nowhere."""
        return self.field is not None and self.field.secret

    def seen(self, text: str) -> str:
        """Return a typed text as it is drawn."""
        # A secret, as it is drawn.
        return "•" * 8 if text and self.secret else text


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """One ``AskUserQuestion`` call, or one form.

    Attributes:
        id: The ``tool_use_id`` of the call.
        questions: 1..n questions.
        title: The subject of the set, or "".
        source: The call's input as it came, echoed on the wire beside the answers.
        intro: The text before the first question, or "".
        is_form: Whether it is a form, which can be dismissed.
        is_prompt: Whether it is a program's prompt: an answer is typed there, so it is one line.
        editable: A text that a person may change before one of its acts is taken: the plan; or "".
        is_agreement: Whether it asks to agree alone: to a message, or to a link; it has no fields.
    """

    id: str
    questions: tuple[Question, ...]
    title: str = ""
    source: Mapping[str, Any] = field(default_factory=dict, compare=False, hash=False)
    intro: str = ""
    is_form: bool = False
    is_prompt: bool = False
    editable: str = ""
    is_agreement: bool = False

    @property
    def secret(self) -> bool:
        """Whether it asks for a secret: it waits in memory, and no other surface has it."""
        return any(question.secret for question in self.questions)

    @property
    def called(self) -> str:
        """What a form without a title is called."""
        return "A question" if len(self.questions) == 1 else "A form"

    @property
    def is_one_text(self) -> bool:
        """Whether it asks for one text of several lines, and nothing else."""
        first, *more = self.questions
        return not more and first.kind is Kind.TEXT and not (first.field and first.field.one_line)

    @property
    def kept(self) -> str:
        """What becomes of the draft of a form that is left, for a person."""
        return "nothing is kept" if self.secret else "the draft is kept"

    @property
    def needs_review(self) -> bool:
        """Whether the answers are reviewed before they are confirmed."""
        first = self.questions[0]
        if self.is_form and not first.required:
            return True  # there a person confirms that an optional field is empty
        return len(self.questions) > 1 or first.multi_select

    @property
    def is_guarded(self) -> bool:
        """Whether something goes ahead by it: asked again where not all of that was in sight."""
        return self.is_agreement or bool(self.questions[0].acts)

    @property
    def takes_prose(self) -> bool:
        """Whether it takes notes beside its answers, and a reply in prose instead of them."""
        return not (self.is_form or self.is_prompt or self.questions[0].acts)


@dataclass(frozen=True, slots=True)
class Answer:
    """A person's answer to one question.

    Attributes:
        selected: Labels of the selected options, in the question's order.
        other: The custom text ("Other"), or the text or number typed; "" when there is none.
        note: A remark beside the answer, or "".
        preview: The preview of the option selected in a single select, or None.
        empty: Whether a multi select was confirmed, on purpose, with nothing selected.
        unselected: Text that was typed and is no part of the answer; the agent never sees it as one.
    """

    selected: tuple[str, ...] = ()
    other: str = ""
    note: str = ""
    preview: str | None = None
    empty: bool = False
    unselected: str = ""

    @property
    def given(self) -> bool:
        """Whether there is an answer: something selected or typed, or nothing on purpose; a note is none."""
        return bool(self.selected or self.other or self.empty)


@dataclass(frozen=True, slots=True)
class Recalled:
    """The earlier answer to a question that reads the same.

    Attributes:
        answer: The answer.
        when: The day, as a person reads it.
        asked: The question that it was given to.
    """

    answer: Answer
    when: str
    asked: str = ""


def reads_like(one: Question, other: Question) -> bool:
    """Return whether two questions have the same text, or the same options, if these are at least three."""
    if one.kind is not other.kind:
        return False
    if same_words(one.text, other.text):
        return True
    labels = {fold(option.label) for option in one.options}
    same = labels == {fold(option.label) for option in other.options}
    # "Yes" and "No" alone make no two questions the same.
    return same and len(labels) >= 3 and one.multi_select == other.multi_select


def same_words(one: str, other: str) -> bool:
    """Return whether two texts read the same."""
    return fold(one) == fold(other)


def fold(text: str) -> str:
    """Return a text as it reads: composed, in lower case, with single blanks."""
    return " ".join(normalize("NFC", normalize("NFC", text).casefold()).split())


@dataclass(frozen=True, slots=True)
class Asked:
    """A question set, and what its answers stand for elsewhere.

    Attributes:
        questions: The set; that of a decision is one closed question, whose options are acts.
        names: The name of each question in a record, or in the content that a server gets; () for neither.
        values: What each option of each question stands for there; () for a question without options.
        problem: Why it can only be declined or dismissed, or "".
        document: The form as written, with its id, from which `forms.reading.form_of` reads it again.
    """

    questions: QuestionSet
    names: tuple[str, ...] = ()
    values: tuple[tuple[Any, ...], ...] = ()
    problem: str = ""
    document: Mapping[str, Any] = field(default_factory=dict, hash=False, compare=False)

    @property
    def question(self) -> Question:
        """The question of a decision, the first one of any other set."""
        return self.questions.questions[0]

    @property
    def acts(self) -> tuple[Act, ...]:
        """The ways to decide; none where it is answered."""
        return self.question.acts

    def offered(self, *, lasting: bool) -> "Asked":
        """Return it without the ways to decide that a surface may not take; the marks stay."""
        if lasting or not self.acts:
            return self
        kept = [at for at, act in enumerate(self.acts) if not act.lasts]
        question = replace(self.question, options=tuple(self.question.options[at] for at in kept))
        values = tuple(self.values[0][at] for at in kept)
        return Asked(replace(self.questions, questions=(question,)), values=(values,))

    def named_values(self, place: int) -> tuple[Any, ...]:
        """Return what the options of a question may also be called: their recorded values."""
        return self.values[place] if self.values and not self.acts else ()
