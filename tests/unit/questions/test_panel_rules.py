"""Rules of the machine that its panel relies on: numbers under a filter, what may stand in a field."""

from __future__ import annotations

import pytest

from ccq_tui.questions import Option, Question
from ccq_tui.questions.events import Pasted, Pick, ScrollPreview
from ccq_tui.questions.keys import LARGE_TEXT, action_for, has_preview, hints
from ccq_tui.questions.machine import step
from ccq_tui.questions.state import Focus, proposed, typable
from tests.unit.questions.drive import keys, number_question, panel, question, text_question, typed

LONG = question("Which city?", *(f"City {number}" for number in range(1, 13)))


def test_digits_count_the_rows_that_are_shown() -> None:
    state = keys(typed(keys(panel(LONG), "slash"), "city 1"), "enter")
    assert state.page.rows == (0, 9, 10, 11, 12)
    assert action_for(state, "2", "2") == Pick(9)
    assert keys(state, "2").page.draft.selected == (9,)
    assert keys(state, "6").text == "6", "no sixth row is shown: it is text"


def test_the_draft_of_a_choice_with_a_default_is_not_yet_one() -> None:
    assert not panel(question(default="SQLite")).has_draft
    assert panel(question(default="SQLite")).page.cursor == 1


@pytest.mark.parametrize(
    ("text", "kept"),
    [("a\r\nb\rc", "a\nb\nc"), ("tab\there", "tab\there"), ("\x1b[2J\x07\x9b", "[2J"), ("\ud800x", "x")],
)
def test_a_field_holds_no_control_characters(text: str, kept: str) -> None:
    assert typable(text) == kept
    assert step(panel(), Pasted(text)).text == kept


def test_what_is_proposed_hides_nothing() -> None:
    assert proposed(text_question(default="a\u202eb\u200bc\x1b")) == "abc"
    assert panel(text_question(default="a\u202eb")).text == "ab"
    assert not panel(text_question(default="a\u202eb")).has_draft
    assert proposed(question(default="SQLite")) == ""


def test_an_empty_paste_opens_nothing() -> None:
    assert step(panel(), Pasted("\x1b")).focus is Focus.LIST


def test_everything_long_can_be_shown_larger() -> None:
    long = "x" * (LARGE_TEXT + 1)
    for asked in (
        Question(long, "h", (Option("a"),)),
        Question("t", long, (Option("a"),)),
        Question("t", "h", (Option(long),)),
        Question("t", "h", (Option("a", long),)),
    ):
        assert has_preview(panel(asked))
    field = keys(panel(text_question(long)), "escape p")
    assert field.large, "of a text question too, when the field is left"


def test_scrolling_is_for_lists_and_the_review() -> None:
    state = panel(question(), number_question())
    assert action_for(state, "shift+down") == ScrollPreview(1)
    assert action_for(keys(state, "shift+tab"), "shift+up") == ScrollPreview(-1)
    assert action_for(keys(state, "o"), "shift+up") is None, "in a text it selects"


def test_hints_of_the_other_row() -> None:
    empty = keys(panel(), "end")
    assert hints(empty)[0] == ("Enter", "type")
    full = keys(typed(keys(panel(), "o"), "x"), "enter")
    assert hints(full)[:2] == (("Space", "edit"), ("Enter", "confirm"))


def test_a_number_is_promised_no_new_line() -> None:
    assert ("Ctrl+J", "new line") in hints(panel(text_question()))
    assert ("Ctrl+J", "new line") not in hints(panel(number_question()))


def test_a_kept_discussion_is_hinted() -> None:
    state = keys(typed(keys(panel(), "c"), "hm"), "escape")
    assert ("c", "discuss (draft kept)") in hints(state)
