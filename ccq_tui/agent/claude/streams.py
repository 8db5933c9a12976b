"""Matches streamed blocks with the whole ones that follow them.

The CLI streams a block, then sends it whole in a message of its own that names the message id but not the
block. A stream that broke ends the same way, only without the whole one, and comes again in a new message.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from ccq_tui.agent.events import BlockDropped, BlockFinished, BlockGrew, BlockKey, BlockKind

BlockEvent = BlockGrew | BlockFinished | BlockDropped

_KINDS = {"text": BlockKind.TEXT, "thinking": BlockKind.THINKING}


@dataclass(slots=True)
class _Block:
    key: BlockKey
    kind: BlockKind | None
    parts: list[str] = field(default_factory=list)
    stopped: bool = False
    whole: bool = False

    @property
    def partial(self) -> bool:
        """Whether a part of the block was shown that is not final."""
        return bool(self.parts) and not self.whole and self.kind is not None


@dataclass(slots=True)
class _Message:
    id: str
    blocks: list[_Block] = field(default_factory=list)
    settled: int = 0
    """Number of first blocks that are whole: a message may have any number of blocks."""

    def next_block(self) -> _Block | None:
        """Return the oldest block that is not whole yet, or None."""
        while self.settled < len(self.blocks) and self.blocks[self.settled].whole:
            self.settled += 1
        return self.blocks[self.settled] if self.settled < len(self.blocks) else None

    def unsettled(self) -> Iterator[_Block]:
        """Yield the blocks that may not be whole yet, the oldest first."""
        return islice(self.blocks, self.settled, None) if self.next_block() else iter(())


class BlockStreams:
    """The messages that are being streamed: at most one for the main agent and each subagent."""

    def __init__(self) -> None:
        self._open: dict[str, _Message] = {}

    def stream(self, event: Mapping[str, Any], parent: str) -> Iterator[BlockEvent]:
        """Take an event of the Messages API's stream; ``parent`` is the Agent call it belongs to, or ""."""
        match event:
            case {"type": "message_start", "message": {"id": str(name)}}:
                yield from self._begin(name, parent)
            case {"type": "content_block_start", "content_block": {"type": str(kind)}}:
                self._add(parent, _KINDS.get(kind))
            case {
                "type": "content_block_delta",
                "index": int(index),
                "delta": {"text": str(said)} | {"thinking": str(said)},
            }:
                yield from self._grow(index, said, parent)
            case {"type": "content_block_stop", "index": int(index)} if found := self._at(index, parent):
                found.stopped = True

    def finish(self, message_id: str, parent: str) -> Iterator[BlockKey | BlockDropped]:
        """Yield the blocks that a whole one makes void, then its own key: the oldest not whole yet."""
        message = self._open.get(parent)
        if message is None or message.id != message_id:
            yield from self._begin(message_id, parent)
            message = self._open[parent]
        block = message.next_block()
        if block is None:
            block = self._add(parent, None)
        block.whole = True
        yield block.key

    def retry(self) -> Iterator[BlockDropped]:
        """Drop the rest of broken streams; the CLI is about to make their requests again."""
        for message in self._open.values():
            # A block that has not stopped belongs to another agent's stream, which continues.
            yield from _drop(block for block in message.unsettled() if block.stopped)

    def end_turn(self) -> Iterator[BlockFinished]:
        """Keep the unfinished blocks of an interrupted turn: they were read, and nothing replaces them."""
        for message in self._open.values():
            for block in message.unsettled():
                if block.partial and block.kind is not None:
                    yield BlockFinished(block.key, block.kind, "".join(block.parts))
        self._open.clear()

    def _begin(self, message_id: str, parent: str) -> Iterator[BlockDropped]:
        if previous := self._open.get(parent):
            yield from _drop(previous.unsettled())
        self._open[parent] = _Message(message_id)

    def _add(self, parent: str, kind: BlockKind | None) -> _Block:
        message = self._open.setdefault(parent, _Message(""))
        block = _Block(BlockKey(message.id, len(message.blocks), parent), kind)
        message.blocks.append(block)
        return block

    def _at(self, index: int, parent: str) -> _Block | None:
        message = self._open.get(parent)
        return message.blocks[index] if message and 0 <= index < len(message.blocks) else None

    def _grow(self, index: int, text: str, parent: str) -> Iterator[BlockGrew]:
        block = self._at(index, parent)
        if block is None or block.kind is None or block.whole or not text:
            return
        block.parts.append(text)
        yield BlockGrew(block.key, block.kind, text)


def _drop(blocks: Iterator[_Block]) -> Iterator[BlockDropped]:
    for block in blocks:
        if block.partial:
            block.whole = True
            yield BlockDropped(block.key)
