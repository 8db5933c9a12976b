"""How long agents waited for a person, how fast the person answered, and which topics were refused."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import PurePath
from statistics import median, quantiles

from ccq_tui.answering.record import Record, RecordShape, made
from ccq_tui.inbox.actors import Surface
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.layout import WIDTH, cells, cut, fit, local, pad
from ccq_tui.inbox.store.rows import TO_DELIVER, RequestState, StoredRequest, state_after
from ccq_tui.inbox.store.store import Store
from ccq_tui.words import duration, plural

NOBODY = (Surface.LIMIT, Surface.SESSION)
SPEEDS = {10: "in 10 s", 60: "in 1 min", 300: "in 5 min", 1800: "in 30 min", 7200: "in 2 h", None: "later"}
"""Upper limits, in seconds, by which answers are counted."""
MOST_TOPICS = 8
DAYS = 14
"""Default number of days to show, including today."""
MOST_DAYS = 31
"""Most days that are listed; a longer time is listed by month."""
MOST_PROJECTS = 10
LABEL = 24
"""Most columns of the name of a row."""
ENDS = (*TO_DELIVER, RequestState.CANCELLED, RequestState.PENDING)
END_WORDS = {
    RequestState.EXPIRED: "not answered in time",
    RequestState.CANCELLED: "withdrawn",
    RequestState.PENDING: "waiting now",
}


@dataclass(slots=True)
class Share:
    """A part of all waits.

    Attributes:
        requests: Number of requests that began or continued in it.
        seconds: Sum of the agents' waits in it.
    """

    requests: int = 0
    seconds: float = 0.0

    def add(self, seconds: float, requests: int = 1) -> None:
        """Count more requests."""
        self.requests += requests
        self.seconds += seconds


Shares = dict[str, Share]


@dataclass(slots=True)
class Refusals:
    """Numbers of requests about one topic: those that a person settled, declined, discussed."""

    requests: int = 0
    declined: int = 0
    discussed: int = 0

    @property
    def count(self) -> int:
        """Number of requests that were declined or discussed."""
        return self.declined + self.discussed


@dataclass(slots=True)
class WaitStatistics:
    """Statistics of the requests of a period; times of day are those of the person.

    Attributes:
        since: The time from which waits count; earlier ones count from there.
        until: The time up to which they count.
        outcomes: Number of requests by their end; `RequestState.PENDING` for pending ones.
        days: The waits by day, in ISO's form.
        hours: The waits by hour of the day.
        projects: The waits by the directory of the checkout in which the session works, or "".
        kinds: The waits by kind.
        answer_seconds: Seconds that a person took for each request that one settled, sorted.
        refusals: The requests that a person settled, by kind and topic.
    """

    since: datetime
    until: datetime
    outcomes: Counter[RequestState] = field(default_factory=Counter)
    days: Shares = field(default_factory=dict)
    hours: Shares = field(default_factory=lambda: {f"{hour:02}:00": Share() for hour in range(24)})
    projects: Shares = field(default_factory=dict)
    kinds: Shares = field(default_factory=dict)
    answer_seconds: list[float] = field(default_factory=list)
    refusals: dict[tuple[str, str], Refusals] = field(default_factory=dict)

    @property
    def waited(self) -> Share:
        """All waits."""
        every = self.kinds.values()
        return Share(sum(one.requests for one in every), sum(one.seconds for one in every))

    @property
    def median_seconds(self) -> float | None:
        """Most seconds that a person takes for half of the answers, or None without any."""
        return median(self.answer_seconds) if self.answer_seconds else None

    @property
    def slow_seconds(self) -> float | None:
        """Most seconds that a person takes for nine of ten answers, or None without any."""
        if len(self.answer_seconds) < 2:
            return self.median_seconds
        return quantiles(self.answer_seconds, n=10, method="inclusive")[-1]

    @property
    def speeds(self) -> dict[int | None, int]:
        """Number of answers by upper limit in seconds, without those of lower limits; None is the rest."""
        counts: dict[int | None, int] = dict.fromkeys(SPEEDS, 0)
        for seconds in self.answer_seconds:
            counts[next(most for most in SPEEDS if most is None or seconds <= most)] += 1
        return counts

    @property
    def most_refused(self) -> list[tuple[str, str, Refusals]]:
        """The topics most often declined or discussed: kind, topic, and numbers."""
        refused = ((kind, topic, one) for (kind, topic), one in self.refusals.items() if one.count)
        return sorted(refused, key=lambda row: (-row[2].count, row[2].requests, row[:2]))[:MOST_TOPICS]

    def add(self, stored: StoredRequest, project: str) -> None:
        """Count a request.

        If its asker withdrew it, its time does not count: its agent had gone, and nobody waited.
        """
        state = RequestState.PENDING if stored.outcome is None else state_after(stored.outcome)
        self.outcomes[state] += 1
        if state is RequestState.CANCELLED:
            return
        kind = kind_of(stored.request)
        begun = max(stored.asked_at, self.since)
        ended = max(begun, min(stored.settled_at or self.until, self.until))
        self.kinds.setdefault(kind.WORD, Share()).add((ended - begun).total_seconds())
        self.projects.setdefault(project, Share()).add((ended - begun).total_seconds())
        counted = set()
        for at, seconds in _hours(begun, ended):
            for shares, name in ((self.days, at.date().isoformat()), (self.hours, f"{at.hour:02}:00")):
                shares.setdefault(name, Share()).add(seconds, name not in counted)
                counted.add(name)
        if stored.settled_at is None or stored.actor is None or stored.actor.surface in NOBODY:
            return
        self.answer_seconds.append(max(0.0, (stored.settled_at - stored.asked_at).total_seconds()))
        for topic in dict.fromkeys(kind.topics(stored.request)):
            found = self.refusals.setdefault((kind.WORD, topic), Refusals())
            found.requests += 1
            found.declined += state is RequestState.DECLINED
            found.discussed += state is RequestState.DISCUSSED


def wait_statistics(
    requests: Iterable[StoredRequest], projects: Mapping[str, str], since: datetime, until: datetime
) -> WaitStatistics:
    """Add up the waits for requests; ``projects`` are those of the sessions."""
    made = WaitStatistics(since, until)
    for one in requests:
        made.add(one, projects.get(one.request.session_id, ""))
    made.answer_seconds.sort()
    return made


def first_day(until: datetime, days: int = DAYS) -> datetime:
    """Return the midnight that begins the first of ``days`` days, of which ``until`` is in the last."""
    today = until.astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    # A calendar day may have more or fewer than 24 hours.
    return (today.replace(tzinfo=None) - timedelta(days=days - 1)).astimezone(UTC)


def projects_of(store: Store, project_of: Callable[[str], str]) -> dict[str, str]:
    """Return the checkout of each session, by its id."""
    return {one.id: project_of(one.directory) for one in store.sessions.page(limit=-1)}


async def read_statistics(inbox: Inbox, project_of: Callable[[str], str]) -> WaitStatistics:
    """Return the statistics of the last `DAYS` days; raises `InboxError`."""
    until = datetime.now(UTC)
    since = first_day(until)
    projects = await inbox.run(lambda store: projects_of(store, project_of))
    found = await inbox.run(lambda store: store.requests.unsettled_before(since))
    return await asyncio.to_thread(wait_statistics, found, projects, since, until)


def _hours(begun: datetime, ended: datetime) -> Iterator[tuple[datetime, float]]:
    """Split a period at the hours of the local clock; yield a moment in each part and its seconds."""
    at = begun
    while True:
        local = at.astimezone()
        rest = timedelta(hours=1) - timedelta(
            minutes=local.minute, seconds=local.second, microseconds=local.microsecond
        )
        until = min(ended, at + rest)
        yield local, (until - at).total_seconds()
        if until >= ended:
            return
        at = until


# -- text -----------------------------------------------------------------------------------------------


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
        lines.append(f"Half of your answers took {duration(half)} at most, nine of ten {duration(slow)}.")
    for title, rows in tables(statistics).items():
        names = [fit(name, min(LABEL, width // 3)) for name in rows]
        column = max(map(cells, names), default=0)
        lines += ["", title] if rows else []
        for name, words in zip(names, rows.values(), strict=True):
            lines.append(cut(f"  {pad(name, column)}  {words}", width))
    return lines


def tables(statistics: WaitStatistics) -> dict[str, dict[str, str]]:
    """Return the words of each row by its name, possibly a foreign text, in each table by its title."""
    projects = _longest_first(statistics.projects)[:MOST_PROJECTS]
    names = _project_names([name for name, _ in projects])
    shares = {
        "How long agents waited, by day": _days(statistics),
        "By hour of the day": {hour: share for hour, share in statistics.hours.items() if share.requests},
        "By project": {names[name]: share for name, share in projects},
        "By kind": dict(_longest_first(statistics.kinds)),
    }
    made = {title: {name: _words(share) for name, share in rows.items()} for title, rows in shares.items()}
    speeds = statistics.speeds.items() if statistics.answer_seconds else ()
    made["How fast you answer"] = {SPEEDS[most]: plural(count, "answer") for most, count in speeds}
    made["Most often declined or discussed"] = {
        topic if topic == kind else f"{kind}: {topic}": f"{one.count} of {one.requests}"
        for kind, topic, one in statistics.most_refused
    }
    return made


def _words(share: Share) -> str:
    return f"{duration(share.seconds)} · {plural(share.requests, 'request')}"


def _longest_first(shares: Shares) -> list[tuple[str, Share]]:
    return sorted(shares.items(), key=lambda row: -row[1].seconds)


def _days(statistics: WaitStatistics) -> Shares:
    """Return the shares of days, or of the months of a long time."""
    by_month = statistics.until - statistics.since > timedelta(days=MOST_DAYS)
    found: Shares = {}
    for name, share in sorted(statistics.days.items()):
        day = date.fromisoformat(name)
        # Not `%a`, which speaks the language of the system.
        week = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")[day.weekday()]
        shown = found.setdefault(f"{day:%Y-%m}" if by_month else f"{week} {day:%m-%d}", Share())
        shown.add(share.seconds, share.requests)
    return found


def _project_names(directories: list[str]) -> dict[str, str]:
    """Name projects by their directory's last part, or by all of it if two share that part."""
    last = {name: PurePath(name).name or name or "unknown" for name in directories}
    shared = list(last.values())
    return {name: word if shared.count(word) == 1 else name for name, word in last.items()}


# -- as JSON ------------------------------------------------------------------------------------------------


class WaitShareRecord(RecordShape, of=Share, names="name requests"):
    """A part of the waits.

    Attributes:
        name: A date, an hour, a directory or a kind.
    """

    name: str
    waited_seconds: float


class AnswerSpeedRecord(RecordShape):
    """Answers that took at most so long, and longer than those of the record before.

    Attributes:
        most_seconds: None for the slowest.
    """

    most_seconds: int | None
    requests: int


class RefusedTopicRecord(RecordShape, of=Refusals, names="kind topic requests declined discussed"):
    """What a person declined or discussed.

    Attributes:
        topic: A question's short title or a tool.
    """

    kind: str
    topic: str


class StatisticsRecord(RecordShape, of=WaitStatistics, names="since until"):
    """How long agents waited for a person; days and hours are those of the person's clock.

    Attributes:
        requests: Without those that were withdrawn.
    """

    outcomes: dict[RequestState, int]
    requests: int
    waited_seconds: float
    answer_seconds_median: float | None
    answer_seconds_of_nine_in_ten: float | None
    by_day: list[WaitShareRecord]
    by_hour: list[WaitShareRecord]
    by_project: list[WaitShareRecord]
    by_kind: list[WaitShareRecord]
    answer_speeds: list[AnswerSpeedRecord]
    most_refused: list[RefusedTopicRecord]


def statistics_record(counted: WaitStatistics) -> Record:
    """Return statistics of waits in JSON."""
    waited, topics = counted.waited, counted.most_refused
    return made(
        StatisticsRecord,
        counted,
        outcomes={state: counted.outcomes[state] for state in sorted(counted.outcomes)},
        requests=waited.requests,
        waited_seconds=round(waited.seconds, 3),
        answer_seconds_median=counted.median_seconds,
        answer_seconds_of_nine_in_ten=counted.slow_seconds,
        by_day=_shares(dict(sorted(counted.days.items()))),
        by_hour=_shares(counted.hours),
        by_project=_shares(counted.projects),
        by_kind=_shares(counted.kinds),
        answer_speeds=[{"most_seconds": most, "requests": count} for most, count in counted.speeds.items()],
        most_refused=[made(RefusedTopicRecord, one, kind=kind, topic=topic) for kind, topic, one in topics],
    )


def _shares(shares: Mapping[str, Share]) -> list[Record]:
    return [
        made(WaitShareRecord, one, name=name, waited_seconds=round(one.seconds, 3))
        for name, one in shares.items()
    ]
