"""Outcomes: their public JSON, and that no request ends with what it does not take."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.inbox.kinds import check_outcome, kind_of
from ccq_tui.inbox.kinds.decisions import answer_to, decided
from ccq_tui.inbox.requests import (
    Allowed,
    Cancelled,
    DecidedRequest,
    Denied,
    ElicitationRequest,
    PermissionRequest,
    PlanRequest,
    QuestionRequest,
    Request,
    RequestOutcome,
)
from ccq_tui.inbox.store.rows import RequestState
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.suggestions import Rule, Suggestion
from ccq_tui.inbox.verdicts import InvalidOutcome
from ccq_tui.questions import Answer, Kind, Option, Question, QuestionSet
from ccq_tui.questions.events import Event
from ccq_tui.questions.machine import step
from ccq_tui.questions.outcome import Answered, Declined, Discussed, Dismissed, Expired
from ccq_tui.questions.state import opened
from tests.actors import PANEL
from tests.tables import each_row
from tests.unit.inbox.made import known, requests, to_decide
from tests.unit.questions.test_random_events import events
from tests.unit.questions.test_random_events import sets as any_sets

ONE = Question("Which?", "Letter", (Option("A"), Option("B")))
MANY = Question("Which ones?", "Letters", (Option("A"), Option("B"), Option("B")), multi_select=True)
TEXT = Question("Why?", "Reason", kind=Kind.TEXT)
PORT = Question("Which port?", "Port", kind=Kind.NUMBER, minimum=1024, maximum=65535)
SET = QuestionRequest("q", "s", QuestionSet("q", (ONE, MANY, TEXT, PORT)))
GRANTED = Suggestion("addRules", "session", (Rule("Bash", "ls"),), "allow")
PERMISSION = PermissionRequest("p", "s", "Bash", {"command": "ls"}, suggestions=(GRANTED,))
PLAN = PlanRequest("plan", "s", "# Plan")
DEPLOY = ElicitationRequest(
    "f",
    "s",
    "deploy",
    "Details?",
    {
        "properties": {
            "name": {"type": "string", "minLength": 2},
            "count": {"type": "integer"},
            "env": {"type": "string", "enum": ["prod", "dev"]},
        },
        "required": ["name"],
    },
)


def filled(
    name: Answer = Answer(other="Ada"),  # noqa: B008
    count: Answer = Answer(other="3"),  # noqa: B008
    env: Answer = Answer(selected=("dev",)),  # noqa: B008
) -> Answered:
    """Return answers of the form."""
    return Answered((name, count, env))


GOOD = (Answer(("A",)), Answer(("A", "B"), other="C"), Answer(other="because"), Answer(other="8080"))


def answers(place: int, answer: Answer) -> Answered:
    """Good answers but for one."""
    return Answered((*GOOD[:place], answer, *GOOD[place + 1 :]))


WRONG: list[tuple[Request, RequestOutcome, str, str]] = [
    (SET, Allowed(), "", "a question set cannot end as “allowed”"),
    (SET, Denied("no"), "", "a question set cannot end as “denied”"),
    (PERMISSION, Answered((Answer(("Yes",)),)), "", "a permission cannot end as “answered”"),
    (PERMISSION, Discussed("hm"), "", "a permission cannot end as “discussed”"),
    (PERMISSION, Expired(), "", "a permission cannot end as “expired”"),
    (PLAN, Declined(), "", "a plan cannot end as “declined”"),
    (SET, Answered(GOOD[:3]), "answers", "4 answers are needed, one a question, not 3"),
    (SET, Answered((*GOOD, Answer())), "answers", "4 answers are needed, one a question, not 5"),
    (SET, Discussed(" \n"), "text", "an empty reply says nothing"),
    (SET, Discussed("hm", GOOD[:1]), "answers", "4 answers are needed, one a question, not 1"),
    (SET, answers(0, Answer(("C",))), "answers[0].selected", "no option “C”, or it is given too often"),
    (
        PERMISSION,
        Allowed(suggestion=replace(GRANTED, destination="userSettings")),
        "suggestion",
        "this lasting permission was not suggested",
    ),
    (PERMISSION, Allowed(mode="acceptEdits"), "mode", "only a plan takes it"),
    (PERMISSION, Allowed(plan="# Other"), "plan", "only a plan takes it"),
    (PLAN, Allowed(suggestion=GRANTED), "suggestion", "only a permission takes it"),
    (PLAN, Allowed(mode="auto"), "mode", "a plan is not carried out in “auto”"),
    (PLAN, Allowed(mode="bypassPermissions"), "mode", "a plan is not carried out in “bypassPermissions”"),
]


@each_row(*WRONG)
def test_the_store_refuses_it_with_field_and_reason_and_changes_nothing(
    request_: Request, outcome: RequestOutcome, field: str, reason: str, *, store: Store
) -> None:
    store.requests.add(request_)
    before = store.history.last()
    with pytest.raises(InvalidOutcome) as refused:
        store.requests.settle(request_.id, outcome, PANEL)
    assert (refused.value.field, refused.value.reason) == (field, reason)
    assert store.history.last() == before
    kept = known(store.requests.get(request_.id))
    assert (kept.state, kept.outcome) == (RequestState.PENDING, None)


@given(requests, st.text())
def test_everything_can_be_withdrawn(request: Request, reason: str) -> None:
    check_outcome(request, Cancelled(reason))


@given(any_sets, st.lists(events, max_size=60))
def test_what_a_panel_confirms_is_taken(questions: QuestionSet, happened: list[Event]) -> None:
    state = opened(questions)
    for event in happened:
        state = step(state, event)
    if state.outcome is not None:
        check_outcome(QuestionRequest("toolu_1", "s", questions), state.outcome)


@given(st.lists(events, max_size=60))
def test_whatever_a_panel_gives_a_form_takes(happened: list[Event]) -> None:
    state = opened(DEPLOY.questions)
    for event in happened:
        state = step(state, event)
    if state.outcome is not None:
        check_outcome(DEPLOY, state.outcome)


def test_a_form_is_accepted_declined_and_dismissed() -> None:
    for outcome in (filled(), Declined(), Dismissed(), Cancelled("interrupted")):
        check_outcome(DEPLOY, outcome)
    broken = replace(DEPLOY, schema={"type": "array"})
    with pytest.raises(InvalidOutcome, match="it cannot be filled in: its schema is not that of an object"):
        check_outcome(broken, Answered((Answer(),)))
    check_outcome(broken, Dismissed())


def test_nothing_but_a_form_can_be_dismissed() -> None:
    for request in (SET, PERMISSION, PLAN):
        with pytest.raises(InvalidOutcome):
            check_outcome(request, Dismissed())


@given(to_decide, st.text(max_size=5))
def test_every_choice_of_a_permission_or_plan_is_taken(request: DecidedRequest, text: str) -> None:
    asked = kind_of(request).asked(request)
    for option, act in zip(asked.question.options, asked.acts, strict=True):
        answer = Answer((option.label,), f"x{text}" if act.takes_words else "")
        outcome = decided(asked, Answered((answer,)), text if isinstance(request, PlanRequest) else "")
        check_outcome(request, outcome)
        assert answer_to(asked, outcome) == answer
