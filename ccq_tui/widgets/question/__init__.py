"""The question panel: draws the state of an open question set and sends it events."""

from ccq_tui.widgets.question.panel import QuestionPanel

__all__ = ["QuestionPanel"]
