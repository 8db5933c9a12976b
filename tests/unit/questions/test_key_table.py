"""Every row of the key table, in single and in multi select."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ccq_tui.input.keys import KeyPlace, rows_at
from ccq_tui.questions import Answer, Answered, Declined, Discussed, FieldRules, Option, Question, QuestionSet
from ccq_tui.questions.events import Doubted, TextChanged
from ccq_tui.questions.keys import EFFECTS, FILTER_FROM, action_for, hints, words
from ccq_tui.questions.machine import step
from ccq_tui.questions.model import Recalled
from ccq_tui.questions.state import Focus, opened
from tests.unit.questions.drive import keys, number_question, panel, question, text_question, typed

MULTI = question("Which features?", "Auth", "Cache", "Logs", multi=True)
LONG = question("Which city?", *(f"City {n}" for n in range(FILTER_FROM)))


@pytest.mark.parametrize("down", ["down", "j", "ctrl+n"])
@pytest.mark.parametrize("up", ["up", "k", "ctrl+p"])
def test_moving_wraps_and_selects_nothing(up: str, down: str) -> None:
    state = panel()
    assert keys(state, f"{down} {down}").page.cursor == 2
    assert keys(state, up).page.cursor == 3, "from the first row up to Other"
    if down != "j":  # on the row of Other it is text
        assert keys(state, f"{up} {down}").page.cursor == 0
    assert not keys(state, f"{down} {up} {up}").has_draft


def test_home_and_end() -> None:
    assert keys(panel(), "end").page.cursor == 3
    assert keys(panel(), "end home").page.cursor == 0


def test_digit_moves_and_selects_in_a_single_select() -> None:
    state = keys(panel(), "2")
    assert (state.page.cursor, state.page.draft.selected) == (1, (1,))
    assert keys(state, "3").page.draft.selected == (2,)
    assert state.outcome is None


def test_digit_moves_and_toggles_in_a_multi_select() -> None:
    state = keys(panel(MULTI), "2 1")
    assert (state.page.cursor, state.page.draft.selected) == (0, (0, 1))
    assert keys(state, "2").page.draft.selected == (0,)


def test_digit_of_other_opens_its_text_or_selects_what_stands_there() -> None:
    state = keys(panel(), "4")
    assert state.focus is Focus.OTHER
    state = keys(typed(state, "MySQL"), "escape up 1 4")
    assert (state.focus, state.page.draft.other_on, state.page.draft.selected) == (Focus.LIST, True, ())
    multi = keys(typed(keys(panel(MULTI), "4"), "Mail"), "enter up 4")
    assert not multi.page.draft.other_on
    assert multi.page.draft.other == "Mail"


def test_space_selects_and_stays() -> None:
    state = keys(panel(), "down space")
    assert (state.page.draft.selected, state.outcome) == ((1,), None)


def test_space_toggles_in_a_multi_select() -> None:
    assert keys(panel(MULTI), "space down space").page.draft.selected == (0, 1)
    assert keys(panel(MULTI), "space space").page.draft.selected == ()


def test_enter_confirms_a_set_of_one_single_select_at_once() -> None:
    state = keys(panel(), "down enter")
    assert isinstance(state.outcome, Answered)
    assert state.outcome.answers[0].selected == ("SQLite",)


def test_enter_goes_to_the_next_unanswered_question_then_to_review() -> None:
    state = keys(panel(question("One?"), question("Two?"), question("Three?")), "tab space shift+tab")
    state = keys(state, "enter")
    assert state.tab == 2, "the second question has its answer"
    state = keys(state, "enter")
    assert state.in_review
    assert state.review_row == 3, "nothing is missing: on Submit"
    assert keys(state, "enter").outcome is not None


def test_enter_goes_on_in_a_multi_select_and_keeps_what_is_selected() -> None:
    state = keys(panel(MULTI), "space down enter")
    assert state.page.draft.selected == (0,), "the row under the cursor is not taken"
    assert state.in_review


def test_a_selects_all_and_none_and_leaves_other_alone() -> None:
    state = keys(panel(MULTI), "a")
    assert state.page.draft.selected == (0, 1, 2)
    assert not state.page.draft.other_on
    assert keys(state, "a").page.draft.selected == ()
    assert keys(keys(panel(MULTI), "2"), "a").page.draft.selected == (0, 1, 2)


@pytest.mark.parametrize(("on", "back"), [("tab", "shift+tab"), ("right", "left"), ("l", "h")])
def test_turning_between_questions_and_review(on: str, back: str) -> None:
    state = panel(question("One?"), question("Two?"))
    assert keys(state, on).tab == 1
    assert keys(state, f"{on} {on}").in_review
    assert keys(state, f"{on} {on} {on}").tab == 0
    assert keys(state, back).in_review
    assert keys(state, f"{on} {on} {back}").tab == 1


def test_o_and_n_open_their_texts() -> None:
    assert keys(panel(), "o").focus is Focus.OTHER
    assert keys(panel(), "n").focus is Focus.NOTE
    assert keys(panel(MULTI), "o").page.cursor == 3


def test_slash_filters_long_lists_and_types_in_short_ones() -> None:
    state = typed(keys(panel(LONG), "slash"), "city 7")
    assert state.page.rows == (7, 10)
    assert state.page.cursor == 7
    confirmed = keys(state, "enter enter").outcome
    assert isinstance(confirmed, Answered)
    assert confirmed.answers[0].selected == ("City 7",)
    assert keys(panel(), "slash").page.draft.other == "/"


def test_all_under_a_filter_takes_only_what_is_shown() -> None:
    many = question("Which?", *(f"Row {n}" for n in range(12)), multi=True)
    state = keys(typed(keys(panel(many), "slash"), "row 1"), "enter a")
    assert state.page.draft.selected == (1, 10, 11)
    assert keys(state, "a escape").page.draft.selected == ()


def test_p_shows_the_preview_larger_and_back() -> None:
    from ccq_tui.questions import Option, Question

    state = panel(Question("Layout?", "Layout", (Option("A", preview="+-+"), Option("B"))))
    assert keys(state, "p").large
    assert not keys(state, "p p").large
    assert not keys(state, "p escape").large
    assert keys(panel(), "p").large, "a row without a preview is shown whole"


def test_c_discusses_the_whole_set_in_prose() -> None:
    state = typed(keys(panel(question(), MULTI), "c"), "Neither: we have Oracle.")
    assert keys(state, "enter").outcome == Discussed("Neither: we have Oracle.")
    review = keys(panel(MULTI), "tab c")
    assert review.focus is Focus.DISCUSS
    assert keys(review, "escape").focus is Focus.REVIEW


@pytest.mark.parametrize("opened", ["o", "n", "c", "x"])
def test_enter_in_an_empty_text_goes_back(opened: str) -> None:
    state = keys(panel(), "2 " + opened)
    state = step(state, TextChanged(""))
    assert hints(state)[0] == ("Enter", "back")
    left = keys(state, "enter")
    assert (left.focus, left.outcome, left.notice, left.aside) == (Focus.LIST, None, "", "")
    assert left.page.answer() == Answer(("SQLite",))


def test_escape_leaves_text_then_filter_then_hides_and_discards_nothing() -> None:
    state = keys(typed(keys(panel(LONG), "slash"), "city"), "enter o")
    state = keys(typed(state, "Oslo"), "escape")
    assert (state.focus, state.page.filter) == (Focus.LIST, "city")
    state = keys(state, "escape")
    assert (state.page.filter, state.hidden) == ("", False)
    state = keys(state, "escape")
    assert state.hidden
    assert state.page.draft.other == "Oslo"
    assert keys(state, "f2").page.draft == state.page.draft


def test_escape_in_the_filter_clears_it() -> None:
    state = keys(typed(keys(panel(LONG), "slash"), "7"), "escape")
    assert (state.focus, state.page.filter, state.hidden) == (Focus.LIST, "", False)


def test_f2_hides_and_shows_from_anywhere() -> None:
    state = typed(keys(panel(), "o"), "half a th")
    hidden = keys(state, "f2")
    assert hidden.hidden
    assert keys(hidden, "enter 1 x").page == hidden.page, "a hidden panel hears nothing else"
    shown = keys(hidden, "f2")
    assert (shown.hidden, shown.focus, shown.text) == (False, Focus.OTHER, "half a th")


def test_ctrl_d_asks_once() -> None:
    asked = keys(panel(), "1 ctrl+d")
    assert (asked.focus, asked.outcome) == (Focus.DECLINE, None)
    assert keys(asked, "enter space x").outcome is None
    back = keys(asked, "escape")
    assert (back.focus, back.page.draft.selected) == (Focus.LIST, (0,))
    assert keys(asked, "ctrl+d").outcome == Declined()
    assert keys(asked, "y").outcome == Declined()


def test_ctrl_d_in_a_text_keeps_the_text() -> None:
    state = keys(typed(keys(panel(), "o"), "MySQL"), "ctrl+d escape")
    assert state.page.draft.other == "MySQL"


def test_ctrl_g_means_the_editor_only_in_a_text() -> None:
    for state in (keys(panel(), "o"), panel()):
        action = action_for(state, "ctrl+g")
        assert action is not None
        assert action.edits
    assert action_for(keys(panel(), "f2"), "ctrl+g") is None, "the prompt has it then"


def test_a_text_takes_every_printable_key() -> None:
    for state in (keys(panel(MULTI), "o"), keys(panel(), "n"), keys(panel(), "c"), panel(text_question())):
        for key in ("j", "k", "1", "9", "space", "a", "h", "l", "o", "n", "p", "c", "slash", "y"):
            assert action_for(state, key, "x") is None, f"{key} in {state.focus}"


def test_every_row_of_the_table_applies_somewhere() -> None:
    states = [
        panel(Question("L?", "L", tuple(Option(f"o{n}", preview="x") for n in range(12)), multi_select=True)),
        panel(number_question()),
    ]
    states += [keys(states[0], more) for more in ("o", "n", "slash", "c", "ctrl+d", "tab", "p")]
    states.append(replace(panel(), recalled=(Recalled(Answer(("SQLite",)), "today"),)))
    states.append(step(keys(states[0], "n"), Doubted("n")))
    form = QuestionSet(
        "f", (Question("Which?", options=(Option("A"),), closed=True, field=FieldRules()),), is_form=True
    )
    states.append(keys(opened(form), "ctrl+d"))
    for row in rows_at(KeyPlace.QUESTION):
        assert any(row.when <= words(state) for state in states), row.does


def test_every_action_of_the_table_has_its_effect_and_no_other() -> None:
    named = {row.action for row in rows_at(KeyPlace.QUESTION) if row.place is KeyPlace.QUESTION}
    moving = {"up", "down", "first", "last"}
    assert EFFECTS.keys() == (named | moving) - {"row", "new_line", "from_prompt"}


def test_hints_never_promise_a_key_that_means_nothing() -> None:
    names = {"Esc": "escape", "/": "slash"}
    starts = [panel(), panel(MULTI), panel(LONG), panel(text_question()), panel(number_question(), MULTI)]
    for start in starts:
        for more in ("", "o", "n", "slash", "c", "ctrl+d", "tab"):
            state = keys(start, more)
            assert len(hints(state)) <= 6
            for shown, _ in hints(state):
                if shown not in ("Ctrl+J", "↑↓", "Shift+↑↓"):
                    key = names.get(shown, shown.lower())
                    assert action_for(state, key, "") is not None, f"{shown} in {state.focus}"


def test_a_digit_names_the_label_that_begins_with_it_where_the_place_would_mislead() -> None:
    state = panel(question("How many?", "8", "4", "2 or 3"))
    assert keys(state, "2").page.draft.selected == (2,)
    assert keys(state, "4").page.draft.selected == (1,)
    assert not keys(state, "1").page.draft.selected
