"""Long pastes: folded, named, unfolded."""

from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.prompts.pastes import around, folds, in_line, label, unfolded


def test_a_paste_of_more_than_twenty_lines_is_folded() -> None:
    assert not folds("x\n" * 20)
    assert folds("x\n" * 20 + "x")


def test_two_pastes_of_one_length_have_two_names_and_the_same_one_keeps_its_own() -> None:
    first, second = "x\n" * 30, "y\n" * 30
    taken = {label(first, {}, ""): first}
    assert list(taken) == ["[pasted 30 lines]"]
    assert label(second, taken, "") == "[pasted 30 lines · 2]"
    assert label(first, taken, "[pasted 30 lines]") == "[pasted 30 lines]"


def test_words_that_a_person_typed_do_not_come_to_stand_for_a_paste() -> None:
    assert label("x\n" * 30, {}, "I typed [pasted 30 lines] myself") == "[pasted 30 lines · 2]"


@given(st.lists(st.text(min_size=1), max_size=4), st.text(), st.text())
def test_pastes_are_sent_whole_and_once(texts: list[str], before: str, after: str) -> None:
    pastes: dict[str, str] = {}
    for text in texts:
        pastes[label(text, pastes, before + after)] = text
    names = {text: name for name, text in pastes.items()}
    field = before + "".join(names[text] for text in texts) + after
    assert unfolded(field, pastes) == before + "".join(texts) + after


def test_a_place_within_a_name() -> None:
    pastes = {"[pasted 30 lines]": "x"}
    line = "a [pasted 30 lines] b"
    assert around(2, in_line(line, pastes)) is None
    assert around(3, in_line(line, pastes)) == (2, 19)
    assert around(19, in_line(line, pastes)) is None
