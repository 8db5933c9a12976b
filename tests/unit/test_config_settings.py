"""The settings themselves."""

from __future__ import annotations

import ast
import inspect
import json
import os
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from ccq_tui.config.claude_flags import ClaudeFlags
from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from ccq_tui.config.values import merge_mcp, split_tools
from tests.tables import table

TABLES = table(__file__, "settings.json")


def test_every_field_says_what_it_is() -> None:
    classes = (ast.parse(inspect.getsource(kind)).body[0] for kind in (ClaudeFlags, Settings))
    body = [line for kind in classes for line in kind.body]  # type: ignore[attr-defined]
    documented = {
        field.target.id
        for field, text in pairwise(body)
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr)
    }
    assert Settings.model_fields.keys() - documented == set()


def test_the_documentation_names_every_field() -> None:
    page = Path(__file__).parents[2] / "docs" / "configuration.md"
    text = page.read_text(encoding="utf-8")
    assert [name for name in Settings.model_fields if f"`{name}`" not in text] == []


def test_the_constructor_looks_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CCQ_MODEL", "elsewhere")
    assert Settings().model is None
    assert Launch().settings == Settings()


@pytest.mark.parametrize(("written", "seconds"), TABLES["durations"])
def test_durations(written: object, seconds: float | None) -> None:
    assert Settings(park_after=written, question_timeout=written).question_timeout == seconds  # type: ignore[arg-type]


@pytest.mark.parametrize("written", ["", "soon", "10 minutes", "0", "-5", True, "inf", "9999h", "1e3", "٣m"])
def test_what_is_no_duration(written: object) -> None:
    with pytest.raises(ValidationError, match='such as "10m", "2h" or "30d", or "never"'):
        Settings(session_timeout=written)  # type: ignore[arg-type]


def test_only_parking_is_on_unless_wanted() -> None:
    settings = Settings()
    assert (settings.park_after, settings.on_question_timeout) == (600.0, "park")
    assert settings.question_timeout is None
    assert settings.session_timeout is None


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        Settings().model = "x"  # type: ignore[misc]


def test_manual_is_the_clis_word_for_default() -> None:
    assert Settings(permission_mode="manual").permission_mode == "default"  # type: ignore[arg-type]


def test_a_program_is_found_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "my-claude"
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    with pytest.raises(ValidationError, match="must be a program that can be run"):
        Settings(cli_path=Path("my-claude"))
    program.chmod(0o755)
    assert Settings(cli_path=Path("my-claude")).cli_path == program


def test_several_mcp_configurations_become_one(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text('{"mcpServers": {"a": {"command": "a"}, "b": {"command": "b"}}}', encoding="utf-8")
    inline = '{"mcpServers": {"b": {"command": "later"}}}'
    settings = Settings(mcp_config=(str(file), inline))
    merged = json.loads(settings.mcp_argument or "")
    assert merged == {"mcpServers": {"a": {"command": "a"}, "b": {"command": "later"}}}
    assert merge_mcp([str(file)]) == str(file)
    assert merge_mcp([]) is None


@pytest.mark.parametrize(("text", "names"), TABLES["tools"])
def test_tools_are_split_outside_parentheses(text: str, names: list[str]) -> None:
    assert list(split_tools(text)) == names


arguments = st.text("az *:,", max_size=10).map("({})".format)


@given(
    st.lists(st.builds("{}{}".format, st.sampled_from(["Bash", "Edit", "X"]), st.just("") | arguments)),
    st.sampled_from([",", " ", ", "]),
)
def test_whatever_is_joined_is_split_again(names: list[str], separator: str) -> None:
    assert split_tools(separator.join(names)) == tuple(names)
