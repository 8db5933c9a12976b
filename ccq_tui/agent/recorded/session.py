"""Plays a recording as a session, at once or in time; every command to it is ignored or refused."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Callable, Mapping
from typing import TypeVar

from ccq_tui.agent.commands import CommandError
from ccq_tui.agent.controls import Control, Rewound
from ccq_tui.agent.events import AgentEvent, HistoryLoaded, RequestSettled, SessionState, StateChanged
from ccq_tui.agent.recorded.reader import Recording, Slice
from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.requests import RequestOutcome

T = TypeVar("T")

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
    """Plays a recording to a screen as a session.

    Its events are reported as past, so that nothing in it asks for anything; the screen offers a question
    that can still be answered once the session has `ENDED`.
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

    # -- commands that only a live session obeys -----------------------------------------------------------

    def answer(self, request_id: str, outcome: RequestOutcome, actor: Actor) -> None:
        """Report the answer; the screen brings it to the session that was recorded."""
        self._tell(RequestSettled(request_id, outcome, actor))

    async def ask(self, control: Control[T]) -> T:
        """Refuse: nobody can be asked."""
        raise CommandError(f"a recording does not answer {control.subtype}")

    async def rewind(self, prompt_id: str, *, files: bool) -> Rewound:  # noqa: ARG002 - whatever is wanted
        """Refuse: nothing is taken back."""
        raise CommandError("a recording cannot be rewound")

    async def rename(self, title: str) -> None:  # noqa: ARG002 - whatever is wanted
        """Refuse: a recording keeps its name."""
        raise CommandError("a recording cannot be renamed")

    @property
    def record_id(self) -> str:
        """Empty: nothing is recorded again."""
        return ""

    async def taken(self, prompts: Mapping[str, str]) -> frozenset[str]:  # noqa: ARG002 - nothing is sent
        """Return no prompts: none was read."""
        return frozenset()

    def send(self, *_prompt: object, **_options: object) -> str:
        """Send nothing: the screen has no prompt."""
        return ""

    def _ignored(self, *_given: object, **_options: object) -> None:
        """Do nothing: no turn runs, no process waits, and a recording can be opened again."""

    withdraw = interrupt = set_mode = set_model = set_effort = park = _ignored

    def close(self, cause: str = "") -> None:  # noqa: ARG002 - as the port has it
        """Stop."""
        self._closed = True
        self._going.set()


def _gap(before: Slice, after: Slice) -> float:
    """Return the seconds between two parts of a recording."""
    if after.at and before.at:
        return min(max((after.at - before.at).total_seconds(), 0.0), LONGEST_GAP)
    return STREAM_SECONDS if after.streamed else STEADY_SECONDS
