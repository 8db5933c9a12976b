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

from ccq_tui.transcript.blocks import Block, ToolBlock, with_inner
from ccq_tui.transcript.bodies import PlainText
from ccq_tui.transcript.document import Document
from ccq_tui.widgets.transcript.layout import Pane, Viewport
from ccq_tui.widgets.transcript.painter import plain_painter
from ccq_tui.widgets.transcript.pen import tokens_of
from ccq_tui.widgets.transcript.reading import MatchSpan, drawn_pattern, painted, spans_in

WIDTH = 2_000
"""Width at which little is wrapped or cut."""
MOST_HITS = 9_999
"""Most hits that are counted; beyond them the search stops."""
LONGEST = 200
"""Most characters of a query."""
SLICE = 0.006
"""Seconds of searching at once."""
BETWEEN = 0.1
"""Fewest seconds between two counts shown while the search continues."""
_MATCH = Style(bold=True, underline=True)
_CURRENT = Style(bold=True, reverse=True)


class Hit(NamedTuple):
    """One place where the query occurs.

    Attributes:
        block: The block.
        part: The part of it, counted as in the unfolded block.
        number: Number of the match in that part, from 0.
    """

    block: Block
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


def unfolded(block: Block) -> Block:
    """Return a block as if unfolded; the block itself is not changed."""
    whole = copy.copy(block)
    whole.folded = False
    return whole


def markdown_text(document: Document, number: int) -> str:
    """Return a part of a document as it is drawn, without its Markdown signs."""
    pieces: list[str] = []
    for token in tokens_of(document.part(number).source, document.env.get("references")):
        if token.type in {"fence", "code_block"}:
            pieces.append(token.content)
        for child in token.children or ():
            breaks = child.type in {"softbreak", "hardbreak"}
            image = f"[image: {child.content}] ({child.attrs.get('src', '')})"
            pieces.append("\n" if breaks else image if child.type == "image" else child.content)
        pieces.append("\n" if token.content else "")
    return "".join(pieces)


Texts = dict[tuple[Block, int], tuple[object, str]]
"""The text of each part that was read, and what it was read from: so long as that is the same, it holds."""


class Finder:
    """Walks through blocks for a query, a part at a time, and keeps the hits while blocks come and grow.

    Attributes:
        pattern: The pattern of the query, or None.
        full: Whether there are more hits than are counted.
    """

    def __init__(self, blocks: list[Block], texts: Texts, query: str = "", start: int = 0) -> None:
        """Begin at a block, go down from there, then up."""
        self.pattern = pattern_of(query)
        self.full = False
        self._blocks, self._texts = blocks, texts
        self._hits: dict[Block, list[Hit]] = {}
        self._queue: dict[Block, None] = {}
        self._steps = self._walk()
        self.look_again([*blocks[start:], *reversed(blocks[:start])])

    @property
    def busy(self) -> bool:
        """Whether some blocks are still to be searched."""
        return bool(self._queue)

    @property
    def hits(self) -> list[Hit]:
        """The places known, in order."""
        return self._in(self._blocks)

    def _in(self, blocks: Iterable[Block]) -> list[Hit]:
        return [hit for block in with_inner(blocks) for hit in self._hits.get(block, ())]

    def look_again(self, blocks: Iterable[Block]) -> None:
        """Search blocks that are new or have changed, and those folded away under them."""
        if self.pattern is not None and not self.full:
            self._queue.update(dict.fromkeys(blocks))

    def step(self) -> bool:
        """Search one more part; return whether there is more to do."""
        next(self._steps)
        return self.busy

    def _walk(self) -> Iterator[None]:
        found = 0
        while True:
            first = next(iter(self._queue), None)
            for block in with_inner([first] if first is not None else ()):
                hits: list[Hit] = []
                for part, text in enumerate(self._parts(block)):
                    matches = self.pattern.finditer(text) if self.pattern is not None else ()
                    hits += [Hit(block, part, number) for number, _ in enumerate(matches)]
                    yield
                found += len(hits) - len(self._hits.get(block, ()))
                self._hits[block] = hits
            if first is not None:
                self._queue.pop(first, None)
            if found > MOST_HITS:
                self.full = True
                self._queue.clear()
            yield

    def _parts(self, block: Block) -> Iterator[str]:
        """Yield the text of each part of a block; a part costs one or two milliseconds at most."""
        whole = unfolded(block)
        body, head = whole.body, int(whole.head)
        if isinstance(body, Document):
            body.look()
        for number in range(head + (len(body) if body is not None else 0)):
            index = number - head
            key = (body, body.key(index)) if body is not None and index >= 0 else block.version
            if (known := self._texts.get((block, number))) is None or known[0] != key:
                known = self._texts[block, number] = key, self._text(whole, number)
            yield known[1]

    def _text(self, block: Block, number: int) -> str:
        body, index = block.body, number - block.head
        if index >= 0 and isinstance(body, Document):
            return markdown_text(body, index)
        if index >= 0 and isinstance(body, PlainText):
            return body.part(index)
        return "\n".join(strip.text.rstrip() for strip in plain_painter().draw(block, number, 0, WIDTH))

    def nearest(self, start: int, part: int = 0) -> Hit | None:
        """Return the first hit in a part of a block or below it, or else the last one above.

        While some blocks are still to be searched, return none from above: one below may still be found.
        """
        here = self._blocks[start] if start < len(self._blocks) else None
        below = [hit for hit in self._in(self._blocks[start:]) if hit.block is not here or hit.part >= part]
        return next(iter(below[:1] or ([] if self.busy else self.hits[-1:])), None)


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
        self._goes_on = False
        self.end()

    def end(self) -> None:
        """Forget the search."""
        self._texts: Texts = {}
        self._finder = Finder(self._layout.blocks, self._texts)
        self._drawn: re.Pattern[str] | None = None
        self._hit: Hit | None = None
        self._opened: list[Block] = []
        self._spans: tuple[list[Strip], dict[int, list[MatchSpan]]] = [], {}
        """The matches in the part that was drawn last."""
        self._shown_at = 0.0

    def begin(self) -> None:
        """Remember the place to search from, and keep the view there from now on."""
        self._origin = self._layout.find(self._viewport.top)[:2] if self._layout.blocks else (0, 0)
        self._viewport.held = True

    def look_for(self, query: str) -> None:
        """Look for a query, beginning at the visible part; "" for nothing."""
        self._close_opened()
        texts, origin = self._texts, self._origin[0]
        self.end()
        self._texts, self._finder = texts, Finder(self._layout.blocks, texts, query, origin)
        if pattern := self._finder.pattern:
            self._drawn = drawn_pattern(query[:LONGEST].split(), pattern.flags & re.IGNORECASE)
        self._pane.refresh()
        self._go_on()

    def next(self, direction: int) -> None:
        """Go to the next match, further down (1) or up (-1)."""
        hits, hit = self._finder.hits, self._finder.nearest(*self._origin)
        if self._hit in hits:
            hit = hits[(hits.index(self._hit) + direction) % len(hits)]
        if hit is not None:
            self._go_to(hit)
        self._report()

    def _go_on(self) -> None:
        """Search some more, and continue after all other waiting work."""
        self._goes_on = False
        finder, begin = self._finder, time.perf_counter()
        while finder.step() and time.perf_counter() < begin + SLICE:
            pass
        if finder.busy:
            self._go_on_soon()
            if begin - self._shown_at < BETWEEN:
                return  # sorting all matches costs more than a slice
        self._shown_at = begin
        if self._hit not in finder.hits:
            self._hit = None
            if (hit := finder.nearest(*self._origin)) is not None:
                self._go_to(hit)
        self._report()

    def _go_on_soon(self) -> None:
        if not self._goes_on:
            self._goes_on = True
            self._later(self._go_on)

    def look_again(self, blocks: Iterable[Block]) -> None:
        """Search blocks that are new or have changed, such as one that was split only now."""
        if self._finder.pattern is not None:
            self._finder.look_again(block for block in blocks if block.at >= 0)
            self._go_on_soon()

    def _report(self) -> None:
        hits = self._finder.hits
        place = hits.index(self._hit) + 1 if self._hit in hits else 0
        self._found(place, len(hits), self._finder.busy or self._finder.full)

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
        block, whole = hit.block, unfolded(hit.block)
        outside = whole.head != block.head or hit.part >= whole.head
        return block.foldable and (outside or self._lines_of(hit) is None)

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
        self._opened.append(block)

    def _close_opened(self, shown: Block | None = None) -> None:
        """Fold again the blocks unfolded only to show a match, except one that is, or holds, ``shown``."""
        kept = []
        for block in reversed(self._opened):  # blocks under an agent before the agent
            to_shown = self._layout.blocks[block.at : shown.at + 1] if shown and block.at >= 0 else []
            if block is shown or (to_shown and all(one.depth > block.depth for one in to_shown[1:])):
                kept.append(block)
            elif block.at >= 0:
                self._pane.fold(block, folded=True)
        self._opened = kept[::-1]

    # -- drawing -------------------------------------------------------------------------------------------

    def _spans_of(self, index: int, part: int) -> dict[int, list[MatchSpan]]:
        strips = self._layout.strips(index, part)
        if self._spans[0] is not strips:
            self._spans = strips, spans_in(strips, self._drawn) if self._drawn is not None else {}
        return self._spans[1]

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
