"""What the terminal's driver adds to Textual's."""

from __future__ import annotations

import pytest
from textual import events
from textual._xterm_parser import XTermParser

from ccq_tui.screens.driver import know_alt_keys


@pytest.mark.parametrize(
    ("sent", "keys"),
    [
        ("\x1b\r", ["alt+enter"]),
        ("\x1b\r\x1b[B", ["alt+enter", "down"]),  # was "^", Enter, down
        ("\r", ["enter"]),
        ("\x1b\x1b[B", ["escape", "down"]),
        ("\x1b1\x1b9x", ["alt+1", "alt+9", "x"]),  # was "¡", "ª"
    ],
)
def test_alt_makes_a_key_of_its_own_in_every_terminal(sent: str, keys: list[str]) -> None:
    know_alt_keys()
    parser = XTermParser(False)
    told = [*parser.feed(sent), *parser.feed("")]
    assert [event.key for event in told if isinstance(event, events.Key)] == keys
