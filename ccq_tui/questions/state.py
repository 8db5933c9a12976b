"""The state of an open question set: its selections and texts, its cursor, its focus."""

import re
from dataclasses import dataclass, field, replace
from enum import StrEnum

from ccq_tui.questions.limits import answer_problem, asked, selection_problem, skips
from ccq_tui.questions.model import CLAUDE, Act, Answer, Kind, Question, QuestionSet, Recalled
from ccq_tui.questions.outcome import Discussed, Dismissed, Outcome


class Focus(StrEnum):
    """The target of the keys."""

    LIST = "list"
    OTHER = "other"
    NOTE = "note"
    FIELD = "field"
    FILTER = "filter"
    DISCUSS = "discuss"
    REVIEW = "review"
    DECLINE = "decline"


NO_ROW = -1
"""The cursor of a dangerous call until it was moved."""
_LINE_ENDS = re.compile("\r\n|[\r\x85\u2028\u2029]")
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_TRICKS = re.compile("[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]")


def typable(text: str) -> str:
    """Return text as a text field holds it: lines end in a newline, tabs stay, controls are left out."""
    return _CONTROLS.sub("", _LINE_ENDS.sub("\n", text))


def is_text(character: str) -> bool:
    """Return whether a key types text, also an invisible one: joiners of Persian, Hindi or emoji."""
    return bool(character) and not set("\t\n") & set(character) and typable(character) == character


def proposed(question: Question) -> str:
    """Return the initial text of a field, without invisible characters."""
    if question.kind is Kind.CHOICE:
        return ""
    preset = question.field.preset if question.field else ()
    return _TRICKS.sub("", typable(preset[0] if preset else question.default))


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer that is not confirmed yet.

    Attributes:
        selected: Indexes of the selected options, ascending.
        other: The custom text, or the content of the field of a text or number question.
        other_on: Whether the custom text is selected.
        note: The note.
        text_row: The row of the act that the custom text is for, or None for the row of one's own words.
        taken: Whether a person selected, typed or continued from it: a proposal alone is no answer, and
            nothing that is taken is “none of these”, or a question left empty on purpose.
    """

    selected: tuple[int, ...] = ()
    other: str = ""
    other_on: bool = False
    note: str = ""
    taken: bool = False
    text_row: int | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """One question of the panel, with its draft, cursor and filter.

    ``cursor`` is a row: the index of an option, or one past the last option for "Other".
    """

    question: Question
    draft: Draft
    cursor: int = 0
    filter: str = ""

    @property
    def is_field(self) -> bool:
        """Whether the answer is typed into a field instead of chosen from a list."""
        return self.question.kind is not Kind.CHOICE

    @property
    def other_row(self) -> int:
        """The row of the custom text."""
        return len(self.question.options)

    @property
    def rows(self) -> tuple[int, ...]:
        """The rows shown: the options that match the filter, and "Other" unless the question is closed."""
        if self.is_field:
            return (0,)
        wanted = self.filter.strip().casefold()
        options = tuple(
            index
            for index, option in enumerate(self.question.options)
            if not wanted or wanted in f"{option.label}\n{option.description}".casefold()
        )
        return options if self.question.closed else (*options, self.other_row)

    @property
    def problem(self) -> str:
        """The problem of the text or the selection, or ""."""
        if self.is_field:
            return answer_problem(self.question, self.draft.other) if self.draft.other.strip() else ""
        count = len(self.draft.selected) + self.draft.other_on
        wanted = count or (self.draft.taken and not self.question.skippable)
        return selection_problem(self.question, count) if wanted else ""

    @property
    def proposed(self) -> bool:
        """Whether it holds what its question proposes, which nobody has confirmed."""
        draft = self.draft
        if draft.taken or self.problem:
            return False
        if self.is_field:
            return bool(draft.other.strip()) and draft.other == proposed(self.question)
        return bool(draft.selected) and draft.selected == first_page(self.question).draft.selected

    @property
    def skips(self) -> bool:
        """Whether its text says that it stays empty."""
        return self.is_field and skips(self.question, self.draft.other)

    @property
    def typed(self) -> str:
        """The text of a field unless it is the question's own proposal, or ""."""
        return self.draft.other if self.draft.other != proposed(self.question) else ""

    @property
    def unselected(self) -> str:
        """The text that was typed and is no part of the answer, or ""; a proposal was not typed."""
        typed = self.draft.other
        counts = self.draft.other_on
        if self.is_field:
            counts = self.answered or self.skips or typed == proposed(self.question)
        return "" if counts or not typed.strip() else self.question.seen(typed)

    @property
    def answered(self) -> bool:
        """Whether a person answered; that none of the options is wanted is an answer."""
        if self.is_field:
            return self.draft.taken and not (self.is_empty or self.skips or self.problem)
        return self.chose_none or not (self.is_empty or self.proposed or self.problem)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is typed, or selected."""
        return not (self.draft.other.strip() if self.is_field else self.draft.selected or self.draft.other_on)

    @property
    def skipped(self) -> bool:
        """Whether a person left it empty on purpose."""
        empty = self.draft.taken and self.is_empty and not self.chose_none
        return self.question.optional and (self.skips or empty)

    @property
    def chose_none(self) -> bool:
        """Whether the answer is that none of the options is wanted, which the review repeats."""
        wanted = self.question.multi_select and not (self.is_field or self.question.skippable)
        return wanted and self.draft.taken and self.is_empty and not self.problem

    @property
    def lacking(self) -> bool:
        """Whether the set cannot be confirmed without an answer here."""
        return self.question.required and not (self.answered or self.proposed)

    @property
    def seen(self) -> Answer:
        """The answer as it is drawn."""
        answer = self.as_answer()
        return replace(answer, other=self.question.seen(answer.other))

    def as_answer(self) -> Answer:
        """Return the draft as an answer, as it would be confirmed now."""
        draft, options = self.draft, self.question.options
        if self.is_field:
            typed = draft.other.strip() if self.question.kind is Kind.NUMBER else draft.other
            confirmed = self.answered or self.proposed
            return Answer(other=typed if confirmed else "", note=draft.note, unselected=self.unselected)
        single = not self.question.multi_select
        return Answer(
            selected=tuple(options[index].label for index in draft.selected),
            other=draft.other if draft.other_on else "",
            note=draft.note,
            preview=options[draft.selected[0]].preview if single and draft.selected else None,
            empty=self.chose_none,
            unselected=self.unselected,
        )


@dataclass(frozen=True, slots=True)
class Arriving:
    """The part of a set that has arrived before it is asked.

    Attributes:
        complete: Number of its complete questions; the one after them may still grow.
        whole: Whether all of it is here, so that only the asking is missing.
    """

    complete: int = 0
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Doubt:
    """Two readings of what was typed behind a letter: into the text that it opened, or a word that it began.

    Attributes:
        letter: The letter.
        focus: The text that it opened.
        row: The row under the cursor then.
        is_word: Whether the second reading is the one that stands.
    """

    letter: str
    focus: Focus
    row: int = 0
    is_word: bool = False


@dataclass(frozen=True, slots=True)
class PanelState:
    """Everything a surface needs to draw an open question set.

    Attributes:
        questions: The set.
        pages: One page per question.
        tab: The page shown; ``len(pages)`` is the review.
        focus: The target of the keys.
        review_row: The cursor of the review; ``len(pages)`` is "Submit answers".
        discussion: The prose written so far.
        hidden: Whether the panel is folded into its one line.
        large: Whether the preview is shown larger.
        left_own: Whether own words were left, and the cursor is still there: letters are commands then.
        notice: A message beside the field or the list, or "".
        outcome: How the set ended, or None while it is open.
        arriving: The part of the set that has arrived while it is still being written, or None once asked.
        aside: A message about the set as a whole until the next key, or "".
        stray: The row under the cursor when a key that is no command, or a word, opened the text, or None
            when the text was opened on purpose.
        doubt: The letter that opened the text, if that may have begun a word instead, or None.
        edited: The text of the set that a person may change, as changed, or "".
        warned: What the last key did not do because of a warning, the row that it took and its name, or None.
        in_sight: The rows on the screen as last reported, or None for a surface that shows all of them.
            No part of the draft.
        unseen: Number of lines to decide on that were never on the screen, as last reported.
        at_least: Whether there are more of those than were counted.
        recalled: The earlier answer to each question, in their order; empty if none is known. No part
            of the draft.
        asker: The asker's name, as people call it.
    """

    questions: QuestionSet
    pages: tuple[Page, ...]
    tab: int = 0
    focus: Focus = Focus.LIST
    review_row: int = 0
    discussion: str = ""
    hidden: bool = False
    large: bool = False
    left_own: bool = False
    notice: str = ""
    outcome: Outcome | Dismissed | None = None
    arriving: Arriving | None = None
    aside: str = ""
    stray: int | None = None
    doubt: Doubt | None = None
    edited: str = ""
    warned: tuple[int, str] | None = None
    in_sight: frozenset[int] | None = field(default=None, compare=False)
    unseen: int = field(default=0, compare=False)
    at_least: bool = field(default=False, compare=False)
    recalled: tuple[Recalled | None, ...] = field(default=(), compare=False)
    asker: str = CLAUDE

    @property
    def typing(self) -> bool:
        """Whether a text is open, in which printable keys are text."""
        return self.focus in (Focus.OTHER, Focus.NOTE, Focus.FIELD, Focus.FILTER, Focus.DISCUSS)

    @property
    def in_review(self) -> bool:
        """Whether the review is shown."""
        return self.tab == len(self.pages)

    @property
    def is_growing(self) -> bool:
        """Whether more of the set is still to come."""
        return self.arriving is not None and not self.arriving.whole

    @property
    def page(self) -> Page:
        """The page shown; in the review, the page of the row under its cursor."""
        return self.pages[min(self.review_row if self.in_review else self.tab, len(self.pages) - 1)]

    @property
    def act(self) -> Act | None:
        """The act under the cursor; None of a dangerous call until the cursor was moved."""
        acts, row = self.page.question.acts, self.page.cursor
        return acts[row] if 0 <= row < len(acts) else None

    @property
    def before(self) -> Recalled | None:
        """The earlier answer to the question shown, or None."""
        return None if self.in_review else self.before_on(self.tab)

    def before_on(self, tab: int) -> Recalled | None:
        """Return the earlier answer to the question of a tab, or None."""
        return self.recalled[tab] if tab < len(self.recalled) else None

    @property
    def answers(self) -> tuple[Answer, ...]:
        """The drafts as they would be confirmed now; that of a question that is not asked is kept aside."""
        asked, pages = self.asked_tabs, enumerate(self.pages)
        return tuple(page.as_answer() if tab in asked else Answer() for tab, page in pages)

    @property
    def asked_tabs(self) -> tuple[int, ...]:
        """The tabs of the questions that are asked, given the answers before them."""
        questions = self.questions.questions
        if all(question.when is None for question in questions):
            return tuple(range(len(self.pages)))
        found = asked(questions, tuple(page.as_answer() for page in self.pages))
        return tuple(tab for tab, is_asked in enumerate(found) if is_asked)

    @property
    def asked_pages(self) -> tuple[Page, ...]:
        """The pages of these tabs."""
        return tuple(self.pages[tab] for tab in self.asked_tabs)

    @property
    def all_tabs(self) -> tuple[int, ...]:
        """The tabs to turn to: the questions that are asked, and the review."""
        return (*self.asked_tabs, *([len(self.pages)] if self.needs_review else []))

    @property
    def one_line(self) -> bool:
        """Whether the open text has no line break."""
        question = self.page.question
        short = self.questions.is_prompt or question.kind is Kind.NUMBER
        short = short or (question.field is not None and question.field.one_line)
        return self.focus is Focus.FILTER or (short and self.focus in (Focus.OTHER, Focus.FIELD))

    @property
    def needs_review(self) -> bool:
        """Whether the answers are reviewed before they are confirmed."""
        return self.questions.needs_review

    @property
    def answered_count(self) -> int:
        """Number of questions that have an answer so far."""
        return sum(page.answered for page in self.asked_pages)

    @property
    def proposed_count(self) -> int:
        """Number of answers that are proposed, which are sent as well."""
        return sum(page.proposed for page in self.asked_pages)

    @property
    def gaps(self) -> tuple[int, ...]:
        """The questions that nobody has answered, nor left empty on purpose; a proposal is a gap."""
        pages = self.pages
        return tuple(tab for tab in self.asked_tabs if not (pages[tab].answered or pages[tab].skipped))

    @property
    def open_tabs(self) -> tuple[int, ...]:
        """The gaps that a review points at: what is optional may stay empty, what is proposed is sent."""
        pages = ((tab, self.pages[tab]) for tab in self.gaps)
        return tuple(tab for tab, one in pages if one.problem or not (one.question.optional or one.proposed))

    @property
    def text(self) -> str:
        """The text of the open field, or "" when none is open."""
        match self.focus:
            case Focus.OTHER | Focus.FIELD:
                return self.page.draft.other
            case Focus.NOTE:
                return self.page.draft.note
            case Focus.FILTER:
                return self.page.filter
            case Focus.DISCUSS:
                return self.discussion
            case _:
                return ""

    @property
    def sends_text(self) -> bool:
        """Whether Enter in the open text sends it: never a text that a word began, which nobody has read."""
        sends = self.focus is Focus.DISCUSS or (self.focus is Focus.OTHER and not self.needs_review)
        return sends and bool(self.text.strip()) and self.stray is None

    @property
    def discussed(self) -> Discussed:
        """The outcome of sending the discussion now, with the selections, notes and texts so far."""
        pairs = zip(self.pages, self.answers, strict=True)
        given = (Answer(note=answer.note) if page.proposed else answer for page, answer in pairs)
        answers = tuple(replace(answer, empty=False, preview=None) for answer in given)
        return Discussed(self.discussion, answers if any(answer != Answer() for answer in answers) else ())

    @property
    def has_draft(self) -> bool:
        """Whether anything was selected, typed or noted that would be missed."""
        return bool(self.discussion or self.edited) or any(
            page.draft.note
            or page.draft.other != proposed(page.question)
            or page.draft.selected != first_page(page.question).draft.selected
            for page in self.pages
        )

    def with_page(self, **changes: object) -> "PanelState":
        """Return the state with fields of the page shown replaced."""
        page = replace(self.page, **changes)  # type: ignore[arg-type]
        return replace(self.shown_as(page), left_own=self.left_own and "cursor" not in changes)

    def shown_as(self, page: Page) -> "PanelState":
        """Return the state with another page in the place of the one shown."""
        return replace(self, pages=(*self.pages[: self.tab], page, *self.pages[self.tab + 1 :]))

    def with_draft(self, **changes: object) -> "PanelState":
        """Return the state with fields of the draft shown replaced."""
        return self.with_page(draft=replace(self.page.draft, **changes))  # type: ignore[arg-type]


def opened(questions: QuestionSet, asker: str = CLAUDE) -> PanelState:
    """Return the first state of a set: nothing but presets selected, the cursor on the recommendation."""
    pages = tuple(first_page(question) for question in questions.questions)
    if not pages:
        raise ValueError("a question set needs at least one question")
    return PanelState(questions, pages, focus=resting_focus(pages, 0), asker=asker)


def resting_focus(pages: tuple[Page, ...], tab: int) -> Focus:
    """Return the default focus of a tab."""
    if tab == len(pages):
        return Focus.REVIEW
    return Focus.FIELD if pages[tab].is_field else Focus.LIST


def first_page(question: Question) -> Page:
    """Return the first page of a question."""
    preset = question.field.preset if question.field else ()
    if question.kind is not Kind.CHOICE:
        return Page(question, Draft(other=proposed(question)))
    selected = tuple(index for index, option in enumerate(question.options) if option.label in preset)
    if selected:
        return Page(question, Draft(selected), cursor=selected[0])
    start = next(
        (index for index, option in enumerate(question.options) if option.recommended),
        next((i for i, option in enumerate(question.options) if option.label == question.default), 0),
    )
    return Page(question, Draft(), cursor=start)
