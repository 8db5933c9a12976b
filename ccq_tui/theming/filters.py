"""What is drawn without colours, and without lines."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.color import Color
from textual.filter import LineFilter, Monochrome

from ccq_tui.theming.own_colours import contrast


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
    # With less contrast a background is a shade, and no block such as a caret.
    solid = not ground.is_default and contrast(tuple(ground.get_truecolor()), background.rgb) >= 3.0
    return bare + Style(reverse=not bare.reverse) if label or solid else bare


class NoLines(LineFilter):
    """A filter that leaves out drawn lines and blocks, whose characters a screen reader would read."""

    def apply(self, segments: list[Segment], _background: Color) -> list[Segment]:
        """Put blanks in their place."""
        return [
            Segment(re.sub("[\u2500-\u259f]", " ", text), style, control) for text, style, control in segments
        ]


NO_LINES = NoLines()


_without = lru_cache(NoColours)


def line_filters(app: App[Any], usual: Sequence[LineFilter]) -> Sequence[LineFilter]:
    """Return the filters for each line on its way to the terminal; ``usual`` are Textual's own."""
    if app.no_color:
        return [_without(*(app.theme_variables[name] for name in ("ccq-cursor", "ccq-muted")))]
    return [one for one in usual if not isinstance(one, Monochrome)]
