"""What a question set is and how it is answered: pure data and a pure state machine."""

from ccq_tui.questions.model import Answer, Kind, Option, Question, QuestionSet
from ccq_tui.questions.outcome import Answered, Declined, Discussed, Expired, Outcome

__all__ = [
    "Answer",
    "Answered",
    "Declined",
    "Discussed",
    "Expired",
    "Kind",
    "Option",
    "Outcome",
    "Question",
    "QuestionSet",
]
