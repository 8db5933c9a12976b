"""Statistics of waits as text and bars."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import PurePath
from typing import NamedTuple

from ccq_tui.inbox.layout import WIDTH, cells, fit, local, pad
from ccq_tui.inbox.store.rows import RequestState
from ccq_tui.inbox.wait_statistics import Share, WaitStatistics
from ccq_tui.words import duration, plural

MOST_DAYS = 31
"""Most days that are listed; a longer time is listed by month."""
MOST_PROJECTS = 10
LABEL = 24
"""Most columns of a bar's name."""
SHORTEST = 10
"""Fewest columns of a bar's name, so that charts with short names look alike."""
EIGHTHS = " ▏▎▍▌▋▊▉"
OUTCOMES = {
    RequestState.ANSWERED: "answered",
    RequestState.DISCUSSED: "discussed",
    RequestState.DECLINED: "declined",
    RequestState.DISMISSED: "dismissed",
    RequestState.EXPIRED: "not answered in time",
    RequestState.CANCELLED: "withdrawn",
    RequestState.PENDING: "waiting now",
}
SPEED_WORDS = ("in 10 s", "in 1 min", "in 5 min", "in 30 min", "in 2 h", "later")
NOTHING = "Nothing was asked since {}."


class ChartBar(NamedTuple):
    """One row of a chart: a name, possibly a foreign text, the length of its bar, and that in words."""

    name: str
    amount: float
    words: str


class Chart(NamedTuple):
    """Bars that can be compared."""

    title: str
    bars: tuple[ChartBar, ...]


def summary_lines(statistics: WaitStatistics) -> list[str]:
    """Say in at most three lines how long agents waited, how that ended, and how fast the answers were."""
    if not statistics.outcomes:
        return [NOTHING.format(local(statistics.since))]
    waited = statistics.waited
    requests = plural(waited.requests, "request")
    lines = [f"Agents waited {duration(waited.seconds)} for you, in {requests}."]
    ends = (f"{count} {OUTCOMES[state]}" for state in OUTCOMES if (count := statistics.outcomes[state]))
    lines.append(" · ".join(ends))
    if (half := statistics.median_seconds) is not None and (slow := statistics.slow_seconds) is not None:
        lines.append(f"Half of your answers took {duration(half)} at most, nine of ten {duration(slow)}.")
    return lines


def charts(statistics: WaitStatistics) -> list[Chart]:
    """Return the charts that have something to show."""
    hours = {f"{hour:02}:00": share for hour, share in statistics.hours.items() if share.requests}
    projects = sorted(statistics.projects.items(), key=lambda row: -row[1].seconds)
    names = _project_names([name for name, _ in projects])
    waits = {
        "How long agents waited, by day": _days(statistics),
        "By hour of the day": hours,
        "By project": {names[name]: share for name, share in projects[:MOST_PROJECTS]},
        "By kind": dict(sorted(statistics.kinds.items(), key=lambda row: -row[1].seconds)),
    }
    made = {
        title: [ChartBar(name, share.seconds, _share_words(share)) for name, share in shares.items()]
        for title, shares in waits.items()
    }
    speeds = zip(SPEED_WORDS, statistics.speeds.values() if statistics.answer_seconds else (), strict=False)
    made["How fast you answer"] = [ChartBar(name, count, plural(count, "answer")) for name, count in speeds]
    made["Most often declined or discussed"] = [
        ChartBar(topic if topic == kind else f"{kind}: {topic}", one.count, f"{one.count} of {one.requests}")
        for kind, topic, one in statistics.most_refused
    ]
    return [Chart(title, tuple(bars)) for title, bars in made.items() if bars]


def chart_lines(chart: Chart, width: int = WIDTH) -> Iterator[tuple[str, str, str]]:
    """Yield the name, the bar and the words of each row of a chart, padded to columns."""
    room = max(8, min(LABEL, width // 3))
    names = [fit(bar.name, room) for bar in chart.bars]
    column = max(min(room, SHORTEST), *(cells(name) for name in names))
    words = max(len(bar.words) for bar in chart.bars)
    length = max(4, width - column - words - 6)
    most = max(bar.amount for bar in chart.bars)
    for name, bar in zip(names, chart.bars, strict=True):
        drawn = _bar(bar.amount / most * length if most else 0.0)
        yield pad(name, column), pad(drawn, length), bar.words


def text_lines(statistics: WaitStatistics, width: int = WIDTH) -> list[str]:
    """Return everything as lines of plain text."""
    lines = summary_lines(statistics)
    for chart in charts(statistics):
        lines += ["", chart.title]
        lines += [f"  {'  '.join(row)}".rstrip() for row in chart_lines(chart, width)]
    return lines


def _bar(length: float) -> str:
    """Return a bar of ``length`` columns; one above 0 has at least an eighth."""
    eighths = max(round(length * 8), 1 if length else 0)
    return "█" * (eighths // 8) + EIGHTHS[eighths % 8].strip()


def _days(statistics: WaitStatistics) -> dict[str, Share]:
    """Return the shares of all days, also of those without a request, or of the months of a long time."""
    found = statistics.days
    first, last = (at.astimezone().date() for at in (statistics.since, statistics.until))
    if not found:
        return {}
    if (last - first).days <= MOST_DAYS:
        days = (first + timedelta(days=number) for number in range((last - first).days + 1))
        return {_day(day): found.get(day, Share()) for day in days}
    months: dict[str, Share] = {}
    for day in sorted(found):
        month = months.setdefault(f"{day:%Y-%m}", Share())
        month.requests += found[day].requests
        month.seconds += found[day].seconds
    return months


def _day(day: date) -> str:
    return f"{('Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun')[day.weekday()]} {day:%m-%d}"


def _project_names(directories: list[str]) -> dict[str, str]:
    """Name projects by their directory's last part, or by all of it if two share that part."""
    last = {name: PurePath(name).name or name or "unknown" for name in directories}
    shared = list(last.values())
    return {name: word if shared.count(word) == 1 else name for name, word in last.items()}


def _share_words(share: Share) -> str:
    return f"{duration(share.seconds)} · {plural(share.requests, 'request')}" if share.requests else "·"
