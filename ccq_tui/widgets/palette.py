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


VARIABLES = (
    "foreground",
    "primary",
    "warning",
    "error",
    "success",
    "ccq-muted",
    "ccq-selected",
    "ccq-selected-style",
    "ccq-badge",
    "ccq-badge-style",
    "ccq-note",
    "ccq-note-style",
    "ccq-warning-style",
    "ccq-cursor",
    "ccq-rule",
)
"""Theme variables that define the roles."""
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
    return _palette(tuple(variables[name] for name in VARIABLES))


@lru_cache(maxsize=THEMES)
def _palette(values: tuple[str, ...]) -> Palette:
    of = dict(zip(VARIABLES, values, strict=True))
    return Palette(
        plain=_style(of["foreground"]),
        strong=_style(of["foreground"], "bold"),
        muted=_style(of["ccq-muted"]),
        accent=_style(of["primary"], "bold"),
        on=_style(of["ccq-selected"], of["ccq-selected-style"]),
        badge=_style(of["ccq-badge"], of["ccq-badge-style"]),
        note=_style(of["ccq-note"], of["ccq-note-style"]),
        warning=_style(of["warning"], of["ccq-warning-style"]),
        alarm=_style(of["error"], "bold reverse"),
        cursor=Style(bgcolor=_colour(of["ccq-cursor"])),
        rule=_style(of["ccq-rule"]),
        added=_style(of["success"]),
        removed=_style(of["error"]),
    )


def _style(colour: str, text_style: str = "none") -> Style:
    return Style(color=_colour(colour)) + Style.parse(text_style)


def _colour(value: str) -> RichColor:
    """Return a colour of a theme without its share (``#fff 30%``), which has no meaning for text."""
    return Color.parse(value.partition(" ")[0]).rich_color
