"""How long agents waited for a person, and how fast the person answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import PurePath
from statistics import median, quantiles

from ccq_tui.answering.record import Record, RecordShape, made
from ccq_tui.inbox.actors import Surface
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.layout import WIDTH, cut, local, table
from ccq_tui.inbox.store.rows import TO_DELIVER, RequestState, StoredRequest, state_after
from ccq_tui.inbox.store.store import Store
from ccq_tui.words import duration, plural

NOBODY = (Surface.LIMIT, Surface.SESSION)
DAYS = 14
"""Default number of days to show."""
MOST_ROWS = 10
ENDS = (*TO_DELIVER, RequestState.CANCELLED, RequestState.PENDING)
END_WORDS = {
    RequestState.EXPIRED: "not answered in time",
    RequestState.CANCELLED: "withdrawn",
    RequestState.PENDING: "waiting now",
}
GROUPS = {"by_project": "PROJECT", "by_kind": "KIND", "by_asker": "ASKED BY", "by_surface": "ANSWERED IN"}
"""What requests are grouped by: the name in JSON, and the head of the column."""


@dataclass(slots=True)
class Share:
    """A part of all waits.

    Attributes:
        requests: Number of requests in it.
        seconds: Sum of the agents' waits in it.
    """

    requests: int = 0
    seconds: float = 0.0


Shares = dict[str, Share]


@dataclass(slots=True)
class WaitStatistics:
    """Statistics of the requests of a period.

    Attributes:
        since: The time from which waits count; earlier ones count from there.
        until: The time up to which they count.
        outcomes: Number of requests by their end; `RequestState.PENDING` for pending ones.
        groups: The waits by project (the directory of its checkout, or ""), kind and kind of asker, and those
            that a person ended by surface.
        answer_seconds: Seconds that a person took for each request that one settled.
    """

    since: datetime
    until: datetime
    outcomes: Counter[RequestState] = field(default_factory=Counter)
    groups: dict[str, Shares] = field(default_factory=lambda: {name: {} for name in GROUPS})
    answer_seconds: list[float] = field(default_factory=list)

    @property
    def waited(self) -> Share:
        """All waits."""
        every = self.groups["by_kind"].values()
        return Share(sum(one.requests for one in every), sum(one.seconds for one in every))

    @property
    def median_seconds(self) -> float | None:
        """Median of the seconds that a person takes to answer, or None without an answer."""
        return median(self.answer_seconds) if self.answer_seconds else None

    @property
    def slow_seconds(self) -> float | None:
        """Most seconds that a person takes for nine of ten answers, or None without any."""
        if len(self.answer_seconds) < 2:
            return self.median_seconds
        return quantiles(self.answer_seconds, n=10, method="inclusive")[-1]

    def add(self, stored: StoredRequest, project: str) -> None:
        """Count a request.

        If its asker withdrew it, its time does not count: its agent had gone, and nobody waited.
        """
        state = RequestState.PENDING if stored.outcome is None else state_after(stored.outcome)
        self.outcomes[state] += 1
        if state is RequestState.CANCELLED:
            return
        begun = max(stored.asked_at, self.since)
        ended = max(begun, min(stored.settled_at or self.until, self.until))
        named = {
            "by_project": project,
            "by_kind": kind_of(stored.request).WORD,
            "by_asker": stored.request.origin.asker,
        }
        if stored.settled_at and stored.actor and stored.actor.surface not in NOBODY:
            self.answer_seconds.append(max(0.0, (stored.settled_at - stored.asked_at).total_seconds()))
            named["by_surface"] = stored.actor.surface
        for group, name in named.items():
            share = self.groups[group].setdefault(name, Share())
            share.requests += 1
            share.seconds += (ended - begun).total_seconds()


def read_statistics(
    store: Store, project_of: Callable[[str], str], since: datetime | None = None
) -> WaitStatistics:
    """Add up the waits since a time, or of `DAYS` days; ``project_of`` finds a directory's checkout."""
    until = datetime.now(UTC)
    counted = WaitStatistics(since or until - timedelta(days=DAYS), until)
    projects = {one.id: project_of(one.directory) for one in store.sessions.page(limit=-1)}
    for one in store.requests.unsettled_before(counted.since):
        counted.add(one, projects.get(one.request.session_id, ""))
    return counted


def text_lines(statistics: WaitStatistics, width: int = WIDTH) -> list[str]:
    """Return everything as lines of plain text."""
    if not statistics.outcomes:
        return [f"Nothing was asked since {local(statistics.since)}."]
    waited = statistics.waited
    requests = plural(waited.requests, "request")
    ends = ((END_WORDS.get(state, state), statistics.outcomes[state]) for state in ENDS)
    lines = [f"Agents waited {duration(waited.seconds)} for you, in {requests}."]
    lines.append(" · ".join(f"{count} {end}" for end, count in ends if count))
    if (half := statistics.median_seconds) is not None and (slow := statistics.slow_seconds) is not None:
        lines.append(f"Median answer time {duration(half)}; 90 % within {duration(slow)}.")
    for group, shares in statistics.groups.items():
        longest = sorted(shares.items(), key=lambda row: -row[1].seconds)[:MOST_ROWS]
        rows = [(duration(one.seconds), str(one.requests), _short(name)) for name, one in longest]
        if rows:
            heads = ("WAITED", "REQUESTS", GROUPS[group])
            lines += ["", *(cut(line, width) for line in table(heads, rows))]
    return lines


def _short(name: str) -> str:
    """Return the last two parts of a directory; other names are one part."""
    return str(PurePath(*PurePath(name).parts[-2:])) if name else "unknown"


class WaitShareRecord(RecordShape, of=Share, names="name requests"):
    """A part of the waits.

    Attributes:
        name: A directory, a kind, an asker or a surface.
    """

    name: str
    waited_seconds: float


class StatisticsRecord(RecordShape, of=WaitStatistics, names="since until"):
    """How long agents waited for a person.

    Attributes:
        requests: Without those that were withdrawn.
    """

    outcomes: dict[RequestState, int]
    requests: int
    waited_seconds: float
    answer_seconds_median: float | None
    answer_seconds_of_nine_in_ten: float | None
    by_project: list[WaitShareRecord]
    by_kind: list[WaitShareRecord]
    by_asker: list[WaitShareRecord]
    by_surface: list[WaitShareRecord]


def statistics_record(counted: WaitStatistics) -> Record:
    """Return statistics of waits in JSON."""
    waited = counted.waited
    return made(
        StatisticsRecord,
        counted,
        outcomes={state: counted.outcomes[state] for state in sorted(counted.outcomes)},
        requests=waited.requests,
        waited_seconds=round(waited.seconds, 3),
        answer_seconds_median=counted.median_seconds,
        answer_seconds_of_nine_in_ten=counted.slow_seconds,
        **{
            group: [
                made(WaitShareRecord, one, name=name, waited_seconds=round(one.seconds, 3))
                for name, one in shares.items()
            ]
            for group, shares in counted.groups.items()
        },
    )
