"""An open set that grows: nothing done in it is lost, and nothing can be confirmed before its end."""

import json
from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st

from ccq_tui.questions import Answer, Answered, Declined, Discussed, Kind, Option, Question, QuestionSet
from ccq_tui.questions.events import Event
from ccq_tui.questions.machine import step
from ccq_tui.questions.merge_partial import ALL_HERE, BACK_AGAIN, NOT_ASKED, NOT_COMPLETE, begun, grown
from ccq_tui.questions.parse import QuestionFormatError, parse_question_set
from ccq_tui.questions.partial_parse import ArrivingSet, PartialSet
from ccq_tui.questions.state import Arriving, Focus, PanelState, first_page
from ccq_tui.testing.scenario import question_set_input
from tests.unit.questions.drive import keys, question, typed
from tests.unit.questions.test_random_events import assert_sound, events, sets

PART = question("Which database?", "Postgres")
WHOLE = question("Which database?", "Postgres", "SQLite", "DuckDB")
SECOND = question("Which cache?", "None", "Redis")


def asked(*questions: Question) -> QuestionSet:
    return QuestionSet("toolu_1", questions)


def start(*questions: Question, complete: int = 0) -> PanelState:
    return begun(asked(*(questions or (PART,))), Arriving(complete))


@given(sets, st.lists(st.lists(events, max_size=4), min_size=1, max_size=12), st.booleans())
def test_random_growth(questions: QuestionSet, happened: list[list[Event]], seen: bool) -> None:
    source = question_set_input(questions.questions)
    try:
        whole = parse_question_set("toolu_1", source)
    except QuestionFormatError:
        assume(False)
    text, arriving = json.dumps(source), ArrivingSet("toolu_1")
    state: PanelState | None = None
    size = len(text) // len(happened) + 1
    for number, some in enumerate(happened):
        arriving.feed(text[number * size : (number + 1) * size])
        if part := arriving.parse():
            here = Arriving(part.complete)
            after = grown(state, part.questions, here, seen=seen) if state else begun(part.questions, here)
            if state:
                assert_kept(state, after, seen=seen)
            state = after
        for event in some if state else ():
            assert state is not None
            state = step(state, event)
            assert state.outcome is None
            assert_sound(state)
    if state:
        done = grown(state, whole, None, seen=seen)
        assert_kept(state, done, seen=seen)
        assert done.questions == whole


def assert_kept(before: PanelState, after: PanelState, *, seen: bool) -> None:
    assert_sound(after)
    assert after.in_review == before.in_review
    assert before.in_review or after.tab == before.tab
    if len(after.pages) == len(before.pages) or before.review_row < len(before.pages):
        assert after.review_row == before.review_row
    else:
        assert after.review_row == len(before.pages)
    assert (after.discussion, after.hidden) == (before.discussion, before.hidden)
    for index, (old, new) in enumerate(zip(before.pages, after.pages, strict=False)):
        assert new.draft.selected == old.draft.selected
        assert new.draft.note == old.draft.note
        assert new.draft.other.startswith(old.draft.other)
        assert new.draft.other_on == old.draft.other_on
        # Of options that came later, nobody has said that none of them is wanted.
        is_none = old.draft.taken and not (old.draft.selected or old.draft.other_on)
        assert new.draft.taken == old.draft.taken or (is_none and new.question != old.question)
        moved = old != first_page(old.question)
        if not old.is_field and (moved or (seen and index == before.tab)):
            assert new.cursor == (new.other_row if old.cursor == old.other_row else old.cursor)
        if not old.is_field:
            assert new.draft.other == old.draft.other
    if before.pages[min(before.tab, len(before.pages) - 1)].question.kind is Kind.CHOICE:
        assert after.focus is before.focus


def test_a_selection_made_early_is_confirmed_late() -> None:
    state = keys(start(), "enter")
    assert (state.outcome, state.aside, state.page.draft.selected) == (None, NOT_COMPLETE, (0,))
    state = grown(state, asked(WHOLE), Arriving(1, whole=True), seen=True)
    assert state.aside == NOT_ASKED
    state = keys(state, "down")
    assert state.aside == ""
    state = keys(state, "enter enter")
    assert (state.outcome, state.aside, state.page.draft.selected) == (None, NOT_ASKED, (1,))
    state = grown(state, asked(WHOLE), None, seen=True)
    assert state.aside == ALL_HERE
    assert keys(state, "enter").outcome == Answered((Answer(("SQLite",)),))


def test_discussing_and_declining_wait_too() -> None:
    state = typed(keys(start(), "c"), "why?")
    assert keys(state, "enter") == replace(state, aside=NOT_COMPLETE)
    done = grown(keys(state, "enter"), asked(WHOLE), None)
    assert keys(done, "enter").outcome == Discussed("why?")
    state = keys(start(), "ctrl+d ctrl+d")
    assert (state.focus, state.outcome, state.aside) == (Focus.DECLINE, None, NOT_COMPLETE)
    assert keys(grown(state, asked(WHOLE), None), "y").outcome == Declined()


def test_the_review_grows_with_the_set() -> None:
    state = keys(start(PART, SECOND, complete=1), "1 tab 2 tab")
    assert state.in_review
    state = keys(state, "enter")
    assert (state.outcome, state.aside) == (None, NOT_COMPLETE)
    third = question("Which host?", "Own", "Rented")
    state = grown(state, asked(WHOLE, SECOND, third), None, seen=True)
    assert state.in_review
    assert state.review_row == 2  # what came is not passed over unread
    assert keys(state, "end enter").outcome == Answered((Answer(("Postgres",)), Answer(("Redis",)), Answer()))


def test_a_list_that_turns_out_to_be_a_multi_select_keeps_what_was_selected() -> None:
    state = keys(start(), "space n")
    state = keys(typed(state, "soon"), "enter")
    state = grown(state, asked(replace(WHOLE, multi_select=True)), None, seen=True)
    state = keys(state, "3 enter enter")
    assert state.outcome == Answered((Answer(("Postgres", "DuckDB"), note="soon"),))


def test_a_list_that_turns_out_to_be_a_field_keeps_what_was_typed() -> None:
    state = typed(keys(start(), "o"), "four")
    state = grown(state, asked(Question("Which database?", kind=Kind.TEXT)), None, seen=True)
    assert (state.focus, state.text) == (Focus.FIELD, "four")
    assert keys(state, "enter").outcome == Answered((Answer(other="four"),))


def test_the_cursor_goes_to_a_recommendation_only_where_nobody_looks() -> None:
    known = question("Which database?", "Postgres", "SQLite (Recommended)")
    assert grown(start(), asked(known), None, seen=True).page.cursor == 0
    assert grown(start(), asked(known), None, seen=False).page.cursor == 1
    assert grown(keys(start(), "end"), asked(known), None, seen=False).page.cursor == 2


def test_a_draft_comes_back_with_the_same_question() -> None:
    before = keys(start(PART, SECOND, complete=1), "1 n")
    before = keys(typed(before, "small"), "enter tab 2")
    earlier = before.pages
    state = begun(asked(PART), Arriving(), earlier)
    assert (state.page.draft.selected, state.aside) == ((), "")
    state = grown(state, asked(WHOLE, SECOND), Arriving(1), seen=True, earlier=earlier)
    assert state.aside == BACK_AGAIN
    assert (state.page.draft.selected, state.page.draft.note) == ((0,), "small")
    assert state.pages[1].draft.selected == ()
    other = replace(SECOND, options=(Option("Redis"), Option("Valkey")))
    state = grown(state, asked(WHOLE, other), None, seen=True, earlier=earlier)
    assert (state.pages[1].draft.selected, state.pages[1].cursor) == ((0,), 0)
    moved = keys(begun(asked(WHOLE), Arriving(), earlier), "down down")
    assert grown(moved, asked(WHOLE), None, seen=True, earlier=earlier).page.cursor == 2
    # What is done anew counts more than what comes back.
    state = keys(begun(asked(PART), Arriving(), earlier), "o")
    state = grown(typed(state, "mine"), asked(WHOLE), None, seen=True, earlier=earlier)
    assert (state.page.draft.selected, state.text) == ((), "mine")


def test_a_list_that_grows_meanwhile_gives_the_same_row_back() -> None:
    for before, row, selected in (("x", 0, False), ("end x", 3, True)):
        state = keys(start(PART, SECOND), before)
        assert state.focus is Focus.OTHER
        state = keys(grown(state, asked(WHOLE, SECOND), None, seen=True), "escape")
        assert (state.page.cursor, state.page.draft.other_on) == (row, selected)


# -- sets that are still being written: every part reads as a part, and costs no more than it is long --------


DATABASE = Question(
    "Which database?", "Database", (Option("SQLite", "A file"), Option("PostgreSQL", "A server"))
)
NAME = Question("What name?", "Name", kind=Kind.TEXT)


def readings(text: str, size: int = 1) -> list[PartialSet]:
    """Everything that is read when a text comes in pieces."""
    arriving = ArrivingSet("toolu_1")
    found = []
    for at in range(0, len(text), size):
        arriving.feed(text[at : at + size])
        if (part := arriving.parse()) is not None:
            found.append(part)
    return found


def is_part(part: QuestionSet, whole: QuestionSet, complete: int) -> bool:
    """Whether a set is the beginning of another one, its complete questions equal to the other's."""
    return (
        part.questions[:complete] == whole.questions[:complete]
        and len(part.questions) <= len(whole.questions)
        and all(map(_begins, part.questions, whole.questions))
    )


def _begins(part: Question, whole: Question) -> bool:
    options = all(
        w.label.startswith(p.label)
        and w.description.startswith(p.description)
        and (w.preview or "").startswith(p.preview or "")
        for p, w in zip(part.options, whole.options, strict=False)
    )
    return whole.text.startswith(part.text) and len(part.options) <= len(whole.options) and options


@given(sets, st.integers(1, 9))
def test_every_prefix_reads_as_a_prefix(questions: QuestionSet, size: int) -> None:
    source = question_set_input(questions.questions)
    try:
        whole = parse_question_set("toolu_1", source)
    except QuestionFormatError:
        assume(False)
    found = readings(json.dumps(source), size)
    before = PartialSet(QuestionSet("toolu_1", ()), 0)
    for part in found:
        assert is_part(part.questions, whole, part.complete)
        assert is_part(before.questions, part.questions, before.complete)
        assert before.complete <= part.complete <= len(part.questions.questions) <= part.complete + 1
        before = part


def test_the_first_option_is_readable_before_the_rest() -> None:
    text = json.dumps(question_set_input([DATABASE, NAME], title="Two things"))
    found = readings(text)
    first = found[0].questions
    assert first == QuestionSet(
        "toolu_1", (Question("Which database?", "Database", (Option("S"),)),), title="Two things"
    )
    assert found[-1].complete == 1
    assert found[-1].questions.questions == (DATABASE, NAME)


def test_what_is_not_a_set_is_never_shown() -> None:
    asked = json.dumps(question_set_input([DATABASE]))
    for text in (
        "[1, 2]",
        '{"question": "Which?"}',
        '{"meta": ' + asked + "}",
        json.dumps({"questions": asked}),
        '{"questions": [{"question": "Which?", "options": [1, 2, 3]}]}',
        '{"questions": ["Which?", "What?"]} }',
        '{"questions": [{"question": "Which?", "options": [{"label": "\n"}]}]}',
        '{"questions": [{"question": "Which?", "options": ' + "[" * 5000,
        " " * 100,
    ):
        assert readings(text) == [], text


def test_a_set_in_other_words_is_read_as_it_comes() -> None:
    text = '{"a": "[\\"questions\\": [", "questions" : [ {"options": [{"label": "x"}], "question": "Q'
    assert readings(text)[-1].questions.questions == (Question("Q", options=(Option("x"),)),)


def test_what_is_parsed_grows_with_the_text_and_no_faster() -> None:
    def part(questions: list[Question]) -> tuple[int, int]:
        text = json.dumps(question_set_input(questions))
        arriving = ArrivingSet("toolu_1")
        for at in range(0, len(text), 8):
            arriving.feed(text[at : at + 8])
            arriving.parse()
        return arriving.parsed, len(text)

    many = [DATABASE] * 200
    long = [Question("Which?", "W", (Option("a", "b", "x" * 400_000), Option("b")))]
    for questions in (many, long):
        work, length = part(questions)
        assert work < 300 * length  # each of the first 8,192 characters in 512 looks, then in some 64


def test_a_call_that_is_too_long_is_left_to_its_end() -> None:
    text = json.dumps(question_set_input([DATABASE] * 20_000))
    arriving = ArrivingSet("toolu_1")
    for at in range(0, len(text), 100_000):
        arriving.feed(text[at : at + 100_000])
    assert arriving.parse() is None
    assert arriving.parsed == 0
