"""A filtered list: what is shown, and where the cursor is, whatever happens to it."""

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.filtered_list import FilteredList
from ccq_tui.input.keys import KeyPlace, actions_at


@dataclass(frozen=True)
class Named:
    key: str

    @property
    def found_by(self) -> str:
        return self.key.casefold()


rows = st.lists(st.text("abXY ", min_size=1, max_size=4), unique=True, max_size=8).map(
    lambda names: tuple(map(Named, names))
)
actions = st.sampled_from(["up", "down", "step_up", "step_down", "page_up", "page_down", "first", "last"])
changes = st.lists(
    st.one_of(actions, st.text("abxy ", max_size=3).map(lambda text: f"/{text}"), rows), max_size=12
)


@given(rows, changes)
def test_the_cursor_is_on_a_row_shown_and_follows_it(
    first: tuple[Named, ...], happens: list[str | tuple[Named, ...]]
) -> None:
    state: FilteredList[Named] = FilteredList(first)
    for change in happens:
        before = state.under
        if isinstance(change, tuple):
            state = state.with_rows(change)
        elif change.startswith("/"):
            state = state.filtered(change[1:])
        else:
            moved = state.after(change, 3)
            assert moved is not None
            state, before = moved, None
        words = state.filter.casefold().split()
        assert state.shown == tuple(row for row in state.rows if all(word in row.found_by for word in words))
        assert (state.under is None) == (not state.shown)
        if before is not None and before in state.shown:
            assert state.under == before, "what was under the cursor still is"


def test_moves_wrap_and_steps_pages_and_edges_do_not() -> None:
    state = FilteredList(tuple(map(Named, "abcde")))

    def at(*pressed: str) -> int:
        after = state
        for key in pressed:
            moved = after.after(actions_at(KeyPlace.PICKER)[key], 3)
            assert moved is not None
            after = moved
        return after.cursor

    assert (at("up"), at("shift+tab", "tab"), at("end", "down")) == (4, 0, 0)
    assert (at("shift+up"), at("end", "shift+down"), at("pagedown"), at("pagedown", "pagedown")) == (
        0,
        4,
        3,
        4,
    )
    assert (at("ctrl+end"), at("end", "home"), at("end", "ctrl+home")) == (4, 0, 0)
    assert state.after("x", 3) is None


def test_the_cursor_comes_back_to_its_row_after_a_filter_that_leaves_none() -> None:
    state = FilteredList(tuple(map(Named, "abc"))).put(2).filtered("x")
    assert state.under is None
    assert state.filtered("").under == Named("c")
