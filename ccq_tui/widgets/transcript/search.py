"""The search in a transcript: finds text a little at a time, marks it, and moves from one match to the next.

What is searched is the text that is drawn with everything unfolded.
"""

import copy
import re
import time
from collections.abc import Iterable, Iterator
from functools import lru_cache, partial

from rich.style import Style
from textual.strip import Strip

from ccq_tui.transcript.blocks import Block, Body, with_inner
from ccq_tui.transcript.bodies import PlainText
from ccq_tui.transcript.document import Document
from ccq_tui.widgets.transcript.painter import plain_painter
from ccq_tui.widgets.transcript.pen import words_of
from ccq_tui.widgets.transcript.reading import ReadingTool, drawn_pattern, painted, spans_in

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
_NOTHING = re.compile("(?!)")
"""Pattern of an empty query."""

Hit = tuple[Block, int, int]
"""One place where the query occurs: the block, the part of it when unfolded, the match in that part."""


def unfolded(block: Block) -> Block:
    """Return a block as if unfolded; the block itself is not changed."""
    whole = copy.copy(block)
    whole.folded = False
    return whole


def text_of(block: Block, part: int, index: int, body: Body | None, _key: object) -> str:
    """Return a part of an unfolded block, which is one of its body, as text; another key is another text."""
    if isinstance(body, Document):
        return words_of(body.part(index).source, body.env.get("references"))
    if isinstance(body, PlainText):
        return body.part(index)
    lines = plain_painter().draw(unfolded(block), part, 0, WIDTH)
    return "\n".join(line.text.rstrip() for line in lines)


class Search(ReadingTool):
    """A search from its beginning to its end, and the next one; the pane shows what is found."""

    _pattern = _NOTHING
    _hit: Hit | None = None

    def begin(self) -> None:
        """Remember the place to search from, and keep the view there from now on."""
        self._origin = self._layout.find(self._viewport.top)[:2] if self._layout.blocks else (0, 0)
        self._viewport.held = True
        self._text = lru_cache(maxsize=50_000)(text_of)
        self._opened: dict[Block, list[Block]] = {}

    def end(self) -> None:
        """Forget the search; what was unfolded for the current match stays so."""
        self._opened.clear()
        self.find("")
        self._text.cache_clear()

    def find(self, query: str) -> None:
        """Look for a query, beginning at the visible part; "" for nothing."""
        self._close_opened()
        words = query[:LONGEST].split()
        # Case matters once a capital is typed.
        flags = re.IGNORECASE if query == query.lower() else re.NOFLAG
        self._pattern = re.compile(r"\s+".join(map(re.escape, words)), flags) if words else _NOTHING
        self._drawn = drawn_pattern(words, flags)
        blocks, start = self._layout.blocks if words else [], self._origin[0]
        self._queue = dict.fromkeys(with_inner([*blocks[start:], *reversed(blocks[:start])]))
        self._hits: dict[Block, list[Hit]] = {}
        self._count, self._hit, self._shown_at = 0, None, 0.0
        self._spans: tuple[list[Strip], Hit | None, list[tuple[int, int, int, Style]]] = [], None, []
        self._steps: Iterator[None] | None = self._walk()
        self._pane.refresh()
        self._go_on(self._steps)

    def update(self, blocks: Iterable[Block]) -> None:
        """Search blocks that are new or have changed, and those folded away under them."""
        if self._pattern is not _NOTHING and self._count <= MOST_HITS:
            self._queue |= dict.fromkeys(with_inner(blocks))
            if self._steps is None:
                self._steps = self._walk()
                self._pane.later(partial(self._go_on, self._steps))

    def _go_on(self, steps: Iterator[None]) -> None:
        """Search some more, and continue after all other waiting work."""
        if steps is not self._steps:
            return  # of another query
        begin = time.perf_counter()
        if any(time.perf_counter() > begin + SLICE for _ in steps):
            self._pane.later(partial(self._go_on, steps))
            if begin < self._shown_at + BETWEEN:
                return  # sorting all matches costs more than a slice
        else:
            self._steps = None
        self._shown_at = begin
        self.next(0)

    def _walk(self) -> Iterator[None]:
        """Search part by part; one costs a millisecond or two at most."""
        while self._queue:
            block = next(iter(self._queue))
            del self._queue[block]
            whole, hits = unfolded(block), list[Hit]()
            if isinstance(whole.body, Document):
                whole.body.split_whole()
            for part in range(whole.head + len(whole.body or ())):
                index = part - whole.head
                body = whole.body if index >= 0 else None
                key = block.version if body is None else body.key(index)
                matches = self._pattern.finditer(self._text(block, part, index, body, key))
                hits += [(block, part, number) for number, _ in enumerate(matches)]
                yield
            self._count += len(hits) - len(self._hits.get(block, ()))
            self._hits[block] = hits
            if self._count > MOST_HITS:
                self._queue.clear()

    def next(self, direction: int) -> None:
        """Go to the next match, further down (1) or up (-1); with 0, only if there is no current one."""
        blocks, searching, hit = self._layout.blocks, self._steps is not None, self._hit
        hits = [one for block in with_inner(blocks) for one in self._hits.get(block, ())]
        if hit not in hits:
            start, part = self._origin
            above = {*with_inner(blocks[:start])}
            below = (one for one in hits if one[0] not in above and (one[1] >= part or one[0].at != start))
            # While some are still to be searched, one below may be found.
            hit = next(below, hits[-1] if hits and not searching else None)
        elif direction:
            hit = hits[(hits.index(hit) + direction) % len(hits)]
        if hit is not None and (direction or hit != self._hit):
            self._go_to(hit)
        self._hit = hit
        place = hits.index(hit) + 1 if hit is not None else 0
        self._pane.found_changed(place, len(hits), more=searching or self._count > MOST_HITS)

    # -- going there ---------------------------------------------------------------------------------------

    def _go_to(self, hit: Hit) -> None:
        self._hit, (block, part, _) = hit, hit
        self._close_opened(block)
        while block.at < 0:
            self._open(next(one for one in self._layout.blocks if block in with_inner([one])))
        in_head = part < unfolded(block).head and self._spans_of(block.at, part)
        if block.folded and block.foldable and not in_head:
            self._open(block)
        self.show()

    def _open(self, block: Block) -> None:
        self._opened[block] = [*with_inner([block])]
        self._pane.fold(block, folded=False)

    def _close_opened(self, shown: Block | None = None) -> None:
        """Fold again the blocks unfolded only to show a match, except one that is, or holds, ``shown``."""
        for block, held in reversed([*self._opened.items()]):  # blocks under an agent before the agent
            if shown not in held:
                del self._opened[block]
                self._pane.fold(block, folded=True)

    def show(self) -> None:
        """Scroll to the current match, if there is one."""
        if self._hit is None or (at := self._hit[0].at) < 0:
            return
        part = min(self._hit[1], self._layout.parts(at) - 1)
        lines = [line for line, _, _, style in self._spans_of(at, part) if style is _CURRENT] or [0]
        self._pane.show(at, part, lines[0], lines[-1] - lines[0] + 1)

    # -- drawing -------------------------------------------------------------------------------------------

    def _spans_of(self, index: int, part: int) -> list[tuple[int, int, int, Style]]:
        """Return the matches in a part as drawn: line, start and end in cells, style."""
        strips, hit = self._layout.strips(index, part), self._hit
        if self._spans[0] is not strips or self._spans[1] is not hit:
            found, current = spans_in(strips, self._drawn), -1
            if hit is not None and found and hit[:2] == (self._layout.blocks[index], part):
                current = min(hit[2], found[-1].number)
            styled = [(*span[:3], _CURRENT if span.number == current else _MATCH) for span in found]
            self._spans = strips, hit, styled
        return self._spans[2]

    def drawn(self, strip: Strip, index: int, part: int, offset: int) -> Strip:
        """Return a line of a part with its matches marked."""
        if self._pattern is _NOTHING:
            return strip
        return painted(strip, [span[1:] for span in self._spans_of(index, part) if span[0] == offset])
