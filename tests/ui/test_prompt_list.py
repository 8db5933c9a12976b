"""The list above the prompt, drawn: every width, and what is cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.widgets import Static

from ccq_tui import theming
from ccq_tui.prompts.completion_context import CompletionKind, WantedCompletion
from ccq_tui.prompts.completion_list import Completion, CompletionList
from ccq_tui.widgets.choices import ChoiceList, drawn, height_of
from tests.ui.asked import PLAIN
from tests.ui.running import running

PATHS = (
    "src/a/very/long/way/down/to/the/file/that/is/meant.py",
    "表/表表表表表表表表表表表表.md",
    "\x1b[31mx",
)


def shown(kind: CompletionKind, width: int, *values: str) -> list[str]:
    rows = tuple(Completion(value, value, "[hint]", "what it does") for value in values)
    return drawn(CompletionList(WantedCompletion(kind, "e")).found(rows), width, 8, PLAIN).plain.split("\n")


@pytest.mark.parametrize("kind", list(CompletionKind))
@pytest.mark.parametrize("width", [0, 1, 2, 3, 5, 10, 40, 200])
def test_it_fits_any_width(kind: CompletionKind, width: int) -> None:
    lines = shown(kind, width, *PATHS)
    assert all(cell_len(line) <= max(width, 1) for line in lines)
    assert "\x1b" not in "".join(lines)


def test_of_a_long_path_the_end_is_shown() -> None:
    (line,) = shown(CompletionKind.FILES, 30, PATHS[0])
    assert line.startswith(" ❯ …")
    assert line.rstrip().endswith("that/is/meant.py")


def test_commands_stand_with_their_arguments_beside_what_they_do() -> None:
    first, second = shown(CompletionKind.COMMANDS, 60, "/compact", "/mode")
    assert first.rstrip() == " ❯ /compact [hint]  what it does"
    assert second.index("what") == first.index("what")


def test_long_arguments_do_not_push_what_a_command_does_out_of_its_column() -> None:
    rows = tuple(
        Completion(name, name, hint, "what it does")
        for name, hint in [("/auto-mode-setup", "[--request-id <uuid>] (--wizard)"), ("/mode", "[name]")]
    )
    first, second = (
        drawn(CompletionList(WantedCompletion(CompletionKind.COMMANDS, "mo")).found(rows), 60, 8, PLAIN)
    ).plain.split("\n")
    assert first.index("what") == second.index("what")
    assert "…" in first


class Listed(App[None]):
    """A list over a page of text."""

    def compose(self) -> ComposeResult:
        yield Static(id="page")
        yield ChoiceList()

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return theming.variable_defaults()


@given(st.integers(0, 12), st.sampled_from([CompletionKind.COMMANDS, CompletionKind.HISTORY]))
def test_the_height_is_that_of_the_lines(rows: int, kind: CompletionKind) -> None:
    choices = CompletionList(WantedCompletion(kind, "")).found(
        tuple(Completion(str(row), str(row)) for row in range(rows)), "none"
    )
    assert height_of(choices, 8) == len(drawn(choices, 80, 8, PLAIN).plain.split("\n"))


async def test_a_list_that_is_whole_at_once_has_room_for_all_its_rows() -> None:
    async with running(Listed()) as (app, pilot):
        shown = app.query_one(ChoiceList)
        rows = tuple(Completion(str(number), str(number)) for number in range(5))
        shown.show(CompletionList(WantedCompletion(CompletionKind.COMMANDS, "")).found(rows))
        # In the first layout already, in which it has no width yet: there may be no second one.
        assert shown.get_content_height(app.size, app.size, 80) == 5
        await pilot.pause()
        assert shown.size.height == 5
        shown.show(None)
        await pilot.pause()
        assert not shown.display


def test_a_list_says_how_many_rows_lie_beyond_its_lines() -> None:
    rows = tuple(Completion(name := f"command-{number}", name, detail="x" * 80) for number in range(12))
    choices = CompletionList(WantedCompletion(CompletionKind.COMMANDS, "")).found(rows)
    for width in (20, 80):
        lines = drawn(choices, width, 8, PLAIN).plain.split("\n")
        assert "↑" not in lines[0]
        assert lines[-1][-4:] == " ↓ 4"
        lines = drawn(choices.to(6), width, 8, PLAIN).plain.split("\n")
        assert (lines[0][-4:], lines[-1][-4:]) == (" ↑ 2", " ↓ 2")
        lines = drawn(choices.to(11), width, 8, PLAIN).plain.split("\n")
        assert lines[0][-4:] == " ↑ 4"
        assert "↓" not in lines[-1]
        assert {len(line) for line in lines[:1]} == {width}


def test_a_list_counts_what_it_does_not_offer_and_says_how_to_reach_it() -> None:
    rows = tuple(Completion(name := f"src/{number}.py", name) for number in range(12))
    choices = CompletionList(WantedCompletion(CompletionKind.FILES, "s")).found(rows, more=1_234)
    for width in (20, 80):
        lines = drawn(choices, width, 8, PLAIN).plain.split("\n")
        assert lines[-1].endswith(" ↓ 1,238")
        lines = drawn(choices.to(11), width, 8, PLAIN).plain.split("\n")
        assert lines[-1].endswith(" 1,234 more · type on"[-width:])
