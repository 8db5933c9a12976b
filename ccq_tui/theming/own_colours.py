"""The program's own colours and text styles (``$ccq-...`` in style sheets), for any theme."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from textual.color import BLACK, WHITE, Color
from textual.theme import BUILTIN_THEMES, Theme

MIXED = {
    "ccq-muted": ("foreground", "background", 0.35, "bright_black"),
    "ccq-cursor": ("panel", "primary", 0.2, "black"),
    "ccq-selected": ("success", "success", 0.0, "green"),
    "ccq-note": ("secondary", "secondary", 0.0, "magenta"),
    "ccq-badge": ("warning", "warning", 0.0, "yellow"),
    "ccq-rule": ("foreground", "background", 0.75, "bright_black"),
    "ccq-added": ("surface", "success", 0.15, "default"),
    "ccq-removed": ("surface", "error", 0.15, "default"),
    "ccq-user": ("primary", "foreground", 0.3, "blue"),
    # Textual's own are half transparent: text that the transcript draws with them could not be read.
    "screen-selection-background": ("panel", "primary", 0.35, "cyan"),
    "screen-selection-foreground": ("foreground", "foreground", 0.0, "black"),
}
"""Mixtures for the program's own colours that a theme does not set: from, towards, how far.

The last is the colour for themes that use the terminal's own sixteen colours, which cannot be mixed.
"""


GROUNDS = ("background", "surface", "panel", "ccq-cursor")
"""The backgrounds of texts; the first shows whether it is a light theme."""
HUES = ("primary", "secondary", "accent", "success", "warning", "error")
"""A theme's colours for texts, used themselves and as ``text-...``."""
OWN_TEXTS = ("ccq-muted", "ccq-selected", "ccq-note", "ccq-badge", "ccq-user")
STEPS = 20

STYLES = {
    "ccq-selected-style": "bold",
    "ccq-badge-style": "none",
    "ccq-note-style": "italic",
    "ccq-warning-style": "bold",
    "ccq-alarm-style": "none",
    "ccq-keyword-style": "none",
    "ccq-string-style": "none",
}
"""Text styles beside the colours, so that a theme can show without colour what others show with it."""


def complete(theme: Theme) -> Theme:
    """Give a theme the program's own colours where it has none."""
    return replace(theme, variables={**_own_colours(theme), **theme.variables})


def textual_theme(name: str) -> Theme:
    """Return one of Textual's themes, with readable colours for texts.

    Textual uses some of its colours only on grounds that fit them; here all are colours of texts.
    """
    given = BUILTIN_THEMES[name]
    if _is_ansi(generated := given.to_color_system().generate()):
        return complete(given)
    own = _own_colours(given) | given.variables
    grounds = [Color.parse((generated | own)[ground]) for ground in GROUNDS]
    fields: dict[str, Any] = {name: _readable(generated[name], grounds) for name in ("foreground", *HUES)}
    theme = replace(given, **fields)
    texts = theme.to_color_system().generate() | own
    names = (*OWN_TEXTS, *(f"text-{hue}" for hue in HUES))
    selected, on = "screen-selection-foreground", Color.parse(own["screen-selection-background"])
    readable = {name: _readable(texts[name], grounds) for name in names}
    return replace(theme, variables={**own, **readable, selected: _readable(texts[selected], [on])})


def variable_defaults() -> dict[str, str]:
    """Return values of the program's own colours for style sheets under a theme that has none."""
    return _own_colours(BUILTIN_THEMES["textual-dark"])


def _own_colours(theme: Theme) -> dict[str, str]:
    generated = theme.to_color_system().generate()
    if _is_ansi(generated):
        return {**{name: f"ansi_{ansi}" for name, (*_, ansi) in MIXED.items()}, **STYLES}
    mixed = {
        name: Color.parse(generated[start]).blend(Color.parse(generated[end]), share).hex6
        for name, (start, end, share, _) in MIXED.items()
    }
    return {**mixed, **STYLES}


def _is_ansi(generated: Mapping[str, str]) -> bool:
    return any(Color.parse(generated[name]).ansi is not None for name in ("foreground", "background"))


def _readable(text: str, grounds: Sequence[Color]) -> str:
    """Blend a colour towards black or white until it is readable on all grounds, as far as possible."""
    given = Color.parse(text)
    end = max(BLACK, WHITE, key=lambda one: contrast(one.rgb, grounds[0].rgb))
    for step in range(STEPS + 1):
        colour = given.blend(end, step / STEPS)
        # Lowest contrast of a text on its ground.
        if all(contrast(colour.rgb, ground.rgb) >= 4.5 for ground in grounds):
            break
    return colour.hex6


def contrast(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the contrast of two colours, in parts of 255, as WCAG 2 defines it."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(rgb: Sequence[float]) -> float:
    parts = [part / 255 for part in rgb[:3]]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
