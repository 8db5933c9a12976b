"""How waits are added up, and how they are drawn."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.inbox.actors import WITHDRAWN
from ccq_tui.inbox.layout import cells
from ccq_tui.inbox.requests import Allowed, Cancelled, Denied, PermissionRequest, PlanRequest, QuestionRequest
from ccq_tui.inbox.store.rows import RequestState
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.wait_charts import Chart, ChartBar, chart_lines, charts, text_lines
from ccq_tui.inbox.wait_statistics import (
    Refusals,
    Share,
    Wait,
    first_day,
    projects_of,
    read_pages,
    wait_statistics,
    waits_of,
)
from ccq_tui.processes import this_process
from ccq_tui.questions import Answer, Answered, Declined, Discussed, Expired, Option, Question, QuestionSet
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


def waited(
    minutes: float,
    state: RequestState = RequestState.ANSWERED,
    *,
    at: datetime = NOON,
    by_person: bool = True,
) -> Wait:
    """Return a wait for a permission that began at a time."""
    ended = None if state is RequestState.PENDING else at + timedelta(minutes=minutes)
    return Wait("permission", "/p", ("Bash",), at, ended, state, by_person)


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
    made = wait_statistics(
        waits_of(read_pages(store, SINCE), projects_of(store, checkout_of)),
        SINCE,
        NOON + timedelta(minutes=30),
    )
    store.close()
    assert made.outcomes == {
        RequestState.ANSWERED: 3,
        RequestState.DISCUSSED: 1,
        RequestState.DECLINED: 2,
        RequestState.EXPIRED: 1,
        RequestState.CANCELLED: 1,
        RequestState.PENDING: 1,
    }
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
    made = wait_statistics([waited(90, at=begun)], SINCE, NOON)
    assert made.days == {date(2026, 11, 22): Share(1, 1800), date(2026, 11, 23): Share(1, 3600)}
    hours = {hour: share for hour, share in made.hours.items() if share.requests}
    assert hours == {23: Share(1, 1800), 0: Share(1, 3600)}


@pytest.mark.parametrize(("day", "hours"), [(datetime(2026, 3, 29), 23), (datetime(2026, 10, 25), 25)])
def test_a_day_on_which_clocks_change(day: datetime, hours: int) -> None:
    begun = day.astimezone(UTC)
    made = wait_statistics([waited(hours * 60, at=begun)], begun, begun + timedelta(days=3))
    assert made.days[day.date()] == Share(1, hours * 3600)
    assert sum(share.seconds for share in made.hours.values()) == hours * 3600
    assert first_day((day + timedelta(hours=36)).astimezone(UTC), 2) == begun


def test_only_what_is_in_the_time_counts() -> None:
    before, now = SINCE - timedelta(hours=1), SINCE + timedelta(hours=2)
    pending, backwards = waited(0, RequestState.PENDING, at=before), waited(-5, at=SINCE + timedelta(hours=1))
    made = wait_statistics([pending, waited(90, at=before), backwards], SINCE, now)
    assert made.waited == Share(3, 2 * 3600 + 1800)
    assert made.answer_seconds == [0, 5400], "an answer counts with all of its time, and never less than none"


def test_nobody_answers_what_a_limit_ends() -> None:
    made = wait_statistics([waited(5, RequestState.EXPIRED, by_person=False)], SINCE, NOON)
    assert made.waited.requests == 1
    assert not made.answer_seconds
    assert "How fast you answer" not in [chart.title for chart in charts(made)]
    assert text_lines(made)[1] == "1 not answered in time"


def test_every_end_of_a_request_is_counted_in_the_summary() -> None:
    ends = set(RequestState) - {RequestState.DELIVERED}  # the state of a wait is that after its outcome
    made = wait_statistics([waited(5, state) for state in ends], SINCE, NOON)
    assert text_lines(made)[1].split(" · ") == [
        "1 answered",
        "1 discussed",
        "1 declined",
        "1 dismissed",
        "1 not answered in time",
        "1 withdrawn",
        "1 waiting now",
    ]


def test_nothing() -> None:
    made = wait_statistics((), SINCE, NOON)
    assert text_lines(made) == ["Nothing was asked since 2026-11-10 01:00."]
    assert not charts(made)


def test_a_long_time_is_listed_by_month_and_projects_of_one_name_by_their_directory() -> None:
    waits = [waited(1, at=NOON - timedelta(days=number)) for number in (0, 1, 40)]
    for number, name in enumerate(("/a/api", "/b/api", "/c/web")):
        waits.append(
            Wait("plan", name, (), NOON, NOON + timedelta(hours=3 - number), RequestState.ANSWERED, True)
        )
    made = wait_statistics(waits, NOON - timedelta(days=60), NOON + timedelta(days=1))
    days, _, projects, *_ = charts(made)
    assert [bar.name for bar in days.bars] == ["2026-10", "2026-11"]
    assert [bar.name for bar in projects.bars] == ["/a/api", "/b/api", "web", "p"]
    week = wait_statistics(waits[:2], NOON - timedelta(days=3), NOON)
    assert [(bar.name, bar.words) for bar in charts(week)[0].bars] == [
        ("Fri 11-20", "·"),
        ("Sat 11-21", "·"),
        ("Sun 11-22", "1 min 0 s · 1 request"),
        ("Mon 11-23", "0.0 s · 1 request"),
    ]


@given(
    st.lists(st.tuples(st.text(max_size=60), st.integers(0, 10**9)), min_size=1, max_size=20),
    st.integers(36, 200),
)
def test_bars_stand_below_each_other_and_none_is_too_long(rows: list[tuple[str, int]], width: int) -> None:
    bars = tuple(ChartBar(name, amount, f"{amount:.0f}") for name, amount in rows)
    lines = list(chart_lines(Chart("", bars), width))
    assert len({(cells(name), cells(bar)) for name, bar, _ in lines}) == 1
    for line, (_, amount) in zip(lines, rows, strict=True):
        assert bool(line[1].strip()) == bool(amount)
        assert cells(f"  {'  '.join(line)}") <= width
