"""Settings files as JSON: what is changed is what was wanted, and all else is kept."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.edited_file import EditedFile, SettingsFileError, rewritten
from tests.tables import each_row

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


@each_row('{"a": NaN}', '{"a": "\\ud800"}')
def test_a_value_that_cannot_be_written_again_is_refused(text: str) -> None:
    with pytest.raises(SettingsFileError, match="a value that cannot be written again"):
        rewritten(text, {**json.loads(text), "b": 1})


def test_a_file_with_an_empty_table_of_ours_is_restored_by_its_backup(tmp_path: Path) -> None:
    file, before = EditedFile(tmp_path / "a.json", tmp_path), '{"servers":{}, "a":1}'
    file.path.write_text(before, encoding="utf-8")
    file.write(before, '{"servers": {"ccq": {}}, "a": 1}', first=True)
    assert file.left('{"a": 1}') == before
    assert file.left('{"a": 2}') == '{"a": 2}'


def refused(file: EditedFile) -> str:
    with pytest.raises(SettingsFileError) as caught:
        file.read()
    return str(caught.value)


def test_a_file_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    file = EditedFile(tmp_path / "a.json", tmp_path)
    for content, why in (
        (b"\xff\xfe{}", "it is not UTF-8 text: invalid start byte"),
        (b"x" * 1_000_001, "it is larger than 1,000,000 bytes"),
    ):
        file.path.write_bytes(content)
        assert refused(file) == why
    file.path.unlink()
    file.path.mkdir()
    assert refused(file) == "it cannot be read: Is a directory"


def test_a_link_is_followed_at_home_and_refused_elsewhere(tmp_path: Path) -> None:
    home, outside = tmp_path / "home", tmp_path / "outside.json"
    own, shared = EditedFile(home / ".c/a.json", home), EditedFile(home / ".c/a.json", home, 0o644)
    own.path.parent.mkdir(parents=True)
    outside.write_text("{}")
    for target, why in (
        (outside, f"it is a link to {outside}, outside of {home}: change that file yourself"),
        (home / "none.json", f"it is a link to {home}/none.json, which does not exist"),
        (own.path, "it is a link that leads back to itself"),
    ):
        own.path.symlink_to(target)
        assert refused(own) == why
        own.path.unlink()
    kept = home / "dotfiles.json"
    kept.write_text("{}")
    own.path.symlink_to(kept)
    own.write("{}", '{"a": 1}')
    assert (own.path.is_symlink(), kept.read_text()) == (True, '{"a": 1}')
    # A person may have linked the directory to anywhere; in a project others may have done so.
    own.path.unlink()
    linked = own.path.parent.rename(tmp_path / "dotfiles")
    own.path.parent.symlink_to(linked)
    own.write("", "{}")
    assert (linked / "a.json").read_text() == "{}"
    assert refused(shared) == f"it is a link to {linked}/a.json, outside of {home}: change that file yourself"
    own.write("{}", own.left("{}"))
    assert list(linked.iterdir()) == []


@pytest.mark.skipif(os.name == "nt" or os.getuid() != 0, reason="only root can give files away")
def test_a_file_of_another_user_is_refused(tmp_path: Path) -> None:
    file = EditedFile(tmp_path / "c/a.json", tmp_path)
    file.path.parent.mkdir()
    file.path.write_text("{}")
    os.chown(file.path, 12345, 12345)
    assert refused(file) == f"{file.path} belongs to another user"
    file.path.unlink()
    os.chown(file.path.parent, 12345, 12345)
    assert refused(file) == f"{file.path.parent} belongs to another user"
