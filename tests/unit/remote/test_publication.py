"""What is published of a request, whatever a model sends."""

import json
import math
import uuid
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from ccq_tui import questions
from ccq_tui.inbox import requests
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.kinds import check_outcome
from ccq_tui.inbox.kinds.decisions import EVERY
from ccq_tui.inbox.requests import (
    Allowed,
    Cancelled,
    Denied,
    ElicitationRequest,
    PermissionRequest,
    QuestionRequest,
    Request,
    RequestOutcome,
)
from ccq_tui.inbox.schema import RequestRecord
from ccq_tui.inbox.store.rows import RequestState, SessionState, StoredRequest, StoredSession
from ccq_tui.inbox.verdicts import InvalidOutcome
from ccq_tui.questions import (
    Answer,
    Answered,
    Condition,
    Declined,
    Expired,
    Kind,
    Option,
    Question,
    QuestionSet,
)
from ccq_tui.remote.pairings import Pairing
from ccq_tui.remote.publication import MOST_BODY, Channel, ended, read_answer, relay_id
from ccq_tui.remote.relay.records import Record, question_answered, questions_of
from ccq_tui.remote.seal import to_base64
from ccq_tui.web.problems import ProblemError
from tests.tables import each_row
from tests.unit.questions.drive import RELEASE, field
from tests.unit.remote.publishing import ALWAYS, COLOUR, PARTS, permission, plan, question

MAKE = "In this project, always: commands that begin with `make`"
NOW = datetime(2026, 11, 27, 12, tzinfo=UTC)
PAIRING_ID = "6b0c7e5e-5a44-4f7a-9d2f-0d2f6a3b1c11"
SEALED = Pairing(PAIRING_ID, "https://relay", "https://relay", "token", to_base64(bytes(32)))
PLAIN = replace(SEALED, key="")
RECORD: TypeAdapter[Any] = TypeAdapter(RequestRecord)
FORM = requests.FormRequest("f", "s", QuestionSet("release", RELEASE, is_form=True))
LONG = st.integers(1, 6_000).map(lambda count: "é\ud800𝄞\x00" * count)
TEXT = st.text(st.characters(), max_size=60) | LONG
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=8,
)
OBJECTS = st.dictionaries(TEXT, VALUES, max_size=5)
OPTIONS = st.lists(st.builds(Option, TEXT, TEXT, st.none() | TEXT), min_size=1, max_size=6).map(tuple)
QUESTIONS = st.builds(Question, TEXT, TEXT, OPTIONS, st.booleans())
SETS = st.lists(QUESTIONS, min_size=1, max_size=6).map(lambda found: QuestionSet("c", tuple(found)))
REQUESTS: st.SearchStrategy[Request] = st.one_of(
    st.builds(QuestionRequest, TEXT, st.just("s"), SETS),
    st.builds(PermissionRequest, TEXT, st.just("s"), TEXT, OBJECTS, TEXT, TEXT),
    st.builds(requests.PlanRequest, TEXT, st.just("s"), TEXT),
    st.builds(requests.ElicitationRequest, TEXT, st.just("s"), TEXT, TEXT, OBJECTS),
    st.builds(
        requests.FormRequest,
        TEXT,
        st.just("s"),
        SETS | st.just(FORM.questions),
        context=st.dictionaries(TEXT, TEXT, max_size=3),
    ),
)


def stored(request: Request, **changes: Any) -> StoredRequest:
    return replace(StoredRequest(1, request, "Before.", RequestState.PENDING, NOW), **changes)


def body(request: Request, session: StoredSession | None = None, **changes: Any) -> dict[str, Any]:
    return dict(Channel(PLAIN).publication(stored(request, **changes), session).body)


@given(REQUESTS, TEXT)
def test_a_body_fits_and_is_of_the_public_schema(request: Request, context: str) -> None:
    made = body(request, context=context)
    written = json.dumps(made, allow_nan=False)
    assert len(written) <= MOST_BODY + 1_000
    json.dumps(made, ensure_ascii=False).encode()
    RECORD.validate_json(json.dumps(made["request"]))
    sealed = Channel(SEALED).publication(stored(request, context=context), None)
    assert len(json.dumps(sealed.posted)) < 299_000


@given(REQUESTS)
def test_it_is_the_same_whenever_it_is_published(request: Request) -> None:
    one = Channel(SEALED).publication(stored(request), None)
    later = stored(request, has_draft=True, deferred=True, number=7)
    assert Channel(SEALED).publication(later, None) == one


def test_its_id_says_nothing_and_belongs_to_one_asking_and_one_pairing() -> None:
    one = stored(question())
    later = replace(one, asked_at=NOW + timedelta(microseconds=1))
    pairings = (
        SEALED,
        replace(SEALED, key=to_base64(bytes(31) + b"1")),
        PLAIN,
        replace(PLAIN, token="another"),
    )
    ids = [
        relay_id(pairing, each) for pairing in pairings for each in (one, later, stored(question("toolu_2")))
    ]
    assert len({*ids}) == len(ids)
    assert all(uuid.UUID(each).version == 4 for each in ids)
    assert Channel(SEALED).publication(one, None).expires == "2026-12-04T12:00:00Z"


def test_who_asks_is_said() -> None:
    session = StoredSession("s", "/home/me/api", "api", SessionState.PARKED, None, NOW, NOW)
    ours = body(replace(question(), asker_id="s"), session)["session"]
    assert ours == {"id": "s", "name": "api", "directory": "/home/me/api", "parked": True}
    foreign = replace(
        question(), asker_id="1", origin=requests.Origin(requests.Asker.HOOK, "Claude Code", "/srv")
    )
    theirs = body(foreign)["session"]
    assert theirs == {"id": "hook:1", "name": "Claude Code", "directory": "/srv", "parked": False}


@each_row(permission(), plan())
def test_what_a_device_may_not_take_it_does_not_get(request_: Request) -> None:
    for grants, numbers in ((False, [1, 2, 4, 5]), (True, [1, 2, 3, 4, 5])):
        made = Channel(PLAIN, grants=grants).publication(stored(request_), None)
        assert [one["number"] for one in made.body["request"]["choices"]] == numbers


def test_of_the_text_before_it_the_end_stays() -> None:
    made = body(question(), context="a" * 50_000 + "the end")
    assert made["cut"] is True
    assert made["context"].endswith("the end")
    assert len(made["context"]) < 21_000


def with_options(count: int) -> dict[str, Any]:
    options = tuple(Option(f"{number} {'x' * 2_000}") for number in range(count))
    return body(question("toolu_1", Question("Which?", "Which", options)))


def test_numbers_stay_where_much_is_cut_and_what_cannot_fit_goes_without_its_questions() -> None:
    made = with_options(200)
    assert made["cut"] is True
    shown = made["request"]["questions"][0]["options"]
    assert [each["number"] for each in shown] == [*range(1, 201)]
    assert all(each["label"].startswith(f"{number} x") for number, each in enumerate(shown))
    made = with_options(5_000)
    assert (made["cut"], made["request"]["questions"]) == (True, [])


def test_rules_stay_whole_where_much_is_cut() -> None:
    many = tuple(Option(f"{number} {'x' * 2_000}") for number in range(200))
    preset, wanted = "y" * 5_000, "z" * 5_000
    questions_ = (
        Question("Which?", "Which", many),
        field("Why", preset=(preset,)),
        field("What", when=Condition(1, wanted)),
    )
    request = requests.FormRequest(
        "f", "s", QuestionSet("f", questions_, is_form=True), context={"when": wanted}
    )
    made = body(request)["request"]
    _, why, what = made["questions"]
    assert (why["proposed"]["text"], what["when"]["equals"]) == (preset, wanted)
    assert len(made["about"]["when"]) < 5_000


def test_much_input_is_cut_as_lists_and_texts() -> None:
    request = PermissionRequest("p", "s", "Edit", {"lines": [*range(500_000)], "x": math.inf, "y": ["z"] * 9})
    shown = body(request)
    assert shown["cut"] is True
    assert shown["request"]["input"]["y"] == ["z"] * 9
    assert shown["request"]["input"]["lines"] == [*range(1_000)]


ENDS = [
    (question(), Answered((Answer(("Red",), note="now"),)), "answered", "Red"),
    (question(), Answered((Answer(other="a\nb\x1b[1m"),)), "answered", "a b␛[1m"),
    (question(), questions.Discussed("Why?"), "answered", "Why?"),
    (question(), questions.Declined(), "declined", ""),
    (question(), questions.Expired(), "expired", ""),
    (question(), requests.Cancelled("interrupted"), "withdrawn", "interrupted"),
    (permission(), Allowed("go"), "answered", "Allow once · go"),
    (permission(), Allowed(suggestion=ALWAYS), "answered", MAKE),
    (permission(), requests.Denied("no"), "declined", "Deny · no"),
    (plan(), Allowed(mode="acceptEdits"), "answered", EVERY),
    (requests.ElicitationRequest("e", "s", "docs", "Who?"), questions.Dismissed(), "declined", ""),
    (FORM, Answered((Answer(("Minor",)), Answer(), Answer(), Answer(other="x"))), "answered", "Minor · x"),
]  # fmt: skip


@each_row(*ENDS)
def test_its_end_is_said_in_a_line(request_: Request, outcome: RequestOutcome, end: str, text: str) -> None:
    actor = Actor(Surface.COMMAND, "ccq-tui answer")
    one = stored(request_, outcome=outcome, actor=actor, settled_at=NOW, state=RequestState.DELIVERED)
    fields = {"end": end, "by": "by ccq-tui answer", "device": "", "taken": True, "refused": "", "text": text}
    assert ended(one) == fields | {"at": "2026-11-27T12:00:00.000000Z"}


def test_a_statement_names_the_device_whose_answer_it_is() -> None:
    actor = Actor(Surface.DEVICE, "Anna's phone", device="4a0a6edd")
    stated = ended(stored(question(), outcome=Declined(), actor=actor, settled_at=NOW))
    assert (stated["by"], stated["device"]) == ("on Anna's phone", "4a0a6edd")


# -- whatever a device says is an outcome that the request takes, or is refused with a reason ----------------


SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
ELICITED = ElicitationRequest("e", "s", "docs", "Who?", SCHEMA, ("name",))
ASKED = st.sampled_from([question(), question("toolu_2", COLOUR, PARTS), permission(), plan(), ELICITED])
SMALL = st.integers(-1, 6) | st.booleans() | st.sampled_from(["Red", "A", "C", "", "x"]) | st.none()
ONE = st.none() | st.fixed_dictionaries(
    {}, optional={"selected": st.lists(SMALL, max_size=3), "other": SMALL, "note": SMALL, "empty": SMALL}
)
SAID = st.one_of(
    st.fixed_dictionaries({"answers": st.lists(ONE, max_size=3)}),
    st.fixed_dictionaries({"choice": SMALL}, optional={"note": SMALL}),
    st.fixed_dictionaries({"content": st.dictionaries(st.sampled_from(["name", "x"]), SMALL)}),
    st.dictionaries(st.sampled_from(["decline", "dismiss", "discuss", "version"]), SMALL, max_size=2),
    st.dictionaries(st.text(max_size=8), VALUES, max_size=3),
)


@given(ASKED, SAID, st.booleans())
def test_an_answer_is_taken_or_refused(request: Request, fields: dict[str, Any], grants: bool) -> None:
    try:
        outcome = read_answer(fields, request, grants=grants)
    except InvalidOutcome as error:
        if not error.reason:
            raise
        return
    check_outcome(request, outcome)
    mode = getattr(outcome, "mode", "")
    lasts = getattr(outcome, "suggestion", None) is not None or mode not in ("", "default")
    assert not isinstance(outcome, Cancelled | Expired)
    assert grants or not lasts


def published(request: Request) -> Record:
    made = Channel(PLAIN).publication(stored(request), None)
    record = {"id": made.id, "expires": made.expires, "posted": 0.0, "ends": 1.0}
    return Record(content={"body": made.body}, **record)


def test_what_the_contract_cannot_say_is_a_request_alone() -> None:
    number = Question("How old?", kind=Kind.NUMBER)
    for request in (question("toolu_1", COLOUR, number), ELICITED):
        assert questions_of(published(request)) == {}


def test_skipped_leaves_a_set_to_the_terminal() -> None:
    record = published(question("toolu_1", COLOUR, PARTS))
    for id_, index in zip(questions_of(record), ([], [1]), strict=True):
        given = {"selectedIndices": index, "skipped": not index}
        record = question_answered(record, id_, given, {}, 0.0).record or record
    assert (record.status, len(record.parts)) == ("pending", 2)


DECISIONS = [
    (permission(), 1, "not now", Denied("not now")),
    (permission(), 0, "carefully", Allowed("carefully")),
    (plan(), 0, "", Allowed(mode="default")),
    (plan(), 1, "shorter", Denied("shorter")),
]


@each_row(*DECISIONS)
def test_a_decision_is_asked(request_: Request, index: int, note: str, outcome: RequestOutcome) -> None:
    record = published(request_)
    ((id_, asked),) = questions_of(record).items()
    assert [each["label"] for each in asked["options"]][1:] in (["Deny"], ["Keep planning"])
    given = {"selectedIndices": [index], "skipped": False, "note": note}
    with pytest.raises(ProblemError):
        question_answered(record, id_, given | {"selectedIndices": [], "other": "x"}, {}, 0.0)
    answered, event = question_answered(record, id_, given, {}, 0.0)
    answer = answered.answer if answered else None
    assert (event, read_answer(answer["answer"] if answer else {}, request_)) == ("answered", outcome)


@each_row(None, [], {"name": 7, "id": None}, {"name": "x" * 900})
def test_a_device_is_named_whatever_the_relay_says(device: Any) -> None:
    actor = Channel.actor({"device": device})
    assert len(actor.name) <= 200
    assert Channel.actor({"device": device}, "Anna's phone").where == "on Anna's phone"
