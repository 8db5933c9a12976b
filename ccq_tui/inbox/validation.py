"""What a request takes as its outcome: checked before anything is committed, whichever surface answers."""

from __future__ import annotations

from collections import Counter

from ccq_tui.inbox.choices import PLAN_CHOICES
from ccq_tui.inbox.requests import (
    Allowed,
    Cancelled,
    Denied,
    PermissionRequest,
    PlanRequest,
    QuestionRequest,
    Request,
    RequestOutcome,
)
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.questions import Answer, Answered, Declined, Discussed, Expired, Kind, Question, QuestionSet
from ccq_tui.questions.numbers import number_problem
from ccq_tui.text import one_line

PLAN_MODES = frozenset({"", *(choice.mode for choice in PLAN_CHOICES)})


class InvalidOutcome(InboxError):  # noqa: N818 - says what the outcome is
    """A request does not take an outcome; nothing was changed.

    Attributes:
        field: What is wrong with it: a path such as ``answers[0].selected``, or "" for all of it.
        reason: Why, for a person.
    """

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}" if field else reason)
        self.field = field
        self.reason = reason


def check_outcome(request: Request, outcome: RequestOutcome) -> None:
    """Refuse an outcome that a request does not take.

    Args:
        request: The request.
        outcome: How it is to end.

    Raises:
        InvalidOutcome: With the field and the reason.
    """
    match request, outcome:
        case _, Cancelled():
            pass
        case QuestionRequest(questions=questions), Answered(answers):
            _check_answers(questions, answers)
        case QuestionRequest(questions=questions), Discussed(text, answers):
            if not text.strip():
                raise InvalidOutcome("text", "an empty reply says nothing")
            if answers:
                _check_count(questions, answers)
        case QuestionRequest(), Declined() | Expired():
            pass
        case PermissionRequest() | PlanRequest(), Denied():
            pass
        case PermissionRequest(), Allowed():
            _check_permission(request, outcome)
        case PlanRequest(), Allowed():
            _check_plan(outcome)
        case _:
            raise InvalidOutcome("", f"{_called(request)} cannot end as “{type(outcome).__name__.lower()}”")


def _called(request: Request) -> str:
    match request:
        case QuestionRequest():
            return "a question set"
        case PermissionRequest():
            return "a permission"
        case PlanRequest():
            return "a plan"


def _check_count(questions: QuestionSet, answers: tuple[Answer, ...]) -> None:
    if (count := len(questions.questions)) != len(answers):
        raise InvalidOutcome("answers", f"{count} answers are needed, one a question, not {len(answers)}")


def _check_answers(questions: QuestionSet, answers: tuple[Answer, ...]) -> None:
    _check_count(questions, answers)
    for number, (question, answer) in enumerate(zip(questions.questions, answers, strict=True)):
        field = f"answers[{number}]"
        if question.kind is Kind.CHOICE:
            _check_choice(field, question, answer)
        else:
            _check_text(field, question, answer)


def _check_choice(field: str, question: Question, answer: Answer) -> None:
    labels = Counter(option.label for option in question.options)
    if beyond := Counter(answer.selected) - labels:
        label = one_line(next(iter(beyond)), 40)
        raise InvalidOutcome(f"{field}.selected", f"there is no option “{label}”, or not so often")
    if answer.other and not answer.other.strip():
        raise InvalidOutcome(f"{field}.other", "a blank text is no answer")
    if answer.empty and not question.multi_select:
        raise InvalidOutcome(f"{field}.empty", "the question takes one choice, not none")
    if answer.empty and (answer.selected or answer.other):
        raise InvalidOutcome(f"{field}.empty", "something is selected or typed, too")
    if not question.multi_select and len(answer.selected) + bool(answer.other) > 1:
        raise InvalidOutcome(f"{field}.selected", "the question takes one choice")


def _check_text(field: str, question: Question, answer: Answer) -> None:
    if answer.selected:
        raise InvalidOutcome(f"{field}.selected", "the question has no options")
    if answer.empty:
        raise InvalidOutcome(f"{field}.empty", f"the question takes a {question.kind}, not a selection")
    if answer.other and not answer.other.strip():
        raise InvalidOutcome(f"{field}.other", "a blank text is no answer")
    if answer.other and question.kind is Kind.NUMBER and (problem := number_problem(question, answer.other)):
        raise InvalidOutcome(f"{field}.other", problem.replace(" · ", ": "))


def _check_permission(request: PermissionRequest, outcome: Allowed) -> None:
    if outcome.suggestion is not None and outcome.suggestion not in request.suggestions:
        raise InvalidOutcome("suggestion", "this lasting permission was not suggested")
    for name in ("mode", "plan"):
        if getattr(outcome, name):
            raise InvalidOutcome(name, "only a plan takes it")


def _check_plan(outcome: Allowed) -> None:
    if outcome.suggestion is not None:
        raise InvalidOutcome("suggestion", "only a permission takes it")
    if outcome.mode not in PLAN_MODES:
        raise InvalidOutcome("mode", f"a plan is not carried out in “{one_line(outcome.mode, 40)}”")
