"""What the context holds and what the session cost, as lines of text for a card."""

from __future__ import annotations

from ccq_tui.agent.controls import ContextDetails, ContextPart
from ccq_tui.text import one_line

SHADES = "█▓▒░▞▚◧◨"
"""One for each category: the bar can be read without colours."""
FREE = "·"
BUFFER = "╌"
NAME_LENGTH = 32
BAR = 50
"""Cells of the bar; with what stands before it, it fits a narrow terminal."""


def context_text(details: ContextDetails, cells: int = BAR) -> str:
    """Return what fills the context: a bar, and its categories with their tokens.

    Args:
        details: What the CLI said.
        cells: The length of the bar.
    """
    limit = max(details.limit, 1)
    used = [part for part in details.parts if part.kind == "used" and part.tokens]
    buffer = [part for part in details.parts if part.kind == "buffer" and part.tokens]
    free = max(0, limit - details.tokens - sum(part.tokens for part in buffer))
    head = f"Context: {details.tokens:,} of {details.limit:,} tokens ({_share(details.tokens, limit)})"
    signs = [(SHADES[index % len(SHADES)], part) for index, part in enumerate(used)]
    signs += [(BUFFER, part) for part in buffer]
    rows = [*signs, (FREE, ContextPart("Free", free, "free"))]
    lines = [f"{head} · {one_line(details.model, NAME_LENGTH)}" if details.model else head]
    lines.append(_bar(signs, limit, cells))
    lines.extend(_row(sign, part, limit) for sign, part in rows)
    later = [part for part in details.parts if part.kind == "deferred" and part.tokens]
    lines.extend(_row(" ", part, limit) + " · when needed" for part in later)
    return "\n".join(lines)


def _bar(signs: list[tuple[str, ContextPart]], limit: int, cells: int) -> str:
    """Draw each category as long as its share, but at least one cell."""
    bar = "".join(sign * min(cells, max(1, round(part.tokens * cells / limit))) for sign, part in signs)
    return bar[:cells].ljust(cells, FREE)


def _row(sign: str, part: ContextPart, limit: int) -> str:
    name = one_line(part.name, NAME_LENGTH)
    return f"{sign} {name:<{NAME_LENGTH - 6}} {part.tokens:>10,} {_share(part.tokens, limit):>6}"


def _share(tokens: int, limit: int) -> str:
    percent = 100 * tokens / limit
    return f"{percent:.0f}%" if percent >= 10 or not tokens else f"{percent:.1f}%"
