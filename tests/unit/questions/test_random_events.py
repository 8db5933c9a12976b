"""Random events: never an exception, never an answer that was not confirmed, no lost text."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.requests import PermissionRequest, PlanRequest
from ccq_tui.inbox.suggestions import Suggestion
from ccq_tui.input.keys import KeyPlace, actions_at
from ccq_tui.questions import (
    Answer,
    Answered,
    Condition,
    Declined,
    Discussed,
    FieldRules,
    Kind,
    Option,
    Question,
    QuestionSet,
)
from ccq_tui.questions import events as ev
from ccq_tui.questions.keys import hints
from ccq_tui.questions.limits import asked
from ccq_tui.questions.machine import step
from ccq_tui.questions.prose import draft_text
from ccq_tui.questions.state import Focus, PanelState, opened

NAMES = sorted({*actions_at(KeyPlace.QUESTION), "backspace", "ctrl+c", "f5"})
labels = st.text(max_size=8)
numbers = st.sampled_from(["1e30", "9" * 40, "-0", "1_000", "７", "NaN", "1e-400", "0.1", "3"])
options = st.builds(Option, labels, labels, st.none() | labels)
choice = st.builds(
    Question,
    st.text(max_size=12),
    labels,
    st.lists(options, max_size=12).map(tuple),
    st.booleans(),
    default=labels,
)
field = st.builds(
    Question,
    st.text(max_size=12),
    labels,
    kind=st.sampled_from([Kind.TEXT, Kind.NUMBER]),
    minimum=st.none() | st.floats(-5, 5),
    maximum=st.none() | st.floats(-5, 5),
    step=st.none() | st.floats(-1, 3) | st.sampled_from([1e-30, 1e30, 5e-324]),
    default=labels | numbers,
)
sets = st.lists(choice | field, min_size=1, max_size=5).map(lambda qs: QuestionSet("toolu_1", tuple(qs)))
few = st.sampled_from(["a", "b", "skip"])
form_fields = st.builds(
    Question,
    labels,
    options=st.lists(st.builds(Option, few), min_size=1, max_size=3, unique=True).map(tuple),
    multi_select=st.booleans(),
    closed=st.booleans(),
    kind=st.sampled_from(Kind),
    field=st.builds(
        FieldRules,
        required=st.booleans(),
        preset=st.lists(few, max_size=1).map(tuple),
        fewest=st.none() | st.just(1),
        one_line=st.booleans(),
        skippable=st.booleans(),
    ),
)


@st.composite
def form_sets(draw: st.DrawFn) -> QuestionSet:
    drawn = draw(st.lists(form_fields, min_size=1, max_size=5))
    whens = [
        draw(st.none() | st.builds(Condition, st.integers(0, at - 1), few, st.booleans())) if at else None
        for at in range(len(drawn))
    ]
    made = (
        replace(one, when=when, options=one.options if one.kind is Kind.CHOICE else ())
        for one, when in zip(drawn, whens, strict=True)
    )
    return QuestionSet("form", tuple(made), is_form=True)


DECISION = PermissionRequest("p", "s", "Bash", {}, suggestions=(Suggestion("setMode", mode="acceptEdits"),))
decisions = st.sampled_from([DECISION, PlanRequest("p", "s", "# Plan")]).map(
    lambda one: kind_of(one).asked(one).questions
)
letters = st.sampled_from("yn1ae").map(lambda key: ev.Pressed(key, key))
events: st.SearchStrategy[ev.Event] = st.one_of(
    st.sampled_from(NAMES).map(lambda key: ev.Pressed(key, key if len(key) == 1 else "")),
    st.sampled_from(["enter", "tab", "down", "1", "space"]).map(
        lambda key: ev.Pressed(key, key if key == "1" else "")
    ),
    st.characters().map(lambda c: ev.Pressed(c, c)),
    (st.text(max_size=6) | numbers | few).map(ev.TextChanged),
    st.text(max_size=6).map(ev.Words),
    st.integers(-1, 13).map(ev.Clicked),
    st.integers(-1, 6).map(ev.TabClicked),
    st.frozensets(st.integers(0, 13), max_size=6).map(ev.Seen),
)


@settings(max_examples=250, deadline=None)
@given(sets | form_sets() | decisions, st.lists(events | letters, max_size=60))
def test_random_events(questions: QuestionSet, happened: list[ev.Event]) -> None:
    state = opened(questions)
    for event in happened:
        after = step(state, event)
        assert_sound(after)
        assert_text_kept(state, event, after)
        if after.outcome is not None and state.outcome is None:
            assert_confirmed(state, event, after)
        state = after


def assert_sound(state: PanelState) -> None:
    assert 0 <= state.tab <= len(state.pages) - (not state.needs_review)
    assert (state.focus is Focus.REVIEW) <= state.in_review
    assert 0 <= state.review_row <= len(state.pages)
    shown = asked(state.questions.questions, [page.as_answer() for page in state.pages])
    assert state.in_review or shown[state.tab], "no hidden question is turned to"
    assert not state.in_review or (*shown, True)[state.review_row]
    for page in state.pages:
        assert page.is_field or page.cursor in range(page.other_row + 1)
        assert all(0 <= index < len(page.question.options) for index in page.draft.selected)
        assert page.question.multi_select or len(page.draft.selected) + page.draft.other_on <= 1
    hints(state)
    draft_text(state)


def assert_text_kept(before: PanelState, event: ev.Event, after: PanelState) -> None:
    """Only the text field itself takes text away, and only from the text that is open."""
    edited = isinstance(event, ev.TextChanged) and before.typing
    for old, new in zip(before.pages, after.pages, strict=True):
        if not (edited and old is before.page):
            assert new.draft.other.startswith(old.draft.other)
            assert new.draft.note == old.draft.note
    if not edited:
        assert after.discussion.startswith(before.discussion)


def assert_confirmed(before: PanelState, event: ev.Event, after: PanelState) -> None:
    entered = isinstance(event, ev.Pressed) and event.key == "enter"
    if before.page.question.acts:
        named = isinstance(event, ev.Pressed) and event.key in ("y", "n")
        assert entered or named or event == ev.Clicked(before.page.cursor)
        return
    match after.outcome:
        case Answered(answers):
            submitted = before.focus is Focus.REVIEW and before.review_row == len(before.pages)
            first = before.pages[0].question
            single = len(before.pages) == 1 and not (first.multi_select or first.optional)
            clicked = isinstance(event, ev.Clicked) and event.row == len(before.pages) and before.in_review
            assert (entered and (submitted or single)) or clicked
            given_now = [page.as_answer() for page in after.pages]
            shown = asked(after.questions.questions, given_now)
            pages = [page for page, is_asked in zip(after.pages, shown, strict=True) if is_asked]
            both = zip(given_now, shown, strict=True)
            assert answers == tuple(one if is_asked else Answer() for one, is_asked in both)
            # A proposed value that nobody took is no answer, whatever is wrong with it.
            assert not any(page.problem for page in pages if page.draft.taken)
            assert all(page.as_answer().given for page in pages if page.question.required)
        case Discussed(text, besides):
            assert entered
            assert before.focus is Focus.DISCUSS
            assert text == before.discussion
            assert text.strip()
            done = [(page.draft.selected, page.draft.note) for page in before.pages]
            assert any(any(one) for one in done) <= bool(besides), "nothing is dropped without a word"
        case Declined():
            assert isinstance(event, ev.Pressed)
            assert before.focus is Focus.DECLINE
        case other:
            raise AssertionError(f"{other} by {event}")


@settings(max_examples=200)
@given(sets, st.lists(events, max_size=30), st.frozensets(st.integers(0, 13), max_size=3))
def test_no_key_takes_or_confirms_a_row_out_of_sight(
    questions: QuestionSet, before: list[ev.Event], rows: frozenset[int]
) -> None:
    state = opened(questions)
    for event in before:
        state = step(state, event)
    state = step(state, ev.Seen(rows))
    if state.outcome is not None or state.focus not in (Focus.LIST, Focus.REVIEW):
        return
    row = state.review_row if state.in_review else 0 if state.page.is_field else state.page.cursor
    if row in rows or (not state.in_review and row not in state.page.rows):
        return
    for key in ("enter", "space"):
        after = step(state, ev.Pressed(key))
        assert after.outcome is None
        assert [page.draft for page in after.pages] == [page.draft for page in state.pages]
        assert after.tab == state.tab
