"""Every row of the key table, in single and in multi select."""

from __future__ import annotations

from dataclasses import replace

from ccq_tui.input.keys import KeyPlace, rows_at
from ccq_tui.questions import Answer, FieldRules, Option, Question, QuestionSet
from ccq_tui.questions.events import Doubted
from ccq_tui.questions.keys import EFFECTS, FILTER_FROM, action_for, hints, words
from ccq_tui.questions.machine import step
from ccq_tui.questions.model import Recalled
from ccq_tui.questions.state import opened
from tests.unit.questions.drive import keys, number_question, panel, question, text_question

MULTI = question("Which features?", "Auth", "Cache", "Logs", multi=True)
LONG = question("Which city?", *(f"City {n}" for n in range(FILTER_FROM)))


def test_ctrl_g_means_the_editor_only_in_a_text() -> None:
    for state in (keys(panel(), "o"), panel()):
        action = action_for(state, "ctrl+g")
        assert action is not None
        assert action.edits
    assert action_for(keys(panel(), "f2"), "ctrl+g") is None, "the prompt has it then"


def test_a_text_takes_every_printable_key() -> None:
    for state in (keys(panel(MULTI), "o"), keys(panel(), "n"), keys(panel(), "c"), panel(text_question())):
        for key in ("j", "k", "1", "9", "space", "a", "h", "l", "o", "n", "p", "c", "slash", "y", "r"):
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
