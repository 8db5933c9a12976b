"""Rules of the machine that its panel relies on: numbers under a filter, what may stand in a field."""

from __future__ import annotations

import pytest

from ccq_tui.questions import Answer, Answered
from ccq_tui.questions.events import Words
from ccq_tui.questions.keys import LINE_DOWN, LINE_UP, action_for, hints
from ccq_tui.questions.machine import step
from ccq_tui.questions.state import Focus, proposed, typable
from tests.unit.questions.drive import keys, number_question, panel, question, text_question, typed

LONG = question("Which city?", *(f"City {number}" for number in range(1, 13)))


def test_digits_count_the_rows_that_are_shown() -> None:
    state = keys(typed(keys(panel(LONG), "slash"), "city 1"), "enter")
    assert state.page.rows == (0, 9, 10, 11, 12)
    assert keys(state, "2").page.draft.selected == (9,)
    assert keys(state, "6").text == "6", "no sixth row is shown: it is text"


def test_digits_in_the_review_go_to_their_question_and_are_no_text() -> None:
    state = keys(panel(question(), number_question()), "shift+tab")
    assert state.in_review
    assert keys(state, "2").tab == 1
    assert keys(state, "3") == keys(state, "0") == state
    assert keys(state, "w").text == "w"


def test_the_draft_of_a_choice_with_a_default_is_not_yet_one() -> None:
    assert not panel(question(default="SQLite")).has_draft
    assert panel(question(default="SQLite")).page.cursor == 1


@pytest.mark.parametrize(
    ("text", "kept"),
    [("a\r\nb\rc", "a\nb\nc"), ("tab\there", "tab\there"), ("\x1b[2J\x07\x9b", "[2J"), ("\ud800x", "x")],
)
def test_a_field_holds_no_control_characters(text: str, kept: str) -> None:
    assert typable(text) == kept
    assert step(panel(), Words(text)).text == kept


def test_what_is_proposed_hides_nothing() -> None:
    assert proposed(text_question(default="a\u202eb\u200bc\x1b")) == "abc"
    assert panel(text_question(default="a\u202eb")).text == "ab"
    assert not panel(text_question(default="a\u202eb")).has_draft
    assert proposed(question(default="SQLite")) == ""


def test_an_empty_paste_opens_nothing() -> None:
    assert step(panel(), Words("\x1b")).focus is Focus.LIST


def test_every_question_can_be_shown_larger() -> None:
    assert keys(panel(), "p").large
    field = keys(panel(text_question("Why?")), "escape p")
    assert field.large, "of a text question too, when the field is left"


def test_scrolling_is_for_lists_and_the_review() -> None:
    state = panel(question(), number_question())
    assert action_for(state, "shift+down") is LINE_DOWN
    assert action_for(keys(state, "shift+tab"), "shift+up") is LINE_UP
    assert action_for(keys(state, "o"), "shift+up") is None, "in a text it selects"


@pytest.mark.parametrize(
    ("pressed", "does"),
    [
        ("", "send Postgres"),
        ("end", "write"),
        ("1 down", "select SQLite instead of Postgres"),
        ("n =x", "keep the note"),
        ("c =x", "send these words"),
    ],
)
def test_enter_is_named_first_in_so_many_words(pressed: str, does: str) -> None:
    opened, _, text = pressed.partition(" =")
    state = keys(panel(), opened)
    assert hints(typed(state, text) if text else state)[0] == ("Enter", does)


def test_letters_on_the_row_of_own_words_are_text_until_it_was_left() -> None:
    state = keys(panel(), "end")
    assert hints(state) == (("Enter", "write"), ("Esc", "hide"))
    assert keys(state, "n").text == "n"
    left = keys(state, "enter escape n escape ctrl+d escape")
    assert hints(left) == (("Enter", "write"), ("n", "note"), ("Esc", "hide"))
    assert keys(left, "c").focus is Focus.DISCUSS
    assert keys(left, "home end c").text == "c", "the cursor left the row"
    full = keys(keys(state, "x escape home"), "end")
    assert hints(full) == (("Enter", "send “x”"), ("o", "edit"), ("n", "note"), ("Esc", "hide"))
    assert (keys(full, "2").page.cursor, keys(full, "o").text) == (1, "x")


def test_the_keys_that_page_are_named_where_something_pages() -> None:
    state = keys(panel(), "p")
    assert hints(state)[1:] == (("↑↓", "other options"), ("Esc", "small again"))
    assert ("PgUp PgDn", "page") in hints(state, "page")


def test_enter_says_what_it_does_in_a_set_and_in_its_review() -> None:
    state = panel(question(), question("Which ones?", multi=True))
    assert hints(state)[0] == ("Enter", "take Postgres")
    state = keys(state, "enter")
    assert hints(state)[:2] == (("Space", "select"), ("Enter", "none of these"))
    state = keys(state, "1 2")
    assert hints(state)[0] == ("Enter", "go on with 2")
    state = keys(state, "enter")
    assert hints(state)[0] == ("Enter", "submit 2 answers")
    assert hints(keys(state, "up"))[0][1].startswith("change ")
    gap = keys(panel(question(), question()), "enter tab")
    assert hints(keys(gap, "end"))[0] == ("Enter", "submit 1 answer, 1 open")


def test_the_first_enter_moves_a_selection_that_is_elsewhere() -> None:
    state = keys(panel(), "space down")
    moved = keys(state, "enter")
    assert moved.outcome is None
    assert moved.page.draft.selected == (1,)
    assert hints(moved)[0] == ("Enter", "send SQLite")
    assert keys(moved, "enter").outcome == Answered((Answer(("SQLite",)),))
    own = keys(typed(keys(panel(), "o"), "x"), "escape up up")
    assert hints(own)[0][1].endswith(" instead of “x”")
    assert keys(own, "enter").outcome is None
