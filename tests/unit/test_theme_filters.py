"""Terminals with sixteen colours, and people who want none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.segment import Segment
from rich.style import Style
from textual.color import Color

from ccq_tui.theming import load_themes
from ccq_tui.theming.filters import SIXTEEN, NoColours, ground_of, text_of
from tests.unit.colours import contrast

PART = st.integers(0, 255)
COLOURS = st.tuples(PART, PART, PART)
DARK = Color.parse("#14161b")
NO_COLOURS = NoColours("#303030", "#9e9e9e")


def drawn(number: int) -> Color:
    return Color(*SIXTEEN[number])


@given(COLOURS, COLOURS)
def test_every_text_can_be_read_in_sixteen_colours(text: tuple[int, ...], ground: tuple[int, ...]) -> None:
    back = ground_of(ground)
    best = max(contrast(drawn(number), drawn(back)) for number in range(16))
    assert contrast(drawn(text_of(text, back)), drawn(back)) >= min(4.5, best)


@pytest.mark.parametrize("theme", load_themes()[0], ids=lambda theme: str(theme.name))
def test_states_keep_their_hue_and_grounds_are_one(theme: object) -> None:
    values = {**theme.to_color_system().generate(), **theme.variables}  # type: ignore[attr-defined]
    grounds = {ground_of(Color.parse(values[name]).rgb) for name in ("background", "surface", "panel")}
    assert len(grounds) == 1
    ground = grounds.pop()
    assert ground_of(Color.parse(values["ccq-cursor"]).rgb) == ground
    states = {
        name: text_of(Color.parse(values[name]).rgb, ground) for name in ("success", "warning", "error")
    }
    mark = text_of(Color.parse(values["accent"]).rgb, ground)
    if values["background"] != "#121212":
        assert mark != states["error"], "what one chose oneself would look like an error"
    faint, plain = (text_of(Color.parse(values[name]).rgb, ground) for name in ("ccq-muted", "foreground"))
    assert faint != plain
    if values["background"] != "#121212":
        assert len(set(states.values())) == 3
    else:
        assert set(states.values()) <= {7, 15}


@given(st.lists(st.sampled_from(["bold red", "#8fc79a on #1f232c", "reverse blue", "underline"]), max_size=4))
def test_no_colour_is_left_and_text_styles_stay(styles: list[str]) -> None:
    before = [Segment("x", Style.parse(style)) for style in styles] + [Segment("y")]
    after = NO_COLOURS.apply(before, DARK)
    assert [segment.text for segment in after] == [segment.text for segment in before]
    for one, other in zip(before, after, strict=True):
        if one.style is None or other.style is None:
            assert one.style is other.style
            continue
        assert other.style.color is None
        assert other.style.bgcolor is None
        assert (one.style.bold, one.style.underline) == (other.style.bold, other.style.underline)


def test_a_block_of_colour_is_reversed_and_a_shade_is_not() -> None:
    caret, shade = Style.parse("#14161b on #d9dce3"), Style.parse("#d9dce3 on #2a3344")
    after = NO_COLOURS.apply([Segment("a", caret), Segment("b", shade)], DARK)
    assert after[0].style == Style(reverse=True)
    assert after[1].style == Style()


def test_the_label_under_the_cursor_is_reversed_and_its_description_and_marks_are_not() -> None:
    plain, muted = Style.parse("#dcdcdc on #303030"), Style.parse("#9e9e9e on #303030")
    parts = [
        (" ❯ ○ ", plain),
        ("1  ", muted),
        ("Luxon", plain),
        ("Best time zones", muted),
        ("   ", plain),
        ("★ recommended", plain + Style(italic=True)),
    ]
    after = NO_COLOURS.apply([Segment(*part) for part in parts], DARK)
    assert [segment.text for segment in after if segment.style and segment.style.reverse] == ["Luxon"]
