"""The keys of the question about trust: no typing answers it, and none of it is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.config.trust import TrustAnswer
from ccq_tui.config.trust_question import PAUSE, TrustKeys, pressed, text_came

KEYS = st.sampled_from([*"ydnx", " ", "enter", "up", "down", "escape", "tab", "paste"])
PAUSES = st.sampled_from([0.0, 0.05, 0.3, PAUSE - 0.01, PAUSE, 1.5])


def after(question: TrustKeys, key: str, at: float) -> TrustKeys:
    if key == "paste":
        return text_came(question, "y\nd", at)
    return pressed(question, {" ": "space"}.get(key, key), key if len(key) == 1 else "", at)


@pytest.mark.parametrize("pause", [0.05, 0.3, 1.0])
@pytest.mark.parametrize("text", ["a short story", "explain; echo LEAKED", "yes", "no, don't", "day"])
def test_a_text_with_an_enter_behind_it_answers_nothing(text: str, pause: float) -> None:
    question, at = TrustKeys(0.0), 0.0
    for key in [*text, "enter"]:
        at += pause
        question = after(question, key, at)
    assert question.answer is None
    assert question.row is TrustAnswer.LEAVE
    assert question.prompt == text


@given(st.lists(st.tuples(KEYS, PAUSES), max_size=40), st.sampled_from(["", "begun"]))
def test_only_a_deliberate_enter_answers_and_every_key_is_kept(
    keys: list[tuple[str, float]], draft: str
) -> None:
    question, at, text = TrustKeys(0.0, typed=draft, typing=bool(draft)), 0.0, draft
    last_text, before = -PAUSE, ""
    for key, pause in keys:
        at += pause
        was, question = question, after(question, key, at)
        typed = "y\nd" if key == "paste" else key if len(key) == 1 else ""
        text += typed
        if was.answer is None and question.answer is not None:
            assert key == "enter"
            assert at - last_text >= PAUSE
            assert question.answer is was.row
            if question.answer is TrustAnswer.TRUST:
                assert was.letters.endswith("y") or before in ("down", "enter", "up", "escape", "tab")
        if was.row is not question.row and question.row is not TrustAnswer.LEAVE:
            assert key in ("up", "down") or (key in "yd" and not was.typed)
        last_text, before = (at if typed else last_text), key
        kept = (question.letters + question.typed).replace("\n", "")
        assert kept == text.replace("\n", "")


def test_escape_leaves_only_where_there_is_something_to_stay_in() -> None:
    asked = TrustKeys(0.0, escapes=True)
    assert pressed(asked, "escape", "", PAUSE / 2).answer is None
    assert pressed(text_came(asked, "later", 0.5), "escape", "", 1.5).answer is TrustAnswer.LEAVE
    assert pressed(TrustKeys(0.0), "escape", "", 1.0).answer is None


def test_a_letter_moves_and_backspace_takes_back() -> None:
    question = pressed(TrustKeys(0.0), "y", "y", 1.0)
    assert question.row is TrustAnswer.TRUST
    assert pressed(question, "enter", "\r", 1.5).answer is None
    assert pressed(question, "enter", "\r", 1.0 + PAUSE).answer is TrustAnswer.TRUST
    taken_back = pressed(question, "backspace", "", 2.0)
    assert (taken_back.row, taken_back.typed, taken_back.typing) == (TrustAnswer.LEAVE, "", False)
    assert pressed(taken_back, "enter", "\r", 3.0).answer is TrustAnswer.LEAVE


@pytest.mark.parametrize("key", ["paste", "d", "enter"])
def test_what_comes_behind_an_answer_is_for_the_prompt_without_the_letter_that_answered(key: str) -> None:
    question = pressed(pressed(TrustKeys(0.0), "y", "y", 1.0), "enter", "\r", 2.0)
    later = after(question, key, 2.1)
    assert later.answer is TrustAnswer.TRUST
    assert later.typed == {"paste": "y\nd", "enter": "\n"}.get(key, key)


def test_the_arrows_do_not_wrap_and_wait_as_well() -> None:
    question = TrustKeys(0.0)
    assert pressed(question, "down", "", 0.1).row is TrustAnswer.LEAVE
    assert pressed(question, "up", "", 1.0).row is TrustAnswer.LEAVE
    for row in (TrustAnswer.WITHOUT, TrustAnswer.TRUST, TrustAnswer.TRUST):
        question = pressed(question, "down", "", 1.0)
        assert question.row is row
