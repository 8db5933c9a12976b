"""Vim's keys: the results of the table are those of Vim 9.0 itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.prompts.vim import ESCAPE, VimMode, VimState, pressed

LINE = "fix the login, then test it"
LINES = "one\n  two words\n\nthree four\n"
CALL = 'say("hello there", [1, {2}]) now'
NORMAL = VimState(mode=VimMode.NORMAL)
TABLE = (
    (LINE, 0, "w", "fix the login, then test it", 4),
    (LINE, 0, "3w", "fix the login, then test it", 13),
    (LINE, 8, "e", "fix the login, then test it", 12),
    (LINE, 8, "b", "fix the login, then test it", 4),
    (LINE, 12, "B", "fix the login, then test it", 8),
    (LINE, 3, "$", "fix the login, then test it", 26),
    (LINE, 20, "0", "fix the login, then test it", 0),
    (LINE, 0, "fl", "fix the login, then test it", 8),
    (LINE, 0, "2ft", "fix the login, then test it", 15),
    (LINE, 0, "tl", "fix the login, then test it", 7),
    (LINE, 0, "ft;", "fix the login, then test it", 15),
    (LINE, 0, "2ft,", "fix the login, then test it", 4),
    (LINE, 26, "Ft", "fix the login, then test it", 23),
    (LINE, 26, "Tt;", "fix the login, then test it", 21),
    (LINE, 8, "x", "fix the ogin, then test it", 8),
    (LINE, 8, "3x", "fix the in, then test it", 8),
    (LINE, 8, "X", "fix thelogin, then test it", 7),
    (LINE, 26, "x", "fix the login, then test i", 25),
    (LINE, 8, "dw", "fix the , then test it", 8),
    (LINE, 8, "2dw", "fix the then test it", 8),
    (LINE, 8, "d2w", "fix the then test it", 8),
    (LINE, 9, "db", "fix the ogin, then test it", 8),
    (LINE, 8, "de", "fix the , then test it", 8),
    (LINE, 22, "dw", "fix the login, then teit", 22),
    (LINE, 8, "D", "fix the ", 7),
    (LINE, 8, "d0", "login, then test it", 0),
    (LINE, 8, "dft", "fix the hen test it", 8),
    (LINE, 8, "dtt", "fix the then test it", 8),
    (LINE, 26, "dFt", "fix the login, then test", 23),
    (LINE, 8, "df!", "fix the login, then test it", 8),
    (LINE, 8, "cwlogout\x1b", "fix the logout, then test it", 13),
    (LINE, 8, "ciwX\x1b", "fix the X, then test it", 8),
    (LINE, 10, "daw", "fix the, then test it", 7),
    (LINE, 24, "daw", "fix the login, then test", 23),
    (LINE, 3, "diw", "fixthe login, then test it", 3),
    (LINE, 10, "yiwP", "fix the loginlogin, then test it", 12),
    (LINE, 8, "ywPp", "fix the loginloginlogin, then test it", 17),
    (LINE, 8, "s!\x1b", "fix the !ogin, then test it", 8),
    (LINE, 8, "Send\x1b", "end", 2),
    (LINE, 8, "Cit\x1b", "fix the it", 9),
    (LINE, 8, "rL", "fix the Login, then test it", 8),
    (LINE, 8, "3r-", "fix the ---in, then test it", 10),
    (LINE, 8, "2~", "fix the LOgin, then test it", 10),
    (LINE, 0, "x.", "x the login, then test it", 0),
    (LINE, 0, "dw.", "login, then test it", 0),
    (LINE, 0, "cwdo\x1bw.", "do do login, then test it", 4),
    (LINE, 4, "iso \x1b", "fix so the login, then test it", 6),
    (LINE, 4, "aX\x1b", "fix tXhe login, then test it", 5),
    (LINE, 4, "Ahere\x1b", "fix the login, then test ithere", 30),
    (LINE, 4, "I> \x1b", "> fix the login, then test it", 1),
    (LINE, 4, "xp", "fix hte login, then test it", 5),
    (LINE, 4, "X", "fixthe login, then test it", 3),
    (LINES, 0, "j", "one\n  two words\n\nthree four\n", 4),
    (LINES, 6, "k", "one\n  two words\n\nthree four\n", 2),
    (LINES, 6, "2j", "one\n  two words\n\nthree four\n", 19),
    (LINES, 6, "gg", "one\n  two words\n\nthree four\n", 0),
    (LINES, 6, "G", "one\n  two words\n\nthree four\n", 28),
    (LINES, 0, "2G", "one\n  two words\n\nthree four\n", 6),
    (LINES, 0, "j^", "one\n  two words\n\nthree four\n", 6),
    (LINES, 6, "dd", "one\n\nthree four\n", 4),
    (LINES, 6, "2dd", "one\nthree four\n", 4),
    (LINES, 0, "dj", "\nthree four\n", 0),
    (LINES, 6, "dk", "\nthree four\n", 0),
    (LINES, 6, "ddp", "one\n\n  two words\nthree four\n", 7),
    (LINES, 6, "yyP", "one\n  two words\n  two words\n\nthree four\n", 6),
    (LINES, 6, "Yjp", "one\n  two words\n\n  two words\nthree four\n", 19),
    (LINES, 6, "cc!\x1b", "one\n!\n\nthree four\n", 4),
    (LINES, 6, "dG", "one", 0),
    (LINES, 6, "dgg", "\nthree four\n", 0),
    (LINES, 0, "J", "one two words\n\nthree four\n", 3),
    (LINES, 6, "J", "one\n  two words\nthree four\n", 14),
    (LINES, 0, "3J", "one two words\nthree four\n", 12),
    (LINES, 6, ">>", "one\n      two words\n\nthree four\n", 10),
    (LINES, 6, "<<", "one\ntwo words\n\nthree four\n", 4),
    (LINES, 0, ">j", "    one\n      two words\n\nthree four\n", 4),
    (LINES, 0, "onew\x1b", "one\nnew\n  two words\n\nthree four\n", 6),
    (LINES, 6, "Onew\x1b", "one\nnew\n  two words\n\nthree four\n", 6),
    (LINES, 8, "w", "one\n  two words\n\nthree four\n", 10),
    (LINES, 8, "2w", "one\n  two words\n\nthree four\n", 16),
    (LINES, 18, "b", "one\n  two words\n\nthree four\n", 17),
    (LINES, 2, "dw", "on\n  two words\n\nthree four\n", 1),
    (LINES, 0, "dw", "\n  two words\n\nthree four\n", 0),
    (LINES, 12, "de", "one\n  two wo\n\nthree four\n", 11),
    (LINES, 12, "d$", "one\n  two wo\n\nthree four\n", 11),
    (LINES, 6, "ddj.", "one\n\n", 5),
    (LINES, 0, "onew\x1bj.", "one\nnew\n  two words\nnew\n\nthree four\n", 22),
    (LINES, 16, "dd", "one\n  two words\nthree four\n", 16),
    (LINES, 0, "yjP", "one\n  two words\none\n  two words\n\nthree four\n", 0),
    (CALL, 8, 'di"', 'say("", [1, {2}]) now', 5),
    (CALL, 8, 'da"', "say(, [1, {2}]) now", 4),
    (CALL, 0, 'ci"bye\x1b', 'say("bye", [1, {2}]) now', 7),
    (CALL, 8, "di(", "say() now", 4),
    (CALL, 8, "da(", "say now", 3),
    (CALL, 23, "di{", 'say("hello there", [1, {}]) now', 24),
    (CALL, 23, "da[", 'say("hello there", ) now', 19),
    (CALL, 21, "ci[2\x1b", 'say("hello there", [2]) now', 20),
    (CALL, 6, "dib", "say() now", 4),
    (CALL, 30, "diB", 'say("hello there", [1, {2}]) now', 30),
    (CALL, 23, "yi{P", 'say("hello there", [1, {22}]) now', 24),
    (CALL, 12, "yaWP", 'say("hello there", there", [1, {2}]) now', 18),
    (CALL, 5, "dW", 'say("there", [1, {2}]) now', 5),
    (CALL, 12, "cWx\x1b", 'say("hello tx [1, {2}]) now', 12),
    ("", 0, "x", "", 0),
    ("", 0, "p", "", 0),
    ("", 0, "dd", "", 0),
    ("", 0, "ihi\x1b", "hi", 1),
    ("a", 0, "dd", "", 0),
    ("a\nb", 2, "dd", "a", 0),
    ("x", 0, "Ox\x1bjp", "x\nx", 2),
    ("äöü ßé", 0, "w~", "äöü ßé", 5),
)
KEYS = st.sampled_from([*"hjklwWbBeE0^$GgfFtT;,dcy<>xXsSDCYpPJu~.iIaAoOr123()[]{}\"'! a", ESCAPE])


def after(text: str, caret: int, keys: list[str], state: VimState = NORMAL) -> tuple[str, int, VimState]:
    """Press keys in a text; what is not Vim's is typed."""
    for key in keys:
        outcome = pressed(state, key, text, caret)
        if outcome is not None:
            state, text, caret = outcome.state, outcome.text, outcome.caret
        elif key != ESCAPE:
            text, caret = text[:caret] + key + text[caret:], caret + 1
    return text, caret, state


@pytest.mark.parametrize(("text", "caret", "keys", "text_after", "caret_after"), TABLE)
def test_it_does_what_vim_does(text: str, caret: int, keys: str, text_after: str, caret_after: int) -> None:
    pressed_keys = [ESCAPE if key == "\x1b" else key for key in keys]
    assert after(text, caret, pressed_keys)[:2] == (text_after, caret_after)


@given(st.text(alphabet='ab. \n("ß', max_size=30), st.data(), st.lists(KEYS, max_size=25))
def test_any_keys_leave_the_caret_in_the_text(text: str, data: st.DataObject, keys: list[str]) -> None:
    caret = data.draw(st.integers(0, len(text)))
    state = NORMAL
    for key in keys:
        text, caret, state = after(text, caret, [key], state)
        assert 0 <= caret <= len(text)
    text, caret, state = after(text, caret, [ESCAPE], state)
    assert state.mode is VimMode.NORMAL


@given(
    st.text(alphabet="ab. \n(", max_size=30),
    st.data(),
    st.lists(st.sampled_from("hjklwWbBeE0^$G;,23"), max_size=9),
)
def test_motions_change_no_text(text: str, data: st.DataObject, keys: list[str]) -> None:
    assert after(text, data.draw(st.integers(0, len(text))), keys)[0] == text


def test_a_count_puts_no_more_into_the_text_than_an_eye_can_take() -> None:
    text, _, _ = after("x" * 1_000, 0, [*"yy", *"999p"])
    assert len(text) < 110_000
    assert after("abc", 0, [*"9" * 13, "x"])[0] == "bc", "so many digits are no count"


def test_a_count_of_the_dot_takes_the_place_of_the_changes_own() -> None:
    assert after("abcdefghij", 0, [*"x3."])[0] == "efghij"
    assert after("abcdefghij", 0, [*"3x."])[0] == "ghij"
    assert after("abcdefghij", 0, [*"3x2.."])[0] == "hij"


def test_a_caret_behind_the_last_character_is_on_it_for_a_command() -> None:
    assert after("ab\ncd", 2, [*"x"])[:2] == ("a\ncd", 0)
    assert after("ab\ncd", 2, [*"ylp"])[:2] == ("abb\ncd", 2)


def test_keys_of_a_command_that_is_not_whole_are_dropped_by_escape_alone() -> None:
    _, _, begun = after(LINE, 0, ["2", "d", "i"])
    assert begun.keys == "2di"
    text, _, state = after(LINE, 0, [ESCAPE, "w"], begun)
    assert (text, state.keys) == (LINE, "")
    assert pressed(NORMAL, ESCAPE, LINE, 0) is None, "then it means what it means without Vim's keys"


def test_a_caret_that_cannot_go_on_asks_for_another_prompt() -> None:
    for keys, step in (("k", 1), ("j", -1)):
        outcome = pressed(NORMAL, keys, LINE, 3)
        assert outcome.step == step
    within = pressed(NORMAL, "j", LINES, 0)
    assert within.step == 0


def test_u_takes_changes_back() -> None:
    outcome = pressed(VimState(mode=VimMode.NORMAL, keys="3"), "u", LINE, 0)
    assert outcome.undo == 3
