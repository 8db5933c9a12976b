"""What every panel shares that is docked in place of the prompt and asks a person something."""

from ccq_tui.widgets.panel.request_panel import RequestPanel

__all__ = ["RequestPanel"]
