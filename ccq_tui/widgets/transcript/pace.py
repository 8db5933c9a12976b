"""The timing of frames: soon after a pause, changes drawn together, never more often than anybody sees."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import inf

from textual.widget import Widget

from ccq_tui.widgets.lifetime import after, after_refresh

FRAME = 1 / 30
"""Fewest seconds between two frames; a change after a pause is drawn at once."""
STREAMING = 1 / 7
"""Seconds between two frames of a text being written: nobody reads faster."""
SHARE = 4
"""A frame that cost c seconds is followed by at least SHARE * c seconds for everything else."""
LONGEST_PAUSE = 0.25
"""Most seconds between two frames, whatever the last one cost."""
SLICE = 0.004
"""Seconds of work at once: a key that comes meanwhile waits no longer."""
CATCHING_UP = 0.2
"""Seconds of splitting, in slices, after which a frame is drawn although splitting continues."""


@dataclass(eq=False)
class FramePace:
    """Schedules the frames of a widget and makes them.

    Until a time, ``_split`` splits new text and ``_prepare`` draws the lines about to be seen; both return
    whether there is more to do.
    """

    _widget: Widget
    _split: Callable[[float], bool]
    _prepare: Callable[[float], bool]
    _update: Callable[[], None]

    def __post_init__(self) -> None:
        self._timer: asyncio.TimerHandle | None = None
        self._due = 0.0  # time of the next frame, if one was asked for
        self._began: float | None = None  # start of the unfinished frame
        self._splits = True  # whether there is more to split for it
        self._wait = inf  # seconds that what came since the last split may wait
        self._end = 0.0
        self._pause = 0.0  # caused by the cost of the last frame

    def schedule(self, *, streaming: bool = False) -> None:
        """Ask for a frame: all events until then are drawn together, those of a stream later."""
        if self._widget.is_running:
            self._wait = min(self._wait, STREAMING if streaming else FRAME)
            if self._began is None:  # otherwise the frame being made may have passed the change
                self._ask(self._end + max(self._pause, self._wait))

    def _ask(self, due: float) -> None:
        if self._timer is not None:
            if due >= self._due:
                return
            self._timer.cancel()
        self._due = due
        self._timer = after(self._widget, max(0.001, due - time.perf_counter()), self._frame)

    def _frame(self) -> None:
        """Work on a frame for a slice of time: split new text, draw the visible lines, show them."""
        self._timer = None
        begin = time.perf_counter()
        if self._began is None:
            self._began, self._splits = begin, True
        late = begin - self._began >= CATCHING_UP
        if self._splits and not late:
            self._wait = inf
            self._splits = self._split(begin + SLICE)
        if (self._splits and not late) or self._prepare(begin + SLICE):
            self._ask(0.0)
            return
        worked = time.thread_time()
        self._began = None
        self._update()
        self._end, self._pause = time.perf_counter(), 0.0
        after_refresh(self._widget, partial(self._painted, worked))
        if self._splits:
            self._ask(0.0)
        elif self._wait < inf:
            self._ask(self._end + self._wait)

    def _painted(self, worked: float) -> None:
        """Leave time after a frame in proportion to its cost, most of which is painting."""
        cost = time.thread_time() - worked
        self._pause = min(LONGEST_PAUSE, SHARE * cost)
