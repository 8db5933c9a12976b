"""A request as a person is asked it, on every surface."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ccq_tui.questions.model import Act, Question, QuestionSet

if TYPE_CHECKING:
    from ccq_tui.questions.schema_form import SchemaForm


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as a question set.

    Attributes:
        questions: The set; that of a decision is one closed question, whose options are acts.
        values: What each option of a decision stands for.
        form: The form of a server, or None.
    """

    questions: QuestionSet
    values: tuple[Any, ...] = ()
    form: SchemaForm | None = None

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
        values = tuple(self.values[at] for at in kept)
        return Asked(replace(self.questions, questions=(question,)), values)
