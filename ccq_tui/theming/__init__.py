"""Colour themes: read from files, checked, given to Textual; a bad one gives a notice, never an exception."""

from ccq_tui.theming.filters import line_filters
from ccq_tui.theming.load import (
    DEFAULT_THEME,
    ChangedThemes,
    ThemeWatch,
    install,
    load_themes,
    theme_file,
    theme_names,
)
from ccq_tui.theming.own_colours import complete, textual_theme, variable_defaults
from ccq_tui.theming.read import ThemeFile, ThemeFileError, read_theme

__all__ = [
    "DEFAULT_THEME",
    "ChangedThemes",
    "ThemeFile",
    "ThemeFileError",
    "ThemeWatch",
    "complete",
    "install",
    "line_filters",
    "load_themes",
    "read_theme",
    "textual_theme",
    "theme_file",
    "theme_names",
    "variable_defaults",
]
