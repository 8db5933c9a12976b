"""What a frame takes in, and when: what is slow a little at a time, never more often than anybody sees."""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import inf

from textual.widget import Widget

from ccq_tui.agent.events import HistoryLoaded
from ccq_tui.transcript.blocks import Block
from ccq_tui.transcript.document import Document
from ccq_tui.transcript.model import TranscriptModel
from ccq_tui.transcript.order import BlockChange
from ccq_tui.widgets.lifetime import after, after_refresh

STEP = 25
"""Events of a part of the past that are taken in at once: a millisecond of work or less."""


class Intake:
    """Holds the parts of a past that are not in the blocks yet, and texts that are not split."""

    def __init__(self, model: TranscriptModel) -> None:
        self._model = model
        self._unsettled: dict[Document, Block] = {}
        self._past: deque[tuple[TranscriptModel, HistoryLoaded, deque[int]]] = deque()
        """What is made of each part so far, the part, and the first event of each step that is left."""

    @property
    def busy(self) -> bool:
        """Whether there is more to split, or more of the past to take in."""
        return bool(self._unsettled or self._past)

    def watch(self, change: BlockChange) -> None:
        """Note the texts to split after a change."""
        for index in change.changed:
            block = self._model.blocks[index]
            document = getattr(block, "document", None)
            if isinstance(document, Document) and not document.put_off:
                self._unsettled[document] = block

    def split(self, until: float) -> list[Block]:
        """Split Markdown until a time; return the blocks that were looked at."""
        touched: list[Block] = []
        # Blocks not looked at did not change, and need no new measuring.
        while self._unsettled and not (touched and time.perf_counter() >= until):
            document, block = self._unsettled.popitem()  # the newest, which is read first
            more = True
            while more and time.perf_counter() < until:
                more = document.split()
            touched.append(block)
            if more:
                self._unsettled[document] = block
        return [block for block in touched if block.at >= 0]

    def add_past(self, part: HistoryLoaded) -> None:
        """Add a part that is older than all before it; it may have any number of events."""
        self._past.append((self._model.empty(), part, deque(range(0, max(1, len(part.events)), STEP))))

    def take_past(self, until: float) -> TranscriptModel | None:
        """Take in more of the past until a time, once all is split; return a finished part of it, or None."""
        while self._past and not self._unsettled and time.perf_counter() < until:
            if (earlier := self.step()) is not None:
                return earlier
        return None

    def step(self) -> TranscriptModel | None:
        """Take in a step of the past; return the blocks of its part with the last one."""
        made, part, starts = self._past[0]
        at = starts.popleft()
        made.apply(replace(part, events=part.events[at : at + STEP]))
        return None if starts else self._past.popleft()[0]


FRAME = 1 / 30
"""Fewest seconds between two frames; a change after a pause is drawn at once."""
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
            self._wait = min(self._wait, 1 / 7 if streaming else FRAME)  # nobody reads faster
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
        self._pause = min(LONGEST_PAUSE, SHARE * (time.thread_time() - worked))
