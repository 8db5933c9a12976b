"""The styles panels draw with: component classes of a widget, resolved for the theme in use."""

from __future__ import annotations

from dataclasses import dataclass, fields

from rich.style import Style
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
    cursor: Style


ROLES = tuple(field.name for field in fields(Palette))
COMPONENT_CLASSES = {f"panel--{role}" for role in ROLES}
PALETTE_CSS = """
    & > .panel--plain { color: $foreground; }
    & > .panel--strong { color: $foreground; text-style: bold; }
    & > .panel--muted { color: $ccq-muted; }
    & > .panel--accent { color: $primary; text-style: bold; }
    & > .panel--on { color: $ccq-selected; text-style: $ccq-selected-style; }
    & > .panel--badge { color: $ccq-badge; text-style: $ccq-badge-style; }
    & > .panel--note { color: $ccq-note; text-style: $ccq-note-style; }
    & > .panel--warning { color: $warning; text-style: $ccq-warning-style; }
    & > .panel--cursor { background: $ccq-cursor; }
"""
"""Goes inside the CSS block of a widget that has `COMPONENT_CLASSES`."""
APP_CSS = """
Transcript {
    & .transcript--error, & .transcript--warning { text-style: $ccq-alarm-style; }
    & .transcript--keyword { text-style: $ccq-keyword-style; }
    & .transcript--string { text-style: $ccq-string-style; }
}
"""
"""The app's own style sheet: what a theme says of the transcript beside its colours."""


def palette_of(widget: Widget) -> Palette:
    """Return the styles of a widget that has `COMPONENT_CLASSES`, in the theme in use."""
    return Palette(
        **{role: widget.get_component_rich_style(f"panel--{role}", partial=True) for role in ROLES}
    )
