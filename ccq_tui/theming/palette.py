"""The program's own colours and text styles (``$ccq-...`` in style sheets), and how any theme gets them."""

from __future__ import annotations

from dataclasses import replace

from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme

MIXED = {
    "ccq-muted": ("foreground", "background", 0.35),
    "ccq-cursor": ("panel", "primary", 0.2),
    "ccq-selected": ("success", "success", 0.0),
    "ccq-note": ("secondary", "secondary", 0.0),
    "ccq-badge": ("warning", "warning", 0.0),
    "ccq-rule": ("foreground", "background", 0.75),
    "ccq-user": ("primary", "foreground", 0.3),
    # Textual's own are half transparent: what the transcript draws with them could not be read.
    "screen-selection-background": ("panel", "primary", 0.35),
    "screen-selection-foreground": ("foreground", "foreground", 0.0),
}
"""How the program's own colours come about where a theme does not set them: from, towards, how far."""
ANSI = {
    "ccq-muted": "ansi_bright_black",
    "ccq-cursor": "ansi_black",
    "ccq-selected": "ansi_green",
    "ccq-note": "ansi_magenta",
    "ccq-badge": "ansi_yellow",
    "ccq-rule": "ansi_bright_black",
    "ccq-user": "ansi_blue",
    "screen-selection-background": "ansi_cyan",
    "screen-selection-foreground": "ansi_black",
}
"""The same for themes that use the terminal's own sixteen colours, which cannot be mixed."""


STYLES = {
    "ccq-selected-style": "bold",
    "ccq-badge-style": "none",
    "ccq-note-style": "italic",
    "ccq-warning-style": "bold",
    "ccq-alarm-style": "none",
    "ccq-keyword-style": "none",
    "ccq-string-style": "none",
}
"""How text is drawn beside its colour, so that a theme can say without colour what others say with it."""


def complete(theme: Theme) -> Theme:
    """Give a theme the program's own colours where it has none.

    Args:
        theme: Any theme, Textual's own included.

    Returns:
        A theme that can be used.
    """
    return replace(theme, variables={**_own_colours(theme), **theme.variables})


def variable_defaults() -> dict[str, str]:
    """Give values for the program's own colours to style sheets under a theme that has none.

    Returns:
        What `App.get_theme_variable_defaults` should return.
    """
    return _own_colours(BUILTIN_THEMES["textual-dark"])


def _own_colours(theme: Theme) -> dict[str, str]:
    generated = theme.to_color_system().generate()
    if any(Color.parse(generated[name]).ansi is not None for name in ("foreground", "background")):
        return {**ANSI, **STYLES}
    mixed = {
        name: Color.parse(generated[start]).blend(Color.parse(generated[end]), share).hex6
        for name, (start, end, share) in MIXED.items()
    }
    return {**mixed, **STYLES}
