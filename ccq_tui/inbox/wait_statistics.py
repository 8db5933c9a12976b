"""How long agents waited for a person, how fast that one answers, and what is declined most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from statistics import median, quantiles

from ccq_tui.inbox.actors import Surface
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.store.rows import RequestState, StoredRequest, state_after
from ccq_tui.inbox.store.store import Store

NOBODY = (Surface.LIMIT, Surface.SESSION)
SPEEDS = (10, 60, 300, 1800, 7200)
"""Seconds by which answers are counted."""
MOST_TOPICS = 8
DAYS = 14
"""Days that are shown unless others are asked for, today among them."""


@dataclass(frozen=True, slots=True)
class Wait:
    """One request, for as long as an agent waited for it.

    Attributes:
        kind: What was asked, in a word.
        project: The directory of the checkout in which the session works, or "".
        topics: What it was about.
        asked_at: When it was asked.
        ended_at: When it was settled, or None while it waits.
        state: What became of it.
        by_person: Whether a person settled it.
    """

    kind: str
    project: str
    topics: tuple[str, ...]
    asked_at: datetime
    ended_at: datetime | None
    state: RequestState
    by_person: bool

    @classmethod
    def of(cls, stored: StoredRequest, project: str) -> Wait:
        """Return the wait for a stored request."""
        kind = kind_of(stored.request)
        return cls(
            kind=kind.WORD,
            project=project,
            topics=kind.topics(stored.request),
            asked_at=stored.asked_at,
            ended_at=stored.settled_at,
            state=RequestState.PENDING if stored.outcome is None else state_after(stored.outcome),
            by_person=stored.actor is not None and stored.actor.surface not in NOBODY,
        )


@dataclass(slots=True)
class Share:
    """A part of all waits.

    Attributes:
        requests: How many began or went on in it.
        seconds: How long agents waited in it, added up.
    """

    requests: int = 0
    seconds: float = 0.0

    def add(self, seconds: float) -> None:
        """Count one more."""
        self.requests += 1
        self.seconds += seconds


@dataclass(slots=True)
class Refusals:
    """What became of what was asked about one topic.

    Attributes:
        requests: How often a person settled it.
        declined: How often that was declined.
        discussed: How often it was discussed.
    """

    requests: int = 0
    declined: int = 0
    discussed: int = 0

    @property
    def count(self) -> int:
        """How often it was not answered."""
        return self.declined + self.discussed


@dataclass(slots=True)
class WaitStatistics:
    """What became of the requests of some time; times of day are those of the person.

    Attributes:
        since: The time from which waits count; what began before counts from there.
        until: The time up to which they count.
        outcomes: How many requests ended how; `RequestState.PENDING` for those that wait.
        days: The waits by day.
        hours: The waits by hour of the day, from 0 to 23.
        projects: The waits by project.
        kinds: The waits by kind.
        answer_seconds: How long a person took for each request that one settled, in order.
        refusals: What was declined or discussed, by kind and topic.
    """

    since: datetime
    until: datetime
    outcomes: Counter[RequestState] = field(default_factory=Counter)
    days: dict[date, Share] = field(default_factory=dict)
    hours: dict[int, Share] = field(default_factory=dict)
    projects: dict[str, Share] = field(default_factory=dict)
    kinds: dict[str, Share] = field(default_factory=dict)
    answer_seconds: list[float] = field(default_factory=list)
    refusals: dict[tuple[str, str], Refusals] = field(default_factory=dict)

    @property
    def waited(self) -> Share:
        """All waits."""
        every = self.kinds.values()
        return Share(sum(one.requests for one in every), sum(one.seconds for one in every))

    @property
    def median_seconds(self) -> float | None:
        """How long a person takes for half of the answers at most, or None without any."""
        return median(self.answer_seconds) if self.answer_seconds else None

    @property
    def slow_seconds(self) -> float | None:
        """How long a person takes for nine of ten answers at most, or None without any."""
        if len(self.answer_seconds) < 2:
            return self.median_seconds
        return quantiles(self.answer_seconds, n=10, method="inclusive")[-1]

    @property
    def speeds(self) -> dict[int | None, int]:
        """How many answers took how many seconds at most, and longer than those before; None is the rest."""
        counts: dict[int | None, int] = dict.fromkeys((*SPEEDS, None), 0)
        for seconds in self.answer_seconds:
            counts[next((most for most in SPEEDS if seconds <= most), None)] += 1
        return counts

    @property
    def most_refused(self) -> list[tuple[str, str, Refusals]]:
        """What is declined or discussed most: kind, topic, and how often."""
        refused = ((kind, topic, one) for (kind, topic), one in self.refusals.items() if one.count)
        return sorted(refused, key=lambda row: (-row[2].count, row[2].requests, row[:2]))[:MOST_TOPICS]


def wait_statistics(waits: Iterable[Wait], since: datetime, until: datetime) -> WaitStatistics:
    """Add up waits.

    What the asker withdrew is counted, and its time is not: its agent had gone, and nobody waited.
    """
    made = WaitStatistics(since, until)
    made.hours = {hour: Share() for hour in range(24)}
    for wait in waits:
        made.outcomes[wait.state] += 1
        if wait.state is RequestState.CANCELLED:
            continue
        _add_time(made, wait)
        if wait.by_person and wait.ended_at is not None:
            made.answer_seconds.append(max(0.0, (wait.ended_at - wait.asked_at).total_seconds()))
            _add_topics(made.refusals, wait)
    made.answer_seconds.sort()
    return made


def first_day(until: datetime, days: int = DAYS) -> datetime:
    """Return the midnight with which so many days begin, that of a time among them as the last."""
    today = until.astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    # A day of the calendar may have another number of hours.
    return (today.replace(tzinfo=None) - timedelta(days=days - 1)).astimezone(UTC)


@dataclass(frozen=True, slots=True)
class WaitPage:
    """Some of the requests in a store, and where the next ones are.

    Attributes:
        requests: The requests.
        settled: Whether the next page has requests that were settled, and not those that wait.
        after: The number after which it begins.
        last: Whether there is none.
    """

    requests: tuple[StoredRequest, ...] = ()
    settled: bool = False
    after: int = 0
    last: bool = False

    def next(self, store: Store, since: datetime) -> WaitPage:
        """Read the next page: first what waits, then what was settled at a time or later.

        Raises `InboxUnavailable`.
        """
        if not self.settled:
            found = store.requests.waiting(after=self.after)
            return WaitPage(tuple(found), not found, found[-1].number if found else 0)
        found, after = store.requests.settled(since, self.after)
        return WaitPage(tuple(found), True, after, last=not after)


def projects_of(store: Store, project_of: Callable[[str], str]) -> dict[str, str]:
    """Return the checkout of each session, by its id."""
    return {one.id: project_of(one.directory) for one in store.sessions.page(limit=-1)}


def waits_of(pages: Iterable[WaitPage], projects: Mapping[str, str]) -> Iterator[Wait]:
    """Return the waits for the requests of pages."""
    for page in pages:
        yield from (Wait.of(one, projects.get(one.request.session_id, "")) for one in page.requests)


def read_pages(store: Store, since: datetime) -> Iterator[WaitPage]:
    """Read all pages."""
    page = WaitPage()
    while not page.last:
        yield (page := page.next(store, since))


def _add_time(made: WaitStatistics, wait: Wait) -> None:
    begun = max(wait.asked_at, made.since)
    ended = min(wait.ended_at or made.until, made.until)
    seconds = max(0.0, (ended - begun).total_seconds())
    made.kinds.setdefault(wait.kind, Share()).add(seconds)
    made.projects.setdefault(wait.project, Share()).add(seconds)
    days: dict[date, float] = {}
    hours: dict[int, float] = {}
    for at, part in _hours(begun, ended):
        days[at.date()] = days.get(at.date(), 0.0) + part
        hours[at.hour] = hours.get(at.hour, 0.0) + part
    for day, part in days.items():
        made.days.setdefault(day, Share()).add(part)
    for hour, part in hours.items():
        made.hours[hour].add(part)


def _add_topics(refusals: dict[tuple[str, str], Refusals], wait: Wait) -> None:
    for topic in dict.fromkeys(wait.topics):
        found = refusals.setdefault((wait.kind, topic), Refusals())
        found.requests += 1
        found.declined += wait.state is RequestState.DECLINED
        found.discussed += wait.state is RequestState.DISCUSSED


def _hours(begun: datetime, ended: datetime) -> Iterator[tuple[datetime, float]]:
    """Cut a time where the hours of the clock on the wall end; yields a moment in each and its seconds."""
    at = begun
    while True:
        local = at.astimezone()
        rest = timedelta(hours=1) - timedelta(
            minutes=local.minute, seconds=local.second, microseconds=local.microsecond
        )
        until = min(ended, at + rest)
        yield local, max(0.0, (until - at).total_seconds())
        if until >= ended:
            return
        at = until
