"""The search in a transcript: finds text a little at a time, marks it, and moves from one match to the next.

What is searched is the text that is drawn with everything unfolded.
"""

from __future__ import annotations

import copy
import re
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from rich.style import Style
from textual.strip import Strip

from ccq_tui.transcript import blocks as bl
from ccq_tui.transcript.blocks import Block, ToolBlock, with_inner
from ccq_tui.transcript.bodies import PlainText
from ccq_tui.transcript.document import Document
from ccq_tui.widgets.transcript.layout import Pane, Viewport
from ccq_tui.widgets.transcript.painter import plain_painter
from ccq_tui.widgets.transcript.pen import inline_text, tokens_of
from ccq_tui.widgets.transcript.reading import MatchSpan, drawn_pattern, painted, spans_in

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
    """Reads blocks, each part once."""

    def __init__(self) -> None:
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
            text = self._part(whole, number)
            # Parts that may still change, including a head that describes its growing body, are read again.
            lasting = document is None or head <= number < head + len(document.parts)
            if lasting and number == len(known):
                known.append(text)
            yield text

    def _part(self, block: bl.Block, number: int) -> str:
        """Return the text of a part; the head is the first."""
        body, index = block.body, number - block.head
        if index >= 0 and isinstance(body, Document):
            return markdown_text(body, index)
        if index >= 0 and isinstance(body, PlainText):
            return body.part(index)
        drawn = self._painter.draw(block, number, 0, WIDTH if index < 0 else BODY_WIDTH)
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
        full: Whether there are more than are counted.
    """

    def __init__(self, blocks: list[bl.Block]) -> None:
        self.pattern: re.Pattern[str] | None = None
        self.full = False
        self._found = 0
        self._blocks = blocks
        self._texts = Texts()
        self._hits: dict[bl.Block, list[Hit]] = {}
        self._queue: dict[bl.Block, None] = {}
        self._work: Iterator[None] = iter(())
        self._ordered: list[Hit] | None = None

    @property
    def count(self) -> int:
        """Number of places known."""
        return len(self._all())

    @property
    def busy(self) -> bool:
        """Whether some blocks are still to be searched."""
        return bool(self._queue)

    def look_for(self, query: str, start: int) -> None:
        """Start another search: from a block on down, then from there up."""
        self.pattern = pattern_of(query)
        self._found, self.full = 0, False
        self._hits.clear()
        self._queue.clear()
        # These are the listed blocks; those folded away under one are searched with it.
        self.look_again([*self._blocks[start:], *reversed(self._blocks[:start])])
        self._work = self._scan()

    def look_again(self, blocks: Iterable[bl.Block]) -> None:
        """Search blocks that are new or have changed; others may have moved or be gone."""
        self._ordered = None
        if self.pattern is not None and not self.full:
            self._queue.update(dict.fromkeys(blocks))

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
            if pattern is not None:
                hits += [Hit(block, part, number) for number, _ in enumerate(pattern.finditer(text))]
            yield
        self._found += len(hits) - len(self._hits.get(block, ()))
        self._ordered = None
        if hits:
            self._hits[block] = hits
        else:
            self._hits.pop(block, None)
        if self._found > MOST_HITS:
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


SLICE = 0.006
"""Seconds of searching at once."""
BETWEEN = 0.1
"""Fewest seconds between two counts shown while the search continues."""
_MATCH = Style(bold=True, underline=True)
_CURRENT = Style(bold=True, reverse=True)
MOST_SPANS = 300
"""Most parts whose matches are kept; more than any screen shows."""


@dataclass(eq=False)
class Search:
    """A search from its beginning to its end, and the next one.

    It continues through ``later``, behind all other waiting work, and calls ``found`` with the number of the
    current match, from 1 or 0 for none, the number of matches, and whether there may be more.
    """

    _viewport: Viewport
    _pane: Pane
    _later: Callable[[Callable[[], None]], object]
    _found: Callable[[int, int, bool], object]

    def __post_init__(self) -> None:
        self._layout = self._viewport.layout
        self._origin = (0, 0)
        self._searching = False
        self._told_at = 0.0
        self.end()

    def end(self) -> None:
        """Forget the search."""
        self._finder = Finder(self._layout.blocks)
        self._drawn: re.Pattern[str] | None = None
        self._hit: Hit | None = None
        self._opened: tuple[Block, ...] = ()
        self._spans: dict[tuple[Block, int], tuple[list[Strip], dict[int, list[MatchSpan]]]] = {}

    def begin(self) -> None:
        """Remember the place to search from, and keep the view there from now on."""
        self._origin = self._layout.find(self._viewport.top)[:2] if self._layout.blocks else (0, 0)
        self._viewport.held = True

    def look_for(self, query: str) -> None:
        """Look for a query, beginning at the visible part; "" for nothing."""
        self._close_opened()
        self._hit = None
        self._spans.clear()
        self._told_at = 0.0
        self._finder.look_for(query, self._origin[0])
        pattern = self._finder.pattern
        self._drawn = drawn_pattern(query.split(), pattern.flags & re.IGNORECASE) if pattern else None
        self._pane.refresh()
        self._go_on()

    def next(self, direction: int) -> None:
        """Go to the next match, further down (1) or up (-1)."""
        hit = self._finder.after(self._hit, direction) if self._hit is not None else None
        if hit := hit or self._finder.nearest(*self._origin):
            self._go_to(hit)
        self._tell()

    # -- searching, in slices ------------------------------------------------------------------------------

    def _go_on(self) -> None:
        """Search some more, and continue after all other waiting work."""
        self._searching = False
        finder = self._finder
        begin = time.perf_counter()
        while finder.step():
            if time.perf_counter() > begin + SLICE:
                self._go_on_soon()
                break
        if finder.busy and begin - self._told_at < BETWEEN:
            return  # sorting all matches costs more than a slice
        self._told_at = begin
        if self._hit is not None and not finder.place(self._hit):
            self._hit = None
        if self._hit is None and (hit := finder.nearest(*self._origin)) is not None:
            self._go_to(hit)
        self._tell()

    def _go_on_soon(self) -> None:
        if not self._searching:
            self._searching = True
            self._later(self._go_on)

    def look_again(self, blocks: Iterable[Block]) -> None:
        """Search blocks that are new or have changed, such as one that was split only now."""
        if self._finder.pattern is not None:
            self._finder.look_again(block for block in blocks if block.at >= 0)
            self._go_on_soon()

    def _tell(self) -> None:
        finder = self._finder
        place = finder.place(self._hit) if self._hit is not None else 0
        self._found(place, finder.count, finder.busy or finder.full)

    # -- going there ---------------------------------------------------------------------------------------

    def _go_to(self, hit: Hit) -> None:
        self._hit = hit
        self._close_opened(hit.block)
        self._bring_out(hit.block)
        if hit.block.at < 0:
            return
        if hit.block.folded and self._is_hidden(hit):
            self._open(hit.block)
        self.show()

    def _bring_out(self, block: Block) -> None:
        """Unfold the blocks under which a block is folded away."""
        while block.at < 0:
            owners = (owner for owner in self._layout.blocks if isinstance(owner, ToolBlock) and owner.inner)
            owner = next((owner for owner in owners if block in with_inner([owner])), None)
            if owner is None:
                return
            self._open(owner)

    def _is_hidden(self, hit: Hit) -> bool:
        block = hit.block
        if not block.foldable:
            return False
        whole = unfolded(block)
        if whole.head != block.head:
            return True
        return hit.part >= whole.head or self._lines_of(hit) is None

    def _lines_of(self, hit: Hit) -> tuple[int, int] | None:
        """Return the first line of a hit in its part, and its number of lines; None when it is not drawn."""
        index = hit.block.at
        if hit.part >= self._layout.parts(index):
            return None
        spans = self._spans_of(index, hit.part)
        number = min(hit.number, _last(spans))
        lines = [line for line, found in spans.items() if any(span.number == number for span in found)]
        return (min(lines), max(lines) - min(lines) + 1) if lines else None

    def show(self) -> None:
        """Scroll to the current match, if there is one."""
        hit = self._hit
        if hit is None or hit.block.at < 0:
            return
        part = min(hit.part, self._layout.parts(hit.block.at) - 1)
        line, count = self._lines_of(hit) or (0, 1)
        self._pane.show(hit.block.at, part, line, count)

    def _open(self, block: Block) -> None:
        self._pane.fold(block, folded=False)
        self._opened = (*self._opened, block)

    def _close_opened(self, shown: Block | None = None) -> None:
        """Fold again the blocks unfolded only to show a match, except one that is, or holds, ``shown``."""
        kept = []
        for block in reversed(self._opened):  # blocks under an agent before the agent
            to_shown = self._layout.blocks[block.at : shown.at + 1] if shown and block.at >= 0 else []
            if block is shown or (to_shown and all(one.depth > block.depth for one in to_shown[1:])):
                kept.append(block)
            elif block.at >= 0:
                self._pane.fold(block, folded=True)
        self._opened = tuple(reversed(kept))

    # -- drawing -------------------------------------------------------------------------------------------

    def _spans_of(self, index: int, part: int) -> dict[int, list[MatchSpan]]:
        strips = self._layout.strips(index, part)
        key = (self._layout.blocks[index], part)
        known = self._spans.get(key)
        if known is None or known[0] is not strips:
            if len(self._spans) > MOST_SPANS:
                self._spans.clear()
            known = (strips, spans_in(strips, self._drawn) if self._drawn is not None else {})
            self._spans[key] = known
        return known[1]

    def drawn(self, strip: Strip, index: int, part: int, offset: int) -> Strip:
        """Return a line of a part with its matches marked."""
        if self._drawn is None:
            return strip
        spans = self._spans_of(index, part)
        found = spans.get(offset)
        if not found:
            return strip
        hit, current = self._hit, -1
        if hit is not None and hit.block is self._layout.blocks[index] and hit.part == part:
            current = min(hit.number, _last(spans))
        return painted(
            strip, [(span.start, span.end, _CURRENT if span.number == current else _MATCH) for span in found]
        )


def _last(spans: dict[int, list[MatchSpan]]) -> int:
    """Return the number of the last match, or -1."""
    return max((span.number for line in spans.values() for span in line), default=-1)
