"""The parts shared by every panel that is docked in place of the prompt and asks a person something."""

from ccq_tui.widgets.panel.request_panel import RequestPanel

__all__ = ["RequestPanel"]
