"""What a question panel tells the screen: facts, each with the panel it is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

from ccq_tui.questions.outcome import Outcome
from ccq_tui.questions.state import PanelState

if TYPE_CHECKING:
    from ccq_tui.widgets.question.panel import QuestionPanel


class PanelMessage(Message, namespace="question_panel"):
    """Something happened in a panel."""

    def __init__(self, panel: QuestionPanel) -> None:
        super().__init__()
        self.panel = panel

    @property
    def control(self) -> QuestionPanel:
        """The panel."""
        return self.panel


class Changed(PanelMessage, namespace="question_panel"):
    """The state is another one: a draft to keep."""

    def __init__(self, panel: QuestionPanel, state: PanelState) -> None:
        super().__init__(panel)
        self.state = state


class Hidden(Changed, namespace="question_panel"):
    """The person folded the panel away; nothing is discarded."""


class Ended(PanelMessage, namespace="question_panel"):
    """The person confirmed, discussed or declined the set."""

    def __init__(self, panel: QuestionPanel, outcome: Outcome) -> None:
        super().__init__(panel)
        self.outcome = outcome


class EditorWanted(PanelMessage, namespace="question_panel"):
    """The person wants the open text in an editor of their own; `QuestionPanel.put_text` brings it back."""

    def __init__(self, panel: QuestionPanel, text: str) -> None:
        super().__init__(panel)
        self.text = text
