"""Whatever a device says is an outcome that the request takes, or is refused with a reason."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.inbox.kinds import check_outcome
from ccq_tui.inbox.requests import Allowed, Cancelled, Denied, ElicitationRequest, Request, RequestOutcome
from ccq_tui.inbox.verdicts import InvalidOutcome
from ccq_tui.questions import Expired, Kind, Question
from ccq_tui.remote.publication import Channel, read_answer
from ccq_tui.remote.relay.problems import ProblemError
from ccq_tui.remote.relay.records import Record, question_answered, questions_of
from tests.unit.remote.publishing import COLOUR, PARTS, permission, plan, question
from tests.unit.remote.test_publication import PLAIN, VALUES, stored

SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
FORM = ElicitationRequest("e", "s", "docs", "Who?", SCHEMA, ("name",))
REQUESTS = st.sampled_from([question(), question("toolu_2", COLOUR, PARTS), permission(), plan(), FORM])
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


@given(REQUESTS, SAID, st.booleans())
def test_an_answer_is_taken_or_refused(request: Request, said: dict[str, Any], grants: bool) -> None:
    try:
        outcome = read_answer(said, request, grants=grants)
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
    for request in (question("toolu_1", COLOUR, number), FORM):
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


@pytest.mark.parametrize(("request_", "index", "note", "outcome"), DECISIONS)
def test_a_decision_is_asked(request_: Request, index: int, note: str, outcome: RequestOutcome) -> None:
    record = published(request_)
    ((id_, asked),) = questions_of(record).items()
    assert [each["label"] for each in asked["options"]][1:] in (["Deny"], ["Keep planning"])
    given = {"selectedIndices": [index], "skipped": False, "note": note}
    with pytest.raises(ProblemError):
        question_answered(record, id_, given | {"selectedIndices": [], "other": "x"}, {}, 0.0)
    answered, event = question_answered(record, id_, given, {}, 0.0)
    said = answered.answer if answered else None
    assert (event, read_answer(said["answer"] if said else {}, request_)) == ("answered", outcome)


@pytest.mark.parametrize("device", [None, [], {"name": 7, "id": None}, {"name": "x" * 900}])
def test_a_device_is_named_whatever_the_relay_says(device: Any) -> None:
    actor = Channel.actor({"device": device})
    assert len(actor.name) <= 200
    assert Channel.actor({"device": device}, "Anna's phone").where == "on Anna's phone"
