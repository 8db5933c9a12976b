"""The transcript as plain text, for tests and for files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.style import Style

from ccq_tui.text import safe
from ccq_tui.widgets.transcript import blocks as bl
from ccq_tui.widgets.transcript.painter import Painter
from ccq_tui.widgets.transcript.palette import Palette
from ccq_tui.widgets.transcript.pen import Counters, Pen

WIDTH = 10_000
"""Wide enough that nothing is wrapped or cut."""


def plain_text(blocks: Iterable[bl.Block]) -> str:
    """Write blocks as plain text: Markdown as its source, all else as it is drawn, nothing folded away.

    Args:
        blocks: The blocks, in order.
    """
    painter = Painter(Pen(Palette(Style.null(), lambda _name: Style.null()), Counters()))
    return "\n\n".join("\n".join(_lines(painter, block)) for block in with_inner(blocks))


def with_inner(blocks: Iterable[bl.Block]) -> Iterator[bl.Block]:
    """Return blocks with those that are folded away under them, in the order in which they happened."""
    for block in blocks:
        yield block
        if isinstance(block, bl.ToolBlock):
            yield from with_inner(block.inner)


def _lines(painter: Painter, block: bl.Block) -> Iterator[str]:
    indent = "  " * block.depth
    if isinstance(block, bl.PromptBlock):
        yield from (f"{indent}❯ {safe(block.text)}{'  queued' if block.queued else ''}",)
        return
    if block.head:
        width = WIDTH if not isinstance(block, bl.RuleBlock) else 60
        for strip in painter.draw(block, 0, 0, width):
            yield strip.text.rstrip()
    if isinstance(block, bl.ProseBlock | bl.ThinkingBlock | bl.PlanBlock):
        text = safe(block.document.text.strip("\n"))
    elif isinstance(block, bl.ToolBlock):
        text = safe(block.output.rstrip())
    else:
        return
    yield from (f"{indent}{line}" for line in text.split("\n"))
