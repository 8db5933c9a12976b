"""The panel of each kind of request."""

from __future__ import annotations

from ccq_tui.inbox.draft import Draft
from ccq_tui.widgets.decision import DecisionPanel
from ccq_tui.widgets.question import QuestionPanel

Panel = QuestionPanel | DecisionPanel
PANELS: tuple[type[Panel], ...] = (QuestionPanel, DecisionPanel)


def panel_kind(draft: Draft) -> type[Panel]:
    """Return the panel that asks a request."""
    return DecisionPanel if draft.page.question.acts else QuestionPanel
