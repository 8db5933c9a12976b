"""When a frame is drawn: soon after a pause, all that came together, never more often than is seen."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from textual.widget import Widget

from ccq_tui.widgets.later import after

FRAME = 1 / 30
"""Seconds between two frames, at least; what comes after a pause is drawn at once."""
SHARE = 3
"""A frame that cost c seconds is followed by at least SHARE * c seconds for everything else."""
LONGEST_PAUSE = 0.1
"""Seconds after which there is a frame, whatever the last one cost."""
SPLITTING = 0.010
"""Seconds of splitting Markdown in one go."""
CATCHING_UP = 0.15
"""Seconds between two frames while a burst is still being split."""
BURST = 6_000
"""Characters a second, far more than anybody reads: from here on drawing each frame is work for nobody."""
BURST_PAUSE = 0.15
"""Seconds between two frames of a burst."""


class Pace:
    """Asks for frames and makes them.

    Attributes:
        streamed: Characters that came since the last frame; whoever takes them in counts them here.
    """

    def __init__(self, widget: Widget, split: Callable[[float], bool], update: Callable[[], None]) -> None:
        """Pace the frames of a widget.

        Args:
            widget: Whose frames they are.
            split: Splits what has arrived until a time; returns whether there is more to do.
            update: Draws.
        """
        self.streamed = 0
        self._widget = widget
        self._split = split
        self._update = update
        self._timer: asyncio.TimerHandle | None = None
        self._end = 0.0
        self._pause = FRAME

    def schedule(self) -> None:
        """Ask for a frame: any number of events until then are drawn together."""
        if self._timer is None and self._widget.is_running:
            wait = max(0.001, self._end + self._pause - time.perf_counter())
            self._timer = after(self._widget, wait, self._frame)

    def _frame(self) -> None:
        """Split what has arrived; draw when that is done, or from time to time while it is not."""
        self._timer = None
        begin = time.perf_counter()
        more = self._split(begin + SPLITTING)
        if more and begin - self._end < CATCHING_UP:
            self._timer = after(self._widget, 0.001, self._frame)
            return
        self._update()
        before, self._end = self._end, time.perf_counter()
        self._pause = min(LONGEST_PAUSE, max(FRAME, SHARE * (self._end - begin)))
        if self.streamed > BURST * (self._end - before):
            self._pause = BURST_PAUSE
        self.streamed = 0
        if more:
            self.schedule()
