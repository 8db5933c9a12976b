"""What the terminal's driver adds to Textual's."""

from __future__ import annotations

import pytest
from textual import events
from textual._xterm_parser import XTermParser

from ccq_tui.screens.driver import know_alt_keys
from ccq_tui.screens.lasting import BurstParser


@pytest.mark.parametrize(
    ("goes", "keys"),
    [
        (["\x1b", "n"], ["escape", "n"]),  # was Alt+N
        (["\x1b", "1"], ["escape", "1"]),  # was Alt+1
        (["\x1b", "\r"], ["escape", "enter"]),
        (["\x1b", "O", "K"], ["escape", "O", "K"]),
        (["a\x1b", "\x1b", "b"], ["a", "escape", "escape", "b"]),
        (["\x1b", "\x1b[A"], ["escape", "up"]),
        (["\x1b", "é"], ["escape", "é"]),
        # In one go: Alt, and what a slow line has cut.
        (["\x1bn"], ["alt+n"]),
        (["\x1b1"], ["alt+1"]),
        (["\x1b[1;3A"], ["alt+up"]),
        (["\x1b", "[A"], ["up"]),
        (["\x1b", "[", "A"], ["up"]),
        (["\x1b[", "1;3A"], ["alt+up"]),
        (["\x1b", "OP"], ["f1"]),
        (["\x1b[110;3u"], ["alt+n"]),  # kitty's keyboard protocol
        (["\x1b[27u", "n"], ["escape", "n"]),
    ],
)
def test_escape_and_a_key_are_two_unless_they_come_in_one_go(goes: list[str], keys: list[str]) -> None:
    know_alt_keys()
    parser = BurstParser(False)
    told = [event for sent in goes for event in parser.feed(sent)]
    told += parser.feed("")
    assert [event.key for event in told if isinstance(event, events.Key)] == keys


def test_escape_that_was_told_is_not_told_again(monkeypatch: pytest.MonkeyPatch) -> None:
    parser = BurstParser(False)
    list(parser.feed("\x1b"))
    monkeypatch.setattr("textual._parser.get_time", lambda: float("inf"))
    assert [event.key for event in parser.tick() if isinstance(event, events.Key)] == ["escape"]
    monkeypatch.undo()
    assert [event.key for event in parser.feed("n") if isinstance(event, events.Key)] == ["n"]


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
