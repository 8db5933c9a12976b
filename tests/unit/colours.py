"""What eyes make of colours: WCAG 2 contrast, and colours as people see them who lack a kind of cone."""

from textual.color import Color

Triple = tuple[float, float, float]
EYES: dict[str, tuple[Triple, Triple, Triple]] = {
    "usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": (
        (0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998),
    ),
    "deutan": (
        (0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881),
    ),
    "tritan": (
        (1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900),
    ),
}  # fmt: skip
"""Machado, Oliveira and Fernandes (2009), severity 1, for linear RGB."""


def linear(colour: Color) -> list[float]:
    """Take the gamma out of a colour."""
    return [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour.normalized
    ]


def luminance(colour: Color) -> float:
    """Relative luminance as WCAG 2 defines it."""
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Color, other: Color) -> float:
    """Contrast of two opaque colours as WCAG 2 defines it, 1 to 21."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def difference(one: Color, other: Color, eyes: str) -> float:
    """How far apart two colours are for some eyes: CIE76, of which 2.3 can just be noticed."""
    pairs = zip(_lab(one, eyes), _lab(other, eyes), strict=True)
    return sum((left - right) ** 2 for left, right in pairs) ** 0.5


def _lab(colour: Color, eyes: str) -> Triple:
    parts = linear(colour)
    seen = [sum(share * part for share, part in zip(row, parts, strict=True)) for row in EYES[eyes]]
    red, green, blue = (min(1.0, max(0.0, part)) for part in seen)
    x = _root((0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505)
    y = _root(0.2126 * red + 0.7152 * green + 0.0722 * blue)
    z = _root((0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def _root(value: float) -> float:
    return value ** (1 / 3) if value > 0.008856 else 7.787 * value + 16 / 116
