"""Statistics of agents' waits for a person, of the person's answer times, and of refused topics."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from statistics import median, quantiles

from ccq_tui.inbox.actors import Surface
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.store.rows import RequestState, StoredRequest, state_after
from ccq_tui.inbox.store.store import Store

NOBODY = (Surface.LIMIT, Surface.SESSION)
SPEEDS = (10, 60, 300, 1800, 7200)
"""Upper limits, in seconds, by which answers are counted."""
MOST_TOPICS = 8
DAYS = 14
"""Default number of days to show, including today."""


@dataclass(frozen=True, slots=True)
class Wait:
    """An agent's wait for one request.

    Attributes:
        kind: The word for the request's kind.
        project: The directory of the checkout in which the session works, or "".
        topics: The request's topics.
        asked_at: The time at which it was asked.
        ended_at: The time at which it was settled, or None while it is pending.
        state: Its state after its outcome, delivered or not.
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
        requests: Number of requests that began or continued in it.
        seconds: Sum of the agents' waits in it.
    """

    requests: int = 0
    seconds: float = 0.0

    def add(self, seconds: float) -> None:
        """Count one more request."""
        self.requests += 1
        self.seconds += seconds


@dataclass(slots=True)
class Refusals:
    """Counts of the requests about one topic.

    Attributes:
        requests: Number that a person settled.
        declined: Number of those that were declined.
        discussed: Number of those that were discussed.
    """

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
        days: The waits by day.
        hours: The waits by hour of the day, from 0 to 23.
        projects: The waits by project.
        kinds: The waits by kind.
        answer_seconds: Seconds that a person took for each request that one settled, sorted.
        refusals: Counts of the requests that a person settled, by kind and topic.
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
        counts: dict[int | None, int] = dict.fromkeys((*SPEEDS, None), 0)
        for seconds in self.answer_seconds:
            counts[next((most for most in SPEEDS if seconds <= most), None)] += 1
        return counts

    @property
    def most_refused(self) -> list[tuple[str, str, Refusals]]:
        """The topics most often declined or discussed: kind, topic, and counts."""
        refused = ((kind, topic, one) for (kind, topic), one in self.refusals.items() if one.count)
        return sorted(refused, key=lambda row: (-row[2].count, row[2].requests, row[:2]))[:MOST_TOPICS]


def wait_statistics(waits: Iterable[Wait], since: datetime, until: datetime) -> WaitStatistics:
    """Add up waits.

    A request that its asker withdrew counts, but its time does not: its agent had gone, and nobody waited.
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
    """Return the midnight that begins the first of ``days`` days, of which ``until`` is in the last."""
    today = until.astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    # A calendar day may have more or fewer than 24 hours.
    return (today.replace(tzinfo=None) - timedelta(days=days - 1)).astimezone(UTC)


@dataclass(frozen=True, slots=True)
class WaitPage:
    """A page of the requests in a store, and the place of the next one.

    Attributes:
        requests: The requests.
        settled: Whether the next page has settled requests instead of pending ones.
        after: The number after which the next page begins.
        last: Whether there is no next page.
    """

    requests: tuple[StoredRequest, ...] = ()
    settled: bool = False
    after: int = 0
    last: bool = False

    def next(self, store: Store, since: datetime) -> WaitPage:
        """Read the next page: first pending requests, then those settled at ``since`` or later.

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


async def read_statistics(inbox: Inbox, project_of: Callable[[str], str]) -> WaitStatistics:
    """Return the statistics of the last `DAYS` days, read a page at a time: answers meanwhile do not wait.

    Raises `InboxError`.
    """
    until = datetime.now(UTC)
    since = first_day(until)
    projects = await inbox.run(lambda store: projects_of(store, project_of))
    pages = [WaitPage()]
    while not pages[-1].last:
        pages.append(await inbox.run(lambda store: pages[-1].next(store, since)))
    return await asyncio.to_thread(wait_statistics, waits_of(pages, projects), since, until)


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
    """Split a period at the hours of the local clock; yield a moment in each part and its seconds."""
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
