"""JSON that is changed in its text reads as it should, and keeps the look of what was not changed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.bridges.json_text import rewritten

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(st.text(max_size=4), values, min_size=1, max_size=4)
indents = st.sampled_from([None, 0, 1, 2, 4, "\t"])


@given(values, values, indents, st.booleans())
def test_the_text_reads_as_the_value_that_was_wanted(
    before: Any, after: Any, indent: Any, ascii_only: bool
) -> None:
    text = f" {json.dumps(before, indent=indent, ensure_ascii=ascii_only)}\n"
    done = json.loads(rewritten(text, after))
    assert json.dumps(done, sort_keys=True) == json.dumps(after, sort_keys=True)
    assert rewritten(text, before) == text


@given(objects, values, indents)
def test_what_is_added_is_the_only_change(value: dict[str, Any], more: Any, indent: Any) -> None:
    text = json.dumps(value, indent=indent)
    grown = rewritten(text, {**value, "a new key": more})
    assert list(json.loads(grown)) == [*value, "a new key"]
    assert rewritten(grown, value) == text


@pytest.mark.parametrize(
    ("text", "value", "after"),
    [
        (
            '{\r\n\t"a": {"b": [1,2 ,3]},\r\n\t"hooks": {}\r\n}\r\n',
            {"a": {"b": [1, 2, 3]}, "hooks": {"X": [{"k": 1}]}},
            '{\r\n\t"a": {"b": [1,2 ,3]},\r\n\t"hooks": {\r\n\t\t"X": [\r\n\t\t\t{\r\n\t\t\t\t"k": 1\r\n'
            "\t\t\t}\r\n\t\t]\r\n\t}\r\n}\r\n",
        ),
        ('{"a": [1, 2]}', {"a": [1, 2, 3]}, '{"a": [1, 2, 3]}'),
        ("[1,  2 , 3]", [1, 3], "[1,  3]"),
        ('{"a": 1, "a": 2}', {}, "{}"),
    ],
)
def test_the_look_of_a_file_is_kept(text: str, value: Any, after: str) -> None:
    assert rewritten(text, value) == after
