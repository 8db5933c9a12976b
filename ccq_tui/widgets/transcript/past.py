"""Older parts of a session's past: made into blocks beside the transcript, a little at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace

from ccq_tui.agent.events import HistoryLoaded
from ccq_tui.widgets.transcript.model import TranscriptModel

STEP = 25
"""Events of a part that are taken in one go: a millisecond of work or less."""


class Past:
    """The parts that are on their way into a transcript; a part may have any number of events.

    Args:
        make: Makes an empty transcript for a part.
    """

    def __init__(self, make: Callable[[], TranscriptModel]) -> None:
        self._make = make
        self._parts: deque[HistoryLoaded] = deque()
        self._made: TranscriptModel | None = None
        self._at = 0

    def __bool__(self) -> bool:
        return bool(self._parts)

    def add(self, part: HistoryLoaded) -> None:
        """Take in a part that is older than all before it."""
        self._parts.append(part)

    def step(self) -> TranscriptModel | None:
        """Go on for a moment.

        Returns:
            The blocks of a part when that was the last of it, to be put above all others.
        """
        if not self._parts:
            return None
        part = self._parts[0]
        if self._made is None:
            self._made, self._at = self._make(), 0
        some = part.events[self._at : self._at + STEP]
        self._made.apply(replace(part, events=some, cut=part.cut and not self._at, older=False))
        self._at += STEP
        if self._at < len(part.events):
            return None
        self._parts.popleft()
        made, self._made = self._made, None
        return made
