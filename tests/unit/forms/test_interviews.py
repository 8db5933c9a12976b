"""Forms that a program has answered one question at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ccq_tui.answering.grammar import TypedError
from ccq_tui.forms.interviews import (
    CLOSED,
    INACTIVE,
    MOST_OPEN,
    InterviewError,
    answer,
    begin,
    cancel,
    complete,
    read,
    under_way,
)
from ccq_tui.forms.reading import read_form
from ccq_tui.inbox.requests import Asker, FormRequest, Origin
from ccq_tui.inbox.store.store import Store
from tests.actors import PHONE
from tests.unit.forms.test_reading import RELEASE

FORM = read_form(RELEASE, "release.toml")


@pytest.fixture(name="store")
def _store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path / "inbox.db")
    yield store
    assert store.requests.waiting() == store.history.changes() == [], "nobody is asked, or told"
    assert store.ids.requests() == store.ids.sessions() == []
    assert store.requests.unsettled_before(datetime.now(UTC) - INACTIVE) == []
    store.close()


def asked(name: str) -> FormRequest:
    origin, context = Origin(Asker.MCP, "Codex"), {"commit": "3f2a"}
    return FormRequest(name, name, FORM.questions, FORM.document, context, "all.jsonl", origin=origin)


def test_a_form_is_answered_question_by_question_by_any_process(store: Store, tmp_path: Path) -> None:
    begin(store, asked("a"))
    begin(store, asked("b"))
    second, seen = Store(tmp_path / "inbox.db"), []
    for name, value, refused in (
        ("kind", "huge", "no option “huge” · choose 1 Major"),
        ("kind", "major", ""),
        ("why", "it breaks", ""),
        ("areas", ["1", "CLI"], ""),
        ("shards", "12", "out of range · 1 to 9"),
        ("shards", "5", ""),
        ("sure", "No", ""),
        ("notes", "skip", ""),
    ):
        seen.append(FORM.names[read(store, "a").interview.state.gaps[0]])
        with pytest.raises(TypedError, match=refused) if refused else nullcontext():
            answer(second, "a", value, name, PHONE)
            answer(second, "a", value, name, PHONE)  # repeated, it is no answer to the next one
    second.close()
    assert seen == ["kind", "kind", "why", "areas", "shards", "shards", "sure", "notes"]
    with pytest.raises(InterviewError, match=r"question: must be one of kind, why, areas, .*, not “where”"):
        answer(store, "a", "more", "where", PHONE)
    # An earlier answer given again hides a question, and another one is asked in its place.
    changed = answer(store, "a", "minor", "kind", PHONE).interview
    assert (changed.state.gaps, changed.state.asked_tabs) == ((), (0, 2, 3, 4, 5))
    file, record = complete(store, "a", PHONE)
    assert (file, record["id"], record["context"]) == ("all.jsonl", "a", {"commit": "3f2a"})
    assert record["answers"] == {
        "kind": {"value": "Minor", "label": "Minor"},
        "areas": {"values": ["API", "CLI"], "labels": ["API", "CLI"], "other": "CLI"},
        "shards": {"value": 5},
        "sure": {"value": False, "label": "No"},
        "notes": None,
    }
    assert complete(store, "a", PHONE) == (file, record), "the same again"
    with pytest.raises(InterviewError, match="it is complete: start the form again"):
        answer(store, "a", "major", "kind", PHONE)
    with pytest.raises(InterviewError, match="its record stands"):
        cancel(store, "a")
    assert read(store, "b").interview.state.gaps == (0, 1, 2, 4), "a proposal counts for what depends on it"
    with pytest.raises(InterviewError, match="the question “kind” has no answer yet"):
        complete(store, "b", PHONE)
    assert [one.request.tool_use_id for one in under_way(store)] == ["b"], "a complete one is no more"


def test_a_form_ends_when_cancelled_or_left_alone_and_few_are_open_at_once(
    store: Store, tmp_path: Path
) -> None:
    before = Store(tmp_path / "inbox.db", now=lambda: datetime.now(UTC) - INACTIVE)
    for name, by in (("cancelled", store), ("kept", store), ("left", before)):
        by.requests.begin_interview(asked(name))
    before.close()
    cancel(store, "cancelled")
    for over in ("cancelled", "left", "../kept", ""):
        with pytest.raises(InterviewError, match=CLOSED):
            answer(store, over, "Major", "kind", PHONE)
    assert answer(store, "kept", "Major", "kind", PHONE).interview.state.gaps[0] == 1
    for number in range(MOST_OPEN - 1):
        store.requests.begin_interview(asked(str(number)))
    assert len(under_way(store)) == MOST_OPEN
    with pytest.raises(InterviewError, match="200 forms are open: complete or cancel one of them first"):
        begin(store, asked("more"))
