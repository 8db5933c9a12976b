"""How long agents waited for a person, and how fast the person answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import PurePath
from statistics import median, quantiles

from ccq_tui.answering.record import Record, RecordShape, made
from ccq_tui.inbox.actors import Surface
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.layout import WIDTH, cut, local, table
from ccq_tui.inbox.store.rows import TO_DELIVER, RequestState, StoredRequest, moment, state_after
from ccq_tui.inbox.store.store import Store
from ccq_tui.words import duration, plural

NOBODY = (Surface.LIMIT, Surface.SESSION)
DAYS = 14
"""Default number of days to show."""
MOST_ROWS = 10
ENDS = (*TO_DELIVER, RequestState.CANCELLED, RequestState.PENDING)
END_WORDS: dict[str, str] = {
    RequestState.EXPIRED: "not answered in time",
    RequestState.CANCELLED: "withdrawn",
    RequestState.PENDING: "waiting now",
}
GROUPS = {"by_project": "PROJECT", "by_kind": "KIND", "by_asker": "ASKED BY", "by_surface": "ANSWERED IN"}
"""What requests are grouped by: the name in JSON, and the head of the column."""


class WaitShareRecord(RecordShape):
    """A part of the waits.

    Attributes:
        name: A directory, a kind, an asker or a surface.
        requests: Number of requests in it.
        waited_seconds: Sum of the agents' waits in it.
    """

    name: str
    requests: int
    waited_seconds: float


class StatisticsRecord(RecordShape):
    """How long agents waited for a person.

    Attributes:
        since: The time from which waits count; earlier ones count from there.
        until: The time up to which they count.
        outcomes: Number of requests by their end.
        requests: Without those that were withdrawn.
        by_project: By the directory of the session's checkout, or "".
        by_surface: Those that a person ended.
    """

    since: datetime
    until: datetime
    outcomes: dict[RequestState, int]
    requests: int
    waited_seconds: float
    answer_seconds_median: float | None
    answer_seconds_of_nine_in_ten: float | None
    by_project: list[WaitShareRecord]
    by_kind: list[WaitShareRecord]
    by_asker: list[WaitShareRecord]
    by_surface: list[WaitShareRecord]


def read_statistics(store: Store, project_of: Callable[[str], str], since: datetime | None = None) -> Record:
    """Add up the waits since a time, or of `DAYS` days; ``project_of`` finds a directory's checkout."""
    until = datetime.now(UTC)
    since = since or until - timedelta(days=DAYS)
    projects = {one.id: project_of(one.directory) for one in store.sessions.page(limit=-1)}
    found = store.requests.unsettled_before(since)
    return statistics_of(((one, projects.get(one.request.session_id, "")) for one in found), since, until)


def statistics_of(requests: Iterable[tuple[StoredRequest, str]], since: datetime, until: datetime) -> Record:
    """Return statistics of requests, each with its project, in JSON.

    If its asker withdrew a request, its time does not count: its agent had gone, and nobody waited.
    """
    outcomes: Counter[RequestState] = Counter()
    groups: dict[str, dict[str, Record]] = {name: {} for name in GROUPS}
    taken: list[float] = []
    for one, project in requests:
        state = RequestState.PENDING if one.outcome is None else state_after(one.outcome)
        outcomes[state] += 1
        if state is RequestState.CANCELLED:
            continue
        begun = max(one.asked_at, since)
        waited = (max(begun, min(one.settled_at or until, until)) - begun).total_seconds()
        kind, asker = kind_of(one.request).WORD, one.request.origin.asker
        named: dict[str, str] = {"by_project": project, "by_kind": kind, "by_asker": asker}
        if one.settled_at and one.actor and one.actor.surface not in NOBODY:
            taken.append(max(0.0, (one.settled_at - one.asked_at).total_seconds()))
            named["by_surface"] = one.actor.surface
        for group, name in named.items():
            empty = made(WaitShareRecord, name=name, requests=0, waited_seconds=0.0)
            share = groups[group].setdefault(name, empty)
            share["requests"] += 1
            share["waited_seconds"] = round(share["waited_seconds"] + waited, 3)
    every = groups["by_kind"].values()
    half = median(taken) if taken else None
    return made(
        StatisticsRecord,
        since=since,
        until=until,
        outcomes={state: outcomes[state] for state in sorted(outcomes)},
        requests=sum(one["requests"] for one in every),
        waited_seconds=round(sum(one["waited_seconds"] for one in every), 3),
        answer_seconds_median=half,
        answer_seconds_of_nine_in_ten=quantiles(taken, n=10, method="inclusive")[-1] if taken[1:] else half,
        **{group: list(shares.values()) for group, shares in groups.items()},
    )


def text_lines(statistics: Record, width: int = WIDTH) -> list[str]:
    """Return everything as lines of plain text."""
    outcomes: dict[str, int] = statistics["outcomes"]
    if not outcomes:
        return [f"Nothing was asked since {local(moment(statistics['since']))}."]
    waited, requests = duration(statistics["waited_seconds"]), plural(statistics["requests"], "request")
    ends = ((END_WORDS.get(state, state), outcomes.get(state)) for state in ENDS)
    lines = [f"Agents waited {waited} for you, in {requests}."]
    lines.append(" · ".join(f"{count} {end}" for end, count in ends if count))
    if (half := statistics["answer_seconds_median"]) is not None:
        slow = statistics["answer_seconds_of_nine_in_ten"]
        lines.append(f"Median answer time {duration(half)}; 90 % within {duration(slow)}.")
    for group, head in GROUPS.items():
        longest = sorted(statistics[group], key=lambda one: -one["waited_seconds"])[:MOST_ROWS]
        shown = (one.values() for one in longest)
        rows = [(duration(seconds), str(requests), _short(name)) for name, requests, seconds in shown]
        if rows:
            lines += ["", *(cut(line, width) for line in table(("WAITED", "REQUESTS", head), rows))]
    return lines


def _short(name: str) -> str:
    """Return the last two parts of a directory; other names are one part."""
    return str(PurePath(*PurePath(name).parts[-2:])) if name else "unknown"
