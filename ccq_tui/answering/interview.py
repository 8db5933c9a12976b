"""One way through a set for surfaces that ask one question at a time: a value, and verbs to go on from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ccq_tui.answering.grammar import TypedError, allowed
from ccq_tui.questions.flow import confirm, following, turn_to
from ccq_tui.questions.model import Answer, Kind, Question, QuestionSet
from ccq_tui.questions.moves import page_answered
from ccq_tui.questions.outcome import Answered, Declined, Discussed, Dismissed, Outcome
from ccq_tui.questions.state import Page, PanelState, opened

KEPT = ("discussion", "edited", "aside", "recalled", "asker")
"""What a draft has besides its pages, whatever surface it was typed on."""


@dataclass(frozen=True, slots=True)
class Interview:
    """A person's way through a set; every step returns another one, and changes nothing else.

    Attributes:
        state: The draft.
        reviews: Whether the surface shows a review; without one the last answer settles.
        back_to_review: Whether the question in front was opened from there, and leads back.
    """

    state: PanelState
    reviews: bool = True
    back_to_review: bool = False

    @staticmethod
    def of(questions: QuestionSet, draft: PanelState | None = None, *, reviews: bool = True) -> Interview:
        """Begin, or go on from a draft of any surface, without what belongs to that; decide anew."""
        kept = {} if draft is None else {name: getattr(draft, name) for name in KEPT}
        if draft is None or draft.page.question.acts:
            draft = opened(questions)
        pages = tuple(replace(page, filter="") for page in draft.pages)
        state = replace(opened(draft.questions), **kept, pages=pages, tab=draft.tab)
        at = state.tab if state.tab in state.all_tabs else state.asked_tabs[0]
        return Interview(turn_to(state, at), reviews)

    @property
    def has_review(self) -> bool:
        """Whether the answers are reviewed before they count."""
        return self.reviews and self.state.needs_review

    @property
    def question(self) -> Question | None:
        """The question in front, or None at the review."""
        return None if self.state.in_review else self.state.page.question

    @property
    def number(self) -> int:
        """The place of the question in front among those that are asked, from 1."""
        return self.state.asked_tabs.index(self.state.tab) + 1

    @property
    def count(self) -> int:
        """How many questions are asked, given the answers so far."""
        return len(self.state.asked_tabs)

    @property
    def problem(self) -> str:
        """Why the question in front stands against an outcome, or ""."""
        return self.state.notice or self.state.aside

    @property
    def unsure(self) -> str:
        """What is sent at once though a line may not have meant it, or "": own words, and what lasts."""
        match self.state.outcome:
            case Answered((answer,)) if not self.has_review and self.state.page.question.kind is Kind.CHOICE:
                act = self.state.page.question.act_of(answer)
                return answer.other if act is None else answer.selected[0] * act.lasts
        return ""

    def answer_question(self, answer: Answer) -> Interview:
        """Take an answer, or that there is none, and go on; raises `TypedError` for what does not fit."""
        if self.state.page.question.acts:
            return self._ended(Answered((answer,)))  # with its words
        page = page_answered(self.state.page, answer)
        if page.problem or page.lacking:
            raise TypedError(page.problem or _needed(page.question))
        return self._on(page)

    def keep(self) -> Interview:
        """Confirm what is proposed or was answered before; raises `TypedError` where there is nothing."""
        page = self.state.page
        if page.is_field and page.is_empty and page.question.options and not self.has_review:
            return self._ended(Answered((Answer((page.question.options[0].label,)),)))
        if not (page.answered or page.proposed):
            raise TypedError(page.problem or _needed(page.question))
        return self._on(replace(page, draft=replace(page.draft, taken=True)))

    def skip(self) -> Interview:
        """Leave a question empty, and go on; raises `TypedError` for a required one."""
        question = self.state.page.question
        if question.optional:
            return self.answer_question(Answer())
        if question.required or not self.has_review:
            raise TypedError(_needed(question))
        return self._on(self.state.page)

    def back(self) -> Interview:
        """Go to the question before; the same at the first."""
        tabs = self.state.all_tabs
        return self.at(tabs[max(tabs.index(self.state.tab) - 1, 0)])

    def at(self, place: int) -> Interview:
        """Go to a question by its place in the set, from 0."""
        return replace(self, state=replace(turn_to(self.state, place), aside=""), back_to_review=False)

    def turn(self, number: int) -> Interview:
        """Go to a question by its number among those that are asked; from the review it leads back there."""
        if not 1 <= number <= self.count:
            raise TypedError(f"a number from 1 to {self.count} goes back to that question")
        return replace(self.at(self.state.asked_tabs[number - 1]), back_to_review=self.state.in_review)

    def review(self) -> Interview:
        """Go to the review; without one to the first gap, else the last question."""
        if self.has_review:
            return self.at(len(self.state.pages))
        return self.at((*self.state.gaps, self.state.asked_tabs[-1])[0])

    def note(self, text: str) -> Interview:
        """Put a remark beside the answer in front; it is no answer."""
        return replace(self, state=self.state.with_draft(note=text))

    def reply(self, text: str) -> Interview:
        """Answer the whole set in prose."""
        return self._ended(replace(self.state, discussion=text).discussed)

    def keep_aside(self, then: Interview) -> Interview:
        """Keep what a step that is not taken has typed: in the draft, and no part of an answer."""
        match then.state.outcome:
            case Discussed(text):
                return replace(self, state=replace(self.state, discussion=text))
            case Answered((answer,)) if answer.other and not self.state.page.question.acts:
                return replace(self, state=self.state.with_draft(other=answer.other, other_on=False))
        return self

    def decline(self, *, dismiss: bool = False) -> Interview:
        """Choose nothing: decline all of it, or dismiss a form undecided."""
        return self._ended(Dismissed() if dismiss else Declined())

    def confirm(self) -> Interview:
        """Confirm all of it; or turn to the question that stands against it, with `problem`."""
        return replace(self, state=confirm(self.state))

    def given(self, answers: Sequence[Answer | None]) -> Interview:
        """Fill the draft from data, and go to what is left, or the review; nothing is settled by it."""
        pairs = zip(self.state.pages, answers, strict=True)
        pages = tuple(page if one is None else page_answered(page, one) for page, one in pairs)
        filled = replace(self, state=replace(self.state, pages=pages))
        return filled.at(filled.state.gaps[0]) if filled.state.gaps else filled.review()

    def _on(self, page: Page) -> Interview:
        """Go on from a question with an answer in its page."""
        then = replace(self, state=self.state.shown_as(page))
        if self.has_review:
            return then.review() if self.back_to_review else then.at(following(then.state))
        left = [place for place in then.state.gaps if place > self.state.tab] or then.state.gaps
        return then.at(left[0]) if left else then.confirm()

    def _ended(self, outcome: Outcome | Dismissed) -> Interview:
        return replace(self, state=replace(self.state, outcome=outcome))


def _needed(question: Question) -> str:
    return f"an answer is needed · {allowed(question)}"
