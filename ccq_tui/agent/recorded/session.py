"""Shows a recording as a session."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable

from ccq_tui.agent.events import AgentEvent, HistoryLoaded, SessionState, StateChanged
from ccq_tui.agent.recorded.reader import Recording


class ReplayedSession:
    """Gives a recording to a screen as a session; it takes no commands.

    Its events are reported as past, so that nothing in it asks for anything.
    """

    record_id = ""  # nothing is recorded again

    def __init__(self, recording: Recording, tell: Callable[[AgentEvent], None]) -> None:
        self._recording = recording
        self._tell = tell

    async def run(self) -> None:
        """Read to the end."""
        self._tell(StateChanged(SessionState.IDLE))
        try:
            while not self._recording.ended:
                if events := await asyncio.to_thread(self._recording.next):
                    self._tell(HistoryLoaded(events, goes_on=True))
                # What was read stays. Collecting garbage in all of it again and again would hold up
                # the screen, in a large file for tenths of a second each time.
                gc.freeze()
        except asyncio.CancelledError:
            self._recording.ended = True  # the thread that reads stops at that; closing is not safe before
            raise
        self._recording.close()
        self._tell(StateChanged(SessionState.ENDED))

    def close(self) -> None:
        """Stop."""
        self._recording.ended = True
