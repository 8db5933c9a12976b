"""The list above the prompt, drawn: every width, and what is cut."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from ccq_tui.prompts.choices import Choice, Choices
from ccq_tui.prompts.completing import Kind, Wanted
from ccq_tui.widgets.prompt.choices import drawn
from tests.ui.asked import PLAIN

PATHS = (
    "src/a/very/long/way/down/to/the/file/that/is/meant.py",
    "表/表表表表表表表表表表表表.md",
    "\x1b[31mx",
)


def shown(kind: Kind, width: int, *values: str) -> list[str]:
    rows = tuple(Choice(value, value, "[hint]", "what it does") for value in values)
    return drawn(Choices(Wanted(kind, "e")).found(rows), width, 8, PLAIN).plain.split("\n")


@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize("width", [0, 1, 2, 3, 5, 10, 40, 200])
def test_it_fits_any_width(kind: Kind, width: int) -> None:
    lines = shown(kind, width, *PATHS)
    assert all(cell_len(line) <= max(width, 1) for line in lines)
    assert "\x1b" not in "".join(lines)


def test_of_a_long_path_the_end_is_shown() -> None:
    (line,) = shown(Kind.FILES, 30, PATHS[0])
    assert line.startswith(" ❯ …")
    assert line.rstrip().endswith("that/is/meant.py")


def test_commands_stand_with_their_arguments_beside_what_they_do() -> None:
    first, second = shown(Kind.COMMANDS, 60, "/compact", "/mode")
    assert first.rstrip() == " ❯ /compact [hint]  what it does"
    assert second.index("what") == first.index("what")
