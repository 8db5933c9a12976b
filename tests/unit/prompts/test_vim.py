"""Vim's keys: the results of the table are those of Vim 9.0 itself."""

from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.prompts.vim import ESCAPE, VimMode, VimState, pressed
from tests.tables import each_row, table

LINE = "fix the login, then test it"
LINES = "one\n  two words\n\nthree four\n"
NORMAL = VimState(mode=VimMode.NORMAL)
TABLE = table(__file__, "vim.json")
KEYS = st.sampled_from([*"hjklwWbBeE0^$GgfFtT;,dcyxXsSDCYpPuiIaAoOr123! a", ESCAPE])


def after(text: str, caret: int, keys: list[str], state: VimState = NORMAL) -> tuple[str, int, VimState]:
    """Press keys in a text; what is not Vim's is typed."""
    for key in keys:
        outcome = pressed(state, key, text, caret)
        if outcome is not None:
            state, text, caret = outcome.state, outcome.text, outcome.caret
        elif key != ESCAPE:
            text, caret = text[:caret] + key + text[caret:], caret + 1
    return text, caret, state


@each_row(*TABLE)
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
