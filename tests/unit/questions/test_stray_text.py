"""A text that a stray key opened takes nothing from what was selected, and is never lost unseen."""

from __future__ import annotations

import pytest

from ccq_tui.questions import Answer, Answered, Discussed
from ccq_tui.questions.events import Clicked, Doubted, Pressed, TabClicked, TextChanged, Words
from ccq_tui.questions.keys import enter_words
from ccq_tui.questions.machine import REPLY_LEFT_OUT, TEXT_LEFT_OUT, step
from ccq_tui.questions.merge_partial import begun, grown
from ccq_tui.questions.moves import KEPT_ASIDE
from ccq_tui.questions.prose import draft_text, unselected_text
from ccq_tui.questions.state import Arriving, Focus, PanelState
from tests.unit.questions.drive import keys, number_question, panel, question, text_question, typed

MULTI = question("Which features?", "Auth", "Cache", "Logs", multi=True)
TWO = (question("One?"), question("Two?"))


def test_escape_gives_back_the_selection_and_the_cursor() -> None:
    state = keys(panel(*TWO), "2 x")
    assert (state.focus, state.text) == (Focus.OTHER, "x")
    left = keys(typed(state, "yz"), "escape")
    assert (left.page.draft.selected, left.page.draft.other, left.page.draft.other_on) == ((1,), "xyz", False)
    assert (left.focus, left.page.cursor) == (Focus.LIST, 1)
    assert left.page.answer() == Answer(selected=("SQLite",), unselected="xyz")


def test_a_click_elsewhere_takes_it_no_more_than_escape_does() -> None:
    state = keys(panel(MULTI), "1 x")
    assert step(state, Clicked(1)).page.answer() == Answer(("Auth", "Cache"), unselected="x")
    assert step(state, TabClicked(1)).pages[0].answer() == Answer(("Auth",), unselected="x")


def test_a_paste_is_as_stray_as_a_key() -> None:
    state = keys(step(keys(panel(*TWO), "2"), Words("meant for elsewhere")), "escape")
    assert state.page.answer() == Answer(("SQLite",), unselected="meant for elsewhere")


def test_a_stray_key_behind_own_text_leaves_that_selected() -> None:
    state = keys(keys(typed(keys(panel(*TWO), "o"), "mine"), "enter home"), "x escape")
    assert state.page.answer() == Answer(other="minex")
    emptied = keys(step(keys(state, "home x"), TextChanged("")), "escape")
    assert not emptied.page.answered


def test_prose_that_a_stray_key_began_in_the_review_says_how_it_goes_on() -> None:
    state = keys(panel(*TWO), "tab tab x enter")
    assert (state.focus, state.aside, state.discussion) == (Focus.REVIEW, KEPT_ASIDE, "x")
    assert keys(state, "c").text == "x"


def test_a_field_left_by_escape_takes_no_stray_key() -> None:
    left = keys(panel(text_question(default="api"), question()), "escape x escape")
    assert left.page.draft.other == "apix"
    assert left.page.answer() == Answer(unselected="apix")
    assert left.gaps == (0, 1)
    assert keys(left, "o escape").page.answer() == Answer(other="apix")
    assert keys(left, "enter enter").pages[0].answer() == Answer(other="apix")
    assert keys(panel(text_question(default="api"), question()), "escape x enter").pages[0].answered


def test_a_field_typed_into_before_stays_an_answer() -> None:
    state = typed(panel(number_question(), question()), "4")
    assert keys(state, "escape 2 escape").page.answer() == Answer(other="42")


def test_a_proposal_that_nobody_took_is_not_a_text_left_out() -> None:
    assert panel(text_question(default="api")).page.unselected == ""
    assert keys(panel(text_question(default="api"), question()), "tab").pages[0].unselected == ""


@pytest.mark.parametrize(
    ("before", "focus", "tab"),
    [
        ("2", Focus.OTHER, 0),
        ("2 x", Focus.OTHER, 0),
        ("2 x escape", Focus.OTHER, 0),
        ("n", Focus.NOTE, 0),
        ("c", Focus.DISCUSS, 0),
        ("tab escape", Focus.FIELD, 1),
        ("tab tab", Focus.OTHER, 0),  # from the first gap in the review
        ("1 tab tab", Focus.FIELD, 1),
        ("tab tab end", Focus.REVIEW, 2),
        ("ctrl+d", Focus.DECLINE, 0),
    ],
)
def test_the_editor_has_a_text_that_is_open_on_purpose(before: str, focus: Focus, tab: int) -> None:
    state = keys(panel(question(), text_question()), f"{before} ctrl+g")
    assert (state.focus, state.tab, state.stray) == (focus, tab, None)
    if focus is Focus.OTHER:
        edited = keys(step(state, TextChanged("edited")), "escape")
        assert edited.page.answer() == Answer(other="edited")


def press(state: PanelState, key: str, at: float) -> PanelState:
    return step(state, Pressed(key, key if len(key) == 1 else "", at))


def test_a_set_of_one_says_that_own_text_would_not_be_sent() -> None:
    state = press(keys(panel(), "x escape"), "enter", 100.0)
    assert (state.outcome, state.aside) == (None, TEXT_LEFT_OUT)
    assert state.page.draft.selected == (0,), "what would be sent is seen"
    assert press(state, "enter", 101.0).outcome == Answered((Answer(("Postgres",), unselected="x"),))


def test_o_selects_the_text_that_would_be_left_out() -> None:
    state = press(press(keys(panel(), "x escape"), "enter", 100.0), "o", 100.1)
    assert (state.focus, state.aside, state.page.answer()) == (Focus.LIST, "", Answer(other="x"))
    assert press(state, "enter", 100.2).outcome == Answered((Answer(other="x"),))


def test_another_key_takes_the_warning_back() -> None:
    state = press(press(keys(panel(), "x escape"), "enter", 100.0), "down", 101.0)
    assert state.aside == ""
    assert press(state, "o", 102.0).focus is Focus.OTHER
    again = press(press(state, "enter", 102.0), "enter", 103.0)
    assert (again.outcome, again.aside) == (None, TEXT_LEFT_OUT)


def test_text_that_an_option_replaced_is_warned_of_too() -> None:
    state = keys(typed(keys(panel(), "o"), "mine"), "escape up 1")
    assert press(state, "enter", 100.0).aside == TEXT_LEFT_OUT


def test_nothing_is_warned_of_where_all_is_sent_or_reviewed() -> None:
    assert keys(typed(keys(panel(), "o"), "mine"), "enter").outcome == Answered((Answer(other="mine"),))
    assert keys(typed(keys(panel(), "o"), "  "), "escape home enter").outcome is not None
    assert keys(panel(MULTI), "1 x escape enter").in_review


def test_what_is_left_out_can_be_copied() -> None:
    state = keys(panel(*TWO), "2 x escape")
    assert unselected_text(state) == "Typed but not selected (One?): x"
    assert "SQLite" in draft_text(state)
    assert draft_text(state).endswith(unselected_text(state))


def test_a_list_that_grows_meanwhile_gives_the_same_row_back() -> None:
    part, whole = question("One?", "A"), question("One?", "A", "B", "C")

    def questions(one):  # type: ignore[no-untyped-def]
        return panel(one, TWO[1]).questions

    for before, row, selected in (("x", 0, False), ("end x", 3, True)):
        state = keys(begun(questions(part), Arriving(0)), before)
        assert state.focus is Focus.OTHER
        state = keys(grown(state, questions(whole), None, seen=True), "escape")
        assert (state.page.cursor, state.page.draft.other_on) == (row, selected)


def test_words_from_the_prompt_stand_apart_and_in_the_place_of_a_proposal() -> None:
    kept = keys(typed(keys(panel(*TWO), "o"), "first"), "escape")
    assert step(kept, Words("second", meant=True)).text == "first second"
    proposed = keys(panel(text_question(default="api"), question()), "escape")
    assert step(proposed, Words("web", meant=True)).text == "web"


def test_words_to_discuss_are_not_left_out_of_an_answer_without_a_word() -> None:
    state = keys(keys(typed(keys(panel(), "c"), "which is faster?"), "escape"), "enter")
    assert (state.outcome, state.aside) == (None, REPLY_LEFT_OUT)
    assert keys(state, "enter").outcome == Answered((Answer(("Postgres",)),))
    assert isinstance(said := keys(state, "c enter").outcome, Discussed)
    assert said.text == "which is faster?"


def test_a_stray_text_in_the_review_is_kept_as_its_hint_says() -> None:
    assert enter_words(keys(panel(*TWO), "tab tab x")) == "keep these words"


def test_swapping_the_reading_twice_leaves_all_as_it_was_and_an_edit_at_the_front_ends_it() -> None:
    note = typed(step(keys(panel(), "down n"), Doubted("n")), "ot sure")
    swapped = keys(note, "tab")
    assert (swapped.focus, swapped.text) == (Focus.OTHER, "not sure")
    back = keys(swapped, "tab")
    assert (back.focus, back.text, back.page.cursor, back.doubt) == (Focus.NOTE, "ot sure", 1, note.doubt)
    for state, edited in ((note, "I am ot sure"), (swapped, "I am not sure")):
        assert step(state, TextChanged(edited)).doubt is None
