"""What is completed at the caret, and what stands there afterwards."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.prompts.completion_context import completed, wanted_at
from tests.tables import table


@pytest.mark.parametrize(
    ("text", "kind", "query"), table(__file__, "cases.json")["a_piece_that_can_be_completed"]
)
def test_a_piece_that_can_be_completed(text: str, kind: str, query: str) -> None:
    wanted = wanted_at(text, len(text))
    assert (wanted.kind, wanted.query) == (kind, query)


@pytest.mark.parametrize(
    "text",
    ["", "a", "see /usr/lib", "and/or", "/model x", "see /model\n", "me@home", "@a b", '@"a" b', "git@"],
)
def test_nothing_to_complete(text: str) -> None:
    assert wanted_at(text, len(text)) is None


@pytest.mark.parametrize(("text", "value", "after"), table(__file__, "completing.json"))
def test_what_stands_there_afterwards(text: str, value: str, after: str) -> None:
    caret = text.index("|")
    text = text.replace("|", "")
    wanted = wanted_at(text, caret)
    assert wanted is not None
    new, place = completed(text, wanted, value)
    assert new[:place] + "|" + new[place:] == after


@given(st.text('@/" ab\n', max_size=30), st.data())
def test_only_the_piece_is_replaced(text: str, data: st.DataObject) -> None:
    caret = data.draw(st.integers(0, len(text)))
    wanted = wanted_at(text, caret)
    if wanted is not None:
        assert 0 <= wanted.start <= caret <= wanted.end <= len(text)
        new, place = completed(text, wanted, "x")
        assert new.startswith(text[: wanted.start])
        assert new.endswith(text[wanted.end :])
        assert place <= len(new)
