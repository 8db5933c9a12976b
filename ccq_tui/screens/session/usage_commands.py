"""/context and /cost: what fills the context, and what the session cost."""

from __future__ import annotations

from ccq_tui.agent import controls
from ccq_tui.agent.controls import ContextDetails, ContextPart
from ccq_tui.agent.events import TurnEnded
from ccq_tui.screens.session.commands import CommandGroup, CommandRunner
from ccq_tui.screens.session.view import duration
from ccq_tui.supervisor.events import SessionEvent
from ccq_tui.text import one_line

SHADES = "█▓▒░▞▚◧◨"
"""One sign for each category, so that the bar can be read without colours."""
FREE = "·"
BUFFER = "╌"
NAME_LENGTH = 32
BAR = 50
"""Cells of the bar; with what comes before it, it fits a narrow terminal."""


class UsageCommands(CommandGroup):
    """Shows what fills the context and what the session cost."""

    def __init__(self, runner: CommandRunner) -> None:
        super().__init__(runner)
        self._turns = 0
        self._seconds = 0.0

    def take(self, event: SessionEvent) -> None:
        """Count the turns and their time."""
        if isinstance(event, TurnEnded):
            self._turns += 1
            self._seconds += event.worked

    async def context(self) -> None:
        """Show what fills the context."""
        self._runner.tell(context_text(await self._runner.ask(controls.context_details())))

    async def cost(self) -> None:
        """Show cost, tokens and time."""
        turns = f"{self._turns} turn{'' if self._turns == 1 else 's'} ended in this terminal"
        said = (await self._runner.ask(controls.session_cost())).strip()
        self._runner.tell(f"{turns}, {duration(int(self._seconds))} of work\n{said}".rstrip())


def context_text(details: ContextDetails) -> str:
    """Return what fills the context: a bar, and its categories with their tokens."""
    limit = max(details.limit, 1)
    used = [part for part in details.parts if part.kind == "used" and part.tokens]
    buffer = [part for part in details.parts if part.kind == "buffer" and part.tokens]
    free = max(0, limit - details.tokens - sum(part.tokens for part in buffer))
    head = f"Context: {details.tokens:,} of {details.limit:,} tokens ({_share(details.tokens, limit)})"
    signs = [(SHADES[index % len(SHADES)], part) for index, part in enumerate(used)]
    signs += [(BUFFER, part) for part in buffer]
    rows = [*signs, (FREE, ContextPart("Free", free, "free"))]
    lines = [f"{head} · {one_line(details.model, NAME_LENGTH)}" if details.model else head]
    lines.append(_bar(signs, limit))
    lines.extend(_row(sign, part, limit) for sign, part in rows)
    later = [part for part in details.parts if part.kind == "deferred" and part.tokens]
    lines.extend(_row(" ", part, limit) + " · when needed" for part in later)
    return "\n".join(lines)


def _bar(signs: list[tuple[str, ContextPart]], limit: int) -> str:
    """Draw each category as long as its share, but at least one cell."""
    bar = "".join(sign * min(BAR, max(1, round(part.tokens * BAR / limit))) for sign, part in signs)
    return bar[:BAR].ljust(BAR, FREE)


def _row(sign: str, part: ContextPart, limit: int) -> str:
    name = one_line(part.name, NAME_LENGTH)
    return f"{sign} {name:<{NAME_LENGTH - 6}} {part.tokens:>10,} {_share(part.tokens, limit):>6}"


def _share(tokens: int, limit: int) -> str:
    percent = 100 * tokens / limit
    return f"{percent:.0f}%" if percent >= 10 or not tokens else f"{percent:.1f}%"
