"""Fuzzy matching: what matches, what comes first, which letters are drawn."""

import re

from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.prompts.fuzzy import Index, marks
from tests.tables import each_row, table

LETTERS = st.text("abcAB/_. ", max_size=12)


def is_within(query: str, text: str) -> bool:
    return re.search(".*".join(map(re.escape, query.lower())), text.lower(), re.DOTALL) is not None


@given(LETTERS, st.lists(LETTERS, max_size=20))
def test_all_texts_with_the_letters_in_order_are_found_and_no_others(query: str, texts: list[str]) -> None:
    found, _ = Index(texts).search(query, 100)
    assert set(found) == {number for number, text in enumerate(texts) if is_within(query, text)}


@given(LETTERS, LETTERS)
def test_the_letters_drawn_are_those_typed(query: str, text: str) -> None:
    places = marks(query, text)
    if is_within(query, text):
        assert "".join(text[place] for place in places).lower() == query.lower()
        assert list(places) == sorted(set(places))
    else:
        assert places == ()


@each_row(*table(__file__, "cases.json")["the_likelier_path_comes_first"])
def test_the_likelier_path_comes_first(query: str, best: str, other: str) -> None:
    index = Index([other, best], paths=True)
    assert index.texts[index.search(query, 1)[0][0]] == best


def test_of_equally_good_texts_the_first_given_comes_first() -> None:
    assert Index(["fix it", "fix it", "other", "fix it"]).search("fix", 2) == ([0, 1], 3)


def test_a_search_that_nobody_waits_for_ends() -> None:
    asked: list[int] = []
    index = Index(["a"] * 10_000)
    assert index.search("a", 5, lambda: len(asked) > 1 or asked.append(1) is not None) == ([], 0)
    assert len(asked) == 2
