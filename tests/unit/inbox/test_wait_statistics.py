"""How waits are added up, and the text that says so."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ccq_tui.inbox.actors import WITHDRAWN, Actor
from ccq_tui.inbox.layout import cells
from ccq_tui.inbox.requests import (
    Allowed,
    Cancelled,
    Denied,
    PermissionRequest,
    PlanRequest,
    QuestionRequest,
    RequestOutcome,
)
from ccq_tui.inbox.store.rows import RequestState, StoredRequest
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.wait_statistics import (
    Refusals,
    Share,
    WaitStatistics,
    first_day,
    projects_of,
    tables,
    text_lines,
    wait_statistics,
)
from ccq_tui.processes import this_process
from ccq_tui.questions.model import Answer, Option, Question, QuestionSet
from ccq_tui.questions.outcome import Answered, Declined, Discussed, Dismissed, Expired
from ccq_tui.worktrees.model import checkout_of
from tests.actors import LIMIT, PANEL

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)
SINCE = datetime(2026, 11, 10, tzinfo=UTC)


@pytest.fixture(autouse=True)
def in_berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")  # Berlin, where no time zones are installed, too
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


ENDS: Mapping[RequestState, RequestOutcome] = {
    RequestState.ANSWERED: Allowed(),
    RequestState.DISCUSSED: Discussed("why?"),
    RequestState.DECLINED: Denied(),
    RequestState.DISMISSED: Dismissed(),
    RequestState.EXPIRED: Expired(),
    RequestState.CANCELLED: Cancelled("interrupted"),
}


def waited(
    minutes: float,
    state: RequestState = RequestState.ANSWERED,
    *,
    at: datetime = NOON,
    session: str = "s",
    actor: Actor = PANEL,
) -> StoredRequest:
    """Return a permission for which an agent waited from a time on."""
    request = PermissionRequest("p", session, "Bash", {})
    if state is RequestState.PENDING:
        return StoredRequest(1, request, "", state, at)
    ended = at + timedelta(minutes=minutes)
    return StoredRequest(1, request, "", state, at, outcome=ENDS[state], actor=actor, settled_at=ended)


def counted(requests: Iterable[StoredRequest], since: datetime, until: datetime) -> WaitStatistics:
    return wait_statistics(requests, {"s": "/p", "a": "/a/api", "b": "/b/api", "c": "/c/web"}, since, until)


def test_what_an_inbox_holds(tmp_path: Path) -> None:
    at = NOON
    store = Store(tmp_path / "inbox.db", now=lambda: at)
    store.sessions.upsert("s", "/home/me/api/.claude/worktrees/red")
    store.sessions.claim("s", this_process())
    sure = Question("Sure about this?", "Sure", (Option("Yes"), Option("No")))
    both = QuestionSet("q1", (sure, Question("Name it", "", (Option("a"), Option("b")))))
    asked = {
        QuestionRequest("q1", "s", both): Discussed("why?"),
        QuestionRequest("q2", "s", QuestionSet("q2", (sure,))): Answered((Answer(("Yes",)),)),
        QuestionRequest("q3", "s", QuestionSet("q3", (sure,))): Declined(),
        PermissionRequest("p1", "s", "Bash", {}): Denied(),
        PermissionRequest("p2", "s", "Bash", {}): Allowed(),
        PlanRequest("l1", "other", "# Plan"): Allowed(),
        PermissionRequest("gone", "s", "Read", {}): Cancelled("interrupted"),
        QuestionRequest("late", "s", QuestionSet("late", (sure,))): Expired(),
        QuestionRequest("old", "s", QuestionSet("old", (sure,))): Declined(),
        PermissionRequest("waits", "s", "Bash", {}): None,
    }
    for number, (request, outcome) in enumerate(asked.items()):
        at = NOON if request.tool_use_id != "old" else SINCE - timedelta(days=2)
        store.requests.add(request)
        at += timedelta(minutes=number + 1)
        actor = {"gone": WITHDRAWN, "late": LIMIT}.get(request.tool_use_id, PANEL)
        if outcome is not None:
            store.requests.settle(request.id, outcome, actor)
    found, until = store.requests.unsettled_before(SINCE), NOON + timedelta(minutes=30)
    made = wait_statistics(found, projects_of(store, checkout_of), SINCE, until)
    store.close()
    ends = {"answered": 3, "discussed": 1, "declined": 2, "expired": 1, "cancelled": 1, "pending": 1}
    assert made.outcomes == ends
    minutes = {name: (share.requests, share.seconds / 60) for name, share in made.kinds.items()}
    assert minutes == {"question": (4, 1 + 2 + 3 + 8), "permission": (3, 4 + 5 + 30), "plan": (1, 6)}
    assert made.projects == {"/home/me/api": Share(7, 53 * 60), "": Share(1, 6 * 60)}
    assert made.answer_seconds == [60, 120, 180, 240, 300, 360]
    assert (made.median_seconds, made.slow_seconds) == (210, 330)
    assert made.speeds == {10: 0, 60: 1, 300: 4, 1800: 1, 7200: 0, None: 0}
    assert made.most_refused == [
        ("question", "Sure", Refusals(3, 1, 1)),
        ("question", "Name it", Refusals(1, 0, 1)),
        ("permission", "Bash", Refusals(2, 1, 0)),
    ]


def test_days_and_hours_are_those_of_the_person() -> None:
    begun = datetime(2026, 11, 22, 22, 30, tzinfo=UTC)  # 23:30 in Berlin
    made = counted([waited(90, at=begun)], SINCE, NOON)
    assert made.days == {"2026-11-22": Share(1, 1800), "2026-11-23": Share(1, 3600)}
    hours = {hour: share for hour, share in made.hours.items() if share.requests}
    assert hours == {"23:00": Share(1, 1800), "00:00": Share(1, 3600)}


@pytest.mark.parametrize(("day", "hours"), [(datetime(2026, 3, 29), 23), (datetime(2026, 10, 25), 25)])
def test_a_day_on_which_clocks_change(day: datetime, hours: int) -> None:
    begun = day.astimezone(UTC)
    made = counted([waited(hours * 60, at=begun)], begun, begun + timedelta(days=3))
    assert made.days[f"{day:%Y-%m-%d}"] == Share(1, hours * 3600)
    assert sum(share.seconds for share in made.hours.values()) == hours * 3600
    assert first_day((day + timedelta(hours=36)).astimezone(UTC), 2) == begun


def test_only_what_is_in_the_time_counts() -> None:
    before, now = SINCE - timedelta(hours=1), SINCE + timedelta(hours=2)
    pending, backwards = waited(0, RequestState.PENDING, at=before), waited(-5, at=SINCE + timedelta(hours=1))
    made = counted([pending, waited(90, at=before), backwards], SINCE, now)
    assert made.waited == Share(3, 2 * 3600 + 1800)
    assert made.answer_seconds == [0, 5400], "an answer counts with all of its time, and never less than none"


def test_nobody_answers_what_a_limit_ends() -> None:
    made = counted([waited(5, RequestState.EXPIRED, actor=LIMIT)], SINCE, NOON)
    assert made.waited.requests == 1
    assert not made.answer_seconds
    assert "How fast you answer" not in text_lines(made)
    assert text_lines(made)[1] == "1 not answered in time"


def test_every_end_of_a_request_is_counted_in_the_summary() -> None:
    ends = set(RequestState) - {RequestState.DELIVERED, RequestState.INTERVIEW}  # no waits end so
    made = counted([waited(5, state) for state in ends], SINCE, NOON)
    words = (
        "answered",
        "discussed",
        "declined",
        "dismissed",
        "not answered in time",
        "withdrawn",
        "waiting now",
    )
    assert text_lines(made)[1] == " · ".join(f"1 {word}" for word in words)


def test_nothing() -> None:
    made = counted((), SINCE, NOON)
    assert text_lines(made) == ["Nothing was asked since 2026-11-10 01:00."]


def test_a_long_time_is_listed_by_month_and_projects_of_one_name_by_their_directory() -> None:
    waits = [waited(1, at=NOON - timedelta(days=number)) for number in (0, 1, 40)]
    waits += [waited(minutes, session=name) for name, minutes in (("a", 180), ("b", 120), ("c", 60))]
    days, _, projects, *_ = tables(counted(waits, NOON - timedelta(days=60), NOON + timedelta(1))).values()
    assert list(days) == ["2026-10", "2026-11"]
    assert list(projects) == ["/a/api", "/b/api", "web", "p"]
    week = tables(counted(waits[:2], NOON - timedelta(days=3), NOON))
    assert week["How long agents waited, by day"] == {
        "Sun 11-22": "1 min 0 s · 1 request",
        "Mon 11-23": "0.0 s · 1 request",
    }


def test_no_line_is_longer_than_the_screen_and_words_stand_below_each_other() -> None:
    names = {name: f"/home/me/{name * 30}" for name in "abc✓界"}
    waits = [waited(1, session=name) for name in names]
    lines = text_lines(wait_statistics(waits, names, SINCE, NOON), 36)
    start = lines.index("By project") + 1
    assert len({cells(line.partition("1 min")[0]) for line in lines[start : start + len(names)]}) == 1
    assert all(cells(line) <= 36 for line in lines[start:])
