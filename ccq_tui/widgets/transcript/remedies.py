"""What went wrong, and what a person can do about it."""

from __future__ import annotations

from rich.style import Style
from rich.text import Text

from ccq_tui.agent.problems import advice
from ccq_tui.text import one_line, safe
from ccq_tui.widgets.transcript import blocks as bl
from ccq_tui.widgets.transcript.heads import ERROR_LIMIT
from ccq_tui.widgets.transcript.pen import Pen


def error(pen: Pen, block: bl.ErrorBlock, width: int) -> list[Text]:
    """Draw an error: its cause, what more is known, its remedy, and the key for it while it works.

    Args:
        pen: Colours and wrapping.
        block: The error.
        width: Columns there are.
    """
    palette = pen.palette
    known = advice(block.kind)
    title = Text(known.cause if known else _words(block.kind), palette["error"] + Style(bold=True))
    if block.times > 1:
        title.append(f" · {block.times} times", palette["muted"])
    lines = pen.hang(Text("✘ ", palette["error"]), title, width)
    if text := safe(block.text.strip(), limit=ERROR_LIMIT):
        lines += pen.hang(Text("  "), Text(text), width)
    if known:
        lines += pen.hang(Text("  → ", palette["accent"]), Text(known.remedy), width)
    if block.offer:
        lines += pen.hang(Text("  "), Text(one_line(block.offer, 100), palette["accent"]), width)
    return lines


def _words(kind: str) -> str:
    words = one_line(kind.replace("_", " "), 60) or "error"
    return words[:1].upper() + words[1:]
