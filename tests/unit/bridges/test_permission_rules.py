"""Settings files: permission rules are written into them, and all else is kept."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.bridges.claude_code import permission_rules
from ccq_tui.bridges.claude_code.permission_rules import RuleError, change_rule, checked_rule, rules_file
from ccq_tui.bridges.edited_file import SettingsFileError, rewritten


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "own"))
    project = tmp_path / "project"
    (project / ".claude").mkdir(parents=True)
    return project


def test_a_rule_is_added_and_removed_and_all_else_stays(project: Path) -> None:
    path = project / ".claude/settings.json"
    was = json.dumps({"z": "é", "permissions": {"allow": ["Read"]}, "a": 1}, indent=4, ensure_ascii=False)
    path.write_text(was, encoding="utf-8")
    path.chmod(0o664)
    file = rules_file("projectSettings", project)
    assert change_rule(file, "allow", "Bash(npm test *)", wanted=True)
    assert path.read_text(encoding="utf-8") == was.replace(
        '"Read"', '"Read",\n            "Bash(npm test *)"'
    )
    assert stat.S_IMODE(path.stat().st_mode) == 0o664
    assert not change_rule(file, "allow", "Bash(npm test *)", wanted=True)
    assert change_rule(file, "allow", "Bash(npm test *)", wanted=False)
    assert path.read_text(encoding="utf-8") == was
    assert not change_rule(file, "allow", "Bash(npm test *)", wanted=False)
    assert [one.name for one in path.parent.iterdir()] == ["settings.json"]


def test_line_ends_and_the_mark_at_the_beginning_stay(project: Path) -> None:
    path = project / ".claude/settings.json"
    path.write_bytes(b'\xef\xbb\xbf{\r\n\t"permissions": {}\r\n}\r\n')
    assert change_rule(rules_file("projectSettings", project), "deny", "Read", wanted=True)
    assert path.read_bytes() == (
        b'\xef\xbb\xbf{\r\n\t"permissions": {\r\n\t\t"deny": [\r\n\t\t\t"Read"\r\n\t\t]\r\n\t}\r\n}\r\n'
    )


def test_a_file_is_made_for_the_first_rule(project: Path) -> None:
    (project / ".claude").rmdir()
    assert change_rule(rules_file("localSettings", project), "ask", "Bash(rm *)", wanted=True)
    written = (project / ".claude/settings.local.json").read_text()
    assert json.loads(written) == {"permissions": {"ask": ["Bash(rm *)"]}}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"{ // no", "line 1 is a comment"),
        (b'{"a": 1, "a": 2}', 'it has "a" twice'),
        (b"[]", "it is no JSON object"),
        (b'{"permissions": {"allow": "Read"}}', "is not a list of rules · correct it by hand"),
        (b'{"permissions": []}', "is not a list of rules · correct it by hand"),
        (b"\xff", "it is not UTF-8 text"),
        (b" " * 1_000_001, "is larger than"),
    ],
)
def test_a_file_that_cannot_be_changed_safely_is_left_as_it_is(
    project: Path, content: bytes, why: str
) -> None:
    path = project / ".claude/settings.json"
    path.write_bytes(content)
    with pytest.raises(RuleError, match=why):
        change_rule(rules_file("projectSettings", project), "allow", "Read", wanted=True)
    assert path.read_bytes() == content


def test_a_link_out_of_the_project_is_not_followed(project: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.json"
    outside.write_text("{}")
    (project / ".claude/settings.json").symlink_to(outside)
    with pytest.raises(RuleError, match="change that file yourself"):
        change_rule(rules_file("projectSettings", project), "allow", "Read", wanted=True)
    assert outside.read_text() == "{}"


def test_the_link_to_ones_own_settings_is_shown_and_stays_a_link(project: Path, tmp_path: Path) -> None:
    kept = tmp_path / "dotfiles.json"
    kept.write_text("{}")
    own = tmp_path / "own/settings.json"
    own.parent.mkdir()
    own.symlink_to(kept)
    file = rules_file("userSettings", project)
    assert file.real == kept
    assert change_rule(file, "allow", "Read", wanted=True)
    assert own.is_symlink()
    assert json.loads(kept.read_text()) == {"permissions": {"allow": ["Read"]}}


def test_what_another_program_writes_meanwhile_is_kept(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = project / ".claude/settings.json"
    path.write_text("{}")

    def slow(text: str, value: dict[str, Any]) -> str:
        path.write_text('{"model": "opus"}')
        return rewritten(text, value)

    monkeypatch.setattr(permission_rules, "rewritten", slow)
    with pytest.raises(RuleError, match="another program changed it since it was read"):
        change_rule(rules_file("projectSettings", project), "allow", "Read", wanted=True)
    assert json.loads(path.read_text()) == {"model": "opus"}


@pytest.mark.parametrize("text", ["Bash(npm test *)", " Read ", "mcp__srv__*", "WebFetch(domain:a.b)"])
def test_rules(text: str) -> None:
    assert checked_rule(text) == text.strip()


@pytest.mark.parametrize("text", ["", "Bash()", "Bash(a", "two words", "Bash(a\x1bb)", "a" * 1001])
def test_what_is_no_rule(text: str) -> None:
    with pytest.raises(RuleError):
        checked_rule(text)


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
