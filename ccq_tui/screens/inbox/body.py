"""What the inbox screen shows: its rows, the details of a request, refusals, and the keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import partial

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from ccq_tui.answering.document import PassageKind
from ccq_tui.config.keymap import key_of, keymap
from ccq_tui.inbox import document
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.requests import PlanRequest
from ccq_tui.input.keys import Hints, KeyPlace, key_line
from ccq_tui.screens.inbox.inbox_list import InboxList, InboxRow, SessionPlace
from ccq_tui.text import one_line, safe
from ccq_tui.widgets.decision.details import flow_lines
from ccq_tui.widgets.lines import DrawnLine, flowing, wrapped
from ccq_tui.widgets.palette import Palette
from ccq_tui.words import in_one_unit, plural

SIGNS = {SessionPlace.RESTS: "◇", SessionPlace.THERE: "◇", SessionPlace.GONE: "✖"}
"""Signs of places, where it is not ◆."""
WORDS = {
    SessionPlace.RESTS: f"{SessionPlace.RESTS.value} · your answer starts it",
    SessionPlace.ASKER: "asked by another program · it takes your answer",
    SessionPlace.GONE: f"{SessionPlace.GONE.value} · c copies question and answer",
}
"""Words for the place of a request's session, where they are not those of the place."""
AGE_WIDTH = 5
LONGEST = 20_000
"""Most characters shown of one text."""


def age(asked: datetime, now: datetime) -> str:
    """Return the age of a request in one unit."""
    return in_one_unit(max(0.0, (now - asked).total_seconds()))


def title_line(state: InboxList, undelivered: int, palette: Palette) -> Text:
    """Return the title, with the number of what waits and of what was not delivered."""
    count = len(state.rows)
    wait = f"{count} wait{'s' if count == 1 else ''} for you" if count else ""
    words = f"{len(state.shown)} of {count}" if state.filter else wait
    title = Text.assemble((" ◆ Inbox", palette.accent), (f" · {words}" if words else "", palette.muted))
    if undelivered:
        title.append(
            f" · {plural(undelivered, 'answer')} not delivered ({key_of('overview')})", palette.warning
        )
    return title


def list_lines(state: InboxList, now: datetime, width: int, palette: Palette) -> list[DrawnLine]:
    """Return a line for each row shown, and one for each group."""
    shown = state.shown
    if not shown:
        words = (
            "No match · Esc clears the filter"
            if state.filter
            else "Nothing waits for you · questions from all sessions appear here"
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
        late = partial(_row_text, row, 0 if state.grouped else column, now, width, palette)
        lines.append(DrawnLine(Text(), at, late=late))
    return lines


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
    rest = ((SIGNS.get(row.place, "◆") + " ", sign), (name, palette.strong), (asked, palette.muted), question)
    return Text.assemble((" ❯ ", palette.accent) if at_cursor else "   ", *rest)


def about(
    row: InboxRow, now: datetime, width: int, palette: Palette, *, asked: bool = True
) -> Iterator[Text]:
    """Yield the details of a request: its session, what the agent wrote before it, and what it asks."""
    width = max(8, width - 5)
    alarm = palette.warning if row.place is SessionPlace.GONE else palette.muted
    for line in wrapped(
        Text(f"{row.session} · {one_line(row.directory, 300)}".rstrip(" ·"), palette.strong), width
    ):
        yield Text.assemble("   ", line)
    told = f"asked {age(row.stored.asked_at, now)} ago · {WORDS.get(row.place, row.place.value)}"
    for line in wrapped(Text(told, alarm), width):
        yield Text.assemble("   ", line)
    if row.stored.context.strip():
        for text in flowing(safe(row.stored.context.strip(), limit=LONGEST), palette.muted, width - 2):
            yield Text.assemble(("   ┃ ", palette.muted), text)
    if asked:
        request = row.stored.request
        for part, row_text in document.drawn(kind_of(request).document(request, None), width):
            yield Text(
                f"   {row_text}".rstrip(), palette.strong if part is PassageKind.HEAD else palette.plain
            )


def plan_lines(request: PlanRequest, width: int, palette: Palette) -> Iterator[Text]:
    """Yield the lines of a whole plan."""
    for line in flow_lines(request.plan.rstrip(), palette.plain, max(8, width - 5)):
        yield Text.assemble("   ", line)


def copied(row: InboxRow, draft: str) -> str:
    """Return a request and its draft as plain text, for the clipboard."""
    request = row.stored.request
    return "\n".join([*document.lines(kind_of(request).document(request, None)), "", draft]).strip() + "\n"


REFUSALS = {
    (SessionPlace.GONE, "answer"): "Its session is gone, so nothing can be delivered · {without}",
    (SessionPlace.GONE, "go_to"): "Its session is gone and cannot be opened · {without}",
    (SessionPlace.OTHER, "go_to"): "It runs in another ccq-tui · → answers it here",
    (SessionPlace.ASKER, "go_to"): "It belongs to no session · → answers it here",
    (SessionPlace.ASKER, "park"): "It belongs to no session, so nothing can be parked · → answers it here",
}


def refusal(row: InboxRow, action: str, decline_key: str) -> str:
    """Say why an action ("answer", "go_to", "decline" or "park") cannot be done with a request, or ""."""
    if row.place is SessionPlace.THERE:
        where = one_line(row.directory, 300)
        return f"Answer it there: it waits in Claude Code's own screen, in {where} · docs/bridges.md"
    words = REFUSALS.get((row.place, action), "")
    return words.format(without=f"c copies it · {decline_key} declines it")


APPLIES: Mapping[SessionPlace, tuple[str, ...]] = {
    SessionPlace.GONE: ("copy", "decline"),
    SessionPlace.THERE: ("copy",),
    SessionPlace.ASKER: ("answer", "decline", "copy"),
    SessionPlace.OTHER: ("answer", "decline", "park", "copy"),
    SessionPlace.HERE: ("answer", "go", "decline", "park", "copy"),
    SessionPlace.RESTS: ("answer", "go", "decline", "copy"),
}
"""What can be done with a request by the place of its session."""


def key_hints(state: InboxList, way_back: str, *, finds: bool, declining: bool) -> Hints:
    """Return the keys that apply."""
    if declining:
        return ((key_of("decline"), "decline"), ("Esc", "keep it"))
    applies = APPLIES[state.under.place] if state.under is not None else ()
    words = {"moving", *({"answer"} & {*applies})} if finds else {*applies, *(["rows"] if state.rows else [])}
    enter, leave = "go to session" if "go" in applies else "", "clear" if finds else way_back
    return key_line(KeyPlace.INBOX, frozenset(words), chosen=keymap().keys, enter=enter, leave=leave)
