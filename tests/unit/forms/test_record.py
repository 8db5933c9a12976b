"""The record of a filled-in form."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from pydantic import TypeAdapter

from ccq_tui.forms.reading import read_form
from ccq_tui.forms.record import RecordDocument, record_of, record_schema
from ccq_tui.inbox.requests import FormRequest
from ccq_tui.questions import Answer
from tests.unit.forms.test_reading import RELEASE

FORM = read_form(RELEASE, "release.toml")
REQUEST = FormRequest("call", "asker", FORM.questions, FORM.document, {"commit": "3f2a"}, "out.jsonl")
STARTED = datetime(2026, 1, 31, 12, 0, 0, 999_999, timezone(timedelta(hours=2)))


def answers_of(*answers: Answer) -> dict[str, object]:
    record = record_of(REQUEST, answers, STARTED, datetime(2026, 1, 31, 10, 5, tzinfo=UTC), "an id")
    TypeAdapter(RecordDocument).validate_python(record, strict=True)
    assert {name: value for name, value in record.items() if name != "answers"} == {
        "schema_version": 1,
        "form": "release",
        "form_version": "3",
        "id": "an id",
        "started": "2026-01-31T10:00:00Z",
        "finished": "2026-01-31T10:05:00Z",
        "context": {"commit": "3f2a"},
    }
    return dict(record["answers"])


def test_every_kind_of_answer_has_its_value_and_label() -> None:
    given = answers_of(
        Answer(("Major",)),
        Answer(other="it breaks"),
        Answer(("API",), "CLI"),
        Answer(other=" 5 "),
        Answer(("No",)),
        Answer(other="two\nlines"),
    )
    assert list(given) == list(FORM.names), "in the form's order"
    assert given == {
        "kind": {"value": "x", "label": "Major"},
        "why": {"value": "it breaks"},
        "areas": {"values": ["API", "CLI"], "labels": ["API", "CLI"], "other": "CLI"},
        "shards": {"value": 5},
        "sure": {"value": False, "label": "No"},
        "notes": {"value": "two\nlines"},
    }


def test_a_skipped_question_is_null_and_a_hidden_one_is_not_there() -> None:
    # The answers to hidden questions are kept aside, and are not recorded.
    given = answers_of(
        *(Answer(("Minor",)), Answer(other="kept aside"), Answer(empty=True), Answer(other="5")),
        *(Answer(("No",)), Answer()),
    )
    assert given == {
        "kind": {"value": "Minor", "label": "Minor"},
        "areas": {"values": [], "labels": []},
        "sure": {"value": False, "label": "No"},
        "notes": None,
    }


def test_the_schema_of_records_names_their_fields() -> None:
    record = record_of(REQUEST, [Answer()] * 6, STARTED, STARTED, "an id")
    assert set(record_schema()["properties"]) == set(record)
