"""What a click in the transcript points at: the link or the path that is drawn there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from textual.strip import Strip

from ccq_tui.widgets.transcript.blocks import Block
from ccq_tui.widgets.transcript.contents import in_text, targets_in
from ccq_tui.widgets.transcript.markdown import is_safe_url
from ccq_tui.widgets.transcript.overlay import drawn_pattern, spans_in

_AS_WRITTEN = re.compile("")


def targets_at(block: Block, strips: Sequence[Strip], line: int, cell: int) -> list[str]:
    """Return what is pointed at, the likeliest first; for a thread, since a block may name many targets.

    Whether a path exists is for the caller to find out.

    Args:
        block: The block that was clicked.
        strips: The lines of the part that was clicked, as they were drawn.
        line: Which of them.
        cell: The cell in that line.

    Returns:
        Links and what may be paths; a path that the block names in full after the shorter one that is drawn.
    """
    if not 0 <= line < len(strips):
        return []
    named = targets_in(block)
    links = list(_links(strips[line], cell))
    drawn = dict.fromkeys([*named, *in_text(strips[line].text)])
    hit = sorted((target for target in drawn if _covers(target, strips, line, cell)), key=len, reverse=True)
    whole = [target for target in named if hit and target.endswith(f"/{hit[0]}")]
    return list(dict.fromkeys([*links, *hit[:1], *whole, *hit[1:]]))


def _covers(target: str, strips: Sequence[Strip], line: int, cell: int) -> bool:
    spans = spans_in(strips, drawn_pattern(_AS_WRITTEN, [target])).get(line, ())
    return any(span.start <= cell < span.end for span in spans)


def _links(strip: Strip, cell: int) -> Iterator[str]:
    """Yield the link that is drawn in a cell, whose words may be others than its address."""
    for segment in strip.crop(cell, cell + 1):
        link = segment.style.link if segment.style is not None else None
        if link and is_safe_url(link):
            yield link
