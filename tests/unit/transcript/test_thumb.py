"""The thumb of the scroll bar: a bar that is not drawn anew looks as if it had been."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from textual.color import Color
from textual.scrollbar import ScrollBarRender

from ccq_tui.widgets.transcript.viewport import ends


def drawn(size: int, total: int, height: int, top: int) -> list[object]:
    window = height if height < total else 0
    white, black = Color.parse("white").rich_color, Color.parse("black").rich_color
    bar = ScrollBarRender.render_bar(
        size=size,
        virtual_size=total,
        window_size=window,
        position=top,
        back_color=black,  # type: ignore[arg-type]
        bar_color=white,  # type: ignore[arg-type]
    )
    return [(segment.text, segment.style) for segment in bar.segments]


@given(st.data())
def test_equal_ends_are_equal_pictures(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 50))

    def view() -> tuple[int, int, int]:
        total = data.draw(st.integers(1, 400))
        top = data.draw(st.integers(0, max(0, total - size)))
        return total, size, top

    one, other = view(), view()
    if ends(size, *one) == ends(size, *other):
        assert drawn(size, *one) == drawn(size, *other)


def test_a_long_text_moves_it_rarely() -> None:
    moved = {ends(34, total, 34, total - 34) for total in range(3_000, 3_100)}
    assert len(moved) < 5
