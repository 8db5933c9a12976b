"""The text field of a panel, by the name under which the prompt knows it."""

from ccq_tui.widgets.panel.field import AnswerField

__all__ = ["AnswerField"]
