"""Why a waiting request gets no notification now; pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, time
from enum import StrEnum

from ccq_tui.remote.notify.presence import Presence


class Suppression(StrEnum):
    """The reason that a request gets no notification now."""

    NOTIFIED = "it had one"
    PRESENT = "a person is at a terminal"
    QUIET = "quiet hours"
    TOO_SOON = "another notification was sent just before"
    SETTLED = "it is settled"


def suppression(
    asked: float,
    presences: Iterable[Presence],
    now: datetime,
    *,
    notified: bool = False,
    wait: float,
    quiet: tuple[time, time] | None = None,
    free_at: float = 0.0,
) -> Suppression | None:
    """Return why a request gets no notification now, or None if it gets one.

    Args:
        asked: The time of asking, in seconds since 1970.
        presences: What all terminal programs know of their persons.
        now: The time, in the person's zone.
        notified: Whether it had one.
        wait: Seconds without a reaction, while a person is at a terminal, before a notification.
        quiet: The first and the last time of the hours without notifications, or None.
        free_at: The time until which requests are collected for one summary, in seconds since 1970.
    """
    if notified:
        return Suppression.NOTIFIED
    at = now.timestamp()
    proofs = [one.at for one in presences if _is_proof(one, at, wait)]
    if proofs and at < max(asked, *proofs) + wait:
        return Suppression.PRESENT
    if quiet is not None and _is_within(now.time(), *quiet):
        return Suppression.QUIET
    return Suppression.TOO_SOON if at < free_at else None


def _is_proof(one: Presence, now: float, wait: float) -> bool:
    """Whether a person is at a terminal: one in focus, or, where it does not report that, for a while."""
    # A time in the future is an error of the clock.
    return one.at <= now and (one.focused or (one.focused is None and now - one.at < wait))


def _is_within(clock: time, first: time, last: time) -> bool:
    if first < last:
        return first <= clock < last
    return clock >= first or clock < last
