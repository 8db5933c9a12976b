"""What takes longer than a key may wait, a little at a time: Markdown split, the past made into blocks."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import replace

from ccq_tui.agent.events import HistoryLoaded
from ccq_tui.transcript.blocks import Block
from ccq_tui.transcript.document import Document
from ccq_tui.transcript.model import TranscriptModel
from ccq_tui.transcript.order import BlockChange

STEP = 25
"""Events of a part of the past that are taken in at once: a millisecond of work or less."""


class Intake:
    """Holds the parts of a past that are not in the blocks yet, and texts that are not split."""

    def __init__(self, model: TranscriptModel) -> None:
        self._model = model
        self._unsettled: dict[Document, Block] = {}
        self._past: deque[HistoryLoaded] = deque()
        self.steps = self._take_parts()
        """Takes in one step of the past at each call, while there is more."""

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
                more = document.settle()
            touched.append(block)
            if more:
                self._unsettled[document] = block
        return [block for block in touched if block.at >= 0]

    def add_past(self, part: HistoryLoaded) -> None:
        """Add a part that is older than all before it; it may have any number of events."""
        self._past.append(part)

    def take_past(self, until: float) -> TranscriptModel | None:
        """Take in more of the past until a time, once all is split; return a finished part of it, or None."""
        while self._past and not self._unsettled and time.perf_counter() < until:
            if (earlier := next(self.steps)) is not None:
                return earlier
        return None

    def _take_parts(self) -> Iterator[TranscriptModel | None]:
        """Yield the blocks of a part with its last step, None before."""
        while True:
            part, made = self._past[0], self._model.empty()
            for at in range(0, max(1, len(part.events)), STEP):
                if at:
                    yield None
                some = part.events[at : at + STEP]
                made.apply(replace(part, events=some))
            self._past.popleft()
            yield made
