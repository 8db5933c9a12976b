"""Percentiles of a few figures."""

from __future__ import annotations

from collections.abc import Sequence


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
