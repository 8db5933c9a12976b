"""A command's output in the theme's colours, by the escape sequences in it."""

from __future__ import annotations

import colorsys
from collections.abc import Callable
from functools import lru_cache
from itertools import zip_longest

from rich.ansi import AnsiDecoder
from rich.color import Color
from rich.style import Style
from rich.text import Text

from ccq_tui.text import TAB_SIZE, safe
from ccq_tui.transcript.sgr import SEQUENCE, plain

_HUES = ("muted", "error", "success", "warning", "keyword", "secondary", "name", "")
"""The theme's colours for black, red, green, yellow, blue, magenta, cyan and white."""
_GREY = 0.25
"""Saturation below which a colour is a grey."""
_DARK = 0.6
"""Lightness below which a grey counts as muted."""


def coloured(text: str, base: Style, named: Callable[[str], Style]) -> Text:
    """Draw a text with sequences; ``named`` returns the style of one of the theme's colours."""
    whole = safe(plain(text))
    pieces = SEQUENCE.split(text)
    decoder, drawn, column = AnsiDecoder(), Text(), 0
    for piece, codes in zip_longest(pieces[::2], pieces[1::2]):
        shown, column = _expanded(piece, column)
        drawn.append(safe(shown), base + _look(decoder.style, named))
        if codes is not None:
            decoder.decode_line(f"\x1b[{codes.replace(':', ';')}m")
    # A suspect sequence may span several pieces: then draw the text harmless and plain.
    return drawn if drawn.plain == whole else Text(whole, base)


def _expanded(text: str, column: int) -> tuple[str, int]:
    """Return a piece with its tabs as blanks, and the column behind it."""
    whole = (" " * column + text).expandtabs(TAB_SIZE)
    return whole[column:], len(whole) - whole.rfind("\n") - 1


def _look(style: Style, named: Callable[[str], Style]) -> Style:
    name = (_name_of(style.color) if style.color else "") or ("muted" if style.dim else "")
    ground = style.reverse or (style.bgcolor is not None and not style.bgcolor.is_default)
    look = Style(
        bold=style.bold or ground or None,
        italic=style.italic or None,
        underline=style.underline or None,
        strike=style.strike or None,
    )
    return named(name) + look if name else look


@lru_cache(maxsize=512)
def _name_of(colour: Color) -> str:
    """Return the theme's colour for any colour by its hue; the theme chooses the lightness."""
    if colour.is_default:
        return ""
    if colour.number is not None and colour.number < 16:
        return _HUES[colour.number % 8]
    red, green, blue = (part / 255 for part in colour.get_truecolor())
    hue, lightness, saturation = colorsys.rgb_to_hls(red, green, blue)
    if saturation < _GREY:
        return "muted" if lightness < _DARK else ""
    return ("error", "warning", "success", "name", "keyword", "secondary")[round(hue * 6) % 6]
