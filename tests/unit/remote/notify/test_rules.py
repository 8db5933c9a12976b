"""Why a waiting request gets no notification."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta, timezone

import pytest

from ccq_tui.remote.notify.presence import Presence
from ccq_tui.remote.notify.rules import Suppression, suppression

NOW = datetime(2026, 11, 27, 12, 0, tzinfo=UTC)
AT = NOW.timestamp()
NIGHT, NOON = (time(22), time(7)), (time(12), time(13, 30))


PRESENCES = [
    (AT, [], False),  # no terminal is open
    (AT, [Presence(False, AT), Presence(False, AT - 5)], False),
    (AT, [Presence(True, AT - 3600)], True),  # in focus: counted from the asking
    (AT, [Presence(False, AT), Presence(True, AT - 3600)], True),
    (AT, [Presence(None, AT - 19)], True),  # a key press counts for a while
    (AT, [Presence(None, AT - 20)], False),
    (AT, [Presence(True, AT + 1)], False),  # a clock that was set back
    (AT - 20, [Presence(True, AT - 60)], False),
    (AT - 60, [Presence(True, AT - 19)], True),  # from the last proof
    (AT - 60, [Presence(True, AT - 20)], False),
]


@pytest.mark.parametrize(("asked", "presences", "is_present"), PRESENCES)
def test_presence_must_be_proven(asked: float, presences: list[Presence], is_present: bool) -> None:
    found = suppression(asked, presences, NOW, wait=20)
    assert found is (Suppression.PRESENT if is_present else None)


HOURS = [
    ((21, 59), NIGHT, False),
    ((22, 0), NIGHT, True),
    ((7, 0), NIGHT, False),
    ((12, 0), NOON, True),
    ((13, 30), NOON, False),
]


@pytest.mark.parametrize(("clock", "quiet", "is_quiet"), HOURS)
def test_hours_are_quiet(clock: tuple[int, int], quiet: tuple[time, time], is_quiet: bool) -> None:
    there = datetime(2026, 11, 27, *clock, tzinfo=timezone(timedelta(hours=-5)))
    found = suppression(there.timestamp(), (), there, wait=20, quiet=quiet)
    assert found is (Suppression.QUIET if is_quiet else None)


def test_one_that_had_none_waits_for_the_summary() -> None:
    assert suppression(AT, (), NOW, wait=20, free_at=AT + 1) is Suppression.TOO_SOON
    assert suppression(AT, (), NOW, wait=20, free_at=AT) is None
    assert suppression(AT, (), NOW, wait=20, notified=True) is Suppression.NOTIFIED
