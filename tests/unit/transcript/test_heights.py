"""Sums and searches over heights agree with the plain list."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.widgets.transcript.heights import GrowingHeights, Heights

lists = st.lists(st.integers(0, 9), max_size=60)


@given(lists, st.lists(st.tuples(st.integers(0, 59), st.integers(0, 9))), st.integers(0, 60), lists)
def test_sums_follow_every_change(
    values: list[int], changes: list[tuple[int, int]], kept: int, more: list[int]
) -> None:
    heights = Heights(values)
    for index, value in changes:
        if index < len(values):
            assert heights.set(index, value) == value - values[index]
            values[index] = value
    heights.truncate(min(kept, len(values)))
    values = values[:kept] + more
    for value in more:
        heights.append(value)
    assert len(heights) == len(values)
    assert heights.total == sum(values)
    assert [heights.before(index) for index in range(len(values) + 1)] == [
        sum(values[:index]) for index in range(len(values) + 1)
    ]


@given(lists)
def test_every_line_is_found(values: list[int]) -> None:
    heights = Heights(values)
    wanted = [(index, offset) for index, value in enumerate(values) for offset in range(value)]
    assert [heights.find(line) for line in range(sum(values))] == wanted


def test_beyond_the_ends_is_the_end() -> None:
    heights = Heights([2, 3])
    assert heights.find(-5) == (0, 0)
    assert heights.find(99) == (1, 2)
    assert Heights().find(3) == (0, 0)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.integers(0, 9), st.just(0)),
        st.tuples(st.just("prepend"), st.integers(0, 9), st.just(0)),
        st.tuples(st.just("set"), st.integers(0, 9), st.integers(0, 30)),
        st.tuples(st.just("truncate"), st.integers(0, 30), st.just(0)),
    ),
    max_size=40,
)


@given(STEPS)
def test_heights_that_grow_at_both_ends_agree_with_the_plain_list(steps: list[tuple[str, int, int]]) -> None:
    heights, values = GrowingHeights(), list[int]()
    for what, value, index in steps:
        if what == "append":
            heights.append(value)
            values.append(value)
        elif what == "prepend":
            heights.prepend(value)
            values.insert(0, value)
        elif what == "truncate":
            heights.truncate(value)
            del values[value:]
        elif index < len(values):
            assert heights.set(index, value) == value - values[index]
            values[index] = value
    assert [heights[index] for index in range(len(heights))] == values
    assert heights.total == sum(values)
    assert [heights.before(index) for index in range(len(values) + 1)] == [
        sum(values[:index]) for index in range(len(values) + 1)
    ]
    wanted = [(index, offset) for index, value in enumerate(values) for offset in range(value)]
    assert [heights.find(line) for line in range(sum(values))] == wanted
    if wanted:
        assert (heights.find(-3), heights.find(999)) == (wanted[0], wanted[-1])
