"""The search in a transcript: marks matches, and moves from one to the next."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from rich.style import Style
from textual.strip import Strip

from ccq_tui.transcript.blocks import Block, ToolBlock, with_inner
from ccq_tui.transcript.order import BlockChange
from ccq_tui.widgets.transcript.highlights import MatchSpan, drawn_pattern, painted, spans_in
from ccq_tui.widgets.transcript.search_index import Finder, Hit, unfolded
from ccq_tui.widgets.transcript.viewport import Pane, Viewport

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

    def follow(self, change: BlockChange) -> None:
        """Follow a change of the blocks."""
        if change.moved_from is not None:
            self._finder.moved()
        self.look_again(self._layout.blocks[index] for index in change.changed)

    def look_again(self, blocks: Iterable[Block]) -> None:
        """Search blocks again whose text has changed, such as one that was split only now."""
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
            if shown is not None and (block is shown or self._holds(block, shown)):
                kept.append(block)
            elif block.at >= 0:
                self._pane.fold(block, folded=True)
        self._opened = tuple(reversed(kept))

    def _holds(self, owner: Block, block: Block) -> bool:
        """Return whether a block is under another one."""
        between = self._layout.blocks[owner.at + 1 : block.at + 1] if owner.at >= 0 else []
        return bool(between) and all(one.depth > owner.depth for one in between)

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
