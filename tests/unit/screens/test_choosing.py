"""Choosing from a list as data."""

from __future__ import annotations

from ccq_tui.commands.command import PickRow
from ccq_tui.screens.pickers.picker import choosing

ROWS = (PickRow("a", "Alpha"), PickRow("b", "Beta"))


def test_a_list_that_comes_by_itself_gives_no_row_before_a_moment_without_a_key() -> None:
    state = choosing(ROWS).came_up(100.0)
    for at in (100.0, 100.3, 100.6, 100.9):
        meant, state = state.judged(at, takes=True)
        assert not meant, "a key held down finds no gap"
    meant, state = state.judged(101.1, takes=False)
    assert meant, "what is typed is seen in its field"
    assert not state.judged(101.4, takes=True)[0]
    assert state.judged(101.6, takes=True)[0]


def test_a_list_that_was_asked_for_gives_its_row_at_once() -> None:
    assert choosing(ROWS).judged(100.0, takes=True)[0]


def test_rows_found_stay_in_their_groups_the_likeliest_of_each_first() -> None:
    rows = [
        PickRow(name, name, group=group) for group, name in ((*"xb",), ("x", "ab"), (*"yb",), ("y", "a b"))
    ]
    found = choosing(tuple(rows)).filtered("b").shown
    assert [(row.group, row.label) for row in found] == [("x", "b"), ("x", "ab"), ("y", "b"), ("y", "a b")]
