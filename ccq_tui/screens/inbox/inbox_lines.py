"""What the inbox screen draws, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from functools import partial

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from rich.text import Text

from ccq_tui.inbox import PlanRequest, Request
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.screens.inbox.inbox_list import InboxList, InboxRow, SessionPlace
from ccq_tui.text import one_line, safe
from ccq_tui.widgets.decision.details import flow_lines
from ccq_tui.widgets.hints import Hints
from ccq_tui.widgets.lines import DrawnLine, LateLine, flowing, wrapped
from ccq_tui.widgets.palette import Palette

SIGNS = {
    SessionPlace.HERE: "◆",
    SessionPlace.OTHER: "◆",
    SessionPlace.RESTS: "◇",
    SessionPlace.GONE: "✖",
    SessionPlace.ASKER: "◆",
}
WORDS = {
    SessionPlace.HERE: "open here",
    SessionPlace.OTHER: "runs in another ccq-tui",
    SessionPlace.RESTS: "no process · your answer starts it",
    SessionPlace.ASKER: "asked by no session · who asked takes your answer",
    SessionPlace.GONE: "it is deleted, or its directory is gone · c copies question and answer",
}
AGE_WIDTH = 5
LONGEST = 20_000
"""Characters of one text that are shown."""
ANSWER, GO = ("→", "answer here"), ("Enter", "go to session")
DECLINE, COPY, PARK = ("Ctrl+D", "decline"), ("c", "copy"), ("p", "park")
LIST: Hints = (("letters", "find"), ("g", "group"))


def age(asked: datetime, now: datetime) -> str:
    """Return how long ago that was, in one unit: 12s, 3m, 2h, 5d."""
    seconds = max(0, int((now - asked).total_seconds()))
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "m")):
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def list_lines(state: InboxList, now: datetime, width: int, palette: Palette) -> list[DrawnLine]:
    """Return a line for each row shown, and one for each group.

    Args:
        state: The list.
        now: The time, for the ages.
        width: Cells.
        palette: The styles.
    """
    shown = state.shown
    if not shown:
        words = (
            "Nothing fits · Esc clears it"
            if state.filter
            else "Nothing waits for you · questions of all sessions come here"
        )
        return [DrawnLine(Text(f"   {words}", palette.muted))]
    column = min(max(cell_len(row.session) for row in shown), max(8, width // 4))
    lines: list[DrawnLine] = []
    group = None
    for at, row in enumerate(shown):
        if state.grouped and row.session_id != group:
            group = row.session_id
            lines.append(
                DrawnLine(Text(f" {set_cell_size(row.session, width - 2).rstrip()}", palette.strong))
            )
        lines.append(_row_line(row, at, 0 if state.grouped else column, now, width, palette))
    return lines


def _row_line(row: InboxRow, at: int, column: int, now: datetime, width: int, palette: Palette) -> DrawnLine:
    return LateLine(at, partial(_row_text, row, column, now, width, palette))


def _row_text(
    row: InboxRow, column: int, now: datetime, width: int, palette: Palette, at_cursor: bool
) -> Text:
    sign = palette.warning if row.place is SessionPlace.GONE else palette.accent
    name = ""
    if column:
        short = cell_len(row.session) > column
        name = (
            set_cell_size(row.session, column - 1) + "…" if short else set_cell_size(row.session, column)
        ) + " "
    asked = age(row.stored.asked_at, now).rjust(AGE_WIDTH - 1) + "  "
    question = Text(row.question, palette.plain)
    question.truncate(max(8, width - 6 - cell_len(name) - cell_len(asked)), overflow="ellipsis")
    rest = ((SIGNS[row.place] + " ", sign), (name, palette.strong), (asked, palette.muted), question)
    return Text.assemble((" ❯ ", palette.accent) if at_cursor else "   ", *rest)


def about(
    row: InboxRow, now: datetime, width: int, palette: Palette, *, asked: bool = True
) -> Iterator[Text]:
    """Return what is known of a request: its session, what the agent wrote before it, and what is asked.

    Args:
        row: The request.
        now: The time, for the age.
        width: Cells.
        palette: The styles.
        asked: Whether the question is part of it.
    """
    width = max(8, width - 5)
    alarm = palette.warning if row.place is SessionPlace.GONE else palette.muted
    for line in wrapped(
        Text(f"{row.session} · {one_line(row.directory, 300)}".rstrip(" ·"), palette.strong), width
    ):
        yield Text.assemble("   ", line)
    told = f"asked {age(row.stored.asked_at, now)} ago · {WORDS[row.place]}"
    for line in wrapped(Text(told, alarm), width):
        yield Text.assemble("   ", line)
    if row.stored.context.strip():
        yield from _block(row.stored.context.strip(), palette.muted, width, "   ┃ ")
    if asked:
        yield from _asked(row.stored.request, width, palette)


def plan_lines(request: PlanRequest, width: int, palette: Palette) -> Iterator[Text]:
    """Yield all of a plan that is decided on.

    Args:
        request: The plan.
        width: Cells.
        palette: The styles.
    """
    for line in flow_lines(request.plan.rstrip(), palette.plain, max(8, width - 5)):
        yield Text.assemble("   ", line)


def _asked(request: Request, width: int, palette: Palette) -> Iterator[Text]:
    for passage in kind_of(request).passages(request):
        style = palette.strong if passage.is_head else palette.plain
        yield from _block(passage.text, style, width, "     " if passage.is_row else "   ")


def _block(text: str, style: Style, width: int, lead: str) -> Iterator[Text]:
    for line in flowing(safe(text, limit=LONGEST), style, width - len(lead) + 3):
        yield Text.assemble((lead, style), line)


def copied(row: InboxRow, draft: str) -> str:
    """Return a request and what was answered so far as plain text, to put on the clipboard."""
    request = row.stored.request
    asked = kind_of(request).copied(request)
    return f"{asked}\n\n{draft}".strip() + "\n"


def key_hints(state: InboxList, way_back: str, *, finds: bool, declining: bool) -> Hints:
    """Return the keys that apply, the most useful first.

    Args:
        state: The list.
        way_back: Where Esc leads.
        finds: Whether letters are what to find.
        declining: Whether it is asked whether to decline a request.
    """
    row = state.under
    if declining:
        return (DECLINE, ("Esc", "keep it"))
    if finds:
        return (*((ANSWER, GO) if row else ()), ("Esc", "clear"), ("↑ ↓", "move"))
    back = ("Esc", way_back)
    if row is None:
        return (back,)
    match row.place:
        case SessionPlace.GONE:
            return (COPY, DECLINE, back, *LIST)
        case SessionPlace.ASKER:
            return (ANSWER, back, DECLINE, *LIST, COPY)
        case SessionPlace.OTHER:
            return (ANSWER, back, DECLINE, *LIST, PARK, COPY)
        case SessionPlace.HERE:
            return (ANSWER, GO, back, DECLINE, *LIST, PARK, COPY)
        case SessionPlace.RESTS:
            return (ANSWER, GO, back, DECLINE, *LIST, COPY)
