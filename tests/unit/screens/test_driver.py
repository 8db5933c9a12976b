"""What the terminal's driver adds to Textual's."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from textual import events
from textual.message import Message

from ccq_tui.compat.textual.decoder import Decoder
from ccq_tui.questions.state import typable
from ccq_tui.screens import terminal
from ccq_tui.widgets.keys import text_of


@pytest.mark.parametrize(
    ("goes", "told"),
    [
        # A new line, however a terminal sends it.
        (["a\\\r\nb\r"], ["a", "shift+enter", "b", "enter"]),  # VS Code, as Claude Code sets it up
        (["a\\", "\r"], ["a", "backslash", "enter"]),  # a field makes it a new line
        (["\x1b[27;2;13~"], ["shift+enter"]),  # xterm
        (["\x1b[27;3;13~", "\x1b[27;5;97~\x1b[27;2;65~"], ["alt+enter", "ctrl+a", "A"]),
        (["\x1b[13;2u"], ["shift+enter"]),  # kitty
        (["\x1b\r"], ["alt+enter"]),
        (["\x1b\r\x1b[B"], ["alt+enter", "down"]),  # was "^", Enter, down
        (["\n"], ["ctrl+j"]),
        (["a\r\n"], ["a", "enter"]),
        # A keypad.
        (["\x1b[57409u\x1b[57410;129u\x1b[57411;65u"], ["full_stop", "slash", "asterisk"]),
        (["\x1b[57412;1u\x1b[57413u\x1b[57416u"], ["minus", "plus", "comma"]),
        (["\x1b[57399u\x1b[57414u\x1b[57414;2u"], ["0", "enter", "shift+enter"]),
        (["\x1bOn\x1bOp\x1bOM"], ["full_stop", "0", "enter"]),
        # A paste, with keys in place of characters.
        (["\x1b[200~a\x1b[106;5ub\x1b[9u\x1b[27;2;13~c\x1b[201~", "\r"], ["«a↵b→↵c»", "enter"]),
        (["\x1b[200~a\x1b[27;5", ";106~b\x1b[201", "~c"], ["«a↵b»", "c"]),
        (["\x1b[200~\x1b[201~"], ["«»"]),
        (["\x1b\x1b[200~a\x1b[201~"], ["escape", "«a»"]),
        # Lines without the marks of a paste.
        (["one\rtwo\rthree\r"], ["«one↵two↵three↵»"]),
        (["one\r\rtwo"], ["«one↵↵two»"]),
        (["{\r  a\r", "}\r"], ["«{↵  a↵}↵»"]),
        (["a \\\r b\rcd"], ["«a \\↵ b↵cd»"]),
        (["one\rtwo", "\x1b[A"], ["«one↵two»", "up"]),
        # Typed, and come in one go: prompts and answers.
        (["go\r"], ["g", "o", "enter"]),
        (["go\r1\r2\r"], ["g", "o", "enter", "1", "enter", "2", "enter"]),
        (["a\\\rbc\r"], ["a", "backslash", "enter", "b", "c", "enter"]),
        (["a\r\x1b[Bbc"], ["a", "enter", "down", "b", "c"]),
        (["\rab\r"], ["enter", "a", "b", "enter"]),
        # Esc and a key are two unless they come in one go.
        (["\x1b", "n"], ["escape", "n"]),  # was Alt+N
        (["\x1b", "1"], ["escape", "1"]),  # was Alt+1
        (["\x1b", "\r"], ["escape", "enter"]),
        (["\x1b", "O", "K"], ["escape", "O", "K"]),
        (["a\x1b", "\x1b", "b"], ["a", "escape", "escape", "b"]),
        (["\x1b", "\x1b[A"], ["escape", "up"]),
        (["\x1b\x1b[B"], ["escape", "down"]),
        (["\x1b", "é"], ["escape", "é"]),
        # In one go: Alt, and what a slow line has cut.
        (["\x1bn"], ["alt+n"]),
        (["\x1b1\x1b9x"], ["alt+1", "alt+9", "x"]),  # was "¡", "ª"
        (["\x1b[1;3A"], ["alt+up"]),
        (["\x1b", "[A"], ["up"]),
        (["\x1b", "[", "A"], ["up"]),
        (["\x1b[", "1;3A"], ["alt+up"]),
        (["\x1b", "OP"], ["f1"]),
        (["\x1b[110;3u"], ["alt+n"]),
        (["\x1b[27u", "n"], ["escape", "n"]),
        # Held down, and with another key right behind it: was "^", u.
        (["\x1bu\x1bu", "\x1bu"], ["alt+u", "alt+u", "alt+u"]),
        (["\x1bc\x1b[1;3B"], ["alt+c", "alt+down"]),
        (["\x1bG\x1b<x"], ["alt+shift+g", "less_than_sign", "x"]),
        (["\x1bb\x1bf\x1b-"], ["ctrl+left", "ctrl+right", "en_dash"]),
        (["\x1bé\x1b"], ["alt+é", "escape"]),
        (["\x1bOP\x1bO", "Q"], ["f1", "f2"]),
    ],
)
def test_bytes_are_keys_and_pastes(goes: list[str], told: list[str]) -> None:
    decoder = Decoder()
    events = [event for sent in goes for event in decoder.feed(sent)]
    assert names([*events, *decoder.feed("")]) == told


def names(told: list[Message]) -> list[str]:
    """Keys by their names; the text of a paste in quotation marks, with signs for lines and tabs."""
    return [
        f"«{typable(event.text).translate({10: '↵', 9: '→'})}»"
        if isinstance(event, events.Paste)
        else event.key
        for event in told
        if isinstance(event, events.Paste | events.Key)
    ]


@pytest.mark.parametrize(("number", "character"), enumerate("0123456789./*-+", 57399))
def test_a_keypad_types(number: int, character: str) -> None:
    (key,) = Decoder().feed(f"\x1b[{number};129u")
    assert isinstance(key, events.Key)
    assert text_of(key) == character


@given(
    st.text(alphabet="\x1b[201~<Mm;3A\rab", max_size=30).filter(
        lambda text: "\x1b[201~" not in text + "\x1b[201"
    ),
    st.lists(st.integers(1, 9), min_size=1),
)
@example("HEAD\x1b[31m\x1b[A\x1b[<0;3;3M\rTAIL", [100])  # a colour, a key, a click, and Return
@example("ab", [3])
def test_what_is_pasted_is_text_alone_however_it_comes(pasted: str, sizes: list[int]) -> None:
    parser, told = Decoder(), []
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


def test_a_pause_ends_what_may_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    decoder, now = Decoder(), 0.0
    monkeypatch.setattr("ccq_tui.compat.textual.decoder.monotonic", lambda: now)
    for sent, told in (("\x1b", ["escape"]), ("one\rtwo", ["«one↵two»"])):
        assert names([*decoder.feed(sent), *decoder.tick()]) == []
        now += 1
        assert names(list(decoder.tick())) == told
        assert names(list(decoder.feed("n\r"))) == ["n", "enter"]


def test_the_terminal_gets_its_title_back(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    monkeypatch.setattr(terminal, "write", lambda _app, text: written.append(text))
    app: Any = None
    terminal.keep_title(app)
    terminal.set_title(app, "○ api\x1b[2J · ccq-tui")
    terminal.restore_title(app)
    assert "".join(written) == "\x1b[22;0t\x1b]0;○ api␛[2J · ccq-tui\x07\x1b]0;\x07\x1b[23;0t"
