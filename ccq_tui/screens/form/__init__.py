"""The small app in which a person fills in one form."""

from ccq_tui.screens.form.app import show_form

__all__ = ["show_form"]
