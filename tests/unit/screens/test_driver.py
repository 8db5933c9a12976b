"""What the terminal's driver adds to Textual's."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from textual import events
from textual._xterm_parser import XTermParser

from ccq_tui.compat.textual.driver import know_alt_keys
from ccq_tui.compat.textual.lasting_driver import BurstParser
from ccq_tui.screens import terminal


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
        # Held down, and with another key right behind it: was "^", u.
        (["\x1bu\x1bu", "\x1bu"], ["alt+u", "alt+u", "alt+u"]),
        (["\x1bc\x1b[1;3B"], ["alt+c", "alt+down"]),
        (["\x1bG\x1b<x"], ["alt+shift+g", "less_than_sign", "x"]),
        (["\x1bé\x1b"], ["alt+é", "escape"]),
        (["\x1bOP\x1bO", "Q"], ["f1", "f2"]),
    ],
)
def test_escape_and_a_key_are_two_unless_they_come_in_one_go(goes: list[str], keys: list[str]) -> None:
    know_alt_keys()
    parser = BurstParser(False)
    told = [event for sent in goes for event in parser.feed(sent)]
    told += parser.feed("")
    assert [event.key for event in told if isinstance(event, events.Key)] == keys


@given(
    st.text(alphabet="\x1b[201~<Mm;3A\rab", max_size=30).filter(
        lambda text: "\x1b[201~" not in text + "\x1b[201"
    ),
    st.lists(st.integers(1, 9), min_size=1),
)
@example("HEAD\x1b[31m\x1b[A\x1b[<0;3;3M\rTAIL", [100])  # a colour, a key, a click, and Return
@example("ab", [3])
def test_what_is_pasted_is_text_alone_however_it_comes(pasted: str, sizes: list[int]) -> None:
    parser, told = BurstParser(False), []
    sent = f"x\x1b[200~{pasted}\x1b[201~y\x1b[A"
    for size in itertools.cycle(sizes):
        piece, sent = sent[:size], sent[size:]
        told += parser.feed(piece)
        if not piece:
            break
    assert [event.key for event in told if isinstance(event, events.Key)] == ["x", "y", "up"]
    texts = [event.text for event in told if isinstance(event, events.Paste)]
    assert "".join(texts) == pasted.replace("\x1b", "")
    assert not [event for event in told if isinstance(event, events.MouseEvent)]


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


def test_the_terminal_gets_its_title_back(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    monkeypatch.setattr(terminal, "write", lambda _app, text: written.append(text))
    app: Any = None
    terminal.keep_title(app)
    terminal.set_title(app, "○ api\x1b[2J · ccq-tui")
    terminal.restore_title(app)
    assert "".join(written) == "\x1b[22;0t\x1b]0;○ api␛[2J · ccq-tui\x07\x1b]0;\x07\x1b[23;0t"
