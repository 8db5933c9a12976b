"""When a frame is drawn: soon after a pause, all that came together, never more often than is seen."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import partial

from textual.widget import Widget

from ccq_tui.widgets.lifetime import after, after_refresh

FRAME = 1 / 30
"""Seconds between two frames, at least; what comes after a pause is drawn at once."""
STREAMING = 1 / 10
"""Seconds between two frames of a text that is being written: nobody reads faster."""
SHARE = 4
"""A frame that cost c seconds is followed by at least SHARE * c seconds for everything else."""
LONGEST_PAUSE = 0.25
"""Seconds after which there is a frame, whatever the last one cost."""
SLICE = 0.004
"""Seconds of work in one go: a key that comes meanwhile waits no longer."""
CATCHING_UP = 0.2
"""Seconds of splitting, in slices, after which there is a frame although it continues."""
BURST = 6_000
"""Characters a second, far more than anybody reads: from here on drawing each frame is work for nobody."""
BURST_PAUSE = 0.3
"""Seconds between two frames of a burst, as long as it lasts."""


class Pace:
    """Asks for frames and makes them.

    Attributes:
        streamed: Characters that came since the last frame; the code that takes them in counts them here.
    """

    def __init__(
        self,
        widget: Widget,
        split: Callable[[float], bool],
        prepare: Callable[[float], bool],
        update: Callable[[], None],
    ) -> None:
        """Pace the frames of a widget.

        Until a time, ``split`` splits what has arrived and ``prepare`` draws what will be seen; both return
        whether there is more to do.
        """
        self.streamed = 0
        self._widget = widget
        self._split = split
        self._prepare = prepare
        self._update = update
        self._timer: asyncio.TimerHandle | None = None
        self._due = 0.0  # when the next frame is, while one was asked for
        self._began: float | None = None  # when the frame was begun that is not done
        self._splits = True  # whether there is more to split for it
        self._again: bool | None = None  # whether something came since it was split: True for a stream alone
        self._end = 0.0
        self._pause = 0.0  # by what the last frame cost
        self._burst = False

    def schedule(self, *, streaming: bool = False) -> None:
        """Ask for a frame: all events until then are drawn together; more of a stream can wait in a burst."""
        if not self._widget.is_running:
            return
        if self._began is not None:
            # The frame that is being made may be past it.
            self._again = streaming if self._again is None else self._again and streaming
            return
        least = FRAME if not streaming else BURST_PAUSE if self._burst else STREAMING
        due = self._end + max(self._pause, least)
        if self._timer is not None:
            if due >= self._due:
                return
            self._timer.cancel()
        self._ask(due)

    def _ask(self, due: float) -> None:
        self._due = due
        self._timer = after(self._widget, max(0.001, due - time.perf_counter()), self._frame)

    def _frame(self) -> None:
        """Work on a frame for a slice of time: split what has arrived, draw what is seen of it, show that."""
        begin = time.perf_counter()
        if self._began is None:
            self._began, self._splits = begin, True
        late = begin - self._began >= CATCHING_UP
        if self._splits and not late:
            self._again = None
            self._splits = self._split(begin + SLICE)
        if (self._splits and not late) or self._prepare(begin + SLICE):
            self._ask(0.0)
            return
        self._timer = None
        self._draw()
        if self._splits:
            self._ask(0.0)
        elif self._again is not None:
            self.schedule(streaming=self._again)

    def _draw(self) -> None:
        worked = time.thread_time()
        self._began = None
        self._update()
        before, self._end = self._end, time.perf_counter()
        self._burst = self.streamed > BURST * (self._end - before)
        self.streamed = 0
        self._pause = 0.0
        after_refresh(self._widget, partial(self._painted, worked))

    def _painted(self, worked: float) -> None:
        """Leave time after a frame by all that it cost: what is painted is most of it."""
        cost = time.thread_time() - worked
        self._pause = min(LONGEST_PAUSE, SHARE * cost)
