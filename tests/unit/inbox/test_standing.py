"""In which group a session is, and what the store tells of all of them."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.inbox.format import session_lines
from ccq_tui.inbox.records import session_record
from ccq_tui.inbox.requests import QuestionRequest
from ccq_tui.inbox.session_groups import Group, group_of, stored_group
from ccq_tui.inbox.store.rows import StoredSession, StoredSessionState, StoredStanding
from ccq_tui.inbox.store.store import Store
from ccq_tui.processes import Owner, this_process
from ccq_tui.questions import Question, QuestionSet
from tests.actors import INBOX

STATES = st.sampled_from([*StoredSessionState, "queued"])
DEAD = Owner(2**22 + 1)
NEWEST = datetime(2026, 1, 31, 12, tzinfo=UTC)


@given(STATES, st.integers(0, 3), st.booleans(), st.booleans())
def test_what_waits_or_works_is_never_hidden(state: str, waiting: int, runs: bool, done: bool) -> None:
    group = group_of(state, waiting, runs=runs, done=done)
    if waiting:
        assert group in (Group.NEEDS, Group.PARKED, Group.FAILED)
    if runs and state in ("working", "awaiting"):
        assert group in (Group.NEEDS, Group.WORKING)
    if not runs:
        assert group not in (Group.NEEDS, Group.WORKING)
    if done and not waiting and not runs:
        assert group is Group.DONE
    if not done:
        assert group is not Group.DONE


@pytest.mark.parametrize(
    ("state", "waiting", "runs", "group"),
    [
        ("awaiting", 2, True, Group.NEEDS),
        ("idle", 1, True, Group.NEEDS),
        ("working", 0, True, Group.WORKING),
        ("queued", 0, True, Group.WORKING),
        ("working", 0, False, Group.FAILED),
        ("working", 1, False, Group.PARKED),
        ("parked", 1, False, Group.PARKED),
        ("parked", 0, False, Group.PARKED),
        ("failed", 1, False, Group.FAILED),
        ("idle", 0, True, Group.IDLE),
        ("ended", 0, False, Group.IDLE),
    ],
)
def test_groups(state: str, waiting: int, runs: bool, group: Group) -> None:
    assert group_of(state, waiting, runs=runs, done=False) is group


def test_the_commands_say_the_same_group() -> None:
    killed = StoredSession("s1", "/work", "Fix it", StoredSessionState.WORKING, DEAD, NEWEST, NEWEST)
    assert stored_group(killed, 0) is Group.FAILED
    assert session_record(killed, 0)["group"] == "failed"
    assert session_record(killed, 0)["state"] == "working"
    assert "failed" in session_lines([killed], {}, str)[1]


def test_pages_of_standings_have_every_session_once(tmp_path: Path) -> None:
    ticks = iter(range(10_000))
    store = Store(tmp_path / "inbox.db", now=lambda: NEWEST + timedelta(seconds=next(ticks) // 2))
    try:
        for number in range(7):
            store.sessions.upsert(f"s{number}", "/work", name=f"n{number}")
        store.sessions.set_state("s2", StoredSessionState.AWAITING, "asked")
        asked = store.sessions.standing("s2")
        for line in ("later", "last"):
            store.sessions.upsert("s2", last_line=line)
        store.requests.add(QuestionRequest("t1", "s2", QuestionSet("t1", (Question("Why?", "Why"),))))
        store.sessions.claim("s2", this_process())
        found: list[StoredStanding] = []
        while page := store.sessions.standings(found[-1].session if found else None, limit=2):
            found += page
        assert sorted(one.session.id for one in found) == [f"s{number}" for number in range(7)]
        assert [one.session.changed_at for one in found] == sorted(
            (one.session.changed_at for one in found), reverse=True
        )
        mine = next(one for one in found if one.session.id == "s2")
        assert asked is not None
        assert (mine.waiting, mine.since) == (1, asked.session.changed_at)
        assert mine.since < mine.session.changed_at
        assert stored_group(mine.session, mine.waiting) is Group.NEEDS
        assert mine.session.owner == Owner(os.getpid(), this_process().start)
    finally:
        store.close()


def test_done_is_undone_by_hand_and_by_going_on(tmp_path: Path) -> None:
    store = Store(tmp_path / "inbox.db")
    try:
        store.sessions.upsert("s1", "/work")
        store.sessions.set_state("s1", StoredSessionState.IDLE, "it ended")
        before = store.sessions.standing("s1")
        assert not store.sessions.set_done("s9", True, INBOX)
        for done in (True, True, False, True):
            assert store.sessions.set_done("s1", done, INBOX)
        after = store.sessions.standing("s1")
        assert before is not None
        assert after is not None
        assert (after.since, after.session.changed_at) == (before.since, before.session.changed_at)
        assert after.session.done
        changes = [(one.was, one.became) for one in store.history.changes()][-3:]
        assert changes == [("idle", "done"), ("done", "idle"), ("idle", "done")]
        store.sessions.set_state("s1", StoredSessionState.STARTING, "resumed")
        assert stored_group(store.sessions.page()[0], 0) is Group.DONE
        store.sessions.set_state("s1", StoredSessionState.WORKING, "a prompt")
        assert not store.sessions.page()[0].done
    finally:
        store.close()
