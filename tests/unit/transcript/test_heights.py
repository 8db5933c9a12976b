"""Sums and searches over heights agree with the plain list."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.widgets.transcript.layout import Heights

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.integers(0, 9), st.just(0)),
        st.tuples(st.just("set"), st.integers(0, 9), st.integers(0, 30)),
        st.tuples(st.just("truncate"), st.integers(0, 30), st.just(0)),
    ),
    max_size=40,
)


@given(STEPS)
def test_sums_and_searches_follow_every_change(steps: list[tuple[str, int, int]]) -> None:
    heights, values = Heights(), list[int]()
    for step, (what, value, index) in enumerate(steps):
        if what == "append":
            heights.append(value)
            values.append(value)
        elif what == "truncate":
            heights.truncate(value)
            del values[value:]
        elif index < len(values):
            assert heights.set(index, value) == value - values[index]
            values[index] = value
        if step % 3:  # what was added up before stays right
            assert heights.before(len(values) // 2) == sum(values[: len(values) // 2])
            assert heights.total == sum(values)
    assert [heights[index] for index in range(len(heights))] == values
    assert heights.total == sum(values)
    assert [heights.before(index) for index in range(len(values) + 1)] == [
        sum(values[:index]) for index in range(len(values) + 1)
    ]
    wanted = [(index, offset) for index, value in enumerate(values) for offset in range(value)]
    assert [heights.find(line) for line in range(sum(values))] == wanted


def test_beyond_the_ends_is_the_end() -> None:
    heights = Heights([2, 3])
    assert heights.find(-5) == (0, 0)
    assert heights.find(99) == (1, 2)
    assert Heights().find(3) == (0, 0)
