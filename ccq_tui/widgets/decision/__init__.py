"""The decision panel: a permission or a plan, docked where the questions are."""

from ccq_tui.widgets.decision.panel import DecisionPanel

__all__ = ["DecisionPanel"]
