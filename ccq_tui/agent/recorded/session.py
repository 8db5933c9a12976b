"""Plays a recording as a session, at once or in time."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Callable

from ccq_tui.agent.events import AgentEvent, HistoryLoaded, SessionState, StateChanged
from ccq_tui.agent.recorded.reader import Recording, Slice

STEADY_SECONDS = 0.5
"""Seconds between two messages that do not say when they were written."""
STREAM_SECONDS = 0.03
"""Seconds between two pieces of a text."""
LONGEST_GAP = 5.0
"""Most seconds between two messages: a person's pauses and a long build are cut short."""
NAP = 0.1
MOST_BEHIND = 0.25
"""Most seconds of the screen's own delay to catch up with."""


class ReplayedSession:
    """Plays a recording to a screen as a session; it takes no commands.

    Its events are reported as past, so that nothing in it asks for anything.
    """

    def __init__(
        self,
        recording: Recording,
        tell: Callable[[AgentEvent], None],
        speed: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Play nothing yet.

        Args:
            recording: The recording.
            tell: Takes the events.
            speed: The factor to the original speed, or None to play at once.
            clock: Returns seconds.
        """
        self.recording = recording
        self.timed = speed is not None
        self._tell = tell
        self._speed = speed or 1.0
        self._clock = clock
        self._going = asyncio.Event()
        self._going.set()
        self._closed = False
        self._last: Slice | None = None
        self._due = float("-inf")

    @property
    def paused(self) -> bool:
        """Whether it is paused."""
        return not self._going.is_set()

    def pause(self) -> None:
        """Pause or continue."""
        if self.paused:
            self._going.set()
        else:
            self._going.clear()

    async def run(self) -> None:
        """Play to the end."""
        self._tell(StateChanged(SessionState.IDLE))
        try:
            while not (self._closed or self.recording.ended):
                await self._going.wait()  # as long as the person wants
                part = await asyncio.to_thread(self.recording.next, single=self.timed)
                if self.timed and part.events:
                    await self._wait_for(part)
                if part.events and not self._closed:
                    self._tell(HistoryLoaded(part.events, goes_on=True))
                if not self.timed:
                    # What was read stays. Collecting garbage in all of it again and again would hold up
                    # the screen, in a large file for tenths of a second each time.
                    gc.freeze()
        except asyncio.CancelledError:
            self.recording.ended = True  # the thread that reads stops at that; closing is not safe before
            raise
        self.recording.close()
        self._tell(StateChanged(SessionState.ENDED))

    async def _wait_for(self, part: Slice) -> None:
        """Wait for the time between the last events and these."""
        now = self._clock()
        if self._last is None:
            self._due = now
        else:
            self._due = max(self._due, now - MOST_BEHIND) + _gap(self._last, part) / self._speed
        self._last = part
        while self._clock() < self._due and not self._closed:
            await asyncio.sleep(min(NAP, self._due - self._clock()))
            if self.paused:
                held = self._clock()
                await self._going.wait()
                self._due += self._clock() - held

    @property
    def record_id(self) -> str:
        """Empty: nothing is recorded again."""
        return ""

    def close(self) -> None:
        """Stop."""
        self._closed = True
        self._going.set()


def _gap(before: Slice, after: Slice) -> float:
    """Return the seconds between two parts of a recording."""
    if after.at and before.at:
        return min(max((after.at - before.at).total_seconds(), 0.0), LONGEST_GAP)
    return STREAM_SECONDS if after.streamed else STEADY_SECONDS
