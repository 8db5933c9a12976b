"""Colour themes: read from files, checked, given to Textual; a bad one gives a notice, never an exception."""

from ccq_tui.theming.filters import NO_LINES, line_filters
from ccq_tui.theming.load import install, load_themes, read_theme, theme_names
from ccq_tui.theming.own_colours import complete, textual_theme, variable_defaults

__all__ = [
    "NO_LINES",
    "complete",
    "install",
    "line_filters",
    "load_themes",
    "read_theme",
    "textual_theme",
    "theme_names",
    "variable_defaults",
]
