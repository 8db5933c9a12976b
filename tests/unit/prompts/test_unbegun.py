"""Sessions that had not begun, taken over from drafts on disk."""

from __future__ import annotations

import json
import multiprocessing
import os
from contextlib import ExitStack, closing
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier, Event
from pathlib import Path

import pytest

from ccq_tui.prompts.drafts import PromptDrafts, directory_key, leave_text
from ccq_tui.prompts.unread import PromptDraft, Sent, Unbegun

HERE = directory_key(Path("/work"))
ONE = Unbegun("id-1", "/work", "/home", 1.0, "one", "model-a", "plan", "low")
TWO = Unbegun("id-2", "/work/.claude/worktrees/two", "/elsewhere", 2.0)


def kept(place: Path, *sessions: Unbegun) -> None:
    with closing(PromptDrafts(place)) as drafts:
        for one in sessions:
            drafts.save(one.id, PromptDraft("typed", sent=(Sent("p", "sent", one.id),), session=one))


@pytest.mark.parametrize(
    ("here", "wanted"), [("/work", (ONE, TWO)), ("/home", (ONE,)), ("/elsewhere", (TWO,)), ("/other", ())]
)
def test_a_program_takes_over_those_of_its_directory_in_their_order(
    tmp_path: Path, here: str, wanted: tuple[Unbegun, ...]
) -> None:
    kept(tmp_path / "drafts", TWO, ONE)
    with closing(PromptDrafts(tmp_path / "drafts")) as drafts:
        assert drafts.take_unbegun(Path(here)) == wanted
        for one in wanted:
            assert drafts.load(one.id) == PromptDraft("typed", sent=(Sent("p", "sent", one.id),), session=one)


def test_one_that_is_at_work_is_nobody_elses_and_is_left_when_it_ends(tmp_path: Path) -> None:
    kept(tmp_path / "drafts", ONE)
    with (
        closing(PromptDrafts(tmp_path / "drafts")) as first,
        closing(PromptDrafts(tmp_path / "drafts")) as second,
    ):
        assert first.take_unbegun(Path("/work")) == (ONE,)
        assert second.take_unbegun(Path("/work")) == ()
        first.close()
        assert second.take_unbegun(Path("/work")) == (ONE,)


def test_a_session_that_was_killed_before_its_draft_had_its_name_comes_back_as_itself(tmp_path: Path) -> None:
    with closing(PromptDrafts(tmp_path / "drafts")) as drafts:
        drafts.save(HERE, PromptDraft(sent=(Sent("p", "sent", "id-1"),), session=ONE))
    with closing(PromptDrafts(tmp_path / "drafts")) as drafts:
        assert drafts.load(HERE) is None, "it is no draft of the directory's"
        assert drafts.take_unbegun(Path("/work")) == (ONE,)
        assert drafts.load("id-1") == PromptDraft(sent=(Sent("p", "sent", "id-1"),), session=ONE)
    assert len(list((tmp_path / "drafts").iterdir())) == 1


@pytest.mark.parametrize(
    "session", [1, [], {}, {"id": "id-1"}, {"id": "../x", "directory": "/"}, {"id": 1, "directory": "/"}]
)
def test_a_session_that_cannot_be_begun_is_a_draft_and_nothing_else(tmp_path: Path, session: object) -> None:
    kept(tmp_path / "drafts", ONE)
    (path,) = (tmp_path / "drafts").iterdir()
    path.write_text(json.dumps(json.loads(path.read_text()) | {"session": session}))
    with closing(PromptDrafts(tmp_path / "drafts")) as drafts:
        assert drafts.take_unbegun(Path("/work")) == ()
        assert drafts.load("id-1") == PromptDraft("typed", sent=(Sent("p", "sent", "id-1"),))


def test_a_text_that_is_left_for_a_draft_leaves_what_was_sent_there(tmp_path: Path) -> None:
    kept(tmp_path / "drafts", ONE)
    leave_text(tmp_path / "drafts", "id-1", "more")
    with closing(PromptDrafts(tmp_path / "drafts")) as drafts:
        sent = (Sent("p", "sent", "id-1"),)
        assert drafts.load("id-1") == PromptDraft("typed\nmore", sent=sent, session=ONE)


def test_of_programs_that_start_at_once_one_takes_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "drafts"
    sessions = [Unbegun(f"id-{number}", "/work", opened_at=number) for number in range(8)]
    texts = ["one", "two"]
    monkeypatch.setattr(os, "getpid", lambda: 2**30)  # of a process that is gone
    kept(place, *sessions)
    with ExitStack() as stack:
        for text in texts:
            stack.enter_context(closing(PromptDrafts(place))).save(HERE, PromptDraft(text))
    monkeypatch.undo()
    context = multiprocessing.get_context("fork")
    taken: Queue[list[str]] = context.Queue()
    begin, end = context.Barrier(4), context.Event()
    programs = [context.Process(target=_program, args=(place, begin, end, taken)) for _ in range(4)]
    for one in programs:
        one.start()
    found = [name for _ in programs for name in taken.get(timeout=30)]
    end.set()
    for one in programs:
        one.join(30)
    assert sorted(found) == sorted([*(one.id for one in sessions), *texts])


def _program(place: Path, begin: Barrier, end: Event, taken: Queue[list[str]]) -> None:
    drafts = PromptDrafts(place)
    begin.wait(30)
    sessions = drafts.take_unbegun(Path("/work"))
    left = drafts.load(HERE)
    taken.put([*(one.id for one in sessions), *([left.text] if left else [])])
    end.wait(30)  # what a program that has ended has is the next one's
