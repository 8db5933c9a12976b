"""People who want no colours."""

from hypothesis import given
from hypothesis import strategies as st
from rich.segment import Segment
from rich.style import Style
from textual.color import Color

from ccq_tui.theming.filters import NoColours

DARK = Color.parse("#14161b")
NO_COLOURS = NoColours("#303030", "#9e9e9e")


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
