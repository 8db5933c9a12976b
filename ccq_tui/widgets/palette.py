"""The styles of the theme in use, as panels draw with them."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, get_type_hints

from rich.color import Color as RichColor
from rich.style import Style
from textual.color import Color
from textual.widget import Widget


@dataclass(frozen=True, slots=True)
class Palette:
    """One style for each role of text in a panel.

    Beside each is its colour, a variable of the theme, and its text style, a variable or the style itself.
    """

    plain: Annotated[Style, "foreground", "none"]
    strong: Annotated[Style, "foreground", "bold"]
    muted: Annotated[Style, "ccq-muted", "none"]
    accent: Annotated[Style, "primary", "bold"]
    on: Annotated[Style, "ccq-selected", "ccq-selected-style"]
    badge: Annotated[Style, "ccq-badge", "ccq-badge-style"]
    note: Annotated[Style, "ccq-note", "ccq-note-style"]
    warning: Annotated[Style, "warning", "ccq-warning-style"]
    alarm: Annotated[Style, "error", "bold reverse"]
    cursor: Annotated[Style, "ccq-cursor", "none"]
    added: Annotated[Style, "success", "none"]
    removed: Annotated[Style, "error", "none"]
    rule: Annotated[Style, "ccq-rule", "none"]
    added_ground: Annotated[Style, "ccq-added", "none"]
    removed_ground: Annotated[Style, "ccq-removed", "none"]


ROLES = {role: hint.__metadata__ for role, hint in get_type_hints(Palette, include_extras=True).items()}
GROUNDS = ("cursor", "added_ground", "removed_ground")
"""The roles that are grounds: of the row with the cursor, of added lines, of removed ones."""


def palette_of(widget: Widget) -> Palette:
    """Return the styles of the theme in use.

    Component classes would do the same, but are resolved for each widget, each time its classes or its
    focus change, which was a tenth of the program's work.
    """
    variables = widget.app.theme_variables
    pairs = ((variables[colour], variables.get(style, style)) for colour, style in ROLES.values())
    return _palette(tuple(pairs))


@lru_cache(maxsize=32)  # number of themes whose palettes are kept
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
