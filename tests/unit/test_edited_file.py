"""Settings files as JSON: what is changed is what was wanted, and all else is kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.edited_file import EditedFile, SettingsFileError, rewritten

scalars = st.none() | st.booleans() | st.integers() | st.floats(-1e9, 1e9) | st.text()
values = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8
)
objects = st.dictionaries(st.text(), values)


@given(objects, objects, st.sampled_from([1, 2, 4, "\t"]))
def test_a_file_gets_the_value_that_was_wanted_and_keeps_its_indent(
    before: Any, after: Any, indent: Any
) -> None:
    text = json.dumps({"a": 1, **before}, indent=indent, ensure_ascii=False) + "\n"
    changed = rewritten(text, after)
    assert json.dumps(json.loads(changed)) == json.dumps(after)
    assert rewritten(changed, {"a": 1, **before}) == text or not after


@pytest.mark.parametrize("text", ['{"a": NaN}', '{"a": "\\ud800"}'])
def test_a_value_that_cannot_be_written_again_is_refused(text: str) -> None:
    with pytest.raises(SettingsFileError, match="a value that cannot be written again"):
        rewritten(text, {**json.loads(text), "b": 1})


def test_a_file_with_an_empty_table_of_ours_is_restored_by_its_backup(tmp_path: Path) -> None:
    file, before = EditedFile(tmp_path / "a.json", tmp_path), '{"servers":{}, "a":1}'
    file.path.write_text(before, encoding="utf-8")
    file.write(before, '{"servers": {"ccq": {}}, "a": 1}', first=True)
    assert file.left('{"a": 1}') == before
    assert file.left('{"a": 2}') == '{"a": 2}'
