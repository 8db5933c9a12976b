"""Colour themes: read from files, checked, given to Textual; a bad one is a notice, never an exception."""

from ccq_tui.theming.load import DEFAULT_THEME, install, load_themes, read_theme, theme_names
from ccq_tui.theming.model import ThemeFile
from ccq_tui.theming.palette import complete, variable_defaults

__all__ = [
    "DEFAULT_THEME",
    "ThemeFile",
    "complete",
    "install",
    "load_themes",
    "read_theme",
    "theme_names",
    "variable_defaults",
]
