"""Question sets and their answers: pure data and a pure state machine."""

from ccq_tui.questions.model import Answer, Condition, FieldRules, Kind, Option, Question, QuestionSet
from ccq_tui.questions.outcome import Answered, Declined, Discussed, Dismissed, Expired, Outcome

__all__ = [
    "Answer",
    "Answered",
    "Condition",
    "Declined",
    "Discussed",
    "Dismissed",
    "Expired",
    "FieldRules",
    "Kind",
    "Option",
    "Outcome",
    "Question",
    "QuestionSet",
]
