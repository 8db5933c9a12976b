"""What keys, clicks and pastes do to a set: a table, and what no row of it can say."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.input.keys import KeyPlace, rows_at
from ccq_tui.questions import Answer, Condition, FieldRules, Option, Question, QuestionSet
from ccq_tui.questions.events import Doubted, TextChanged, Words
from ccq_tui.questions.keys import EFFECTS, FILTER_FROM, LINE_DOWN, LINE_UP, action_for, hints, recalls
from ccq_tui.questions.keys import words as words_of
from ccq_tui.questions.limits import answer_problem, asked
from ccq_tui.questions.machine import step
from ccq_tui.questions.model import Kind, Recalled, reads_like
from ccq_tui.questions.moves import taken_over
from ccq_tui.questions.prose import before_words, draft_text, length_notice, unselected_text
from ccq_tui.questions.schema_form import read_form, read_link, unusable
from ccq_tui.questions.state import Draft, Focus, PanelState, first_page, opened, proposed, typable
from tests.tables import each_row
from tests.unit.answering.asking import words
from tests.unit.answering.test_grammar import row_text
from tests.unit.questions.drive import (
    RELEASE,
    events_of,
    field,
    form,
    keys,
    number_question,
    panel,
    question,
    text_question,
    typed,
)

ROWS = Path(__file__).with_name("flow.txt").read_text(encoding="utf-8").splitlines()[1:]
MULTI = question("Which features?", "Auth", "Cache", "Logs", multi=True)
TWO = (question("One?"), question("Two?"))


def recalled(answer: Answer, *questions: Question) -> PanelState:
    return replace(panel(*questions), recalled=(Recalled(answer, "on 3 Nov"),))


def of_schema(schema: dict[str, object], *required: str) -> PanelState:
    whole = {"properties": {"one": schema}, "required": [*required]}
    return opened(read_form("f", "Deploy asks", "Details?", whole).questions)


STATES = {
    "one": panel(),
    "two": panel(*TWO),
    "three": panel(*TWO, question("Three?")),
    "multi": panel(MULTI),
    "both": panel(question(), question("Which ones?", multi=True)),
    "long": panel(question("Which city?", *(f"City {number}" for number in range(1, 13)))),
    "many": panel(question("Which?", *(f"Row {number}" for number in range(12)), multi=True)),
    "counts": panel(question("How many?", "8", "4", "2 or 3")),
    "default": panel(question(default="SQLite")),
    "recommended": panel(Question("Which?", "W", (Option("A"), Option("B (Recommended)"), Option("C")))),
    "twice": panel(question("Which?", "Same", "Same", multi=True)),
    "text": panel(text_question()),
    "named": panel(question(), text_question()),
    "age": panel(question(), number_question()),
    "count": panel(number_question(), question()),
    "api": panel(text_question(default="api"), question()),
    "closed": of_schema({"type": "string", "enum": ["a", "b", "c"]}, "one"),
    "cities": of_schema({"type": "string", "enum": [f"option {number}" for number in range(12)]}, "one"),
    "sure": of_schema({"type": "boolean"}, "one"),
    "tags": of_schema({"type": "array", "items": {"enum": ["x"]}}),
    "unusable": opened(unusable("f", "Deploy asks", "Details?", "it contradicts itself").questions),
    "link": opened(read_link("f", "Deploy asks", "Sign in", "https://a.example/x", "a.example").questions),
    "release": form(*RELEASE),
    "skips": form(field("Why", pattern="^[0-9]+$", fewest=9), field("Next")),
    "skips a number": form(field("How many", kind=Kind.NUMBER, fewest=9), field("Next")),
    "mood": form(field("Mood", "good", "bad"), field("Next")),
    "recalled": recalled(Answer(("SQLite",), note="small")),
    "recalled text": recalled(Answer(other="MySQL", note="old")),
    "recalled multi": recalled(Answer(("Auth", "Logs"), other="Mail"), MULTI),
    "recalled gone": recalled(Answer(("MySQL",))),
    "recalled name": recalled(Answer(other="tidy"), text_question()),
    "recalled count": recalled(Answer(other="30"), number_question()),
}


def facts(state: PanelState) -> dict[str, str]:
    """Return what rows say of a state."""
    page, line = state.page, hints(state)
    rows = [*(option.label for option in page.question.options), "own words"]
    reviewed = [*map(str, range(1, len(state.pages) + 1)), "submit"]
    flags = {"hidden": state.hidden, "large": state.large, "recalls": recalls(state)}
    return {
        "ends": words(state.outcome) if state.outcome else "no",
        "on": "review" if state.in_review else str(state.tab + 1),
        "in": state.focus,
        "at": reviewed[state.review_row] if state.in_review else rows[page.cursor],
        "has": row_text(page.as_answer()),
        "left": page.unselected,
        "first": row_text(state.pages[0].as_answer()),
        "picks": ", ".join(str(row + 1) for row in page.draft.selected),
        "text": state.text,
        "filter": page.filter,
        "rows": ", ".join(rows[row] for row in page.rows),
        "asked": ", ".join(str(tab + 1) for tab in state.asked_tabs),
        "answered": str(state.answered_count),
        "doubt": state.doubt.letter if state.doubt else "",
        "says": state.aside,
        "notes": state.notice,
        "keys": ", ".join(map(" ".join, line)),
        **{name: "yes" if holds else "no" for name, holds in flags.items()},
        **{name: does for name, does in line if name in ("Enter", "Tab")},
    }


@each_row(*ROWS)
def test_events_do_what_the_table_says(row: str) -> None:
    name, script, wanted = row.split("|")
    state = STATES[name.strip()]
    for event in events_of(script):
        state = step(state, event)
    found = facts(state)
    pairs = [one.strip().partition(" ") for one in wanted.split("; ")]
    assert {key: found[key] for key, _, _ in pairs} == {key: value for key, _, value in pairs}


# -- what no row says ----------------------------------------------------------------------------------------


def test_a_preview_goes_with_the_selected_option() -> None:
    state = panel(Question("Which?", "W", (Option("A", preview="aa"), Option("B"))))
    assert keys(state, "1").page.as_answer().preview == "aa"
    assert keys(state, "2").page.as_answer().preview is None


@each_row(
    ("1e30", 1, True),
    ("9" * 40, 1, True),
    ("1e30", 1e-30, True),
    ("5", 1e-30, True),
    ("5", 5e-324, True),
    ("5", 1e30, False),
    ("-0", 1e30, True),
    ("3e30", 1e30, True),
    ("0.3", 0.1, True),
    ("1e30", 0.3, False),
)
def test_steps_of_any_size_are_exact(text: str, size: float, allowed: bool) -> None:
    state = step(panel(number_question(step=size)), TextChanged(text))
    assert (state.page.problem == "") is allowed


def test_a_tiny_step_beside_a_default_opens() -> None:
    assert not panel(number_question(step=1e-30, default="5")).page.problem


@each_row("o", "n", "c")
def test_a_text_that_would_not_be_read_whole_is_warned_of_and_sent_all_the_same(way: str) -> None:
    long = "x" * 45_001
    state = keys(panel(question(), question()), f"1 {way}")
    assert length_notice(step(state, TextChanged(long[1:]))) == ""
    state = step(state, TextChanged(long))
    assert "first 2 KB of more than 45,000 characters" in length_notice(state)
    assert bool(length_notice(keys(state, "escape"))) == (way != "c"), "what is a draft alone is not sent"
    assert "first 2 KB" in length_notice(keys(state, f"escape {way}"))
    sent = keys(state, "enter") if way == "c" else keys(state, "enter tab tab end enter")
    assert long in repr(sent.outcome)


def test_a_long_paste_on_the_list_and_a_long_field_are_warned_of() -> None:
    assert "first 2 KB" in length_notice(step(panel(), Words("x" * 45_001)))
    assert "first 2 KB" in length_notice(step(panel(text_question()), TextChanged("x" * 45_001)))


def test_a_set_without_questions_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one question"):
        opened(QuestionSet("toolu_1", ()))


def test_the_draft_can_be_copied_whole() -> None:
    state = keys(typed(keys(panel(question(), MULTI), "o"), "unselected"), "enter up 2 n")
    state = keys(typed(state, "a note"), "enter c")
    text = draft_text(typed(state, "let us talk"))
    for part in ("SQLite", "unselected", "a note", "let us talk"):
        assert part in text
    state = keys(panel(question("One?"), question("Two?")), "2 x escape")
    assert unselected_text(state) == "Typed but not selected (One?): x"
    assert draft_text(state).endswith(unselected_text(state))


@each_row(("a\r\nb\rc", "a\nb\nc"), ("tab\there", "tab\there"), ("\x1b[2J\x07\x9b", "[2J"), ("\ud800x", "x"))
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


def test_scrolling_is_for_lists_and_the_review() -> None:
    state = panel(question(), number_question())
    assert action_for(state, "shift+down") is LINE_DOWN
    assert action_for(keys(state, "shift+tab"), "shift+up") is LINE_UP
    assert action_for(keys(state, "o"), "shift+up") is None, "in a text it selects"
    assert ("PgUp PgDn", "page") in hints(keys(panel(), "p"), "page")


# -- the table of keys and its effects -----------------------------------------------------------------------


LONG = question("Which city?", *(f"City {n}" for n in range(FILTER_FROM)))


def test_ctrl_g_means_the_editor_only_in_a_text() -> None:
    for state in (keys(panel(), "o"), panel()):
        action = action_for(state, "ctrl+g")
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
        assert any(row.when <= words_of(state) for state in states), row.does


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


# -- conditions ----------------------------------------------------------------------------------------------


@each_row(
    (Condition(0, "a"), Answer(("a",)), True),
    (Condition(0, "a"), Answer(("a", "b")), False),
    (Condition(0, "a", contains=True), Answer(("a", "b")), True),
    (Condition(0, "a", contains=True), Answer(("ab",)), False),
    (Condition(0, "a"), Answer(other=" a "), True),
    (Condition(0, "a"), Answer(("a",), other="b"), False),
    (Condition(0, "a", contains=True), Answer(other="bad"), True),
    (Condition(0, "a"), Answer(note="a"), False),
    (Condition(0, "", contains=True), Answer(), False),
    (Condition(1, "a"), Answer(("a",)), False),
)
def test_what_a_condition_means(when: Condition, answer: Answer, holds: bool) -> None:
    questions = (field("One", "a", "b"), field("Two", when=when))
    assert asked(questions, (answer, Answer(other="a"))) == (True, holds)


def test_the_answer_to_a_hidden_question_counts_as_none_for_those_behind_it() -> None:
    sure = Answer(other="api breaks")
    assert asked(RELEASE, (Answer(("Major",)), sure, Answer(), Answer())) == (True,) * 4
    assert asked(RELEASE, (Answer(("Minor",)), sure, Answer(), Answer())) == (True, False, False, True)


def test_a_field_of_one_line_takes_no_line_break() -> None:
    one, several = form(field("Why", one_line=True)), form(field("Why"))
    assert (one.one_line, several.one_line) == (True, False)
    assert typed(one, "a\nb").text == "a b"
    assert "Ctrl+J" not in dict(hints(one))
    assert answer_problem(one.page.question, "a\nb").startswith("one line is allowed")


# -- an earlier answer ---------------------------------------------------------------------------------------


@each_row(
    (question("which  DATABASE?", "One", "Two"), True),
    (question("Which store?", "DuckDB", "Postgres", "SQLite"), True),
    (question("Which store?", "Postgres", "SQLite"), False),
    (question("Which store?", "Postgres", "SQLite", "MySQL"), False),
    (question("Which stores?", "Postgres", "SQLite", "DuckDB", multi=True), False),
    (text_question("Which database?"), False),
)
def test_questions_read_the_same_by_their_text_or_by_three_options(other: Question, same: bool) -> None:
    assert reads_like(question(), other) is same
    assert reads_like(other, question()) is same


def test_two_launch_in_home_common_make_no_questions_the_same() -> None:
    assert not reads_like(question("Delete it?", "Yes", "No"), question("Deploy it?", "Yes", "No"))


def test_an_earlier_answer_names_its_question_unless_that_reads_the_same() -> None:
    asked = question("Which  Database?")
    before = Recalled(Answer(("MySQL (Recommended)",), note="n"), "today 09:00", "which database?")
    assert before_words(before, asked) == ("", ("took", "MySQL"), "today 09:00")
    other = Recalled(Answer(other="none"), "on 3 Nov", "Which store?")
    assert before_words(other, asked) == ("Which store?", ("wrote", "none"), "on 3 Nov")


answers = st.builds(
    Answer,
    selected=st.lists(st.sampled_from(("Auth", "Cache", "Gone")), unique=True).map(tuple),
    other=st.sampled_from(("", "Mail")),
    note=st.sampled_from(("", "old")),
)
drafts = st.builds(
    Draft,
    selected=st.lists(st.sampled_from((0, 1, 2)), unique=True, max_size=1).map(tuple),
    other=st.sampled_from(("", "mine")),
    note=st.sampled_from(("", "new")),
)


@given(answers, drafts, st.booleans())
def test_no_text_is_replaced_and_a_second_time_changes_nothing(
    answer: Answer, draft: Draft, several: bool
) -> None:
    page = replace(first_page(replace(MULTI, multi_select=several)), draft=draft)
    after = replace(page, draft=taken_over(page, answer))
    assert after.draft.other == (draft.other or answer.other)
    assert after.draft.note == (draft.note or answer.note)
    assert several or len(after.draft.selected) + after.draft.other_on <= 1
    assert taken_over(after, answer) == after.draft
