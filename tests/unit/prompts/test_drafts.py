"""Drafts on disk."""

from __future__ import annotations

import json
import os
import stat
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest

from ccq_tui.prompts import drafts as module
from ccq_tui.prompts.drafts import PromptDrafts, read
from ccq_tui.prompts.unread import PromptDraft, Sent

T = TypeVar("T")


def test_a_draft_comes_back_whole_and_is_taken_away_when_empty(tmp_path: Path) -> None:
    drafts = PromptDrafts(tmp_path / "drafts")
    draft = PromptDraft("see [pasted 30 lines]\nand \ud800 that", {"[pasted 30 lines]": "x\n" * 30})
    drafts.save("id-1", draft)
    assert drafts.load("id-1") == draft
    assert drafts.load("id-2") is None
    drafts.save("id-1", PromptDraft(" "))
    assert drafts.load("id-1") is None
    assert list((tmp_path / "drafts").iterdir()) == []


def test_only_its_owner_may_read_it(tmp_path: Path) -> None:
    PromptDrafts(tmp_path / "drafts").save("../../id", PromptDraft("secret"))
    (path,) = (tmp_path / "drafts").iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"text": 1}', b'{"text": "a", "pastes": [1]}', b"\xff"]
)
def test_a_damaged_file_is_no_draft(tmp_path: Path, content: bytes) -> None:
    drafts = PromptDrafts(tmp_path)
    drafts.save("id", PromptDraft("x"))
    next(tmp_path.iterdir()).write_bytes(content)
    assert drafts.load("id") is None


def test_a_draft_that_another_running_process_works_on_is_left_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drafts = PromptDrafts(tmp_path)
    monkeypatch.setattr(os, "getpid", lambda: os.getppid())
    drafts.save("id", PromptDraft("theirs"))
    monkeypatch.undo()
    assert drafts.load("id") is None
    drafts.save("id", PromptDraft("mine"))
    drafts.save("id", PromptDraft("mine, changed"))
    assert drafts.load("id") == PromptDraft("mine, changed")
    drafts.save("id", PromptDraft())
    assert len(list(tmp_path.iterdir())) == 1, "theirs stays"


def test_two_sessions_of_one_process_keep_a_draft_each(tmp_path: Path) -> None:
    first, second = PromptDrafts(tmp_path), PromptDrafts(tmp_path)
    first.save("directory /work", PromptDraft("one"))
    assert second.load("directory /work") is None
    second.save("directory /work", PromptDraft("two"))
    assert first.load("directory /work") == PromptDraft("one")
    first.close()
    second.close()
    third, fourth = PromptDrafts(tmp_path), PromptDrafts(tmp_path)
    assert third.load("directory /work") == PromptDraft("one")
    third.save("directory /work", PromptDraft("one"))
    assert fourth.load("directory /work") == PromptDraft("two")


def test_what_a_process_that_is_gone_has_left_is_taken_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "getpid", lambda: 2**30)
    PromptDrafts(tmp_path).save("id", PromptDraft("left"))
    monkeypatch.undo()
    drafts = PromptDrafts(tmp_path)
    assert drafts.load("id") == PromptDraft("left")
    drafts.save("id", PromptDraft())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("process_number", [os.getppid, os.getpid])
def test_a_draft_is_taken_over_from_a_process_whose_number_another_one_has_now(
    tmp_path: Path, process_number: Callable[[], int]
) -> None:
    drafts = PromptDrafts(tmp_path)
    drafts.save("id", PromptDraft("left", sent=(Sent("1", "queued"),)))
    drafts.close()
    (path,) = tmp_path.iterdir()
    path.write_text(
        json.dumps(json.loads(path.read_text()) | {"process": process_number(), "started": "before:1"})
    )
    assert PromptDrafts(tmp_path).load("id") == PromptDraft("left", sent=(Sent("1", "queued"),))


@pytest.mark.parametrize("process", [None, "1", [1], -1, 2**80, True])
def test_a_draft_of_no_process_is_taken_over(tmp_path: Path, process: object) -> None:
    drafts = PromptDrafts(tmp_path)
    drafts.save("id", PromptDraft("left"))
    (path,) = tmp_path.iterdir()
    path.write_text(json.dumps(json.loads(path.read_text()) | {"process": process, "started": 1}))
    assert drafts.load("id") == PromptDraft("left")


@pytest.mark.parametrize("then", ["", "more"])
def test_what_was_left_where_ones_own_draft_was_is_not_touched(tmp_path: Path, then: str) -> None:
    mine, gone = PromptDrafts(tmp_path), PromptDrafts(tmp_path)
    mine.save("id", PromptDraft("mine"))
    mine.save("id", PromptDraft())
    gone.save("id", PromptDraft("left", sent=(Sent("1", "sent"),)))
    gone.close()
    mine.add("id", PromptDraft(then))
    mine.save("id", PromptDraft(then))
    mine.move("id", "other")
    following = PromptDrafts(tmp_path)
    assert following.load("id") == PromptDraft("left", sent=(Sent("1", "sent"),))
    mine.close()
    assert following.load("other") == (PromptDraft(then) if then else None)
    assert len(list(tmp_path.glob("*.json"))) == 1 + bool(then)


def test_the_oldest_drafts_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_DRAFTS", 3)
    drafts = PromptDrafts(tmp_path)
    for number in range(5):
        drafts.save(str(number), PromptDraft("x"))
        os.utime(drafts.places(str(number))[0], (number, number))
    assert [number for number in range(5) if drafts.load(str(number))] == [2, 3, 4]


def test_a_failure_leaves_the_old_draft_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drafts = PromptDrafts(tmp_path)
    drafts.save("id", PromptDraft("old"))

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        drafts.save("id", PromptDraft("new"))
    assert drafts.load("id") == PromptDraft("old")
    assert len(list(tmp_path.iterdir())) == 1
    with pytest.raises(OSError, match="characters"):
        drafts.save("id", PromptDraft("x" * (module.MOST_CHARACTERS + 1)))


@pytest.mark.parametrize("kind", ["pipe", "sparse"])
def test_what_is_no_draft_in_the_place_of_one_is_passed_over_and_kept(tmp_path: Path, kind: str) -> None:
    drafts = PromptDrafts(tmp_path)
    place = drafts.places("s")[0]
    if kind == "pipe":
        os.mkfifo(place)
    else:
        with place.open("wb") as file:
            file.truncate(10_000_000_000)
    assert drafts.load("s") is None
    drafts.save("s", PromptDraft("typed"))
    assert PromptDrafts(tmp_path).places("s")[0].exists(), "nothing was written over it"
    assert drafts.load("s") == PromptDraft("typed")


def test_what_was_left_is_taken_over_by_one_of_two_that_ask_at_once(tmp_path: Path) -> None:
    for number in range(20):
        before = PromptDrafts(tmp_path / "drafts")
        before.save(str(number), PromptDraft(sent=(Sent("1", "queued"),)))
        before.close()
        both = [PromptDrafts(tmp_path / "drafts"), PromptDrafts(tmp_path / "drafts")]
        found = at_once(*(partial(one.load, str(number)) for one in both))
        assert sorted(found, key=bool) == [None, PromptDraft(sent=(Sent("1", "queued"),))]


def test_two_that_begin_to_write_at_once_keep_a_draft_each(tmp_path: Path) -> None:
    for number in range(20):
        first, second = PromptDrafts(tmp_path / "drafts"), PromptDrafts(tmp_path / "drafts")
        key = str(number)
        at_once(partial(first.save, key, PromptDraft("one")), partial(second.save, key, PromptDraft("two")))
        kept = [read(place) for place in first.places(key)]
        assert {draft.text for draft in kept if draft} == {"one", "two"}


def at_once(*works: Callable[[], T]) -> list[T]:
    """Do things at the same moment, each in a thread of its own."""
    ready = threading.Barrier(len(works))

    def work(one: Callable[[], T]) -> T:
        ready.wait(10)
        return one()

    with ThreadPoolExecutor(len(works)) as threads:
        return list(threads.map(work, works))
