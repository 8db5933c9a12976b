"""How waits are added up, and the text that says so."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ccq_tui.answering.record import Record
from ccq_tui.inbox.actors import WITHDRAWN, Actor, Surface
from ccq_tui.inbox.layout import cells
from ccq_tui.inbox.requests import Allowed, Cancelled, Denied, PermissionRequest, PlanRequest, RequestOutcome
from ccq_tui.inbox.store.rows import RequestState, StoredRequest
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.wait_statistics import read_statistics, statistics_of, text_lines
from ccq_tui.processes import this_process
from ccq_tui.questions.outcome import Discussed, Dismissed, Expired
from ccq_tui.worktrees.model import checkout_of
from tests.actors import LIMIT, PANEL

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)
SINCE = datetime(2026, 11, 10, tzinfo=UTC)
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
    at: datetime = NOON - timedelta(days=1),
    actor: Actor = PANEL,
) -> StoredRequest:
    """Return a permission for which an agent waited from a time on."""
    request = PermissionRequest("p", "s", "Bash", {})
    if state is RequestState.PENDING:
        return StoredRequest(1, request, "", state, at)
    ended = at + timedelta(minutes=minutes)
    return StoredRequest(1, request, "", state, at, outcome=ENDS[state], actor=actor, settled_at=ended)


def counted(*requests: StoredRequest, until: datetime = NOON) -> Record:
    return statistics_of(((one, "/p") for one in requests), SINCE, until)


def shares(statistics: Record, group: str) -> dict[str, tuple[int, float]]:
    return {one["name"]: (one["requests"], one["waited_seconds"]) for one in statistics[group]}


def test_what_an_inbox_holds(tmp_path: Path) -> None:
    at = now = datetime.now(UTC)
    store = Store(tmp_path / "inbox.db", now=lambda: at)
    store.sessions.upsert("s", "/home/me/api/.claude/worktrees/red")
    store.sessions.claim("s", this_process())
    asked: dict[PermissionRequest | PlanRequest, tuple[RequestOutcome, Actor]] = {
        PermissionRequest("p1", "s", "Bash", {}): (Denied(), PANEL),
        PermissionRequest("p2", "s", "Bash", {}): (Allowed(), PANEL),
        PlanRequest("l1", "other", "# Plan"): (Allowed(), Actor(Surface.DEVICE, "phone")),
        PermissionRequest("gone", "s", "Read", {}): (Cancelled("interrupted"), WITHDRAWN),
        PermissionRequest("old", "s", "Bash", {}): (Denied(), PANEL),
    }
    for number, (request, (outcome, actor)) in enumerate(asked.items()):
        at = now - timedelta(days=20 if request.tool_use_id == "old" else 1)
        store.requests.add(request)
        at += timedelta(minutes=number + 1)
        store.requests.settle(request.id, outcome, actor)
    made = read_statistics(store, checkout_of)
    store.close()
    assert made["outcomes"] == {"answered": 2, "declined": 1, "cancelled": 1}
    assert shares(made, "by_project") == {"/home/me/api": (2, 180), "": (1, 180)}
    assert shares(made, "by_kind") == {"permission": (2, 180), "plan": (1, 180)}
    assert shares(made, "by_asker") == {"session": (3, 360)}
    assert shares(made, "by_surface") == {"panel": (2, 180), "device": (1, 180)}
    assert (made["answer_seconds_median"], made["answer_seconds_of_nine_in_ten"]) == (120, 168)


def test_only_what_is_in_the_time_counts() -> None:
    before, now = SINCE - timedelta(hours=1), SINCE + timedelta(hours=2)
    pending, backwards = waited(0, RequestState.PENDING, at=before), waited(-5, at=SINCE + timedelta(hours=1))
    made = counted(pending, waited(90, at=before), backwards, until=now)
    assert (made["requests"], made["waited_seconds"]) == (3, 2 * 3600 + 1800)
    assert made["answer_seconds_median"] == 2700, "an answer counts with all its time, never less than none"


def test_nobody_answers_what_a_limit_ends() -> None:
    made = counted(waited(5, RequestState.EXPIRED, actor=LIMIT))
    assert (made["requests"], made["answer_seconds_median"]) == (1, None)
    assert not any("answer time" in line for line in text_lines(made))


def test_every_end_of_a_request_is_counted_in_the_summary() -> None:
    ends = set(RequestState) - {RequestState.DELIVERED, RequestState.INTERVIEW}  # no waits end so
    made = counted(*(waited(5, state) for state in ends))
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


def test_no_line_is_longer_than_the_screen_and_the_longest_wait_comes_first() -> None:
    found = (waited(1), "/home/me/short"), (waited(60), "/work/" + "✓界" * 30)
    made = statistics_of(found, SINCE, NOON)
    lines = text_lines(made, 36)
    start = next(number for number, line in enumerate(lines) if line.endswith("PROJECT"))
    assert all(cells(line) <= 36 for line in lines[start:])
    assert "work/✓界" in lines[start + 1]
    assert lines[start + 2].split() == ["1", "min", "0", "s", "1", "me/short"]
