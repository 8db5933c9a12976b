"""Colours for terminals with sixteen of them or none."""

from __future__ import annotations

import colorsys
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.color import Color
from textual.filter import LineFilter, Monochrome

from ccq_tui.theming.own_colours import READABLE, contrast

FEW = frozenset({"standard", "windows"})
"""Colour systems of sixteen colours."""
SIXTEEN = (
    (0, 0, 0), (170, 0, 0), (0, 170, 0), (170, 85, 0),
    (0, 0, 170), (170, 0, 170), (0, 170, 170), (170, 170, 170),
    (85, 85, 85), (255, 85, 85), (85, 255, 85), (255, 255, 85),
    (85, 85, 255), (255, 85, 255), (85, 255, 255), (255, 255, 255),
)  # fmt: skip
"""The sixteen colours as most terminals draw them, by number."""
GREYS = {0: 0.0, 8: 0.5, 7: 0.66, 15: 1.0}
"""Greys with the lightness that each represents: dark text is drawn black, and only fainter text grey."""
HUES = {0: (1, 9), 60: (3, 11), 120: (2, 10), 180: (6, 14), 240: (4, 12), 300: (5, 13), 360: (1, 9)}
"""The darker and the lighter colour for each hue in degrees."""
YELLOW, BROWN, VIVID = 60.0, (15.0, 40.0), 0.8
"""The hue of the yellows, the range of hues of browns, and the saturation from which they are oranges."""
HUELESS = 0.25
"""Highest saturation of a colour that is drawn as a grey."""
SOLID = 3.0
"""Lowest contrast with its surroundings of a background that is a block, such as a caret, and not a shade."""


class NoColours(LineFilter):
    """A filter that keeps text styles; a block of colour, and the label under the cursor, become reversed."""

    def __init__(self, band: str, muted: str) -> None:
        super().__init__()
        self._band, self._muted = (Color.parse(colour).rich_color for colour in (band, muted))

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Remove the colours from a line."""
        return [
            Segment(text, style and _without_colours(style, background, self._is_label(text, style)), control)
            for text, style, control in segments
        ]

    def _is_label(self, text: str, style: Style) -> bool:
        """Whether a text is a label in the cursor's band: signs, badges and faint texts are none."""
        faint = style.color == self._muted or style.italic
        return style.bgcolor == self._band and not faint and any(map(str.isalnum, text))


@lru_cache(4096)
def _without_colours(style: Style, background: Color, label: bool) -> Style:
    bare, ground = style.without_color, style.bgcolor or RichColor.default()
    solid = not ground.is_default and contrast(tuple(ground.get_truecolor()), background.rgb) >= SOLID
    return bare + Style(reverse=not bare.reverse) if label or solid else bare


class NoLines(LineFilter):
    """A filter that leaves out drawn lines and blocks, whose characters a screen reader would read."""

    def apply(self, segments: list[Segment], _background: Color) -> list[Segment]:
        """Put blanks in their place."""
        return [Segment(text.translate(_DRAWN), style, control) for text, style, control in segments]


_DRAWN = dict.fromkeys(range(0x2500, 0x25A0), " ")
NO_LINES = NoLines()


class FewColours(LineFilter):
    """A filter to the terminal's sixteen colours that keeps every text readable, and keeps hues."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Draw a line in the nearest of the sixteen colours."""
        return [
            Segment(text, style and _with_few(style, background), control)
            for text, style, control in segments
        ]


@lru_cache(4096)
def _with_few(style: Style, background: Color) -> Style:
    fore = style.color.triplet if style.color is not None else None
    ground = style.bgcolor.triplet if style.bgcolor is not None else None
    back = ground_of(tuple(ground) if ground is not None else background.rgb)
    return style + Style(
        color=RichColor.from_ansi(text_of(tuple(fore), back)) if fore is not None else None,
        bgcolor=RichColor.from_ansi(back) if ground is not None else None,
    )


def ground_of(rgb: tuple[int, ...]) -> int:
    """Return the number of the colour for a background: all dark ones share one, and so do all light ones."""
    hue, light, saturation = _hls(rgb)
    if light < 0.35 or light > 0.8:
        return 0 if light < 0.35 else 15
    return HUES[_nearest_hues(hue)[0]][light > 0.5] if saturation > HUELESS else 7


def text_of(rgb: tuple[int, ...], ground: int) -> int:
    """Return the number of the colour for a text: of its hue if that is readable, else a grey."""
    hue, light, saturation = _hls(rgb)
    if saturation > HUELESS:
        # Sand or brown is drawn as dark yellow: as a red it would look like an error.
        brown = BROWN[0] <= hue <= BROWN[1] and saturation < VIVID
        for pair in (HUES[one] for one in _nearest_hues(YELLOW if brown else hue)[:2]):
            by_light = sorted(pair, key=lambda number: abs(_hls(SIXTEEN[number])[1] - light))
            if readable := [number for number in by_light if _reads(number, ground)]:
                return readable[0]
    by_light = sorted(GREYS, key=lambda number: abs(GREYS[number] - light))
    readable = [number for number in by_light if _reads(number, ground)]
    return readable[0] if readable else max(0, 15, key=lambda number: _contrast_of(number, ground))


def _reads(number: int, ground: int) -> bool:
    return _contrast_of(number, ground) >= READABLE


def _contrast_of(number: int, ground: int) -> float:
    return contrast(SIXTEEN[number], SIXTEEN[ground])


def _nearest_hues(hue: float) -> list[int]:
    return sorted(HUES, key=lambda one: abs(one - hue))


def _hls(rgb: Sequence[float]) -> tuple[float, float, float]:
    red, green, blue = (part / 255 for part in rgb[:3])
    hue, light, saturation = colorsys.rgb_to_hls(red, green, blue)
    return hue * 360, light, saturation


_FEW = FewColours()
_without = lru_cache(NoColours)


def line_filters(app: App[Any], usual: Sequence[LineFilter]) -> Sequence[LineFilter]:
    """Return the filters for each line on its way to the terminal; ``usual`` are Textual's own."""
    if app.no_color:
        return [_without(*(app.theme_variables[name] for name in ("ccq-cursor", "ccq-muted")))]
    if app.console.color_system in FEW and not app.native_ansi_color:
        return [*usual, _FEW]
    return [one for one in usual if not isinstance(one, Monochrome)]
