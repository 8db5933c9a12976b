"""Forms that a program has answered one question at a time."""

from __future__ import annotations

import os
import time
from contextlib import nullcontext
from pathlib import Path

import pytest

from ccq_tui.answering.grammar import TypedError
from ccq_tui.forms.interviews import INACTIVE_SECONDS, MOST_OPEN, InterviewError, Interviews
from ccq_tui.forms.output import OutputError, read_records
from ccq_tui.forms.reading import read_form
from tests.unit.forms.test_reading import RELEASE

FORM = read_form(RELEASE, "release.toml")
QUESTIONS = FORM.questions.questions
CLOSED = "no open form has this id: it ended, or got no answer for 30 minutes; start it again"


def test_a_form_is_answered_question_by_question_by_any_process(tmp_path: Path) -> None:
    output = str(tmp_path / "all.jsonl")
    started = Interviews(tmp_path / "forms").start(FORM, {"commit": "3f2a"}, output)
    other = Interviews(tmp_path / "forms").start(FORM, {}, "")
    seen = []
    for text, refused in (
        ("huge", "no option “huge” · choose 1 Major"),
        *((value, "") for value in ("major", "it breaks", ["1", "CLI"])),
        ("12", "out of range · 1 to 9"),
        *((text, "") for text in ("5", "No", "skip")),
    ):
        interviews = Interviews(tmp_path / "forms")
        place = interviews.open(started.id).next(QUESTIONS)
        assert place is not None
        seen.append(FORM.names[place])
        with pytest.raises(TypedError, match=refused) if refused else nullcontext():
            interviews.answer(started.id, text, "")
    assert seen == ["kind", "kind", "why", "areas", "shards", "shards", "sure", "notes"]
    interviews = Interviews(tmp_path / "forms")
    with pytest.raises(InterviewError, match="every question is answered: complete the form"):
        interviews.answer(started.id, "more", "")
    with pytest.raises(InterviewError, match=r"question: must be one of kind, why, areas, .*, not “where”"):
        interviews.answer(started.id, "more", "where")
    # An earlier answer given again hides a question, and another one is asked in its place.
    changed = interviews.answer(started.id, "minor", "kind")
    assert (changed.next(QUESTIONS), changed.asked(QUESTIONS)) == (None, (0, 2, 3, 4, 5))
    record = interviews.complete(started.id)
    assert (record["id"], record["context"]) == (started.id, {"commit": "3f2a"})
    assert record["answers"] == {
        "kind": {"value": "Minor", "label": "Minor"},
        "areas": {"values": ["API", "CLI"], "labels": ["API", "CLI"], "other": "CLI"},
        "shards": {"value": 5},
        "sure": {"value": False, "label": "No"},
        "notes": None,
    }
    assert interviews.complete(started.id) == record
    assert read_records(output).records == [record], "once"
    with pytest.raises(InterviewError, match="it is complete: start the form again"):
        interviews.answer(started.id, "major", "kind")
    with pytest.raises(InterviewError, match="its record stands"):
        interviews.cancel(started.id)
    assert interviews.open(other.id).answers == (None,) * 6
    with pytest.raises(InterviewError, match="the question “kind” has no answer yet"):
        interviews.complete(other.id)


def test_a_form_ends_when_cancelled_or_left_alone(tmp_path: Path) -> None:
    interviews = Interviews(tmp_path / "forms")
    cancelled, left, kept = (interviews.start(FORM, {}, "") for _ in range(3))
    interviews.cancel(cancelled.id)
    ago = time.time() - INACTIVE_SECONDS - 1
    os.utime(tmp_path / "forms" / f"{left.id}.json", (ago, ago))
    for over in (cancelled.id, left.id, "../forms/" + kept.id, "", "nonsense"):
        with pytest.raises(InterviewError, match=CLOSED):
            interviews.answer(over, "Major", "")
    assert interviews.answer(kept.id, "Major", "").next(QUESTIONS) == 1
    assert [file.stem for file in (tmp_path / "forms").iterdir()] == [kept.id]


def test_what_cannot_be_kept_or_written_is_refused(tmp_path: Path) -> None:
    interviews = Interviews(tmp_path / "forms")
    with pytest.raises(OutputError, match="is a directory"):
        interviews.start(FORM, {}, str(tmp_path))
    (tmp_path / "file").touch()
    with pytest.raises(InterviewError, match="its state cannot be kept: File exists"):
        Interviews(tmp_path / "file").start(FORM, {}, "")
    (tmp_path / "forms").mkdir(exist_ok=True)
    for number in range(MOST_OPEN):
        (tmp_path / "forms" / f"{number}.json").touch()
    with pytest.raises(InterviewError, match="200 forms are open: complete or cancel one of them first"):
        interviews.start(FORM, {}, "")
