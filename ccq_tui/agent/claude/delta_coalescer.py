"""Joins the deltas of a block: a model sends them faster than anybody reads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from ccq_tui.agent.events import AgentEvent, BlockGrew, BlockKey

MOMENT = 0.05
"""Seconds for which deltas are collected; the first one after a pause is emitted at once."""


class DeltaCoalescer:
    """Passes events on in order, with the deltas of each block joined."""

    def __init__(self, emit: Callable[[AgentEvent], None]) -> None:
        self._emit = emit
        self._grown: dict[BlockKey, list[BlockGrew]] = {}
        self._moment: asyncio.TimerHandle | None = None

    def take(self, event: AgentEvent) -> None:
        """Pass an event on; a delta that follows another within `MOMENT` is held until its end."""
        if not isinstance(event, BlockGrew):
            self.flush()
            self._emit(event)
        elif self._moment is None:
            self._begin()
            self._emit(event)
        else:
            self._grown.setdefault(event.key, []).append(event)

    def flush(self) -> None:
        """Emit the collected deltas."""
        grown, self._grown = self._grown, {}
        for key, events in grown.items():
            text = "".join(event.text for event in events)
            self._emit(BlockGrew(key, events[0].kind, text))

    def close(self) -> None:
        """Emit the rest, and cancel the timer."""
        if self._moment is not None:
            self._moment.cancel()
            self._moment = None
        self.flush()

    def _begin(self) -> None:
        self._moment = asyncio.get_running_loop().call_later(MOMENT, self._end)

    def _end(self) -> None:
        self._moment = None
        if self._grown:
            self._begin()
            self.flush()
