"""Finds text among the blocks, a little at a time, in the text that is drawn with everything unfolded."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ccq_tui.transcript import blocks as bl
from ccq_tui.transcript.document import Document
from ccq_tui.transcript.text_bodies import PlainText
from ccq_tui.widgets.transcript.markdown import inline_text, tokens_of
from ccq_tui.widgets.transcript.painter import plain_painter

WIDTH = 2_000
"""Width at which little is wrapped or cut."""
BODY_WIDTH = 120
"""Width for blocks with columns of their own, which a wide screen would lay out differently."""


def unfolded(block: bl.Block) -> bl.Block:
    """Return a block as if unfolded; the block itself is not changed."""
    if not block.folded:
        return block
    whole = copy.copy(block)
    whole.folded = False
    return whole


class Texts:
    """Reads blocks, each part once.

    Attributes:
        read: Characters of parts read so far.
    """

    def __init__(self) -> None:
        self.read = 0
        self._known: dict[bl.Block, tuple[object, list[str]]] = {}
        """The texts read of each block, and what they were read from: a document, or the block's version."""
        self._painter = plain_painter()

    def parts(self, block: bl.Block) -> Iterator[str]:
        """Yield the text of each part of a block; a part costs one or two milliseconds at most."""
        whole = unfolded(block)
        body = whole.body
        document = body if isinstance(body, Document) else None
        if document is not None:
            document.look()
        key = block.version if document is None else document
        if block not in self._known or self._known[block][0] != key:
            self._known[block] = key, []
        known, head = self._known[block][1], int(whole.head)
        for number in range(head + (len(body) if body is not None else 0)):
            if number < len(known):
                yield known[number]
                continue
            text = self._head(whole) if number < head else self._part(whole, number - head)
            self.read += len(text)
            # Parts that may still change, including a head that describes its growing body, are read again.
            lasting = document is None or head <= number < head + len(document.parts)
            if lasting and number == len(known):
                known.append(text)
            yield text

    def _head(self, block: bl.Block) -> str:
        return "\n".join(strip.text.rstrip() for strip in self._painter.draw(block, 0, 0, WIDTH))

    def _part(self, block: bl.Block, number: int) -> str:
        body = block.body
        if isinstance(body, Document):
            return markdown_text(body, number)
        if isinstance(body, PlainText):
            return body.part(number)
        drawn = self._painter.draw(block, number + int(block.head), 0, BODY_WIDTH)
        return "\n".join(strip.text.rstrip() for strip in drawn)


def markdown_text(document: Document, number: int) -> str:
    """Return a part of a document as it is drawn, without its Markdown signs."""
    pieces: list[str] = []
    for token in tokens_of(document.part(number).source, document.env.get("references")):
        if token.type in {"fence", "code_block"}:
            pieces.append(token.content.rstrip("\n"))
        pieces.append(inline_text(token))
        if token.type == "inline" or token.content:
            pieces.append("\n")
    return "".join(pieces)


MOST_HITS = 9_999
"""Most hits that are counted; beyond them the search stops."""
LONGEST = 200
"""Most characters of a query."""


class Hit(NamedTuple):
    """One place where the query occurs.

    Attributes:
        block: The block.
        part: The part of it, counted as in the unfolded block.
        number: Number of the match in that part, from 0.
    """

    block: bl.Block
    part: int
    number: int


def pattern_of(query: str) -> re.Pattern[str] | None:
    """Return a pattern that finds a query in a text, or None for an empty one.

    Case matters only when the query has a capital; all white space is equivalent.
    """
    words = query[:LONGEST].split()
    if not words:
        return None
    flags = re.IGNORECASE if query == query.lower() else re.NOFLAG
    return re.compile(r"\s+".join(re.escape(word) for word in words), flags)


class Finder:
    """Keeps the places where a query occurs, while blocks come and grow.

    Attributes:
        pattern: The pattern of the query, or None.
        count: Number of places known.
        full: Whether there are more than are counted.
        scanned: Parts searched, for all queries.
    """

    def __init__(self, blocks: list[bl.Block]) -> None:
        self.pattern: re.Pattern[str] | None = None
        self.count = 0
        self.full = False
        self.scanned = 0
        self._blocks = blocks
        self._texts = Texts()
        self._hits: dict[bl.Block, list[Hit]] = {}
        self._queue: dict[bl.Block, None] = {}
        self._work: Iterator[None] = iter(())
        self._ordered: list[Hit] | None = None

    @property
    def busy(self) -> bool:
        """Whether some blocks are still to be searched."""
        return bool(self._queue)

    def look_for(self, query: str, start: int) -> None:
        """Start another search: from a block on down, then from there up."""
        self.pattern = pattern_of(query)
        self.count, self.full = 0, False
        self._hits.clear()
        self._queue.clear()
        # These are the listed blocks; those folded away under one are searched with it.
        self.look_again([*self._blocks[start:], *reversed(self._blocks[:start])])
        self._work = self._scan()

    def look_again(self, blocks: Iterable[bl.Block]) -> None:
        """Search blocks that are new or have changed."""
        self._ordered = None
        if self.pattern is not None and not self.full:
            self._queue.update(dict.fromkeys(blocks))

    def moved(self) -> None:
        """Note that blocks have moved or are gone."""
        if self.pattern is None:
            return
        self._ordered = None
        known = set(bl.with_inner(self._blocks))
        for block in [block for block in self._hits if block not in known]:
            self.count -= len(self._hits.pop(block))

    def step(self) -> bool:
        """Search one more part; return whether there is more to do."""
        next(self._work, None)
        return self.busy

    def _scan(self) -> Iterator[None]:
        while True:
            if not self._queue:
                yield
                continue
            first = next(iter(self._queue))
            for block in bl.with_inner([first]):
                yield from self._look(block)
            self._queue.pop(first, None)

    def _look(self, block: bl.Block) -> Iterator[None]:
        hits: list[Hit] = []
        pattern = self.pattern
        for part, text in enumerate(self._texts.parts(block)):
            self.scanned += 1
            if pattern is not None:
                hits += [Hit(block, part, number) for number, _ in enumerate(pattern.finditer(text))]
            yield
        self.count += len(hits) - len(self._hits.get(block, ()))
        self._ordered = None
        if hits:
            self._hits[block] = hits
        else:
            self._hits.pop(block, None)
        if self.count > MOST_HITS:
            self.full = True
            self._queue.clear()

    # -- going from one to the next ------------------------------------------------------------------------

    def _in(self, blocks: Iterable[bl.Block]) -> Iterator[Hit]:
        """Yield the hits in blocks and in those folded away under them, in order."""
        return (hit for block in bl.with_inner(blocks) for hit in self._hits.get(block, ()))

    def _all(self) -> list[Hit]:
        if self._ordered is None:
            self._ordered = list(self._in(self._blocks))
        return self._ordered

    def place(self, hit: Hit) -> int:
        """Return the number of a hit among all, from 1; 0 when it is no longer one."""
        found = self._all()
        return found.index(hit) + 1 if hit in found else 0

    def after(self, hit: Hit, direction: int) -> Hit | None:
        """Return the next hit, or the one at the other end when there is none that way; None for one gone."""
        found, place = self._all(), self.place(hit)
        return found[(place - 1 + direction) % len(found)] if place else None

    def nearest(self, start: int, part: int = 0) -> Hit | None:
        """Return the first hit in a part of a block or below it, or else the last one above.

        While some blocks are still to be searched, return none from above: one below may still be found.
        """
        here = self._blocks[start] if start < len(self._blocks) else None
        for hit in self._in(self._blocks[start:]):
            if hit.block is not here or hit.part >= part:
                return hit
        found = self._all()
        return found[-1] if found and not self.busy else None
