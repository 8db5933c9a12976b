"""The part of the transcript that is searched."""

from __future__ import annotations

import re
import time

from rich.style import Style
from textual.message import Message
from textual.strip import Strip

from ccq_tui.widgets.lifetime import after
from ccq_tui.widgets.transcript.blocks import Block, ToolBlock
from ccq_tui.widgets.transcript.export import with_inner
from ccq_tui.widgets.transcript.marking import Marking
from ccq_tui.widgets.transcript.order import Change
from ccq_tui.widgets.transcript.overlay import Span, drawn_pattern, painted, spans_in
from ccq_tui.widgets.transcript.search import Finder, Hit
from ccq_tui.widgets.transcript.texts import unfolded

SLICE = 0.006
"""Seconds of searching in one go."""
BETWEEN = 0.1
"""Seconds between two counts that are shown while the search goes on."""
_MATCH = Style(bold=True, underline=True)
_CURRENT = Style(bold=True, reverse=True)
MOST_SPANS = 300
"""Parts whose matches are kept; more than any screen shows."""


class Finding(Marking):
    """Looks for text, shows where it stands, and goes from one place to the next."""

    class FoundChanged(Message, namespace="transcript"):
        """More was found, or another place is looked at.

        Attributes:
            place: Which one is looked at, from 1; 0 for none.
            count: How many there are.
            more: Whether there may be more.
        """

        def __init__(self, place: int, count: int, *, more: bool) -> None:
            super().__init__()
            self.place = place
            self.count = count
            self.more = more

    _finder: Finder | None = None
    _drawn: re.Pattern[str] | None = None
    _hit: Hit | None = None
    _opened: tuple[Block, ...] = ()
    _origin = (0, 0)
    _searching = False
    _told_at = 0.0
    _spans: dict[tuple[Block, int], tuple[list[Strip], dict[int, list[Span]]]]

    def begin_search(self) -> None:
        """Remember the place from which is searched, and keep it from now on."""
        self.leave_mark()
        self._spans = {}
        self._finder = Finder(self.model.blocks)
        self._origin = self._layout.find(self._viewport.top)[:2] if self.model.blocks else (0, 0)
        self._viewport.held = True

    def search(self, query: str) -> None:
        """Look for a query, beginning at what is seen; "" for nothing.

        Args:
            query: What to find.
        """
        if self._finder is None:
            return
        self._close_opened()
        self._hit = None
        self._spans.clear()
        self._told_at = 0.0
        self._finder.look_for(query, self._origin[0])
        pattern = self._finder.pattern
        self._drawn = drawn_pattern(pattern, query.split()) if pattern is not None else None
        self.refresh()
        self._search_on()

    def search_next(self, direction: int) -> None:
        """Go to the next place.

        Args:
            direction: 1 for further down, -1 for further up.
        """
        if self._finder is None:
            return
        if self._hit is None:
            hit = self._finder.nearest(*self._origin)
        else:
            hit = self._finder.after(self._hit, direction)
        if hit is not None:
            self._go_to(hit)
        self._tell_found()

    def end_search(self) -> None:
        """Forget the search, and stay at the place."""
        if self._finder is None:
            return
        self._finder = self._drawn = self._hit = None
        self._opened = ()
        self._spans.clear()
        self._viewport.held = self.mark is not None
        self._update()
        self.refresh()

    # -- searching, in slices ------------------------------------------------------------------------------

    def _search_on(self) -> None:
        """Look at some more, and go on after everything else that waits."""
        self._searching = False
        finder = self._finder
        if finder is None:
            return
        begin = time.perf_counter()
        while finder.step():
            if time.perf_counter() > begin + SLICE:
                self._search_soon()
                break
        if finder.busy and begin - self._told_at < BETWEEN:
            return  # putting all that was found in order costs more than a slice
        self._told_at = begin
        if self._hit is not None and not finder.place(self._hit):
            self._hit = None
        if self._hit is None and (hit := finder.nearest(*self._origin)) is not None:
            self._go_to(hit)
        self._tell_found()

    def _search_soon(self) -> None:
        if not self._searching:
            self._searching = True
            after(self, 0.001, self._search_on)

    def _follow(self, change: Change) -> None:
        super()._follow(change)
        finder = self._finder
        if finder is None or finder.pattern is None:
            return
        if change.moved_from is not None:
            finder.moved()
        finder.look_again(self.model.blocks[index] for index in change.changed)
        self._search_soon()

    def _split(self, until: float) -> bool:
        """Look again at text that was split only now."""
        searched = self._finder is not None and self._finder.pattern is not None
        grown = list(self._unsettled.values()) if searched else []
        more = super()._split(until)
        if self._finder is not None and grown:
            self._finder.look_again(block for block in grown if block.at >= 0)
            self._search_soon()
        return more

    def _tell_found(self) -> None:
        finder = self._finder
        if finder is not None:
            place = finder.place(self._hit) if self._hit is not None else 0
            self.post_message(self.FoundChanged(place, finder.count, more=finder.busy or finder.full))

    # -- going there ---------------------------------------------------------------------------------------

    def _go_to(self, hit: Hit) -> None:
        self._hit = hit
        self._close_opened(hit.block)
        self._bring_out(hit.block)
        if hit.block.at < 0:
            return
        if hit.block.folded and self._is_hidden(hit):
            self._open(hit.block)
        self._show_hit()

    def _bring_out(self, block: Block) -> None:
        """Unfold what the block is folded away under."""
        while block.at < 0:
            owners = (owner for owner in self.model.blocks if isinstance(owner, ToolBlock) and owner.inner)
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
        """Return the first line of a hit in its part, and how many it takes; None when it is not drawn."""
        index = hit.block.at
        if hit.part >= self._layout.parts(index):
            return None
        spans = self._spans_of(index, hit.part)
        last = max((span.number for line in spans.values() for span in line), default=-1)
        number = min(hit.number, last)
        lines = [line for line, found in spans.items() if any(span.number == number for span in found)]
        return (min(lines), max(lines) - min(lines) + 1) if lines else None

    def _show_hit(self) -> None:
        hit = self._hit
        if hit is None or hit.block.at < 0:
            return
        part = min(hit.part, self._layout.parts(hit.block.at) - 1)
        line, count = self._lines_of(hit) or (0, 1)
        self.show(hit.block.at, part, line, count)

    def _keep_shown(self) -> None:
        super()._keep_shown()
        self._show_hit()

    def _open(self, block: Block) -> None:
        self.fold(block, folded=False)
        self._opened = (*self._opened, block)

    def _close_opened(self, shown: Block | None = None) -> None:
        """Fold again what was unfolded only to show a place in it.

        Args:
            shown: The block to be shown next: what it is, or stands under, stays.
        """
        kept = []
        for block in reversed(self._opened):  # what stands under an agent before the agent
            if shown is not None and (block is shown or self._holds(block, shown)):
                kept.append(block)
            elif block.at >= 0:
                self.fold(block, folded=True)
        self._opened = tuple(reversed(kept))

    def _holds(self, owner: Block, block: Block) -> bool:
        """Tell whether a block stands under another one."""
        between = self.model.blocks[owner.at + 1 : block.at + 1] if owner.at >= 0 else []
        return bool(between) and all(one.depth > owner.depth for one in between)

    # -- drawing -------------------------------------------------------------------------------------------

    def _spans_of(self, index: int, part: int) -> dict[int, list[Span]]:
        strips = self._layout.strips(index, part)
        key = (self._model.blocks[index], part)
        known = self._spans.get(key)
        if known is None or known[0] is not strips:
            if len(self._spans) > MOST_SPANS:
                self._spans.clear()
            known = (strips, spans_in(strips, self._drawn) if self._drawn is not None else {})
            self._spans[key] = known
        return known[1]

    def dressed(self, strip: Strip, index: int, part: int, offset: int) -> Strip:
        """Return a line with the matches in it marked."""
        strip = super().dressed(strip, index, part, offset)
        if self._drawn is None:
            return strip
        spans = self._spans_of(index, part)
        found = spans.get(offset)
        if not found:
            return strip
        hit, current = self._hit, -1
        if hit is not None and hit.block is self._model.blocks[index] and hit.part == part:
            current = min(hit.number, max(span.number for line in spans.values() for span in line))
        return painted(
            strip,
            [(span.start, span.end, _CURRENT if span.number == current else _MATCH) for span in found],
        )
