"""The driver of a terminal whose standard output is a script's."""

import os
import sys
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.app import App

from ccq_tui.compat.textual.lasting_driver import LastingDriver


@pytest.fixture
def small_terminal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Draw on a terminal of 40 columns and 12 rows, and send standard output to a file."""
    for name in ("COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)
    behind, terminal = os.openpty()
    termios.tcsetwinsize(terminal, (12, 40))
    with (
        os.fdopen(terminal, "w") as drawn_on,
        (tmp_path / "answer").open("w") as output,
        Path(os.devnull).open() as typed,
    ):
        monkeypatch.setattr(sys, "__stdin__", typed)
        monkeypatch.setattr(sys, "__stdout__", output)
        monkeypatch.setattr(sys, "__stderr__", drawn_on)
        yield
    os.close(behind)


@pytest.mark.usefixtures("small_terminal")
async def test_the_size_is_that_of_the_terminal_drawn_on_where_the_output_is_a_file() -> None:
    assert LastingDriver(App[None]())._get_terminal_size() == (40, 12)
