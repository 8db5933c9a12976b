"""JSON that is changed in its text reads as it should, and keeps the look of what was not changed."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.bridges.json_text import places, replaced, with_item, with_member, without

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(st.text(max_size=4), values, min_size=1, max_size=4)
indents = st.sampled_from([None, 0, 1, 2, 4, "\t"])


@given(objects, indents, st.booleans())
def test_places_are_where_values_stand(value: dict[str, Any], indent: Any, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    root = places(f" {text}\n")
    assert root.value == value
    for key, member in root.members.items():
        assert json.loads(f" {text}\n"[member.begin : member.end]) == value[key]


@given(objects, values, indents)
def test_what_is_added_is_the_only_change(value: dict[str, Any], more: Any, indent: Any) -> None:
    text = json.dumps(value, indent=indent)
    grown = with_member(text, places(text), "a new key", more)
    assert json.loads(grown) == {**value, "a new key": more}
    root = places(grown)
    assert without(grown, root, root.members["a new key"]) == text
    assert list(json.loads(grown)) == [*value, "a new key"]


@given(st.lists(values, min_size=1, max_size=4), values, indents, st.data())
def test_items_come_and_go(items: list[Any], more: Any, indent: Any, data: st.DataObject) -> None:
    text = json.dumps(items, indent=indent)
    grown = with_item(text, places(text), more)
    assert json.loads(grown) == [*items, more]
    at = data.draw(st.integers(0, len(items) - 1))
    root = places(text)
    assert json.loads(without(text, root, root.items[at])) == items[:at] + items[at + 1 :]
    assert json.loads(replaced(text, root.items[at], more)) == [*items[:at], more, *items[at + 1 :]]


def test_the_look_of_a_file_is_kept() -> None:
    text = '{\r\n\t"a": {"b": [1,2 ,3]},\r\n\t"hooks": {}\r\n}\r\n'
    grown = with_member(text, places(text).members["hooks"], "X", [{"k": 1}])
    assert grown == (
        '{\r\n\t"a": {"b": [1,2 ,3]},\r\n\t"hooks": {\r\n\t\t"X": [\r\n\t\t\t{\r\n\t\t\t\t"k": 1\r\n'
        "\t\t\t}\r\n\t\t]\r\n\t}\r\n}\r\n"
    )
    one_line = '{"a": [1, 2]}'
    assert with_item(one_line, places(one_line).members["a"], 3) == '{"a": [1, 2, 3]}'
