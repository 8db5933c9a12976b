"""Reading a prompt as a command, and what commands show, as text."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.agent.controls import ContextDetails, ContextPart, FilesToRewind
from ccq_tui.agent.reader import EarlierSession
from ccq_tui.commands.command import PickRow, called
from ccq_tui.commands.models import context_text
from ccq_tui.commands.workspace import choices, what_changes
from ccq_tui.screens.pickers.picker import choosing
from ccq_tui.screens.pickers.sessions import Shelved, session_row
from ccq_tui.screens.session.screen import SLASH_COMMANDS


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("/model", ("model", "")),
        ("  /model  opus \n", ("model", "opus")),
        ("/rename A longer title", ("rename", "A longer title")),
        ("/compact", None),
        ("/model\nand more", None),
        ("/model/x", None),
        ("/", None),
        ("model", None),
        ("see /model", None),
    ],
)
def test_a_prompt_is_a_command_only_when_it_is_nothing_else(
    text: str, command: tuple[str, str] | None
) -> None:
    found = called(text, SLASH_COMMANDS)
    assert (found and (found[0].name, found[1])) == command


def test_each_own_command_has_one_name_and_says_what_it_does() -> None:
    names = [command.name for command in SLASH_COMMANDS]
    assert len(set(names)) == len(names)
    assert all(command.help for command in SLASH_COMMANDS)


def details(*parts: ContextPart, limit: int = 100_000) -> ContextDetails:
    return ContextDetails(parts, sum(part.tokens for part in parts if part.kind == "used"), limit, "claude-x")


def test_the_context_is_a_bar_and_its_parts() -> None:
    lines = context_text(
        details(
            ContextPart("System tools", 20_000, "used"),
            ContextPart("Messages", 200, "used"),
            ContextPart("MCP tools", 5_000, "deferred"),
            ContextPart("Autocompact buffer", 30_000, "buffer"),
            ContextPart("Free space", 49_800, "free"),
        )
    ).splitlines()
    assert lines[0] == "Context: 20,200 of 100,000 tokens (20%) · claude-x"
    assert lines[1] == "█" * 10 + "▓" + "╌" * 15 + "·" * 24
    assert [line.split() for line in lines[2:6]] == [
        ["█", "System", "tools", "20,000", "20%"],
        ["▓", "Messages", "200", "0.2%"],
        ["╌", "Autocompact", "buffer", "30,000", "30%"],
        ["·", "Free", "49,800", "50%"],
    ]
    assert lines[6].endswith("· when needed")


@given(st.lists(st.integers(0, 10**9), max_size=30), st.integers(0, 10**6), st.text(max_size=80))
def test_any_context_has_a_bar_of_the_same_length(tokens: list[int], limit: int, name: str) -> None:
    parts = tuple(ContextPart(name, count, "used") for count in tokens)
    assert len(context_text(details(*parts, limit=limit)).splitlines()[1]) == 50


def test_what_a_rewind_changes_is_said_before_it() -> None:
    files = FilesToRewind(tuple(f"/work/f{n}.py" for n in range(10)), 3, 12)
    said = what_changes(files, Path("/work"))
    assert "Restores 10 files: +3 −12 lines." in said
    assert "f0.py, f1.py" in said
    assert said.endswith("f7.py and 2 more")
    assert [row.value for row in choices(files)] == ["both", "conversation", "files"]
    for nothing in (FilesToRewind(), FilesToRewind(refusal="no checkpoint")):
        assert [row.value for row in choices(nothing)] == ["conversation"]
    assert "no checkpoint" in what_changes(FilesToRewind(refusal="no checkpoint"), Path("/work"))


def test_a_list_finds_by_every_word_and_puts_beginnings_first() -> None:
    state = choosing(
        (PickRow("1", "remodel"), PickRow("2", "/model", current=True), PickRow("3", "x", "a model"))
    )
    assert state.under == PickRow("2", "/model", current=True)
    assert [row.value for row in state.filtered("model").shown] == ["2", "1", "3"]
    assert [row.value for row in state.filtered("a MOD").shown] == ["3"]
    assert state.filtered("zzz").moved(1).under is None
    assert state.filtered("zzz").filtered("").under == state.under


def test_a_session_is_told_by_its_title_branch_and_age() -> None:
    row = session_row(Shelved(EarlierSession("id-1", "Fix the login", 1000.0, "main")), 8300.0)
    assert (row.value, row.label, row.right) == ("id-1", "Fix the login", "main · 2 h ago")
    bare = session_row(Shelved(EarlierSession("id-2", "", 1000.0, "HEAD")), 1059.0)
    assert (bare.label, bare.right) == ("id-2", "now")
