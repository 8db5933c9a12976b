"""Outcomes: their public JSON, and that no request ends with what it does not take."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ccq_tui.inbox.answer_json import load_answer
from ccq_tui.inbox.choices import EACH, answer_to, decided
from ccq_tui.inbox.kinds import check_outcome, kind_of, parse_outcome
from ccq_tui.inbox.records import outcome_record
from ccq_tui.inbox.requests import (
    Allowed,
    Asker,
    Cancelled,
    DecidedRequest,
    Denied,
    ElicitationRequest,
    Origin,
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
from tests.unit.inbox.made import known, requests, sets, to_decide, values
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
    (SET, answers(0, Answer(("A", "B"))), "answers[0].selected", "the question takes one choice"),
    (SET, answers(0, Answer(("A",), other="x")), "answers[0].selected", "the question takes one choice"),
    (SET, answers(0, Answer(empty=True)), "answers[0].empty", "the question takes one choice, not none"),
    (SET, answers(0, Answer(other=" ")), "answers[0].other", "a blank text is no answer"),
    (SET, answers(1, Answer(("A", "A"))), "answers[1].selected", "no option “A”, or it is given too often"),
    (
        SET,
        answers(1, Answer(("A",), empty=True)),
        "answers[1].empty",
        "not together with a selection or a text",
    ),
    (SET, answers(2, Answer(("A",))), "answers[2].selected", "the question has no options"),
    (SET, answers(2, Answer(other="\t")), "answers[2].other", "a blank text is no answer"),
    (SET, answers(2, Answer(empty=True)), "answers[2].empty", "the question takes a text, not a selection"),
    (SET, answers(3, Answer(other="80")), "answers[3].other", "out of range: 1024 to 65535"),
    (SET, answers(3, Answer(other="many")), "answers[3].other", "not a number: type one such as 1024"),
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


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path / "inbox.db")
    for request in (SET, PERMISSION, PLAN):
        store.requests.add(request)
    yield store
    store.close()


@pytest.mark.parametrize(("request_", "outcome", "field", "reason"), WRONG)
def test_the_store_refuses_it_with_field_and_reason_and_changes_nothing(
    store: Store, request_: Request, outcome: RequestOutcome, field: str, reason: str
) -> None:
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


@settings(max_examples=300)
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


@pytest.mark.parametrize(
    ("outcome", "message"),
    [
        (Answered((Answer(other="Ada"),)), "answers: 3 answers are needed, one a question, not 1"),
        (filled(Answer()), "answers[0]: name: the form needs this"),
        (filled(Answer(other="A")), "answers[0].other: name: too short: at least 2 characters, not 1"),
        (filled(Answer(other="Ada", note="hm")), "answers[0].note: name: a form takes no notes"),
        (filled(count=Answer(other="1.5")), "answers[1].other: not a whole number"),
        (
            filled(env=Answer(other="test")),
            "answers[2].other: it takes one of its options, and no text of your own",
        ),
        (
            filled(env=Answer(selected=("test",))),
            "answers[2].selected: no option “test”, or it is given too often",
        ),
        (Discussed("why?"), "a form cannot end as “discussed”"),
        (Expired(), "a form cannot end as “expired”"),
        (Allowed(), "a form cannot end as “allowed”"),
    ],
)
def test_what_a_form_does_not_take_is_said_with_its_field(outcome: RequestOutcome, message: str) -> None:
    with pytest.raises(InvalidOutcome) as caught:
        check_outcome(DEPLOY, outcome)
    assert str(caught.value) == message


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


CACHES = Question(
    "Which cache?", "Cache", (Option("Redis"), Option("SQLite", preview="a = 1"), Option("None"))
)
PARTS = Question("Which features?", "Features", (Option("Auth"), Option("Logs"), Option("Search")), True)
WORKERS = Question("How many?", "Workers", kind=Kind.NUMBER, minimum=1, maximum=8, step=1)
NAME = Question("Which name?", "Name", kind=Kind.TEXT)
CACHE = QuestionRequest("c", "s", QuestionSet("c", (CACHES,)))
FEATURES = QuestionRequest("f", "s", QuestionSet("f", (PARTS, WORKERS, NAME)))
HOOKED = PermissionRequest("p", "s", "Bash", {"command": "ls"}, origin=Origin(Asker.HOOK))
SCHEMA = {
    "properties": {
        "name": {"type": "string", "minLength": 2},
        "count": {"type": "integer", "minimum": 1},
        "sure": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string", "enum": ["x", "y", "z"]}, "maxItems": 2},
    },
    "required": ["name"],
}
FORM = ElicitationRequest("e", "s", "deploy", "Details?", SCHEMA)
BROKEN = ElicitationRequest("e", "s", "deploy", "Details?", {"type": "array"})
LINK = ElicitationRequest("e", "s", "deploy", "Sign in", url="https://example.com/", host="example.com")
FOUR_API = [{"other": " 4"}, {"other": "api"}]
ALL_NULL = "every answer is null: answer one question at least, or decline"
UNFIT = "it cannot be filled in: its schema is not that of an object; decline or dismiss it"
HALF = "it holds half of a character, which UTF-8 does not have"


@pytest.mark.parametrize(
    ("request_", "data", "outcome"),
    [
        (CACHE, {"answers": [{"selected": [2]}]}, Answered((Answer(("SQLite",), preview="a = 1"),))),
        (CACHE, {"answers": [{"selected": ["None", 3]}]}, Answered((Answer(("None",)),))),
        (CACHE, {"answers": [{"other": "a\x1bb\r\nc"}]}, Answered((Answer(other="ab\nc"),))),
        (CACHE, {"answers": [{"selected": [1], "other": ""}]}, Answered((Answer(("Redis",)),))),
        (CACHE, {"discuss": "Why?"}, Discussed("Why?")),
        (
            FEATURES,
            {"answers": [{"selected": ["Search", 1], "other": "more", "note": "n"}, *FOUR_API]},
            Answered((Answer(("Auth", "Search"), "more", "n"), Answer(other="4"), Answer(other="api"))),
        ),
        (
            FEATURES,
            {"answers": [{"empty": True, "unselected": "typed"}, None, None]},
            Answered((Answer(empty=True), Answer(), Answer())),
        ),
        (PERMISSION, {"choice": 1}, Allowed()),
        (PERMISSION, {"choice": 3, "note": None}, Allowed(suggestion=GRANTED)),
        (PERMISSION, {"choice": 4, "note": "once"}, Allowed("once")),
        (HOOKED, {"choice": 3, "note": "no"}, Denied("no")),
        (PLAN, {"choice": 3}, Allowed(mode="acceptEdits")),
        (
            FORM,
            {"content": {"name": "Ada", "count": 5, "sure": False, "tags": ["x", "z"]}},
            Answered((Answer(other="Ada"), Answer(other="5"), Answer(("No",)), Answer(("x", "z")))),
        ),
        (
            FORM,
            {"answers": [{"other": "Ada"}, {}, {"selected": [2]}, None]},
            Answered((Answer(other="Ada"), Answer(), Answer(("No",)), Answer())),
        ),
        (LINK, {"answers": [{"selected": [2]}]}, Answered((Answer(("Accept without opening it here",)),))),
    ],
)
def test_an_answer(request_: Request, data: dict[str, object], outcome: RequestOutcome) -> None:
    assert parse_outcome(request_, load_answer(json.dumps({"version": 1, **data}))) == outcome


@pytest.mark.parametrize(
    ("text", "field", "reason"),
    [
        ("", "", "it cannot be read: Expecting value"),
        ("\ufeff{}", "", "it cannot be read: "),
        ("[" * 100_000, "", "it is nested too deeply"),
        ("[]", "", "an object is needed"),
        ('{"version": 2}', "version", "it must be 1"),
        ('{"version": true}', "version", "it must be 1"),
        ('{"version": NaN}', "version", "it must be 1"),
        (f'{{"version": {"9" * 9_999}}}', "", "it cannot be read: Exceeds the limit"),
        ('{"discuss": "a", "discuss": "b"}', "", "an object has the field “discuss” twice"),
        ('{"answers": [{"other": "a", "\\u006fther": "b"}]}', "", "an object has the field “other” twice"),
    ],
)
def test_json_that_cannot_be_read(text: str, field: str, reason: str) -> None:
    with pytest.raises(InvalidOutcome) as refused:
        load_answer(text)
    assert refused.value.field == field
    assert refused.value.reason.startswith(reason)


WRONG_DECISION = [
    {},
    {"choice": "1"},
    {"choice": True},
    {"choice": 1.0},
    {"choice": None},
    {"choice": 0},
    {"choice": 6},
]


@pytest.mark.parametrize(
    ("request_", "data", "field", "reason"),
    [
        (CACHE, {}, "", "either “answers” or “discuss” is needed"),
        (CACHE, {"answers": [], "discuss": "x"}, "", "either “answers” or “discuss” is needed"),
        (CACHE, {"answer": []}, "", "unknown field “answer”; known are answers, discuss"),
        (CACHE, {"discuss": " "}, "discuss", "an empty reply says nothing"),
        (CACHE, {"discuss": 4}, "discuss", "a text is needed"),
        (CACHE, {"discuss": "\ud83d"}, "discuss", HALF),
        (CACHE, {"answers": {}}, "answers", "a list of 1 is needed, one answer a question"),
        (FEATURES, {"answers": [{}]}, "answers", "a list of 3 is needed, one answer a question"),
        (FEATURES, {"answers": [None] * 3}, "answers", ALL_NULL),
        (FORM, {"discuss": "why?"}, "", "a form cannot end as “discussed”"),
        (FORM, {"answers": [{}, {}, {}, {}]}, "answers[0]", "no answer"),
        (FORM, {"answers": [None, {"other": "5"}, {}, {}]}, "answers[0]", "name: the form needs this"),
        (FORM, {"content": []}, "content", "an object of values by their names is needed"),
        (FORM, {"content": {"name": "A"}}, "content.name", "too short: at least 2 characters, not 1"),
        (FORM, {"content": {"name": "Ada", "count": "5"}}, "content.count", "“count” takes a number"),
        (FORM, {"content": {"name": "Ada", "tags": 1}}, "content.tags", "“tags” takes a list of its options"),
        (FORM, {"content": {"name": "Ada", "more": 1}}, "content", "the form has no field “more”"),
        (FORM, {"content": {}}, "content.name", "the form needs this"),
        (FORM, {"content": {}, "answers": []}, "", "unknown field “answers”; known are content"),
        (BROKEN, {"answers": [{}]}, "", UNFIT),
        *((PLAN, data, "choice", "a number from 1 to 5 is needed") for data in WRONG_DECISION),
        (PLAN, {"choice": 1, "why": "so"}, "", "unknown field “why”; known are choice, note"),
        (PLAN, {"choice": 1, "note": 1}, "note", "a text is needed"),
        (PLAN, {"choice": 1, "note": "x"}, "note", f"“{EACH}” takes none; those with “…” do"),
        (PLAN, {"choice": 4, "note": " "}, "note", "“Approve, and say something…” needs your message"),
        (HOOKED, {"choice": 4}, "choice", "a number from 1 to 3 is needed"),
    ],
)  # fmt: skip
def test_what_is_no_answer(request_: Request, data: dict[str, object], field: str, reason: str) -> None:
    with pytest.raises(InvalidOutcome) as refused:
        parse_outcome(request_, data)
    assert (refused.value.field, refused.value.reason) == (field, reason)


@pytest.mark.parametrize(
    ("answer", "field", "reason"),
    [
        (1, "", "an object is needed, or null to leave the question open"),
        ({}, "", "no answer"),
        ({"note": "n"}, "", "no answer; a note alone is none"),
        ({"choice": 4}, "", "unknown field “choice”; known are selected, other, note, empty, unselected"),
        ({"selected": "Auth"}, ".selected", "a list of labels or numbers is needed"),
        ({"selected": None}, ".selected", "a list of labels or numbers is needed"),
        ({"selected": [{}]}, ".selected", "labels or numbers of options are needed"),
        ({"selected": ["auth"]}, ".selected", "no option “auth”; there are “Auth”, “Logs”, “Search”"),
        ({"selected": [True]}, ".selected", "no option “True”; there are “Auth”, “Logs”, “Search”"),
        ({"selected": [9]}, ".selected", "no option 9; there are “Auth”, “Logs”, “Search”"),
        ({"selected": [float("inf")]}, ".selected", "no option “inf”; there are “Auth”, “Logs”, “Search”"),
        ({"empty": "no"}, ".empty", "true or false is needed"),
        ({"empty": True, "selected": [1]}, ".empty", "not together with a selection or a text"),
        ({"other": 4}, ".other", "a text is needed"),
        ({"other": " \n"}, ".other", "a blank text is no answer"),
        ({"other": "a\udc00"}, ".other", HALF),
        ({"selected": [1], "note": "\ud800"}, ".note", HALF),
    ],
)  # fmt: skip
def test_what_is_no_answer_to_a_question(answer: object, field: str, reason: str) -> None:
    with pytest.raises(InvalidOutcome) as refused:
        parse_outcome(FEATURES, {"answers": [answer, *FOUR_API]})
    assert (refused.value.field, refused.value.reason) == (f"answers[0]{field}", reason)


@given(sets, values)
def test_any_json_is_an_answer_or_refused(questions: QuestionSet, content: object) -> None:
    request = QuestionRequest("x", "s", questions)
    for shape in ({"answers": content}, {"answers": [content]}, {"discuss": content}, {"content": content}):
        try:
            outcome = parse_outcome(request, shape)
        except InvalidOutcome:
            continue
        assert isinstance(outcome, Answered | Discussed)


def test_what_show_prints_can_be_given_again() -> None:
    outcome = Answered(
        (Answer(("Auth",), "x", "n", unselected="typed"), Answer(other="4"), Answer(other="api"))
    )
    printed = json.dumps({"answers": outcome_record(outcome)["answers"]})  # type: ignore[index]
    (first, *rest) = outcome.answers
    assert parse_outcome(FEATURES, load_answer(printed)) == Answered((replace(first, unselected=""), *rest))
