"""Whatever a device says is an outcome that the request takes, or is refused with a reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.inbox.kinds import check_outcome
from ccq_tui.inbox.requests import Allowed, Cancelled, Denied, ElicitationRequest, Request, RequestOutcome
from ccq_tui.inbox.verdicts import InvalidOutcome
from ccq_tui.questions import Expired, Kind, Question
from ccq_tui.remote.publication import Channel, contract_questions, read_answer, read_contract
from tests.unit.remote.publishing import COLOUR, PARTS, permission, plan, question
from tests.unit.remote.test_publication import VALUES, stored

RECORD_ID = "6b0c7e5e-5a44-4f7a-9d2f-0d2f6a3b1c11"
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
GIVEN = st.dictionaries(st.sampled_from(["selectedIndices", "other", "note"]), VALUES | st.lists(SMALL))


def is_sound(request: Request, read: Callable[[], RequestOutcome], *, grants: bool = False) -> bool:
    """Whether an answer is refused with a reason, or is an outcome that a device may choose."""
    try:
        outcome = read()
    except InvalidOutcome as error:
        return bool(error.reason)
    check_outcome(request, outcome)
    mode = getattr(outcome, "mode", "")
    lasts = getattr(outcome, "suggestion", None) is not None or mode not in ("", "default")
    return not isinstance(outcome, Cancelled | Expired) and (grants or not lasts)


@given(REQUESTS, SAID, st.booleans())
def test_an_answer_is_taken_or_refused(request: Request, said: dict[str, Any], grants: bool) -> None:
    assert is_sound(request, lambda: read_answer(said, request, grants=grants), grants=grants)


@given(REQUESTS, st.lists(GIVEN, min_size=2, max_size=2))
def test_an_answer_of_the_contract_is_taken_or_refused(request: Request, said: list[dict[str, Any]]) -> None:
    count = len(contract_questions(RECORD_ID, stored(request)))
    assert not count or is_sound(request, lambda: read_contract(said[:count], request))


def test_what_the_contract_cannot_say_is_a_request_alone() -> None:
    number = Question("How old?", kind=Kind.NUMBER)
    assert contract_questions(RECORD_ID, stored(question("toolu_1", COLOUR, number))) == ()


DECISIONS = [
    (permission(), 1, "not now", Denied("not now")),
    (permission(), 0, "carefully", Allowed("carefully")),
    (plan(), 0, "", Allowed(mode="default")),
    (plan(), 1, "shorter", Denied("shorter")),
]


@pytest.mark.parametrize(("request_", "index", "note", "outcome"), DECISIONS)
def test_a_decision_is_asked(request_: Request, index: int, note: str, outcome: RequestOutcome) -> None:
    (asked,) = contract_questions(RECORD_ID, stored(request_))
    labels = [each["label"] for each in asked["options"]]
    assert labels[1:] in (["Deny"], ["Keep planning"])
    assert read_contract([{"selectedIndices": [index], "note": note}], request_) == outcome


@pytest.mark.parametrize("device", [None, [], {"name": 7, "id": None}, {"name": "x" * 900}])
def test_a_device_is_named_whatever_the_relay_says(device: Any) -> None:
    actor = Channel.actor({"device": device})
    assert len(actor.name) <= 200
    assert Channel.actor({"device": device}, "Anna's phone").where == "on Anna's phone"
