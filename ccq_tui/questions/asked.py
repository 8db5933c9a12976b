"""A request, or a form before it is one, as a person is asked it on every surface."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ccq_tui.questions.model import Act, Question, QuestionSet


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

    def offered(self, *, lasting: bool) -> Asked:
        """Return it without the ways to decide that a surface may not take; the marks stay."""
        if lasting or not self.acts:
            return self
        kept = [at for at, act in enumerate(self.acts) if not act.lasts]
        options = tuple(self.question.options[at] for at in kept)
        question = replace(self.question, options=options)
        values = tuple(self.values[0][at] for at in kept)
        return Asked(replace(self.questions, questions=(question,)), values=(values,))

    def named_values(self, place: int) -> tuple[Any, ...]:
        """Return what the options of a question may also be called: their recorded values."""
        return self.values[place] if self.values and not self.acts else ()
