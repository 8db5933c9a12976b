"""Public JSON: what is printed and published only grows, and an answer means what the table says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from ccq_tui.inbox.kinds import parse_outcome
from ccq_tui.inbox.records import outcome_record
from ccq_tui.inbox.schema import Given
from ccq_tui.inbox.verdicts import InvalidOutcome
from ccq_tui.questions import Answer, Answered
from ccq_tui.remote.publication import read_answer
from tests.unit.answering.asking import REQUESTS, ROWS, as_json, entered, words
from tests.unit.answering.documents import documents

RECORDED = json.loads(Path(__file__).with_name("documents.json").read_text(encoding="utf-8"))
GIVEN = TypeAdapter(Given)


@pytest.mark.parametrize("row", ROWS, ids=" | ".join)
def test_an_answer_means_what_the_table_says(row: list[str]) -> None:
    name, given_, wanted = row
    by, _, text = given_.partition(" ")
    request = REQUESTS[name]
    if by == "P":
        text = json.dumps(as_json(request, entered(text)))
    try:
        came = words(read_answer(json.loads(text), request) if by == "D" else parse_outcome(request, text))
    except InvalidOutcome as error:
        came = f"✗ {error}"
    if by == "P" and wanted.startswith("✗"):  # with words of its own, and no place
        assert came.startswith("✗")
    else:
        assert came.replace("\n", "↵") == wanted or (wanted.endswith(":") and came.startswith(wanted))
    assert fits(text) == (by != "S")


def fits(text: str) -> bool:
    """Whether an answer has the public schema, which cannot say what each request takes."""
    try:
        GIVEN.validate_json(text, strict=True)
    except ValidationError:
        return False
    return True


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[" * 100_000, "it is nested too deeply"),
        (f'{{"version": {"9" * 9_999}}}', "it cannot be read: Exceeds the limit"),
        (b"x" * 5_000_001, "it has more than 5,000,000 bytes"),
    ],
)
def test_what_is_too_much_is_refused(text: str | bytes, reason: str) -> None:
    with pytest.raises(InvalidOutcome, match=reason):
        parse_outcome(REQUESTS["cache"], text)


def test_what_show_prints_can_be_given_again() -> None:
    typed = Answer(("Auth",), "x", "n", unselected="typed")
    outcome = Answered((typed, Answer(other="4"), Answer(other="api")))
    printed = json.dumps({"answers": (outcome_record(outcome) or {})["answers"]})
    assert words(parse_outcome(REQUESTS["features"], printed)) == words(outcome)


def grown(was: Any, now: Any) -> Any:
    """Return what a document is now, without what was added to it."""
    if isinstance(was, dict) and isinstance(now, dict):
        return {name: grown(was[name], now.get(name)) for name in was}
    if isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        return [grown(*pair) for pair in zip(was, now, strict=True)]
    return now


def test_what_was_printed_and_published_only_grew() -> None:
    now = json.loads(json.dumps(documents(), default=str))
    assert grown(RECORDED, now) == RECORDED
