"""Medians and percentiles of a few figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median


def percentile(figures: Sequence[float], percent: float) -> float:
    """Return the figure under which so many percent lie, between two of them where it falls there.

    Args:
        figures: At least one.
        percent: 0 to 100.
    """
    ordered = sorted(figures)
    place = (len(ordered) - 1) * percent / 100
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


@dataclass(frozen=True, slots=True)
class Summary:
    """What is told of the figures of one measure of one program."""

    median: float
    least: float
    most: float
    count: int


def summary(figures: Sequence[float]) -> Summary | None:
    """Sum figures up; None when there are none."""
    if not figures:
        return None
    return Summary(median(figures), min(figures), max(figures), len(figures))
