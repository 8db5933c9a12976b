"""The panel of each kind of request."""

from __future__ import annotations

from ccq_tui.inbox.decision import DecisionState
from ccq_tui.inbox.draft import Draft
from ccq_tui.questions.state import PanelState
from ccq_tui.widgets.decision import DecisionPanel
from ccq_tui.widgets.question import QuestionPanel

Panel = QuestionPanel | DecisionPanel
PANELS: dict[type[Draft], type[Panel]] = {PanelState: QuestionPanel, DecisionState: DecisionPanel}
