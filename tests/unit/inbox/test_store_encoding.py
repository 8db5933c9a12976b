"""Requests, outcomes and drafts come back from JSON as they were."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ccq_tui.inbox.decision import DecisionState, decide
from ccq_tui.inbox.draft import first_draft
from ccq_tui.inbox.requests import PermissionRequest, PlanRequest, QuestionRequest, Request, RequestOutcome
from ccq_tui.inbox.store.drafts import KEPT_OPEN, draft_to_json, with_draft
from ccq_tui.inbox.store.encoding import (
    StoredFormatError,
    outcome_from_json,
    outcome_to_json,
    request_from_json,
    request_to_json,
)
from ccq_tui.questions import Kind, Option, Question, QuestionSet
from ccq_tui.questions.events import Event, Pressed, TextChanged
from ccq_tui.questions.machine import step
from ccq_tui.questions.state import TEXT_FOCUSES, Focus, PanelState, opened, resting_focus
from tests.unit.inbox import made

KEYS = ["1", "2", "3", "space", "up", "down", "tab", "shift+tab", "o", "n", "c", "escape", "y", "a", "e"]
events = st.one_of(
    st.sampled_from([Pressed(key, key if len(key) == 1 else "") for key in KEYS]),
    st.builds(TextChanged, st.text("ab 1é\n漢", max_size=6)),
)


@settings(max_examples=60, deadline=None)
@given(made.requests)
def test_a_request_comes_back(request: Request) -> None:
    text = request_to_json(request)
    back = request_from_json(text)
    assert back == request
    assert text.isascii()
    if isinstance(request, QuestionRequest) and isinstance(back, QuestionRequest):
        assert back.questions.source == request.questions.source


@settings(max_examples=60, deadline=None)
@given(made.outcomes)
def test_an_outcome_comes_back(outcome: RequestOutcome) -> None:
    assert outcome_from_json(outcome_to_json(outcome)) == outcome


@settings(max_examples=40, deadline=None)
@given(made.requests, made.inputs)
def test_what_a_newer_version_adds_is_passed_over(request: Request, more: dict[str, object]) -> None:
    content = json.loads(request_to_json(request))
    added = {f"new_{key}": value for key, value in more.items()}
    assert request_from_json(json.dumps(content | added | {"v": 99})) == request


def test_what_an_older_version_did_not_write_has_its_default() -> None:
    content = {"kind": "permission", "tool_use_id": "a", "asker_id": "s", "tool": "Bash", "input": {}}
    assert request_from_json(json.dumps(content)) == PermissionRequest("a", "s", "Bash", {})


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "{", "null", "{}", '{"kind": "form"}', '{"kind": "plan"}', '{"kind": ["plan"]}',
        '{"kind": "question", "tool_use_id": "a", "asker_id": "s", "questions": 5}',
        '{"kind": "question", "tool_use_id": "a", "asker_id": "s", "questions": {"questions": ["x"]}}',
        "[" * 100_000,
    ],
)  # fmt: skip
def test_what_cannot_be_understood_is_one_error(text: str) -> None:
    with pytest.raises(StoredFormatError):
        request_from_json(text)


SET = QuestionSet(
    "q",
    (
        Question("One?", "One", (Option("A"), Option("B"), Option("B"))),
        Question("Many?", "Many", (Option("A \ud800"), Option("B")), multi_select=True),
        Question("Name?", "Name", kind=Kind.TEXT, default="mine"),
        Question("Count?", "Count", kind=Kind.NUMBER, minimum=1),
    ),
)
alone = [QuestionSet("q", (question,)) for question in SET.questions]


@settings(max_examples=150, deadline=None)
@given(st.sampled_from([SET, *alone]), st.lists(events, max_size=25))
def test_what_was_selected_and_typed_comes_back(questions: QuestionSet, pressed: list[Event]) -> None:
    state = opened(questions)
    for event in pressed:
        state = step(state, event)
    back = with_draft(QuestionRequest("q", "s", questions), draft_to_json(state))
    assert isinstance(back, PanelState)
    for page, before in zip(back.pages, state.pages, strict=True):
        assert page.draft.selected == before.draft.selected
        assert page.draft.note == before.draft.note
        assert page.draft.taken == (before.draft.taken and page.is_field)
        assert page.draft.other == before.draft.other
        # A field that is open and empty counts for nothing once it is closed.
        assert page.draft.other_on == (before.draft.other_on and bool(before.draft.other.strip()))
        assert page.cursor in page.rows
    assert back.discussion == state.discussion
    assert back.outcome is None, "a restart confirms nothing"
    open_before = state.focus if state.focus in KEPT_OPEN else None
    assert open_before in (None, back.focus), "the text that was open is open again"
    if open_before and state.outcome is None:
        closed = [step(replace(one, hidden=False), Pressed("escape")) for one in (back, state)]
        assert_answers_equal(*closed)


def assert_answers_equal(back: PanelState, before: PanelState) -> None:
    assert back.focus == before.focus
    for page, old in zip(back.pages, before.pages, strict=True):
        assert page.answer() == old.answer(), "and counts as it would have counted"


@pytest.mark.parametrize(
    ("pressed", "focus"),
    [("o x y", Focus.OTHER), ("2 z", Focus.OTHER), ("n x", Focus.NOTE), ("c x", Focus.DISCUSS)],
)
def test_a_text_that_was_open_is_open_again(pressed: str, focus: Focus) -> None:
    state = opened(QuestionSet("q", (Question("One?", "One", (Option("A"), Option("B"))),)))
    for key in pressed.split():
        typing = state.focus in TEXT_FOCUSES
        state = step(state, TextChanged(state.text + key) if typing else Pressed(key, key))
    back = with_draft(QuestionRequest("q", "s", state.questions), draft_to_json(state))
    assert isinstance(back, PanelState)
    assert (back.focus, back.text, back.stray) == (focus, state.text, state.stray)
    assert step(back, Pressed("escape")).page.answer() == step(state, Pressed("escape")).page.answer()


def test_a_text_that_fits_no_question_is_not_opened() -> None:
    request = QuestionRequest("q", "s", SET)
    for tab, focus in ((0, "field"), (2, "other"), (4, "note"), (0, "list"), (0, ["other"]), (0, None)):
        back = with_draft(request, json.dumps({"tab": tab, "open": focus, "stray": "x"}))
        assert isinstance(back, PanelState)
        assert (back.focus, back.stray) == (resting_focus(back.pages, tab), None)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(["permission", "plan"]), st.lists(events, max_size=12))
def test_a_decisions_text_and_edited_plan_come_back(kind: str, pressed: list[Event]) -> None:
    request = (
        PermissionRequest("p", "s", "Bash", {}) if kind == "permission" else PlanRequest("p", "s", "# A")
    )
    state = first_draft(request)
    for event in pressed:
        state = decide(state, event)
    back = with_draft(request, draft_to_json(state))
    assert isinstance(back, DecisionState)
    assert (back.text, back.plan, back.cursor) == (state.text, state.plan, state.cursor)
    assert back.text_row == (state.text_row if state.text else None)
    assert (back.typing, back.outcome) == (False, None)


def test_what_no_longer_fits_is_passed_over() -> None:
    def asked(*labels: str, text: str = "Which?", multi: bool = True) -> QuestionRequest:
        question = Question(text, "H", tuple(map(Option, labels)), multi_select=multi)
        return QuestionRequest("q", "s", QuestionSet("q", (question,)))

    state = opened(asked("A", "B", "C").questions)
    for key in ("1", "3"):
        state = step(state, Pressed(key, key))
    text = draft_to_json(state)

    def selected(request: QuestionRequest) -> tuple[int, ...]:
        back = with_draft(request, text)
        assert isinstance(back, PanelState)
        return back.pages[0].draft.selected

    assert selected(asked("A", "B", "C")) == (0, 2)
    assert selected(asked("C", "B")) == (0,), "an option is known by its label"
    assert selected(asked("A", "B", "C", multi=False)) == (0,), "a single select has one at most"
    assert selected(asked("A", "B", "C", text="Another?")) == ()


@settings(max_examples=40, deadline=None)
@given(made.requests, made.values)
def test_a_draft_of_any_shape_opens_the_request(request: Request, content: object) -> None:
    assert with_draft(request, json.dumps(content)) is not None
    assert with_draft(request, "no JSON") == first_draft(request)
    shaped = {"pages": [content] * 3, "tab": content, "text": content, "cursor": content, "plan": content}
    state = with_draft(request, json.dumps(shaped))
    assert isinstance(state, PanelState | DecisionState)
