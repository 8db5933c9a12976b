"""The styles of the theme in use, as panels draw with them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from rich.color import Color as RichColor
from rich.style import Style
from textual.color import Color
from textual.widget import Widget


@dataclass(frozen=True, slots=True)
class Palette:
    """One style for each role of text in a panel."""

    plain: Style
    strong: Style
    muted: Style
    accent: Style
    on: Style
    badge: Style
    note: Style
    warning: Style
    alarm: Style
    cursor: Style
    added: Style
    removed: Style
    rule: Style
    added_ground: Style
    removed_ground: Style


ROLES = {
    "plain": ("foreground", "none"),
    "strong": ("foreground", "bold"),
    "muted": ("ccq-muted", "none"),
    "accent": ("primary", "bold"),
    "on": ("ccq-selected", "ccq-selected-style"),
    "badge": ("ccq-badge", "ccq-badge-style"),
    "note": ("ccq-note", "ccq-note-style"),
    "warning": ("warning", "ccq-warning-style"),
    "alarm": ("error", "bold reverse"),
    "cursor": ("ccq-cursor", "none"),
    "added": ("success", "none"),
    "removed": ("error", "none"),
    "rule": ("ccq-rule", "none"),
    "added_ground": ("ccq-added", "none"),
    "removed_ground": ("ccq-removed", "none"),
}
"""The colour of each role, a variable of the theme, and its text style, a variable or the style itself."""
GROUNDS = ("cursor", "added_ground", "removed_ground")
"""The roles that are grounds: of the row with the cursor, of added lines, of removed ones."""
THEMES = 32
"""Number of themes whose palettes are kept."""
APP_CSS = """
Transcript {
    & .transcript--error, & .transcript--warning { text-style: $ccq-alarm-style; }
    & .transcript--keyword { text-style: $ccq-keyword-style; }
    & .transcript--string { text-style: $ccq-string-style; }
}
"""
"""The app's own style sheet: the transcript's text styles of the theme, beside its colours."""


def palette_of(widget: Widget) -> Palette:
    """Return the styles of the theme in use.

    Component classes would do the same, but are resolved for each widget, each time its classes or its
    focus change, which was a tenth of the program's work.
    """
    variables = widget.app.theme_variables
    pairs = ((variables[colour], variables.get(style, style)) for colour, style in ROLES.values())
    return _palette(tuple(pairs))


@lru_cache(maxsize=THEMES)
def _palette(pairs: tuple[tuple[str, str], ...]) -> Palette:
    styles = {
        role: Style(color=_colour(colour)) + Style.parse(style)
        for role, (colour, style) in zip(ROLES, pairs, strict=True)
    }
    styles |= {role: Style(bgcolor=styles[role].color) for role in GROUNDS}
    return Palette(**styles)


def _colour(value: str) -> RichColor:
    """Return a colour of a theme without its share (``#fff 30%``), which has no meaning for text."""
    return Color.parse(value.partition(" ")[0]).rich_color
