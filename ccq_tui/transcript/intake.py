"""The way of a session's events into a transcript: deltas joined, Markdown split, the past made into blocks.

All of it happens a little at a time: a key that comes meanwhile waits no longer than a slice.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace

from ccq_tui.agent.events import BlockGrew, HistoryLoaded
from ccq_tui.transcript.blocks import Block
from ccq_tui.transcript.document import Document
from ccq_tui.transcript.model import TranscriptModel
from ccq_tui.transcript.order import BlockChange

STEP = 25
"""Events of a part of the past that are taken in at once: a millisecond of work or less."""


class Intake:
    """Holds events that are not in the blocks yet, and texts that are not split."""

    def __init__(self, model: TranscriptModel, follow: Callable[[BlockChange], None]) -> None:
        self._model = model
        self._follow = follow
        self._growing: BlockGrew | None = None
        self._grown: list[str] = []
        self._unsettled: dict[Document, Block] = {}
        self.past = Past(model.empty)

    @property
    def busy(self) -> bool:
        """Whether there is more to split, or more of the past to take in."""
        return bool(self._unsettled or self.past)

    def grow(self, event: BlockGrew) -> bool:
        """Keep what a text grows by until somebody looks; return whether another text begins to grow."""
        begins = self._growing is None or self._growing.key != event.key
        if begins:
            self.take_grown()
            self._growing = event
        self._grown.append(event.text)
        return begins

    def take_grown(self) -> None:
        """Add all text that came for a block since the last look."""
        growing, self._growing = self._growing, None
        if growing is not None:
            text, self._grown = "".join(self._grown), []
            self._follow(self._model.apply(replace(growing, text=text)))

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
                more = document.settle()
            touched.append(block)
            if more:
                self._unsettled[document] = block
        return [block for block in touched if block.at >= 0]

    def take_past(self, until: float) -> TranscriptModel | None:
        """Take in more of the past until a time, once all is split; return a finished part of it, or None."""
        while self.past and not self._unsettled and time.perf_counter() < until:
            if (earlier := self.past.step()) is not None:
                return earlier
        return None


class Past:
    """The parts of a past on their way into a transcript; a part may have any number of events."""

    def __init__(self, make: Callable[[], TranscriptModel]) -> None:
        self._make = make
        self._parts: deque[HistoryLoaded] = deque()
        self._made: TranscriptModel | None = None
        self._at = 0

    def __bool__(self) -> bool:
        return bool(self._parts)

    def add(self, part: HistoryLoaded) -> None:
        """Add a part that is older than all before it."""
        self._parts.append(part)

    def step(self) -> TranscriptModel | None:
        """Continue for a moment; return the blocks of a part when it is complete."""
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
