"""What the list of sessions shows: its head, its rows, the facts of one, and what is out of sight."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rich.cells import cell_len
from rich.segment import Segment
from rich.text import Text
from textual.strip import Strip

from ccq_tui import signs
from ccq_tui.agent.events import SessionState
from ccq_tui.config.keymap import with_keys
from ccq_tui.inbox.place import Place
from ccq_tui.runtime.view import short_path, sign_and_word
from ccq_tui.screens.sessions.model import (
    NEW_ROW,
    Listed,
    ListHeading,
    NewField,
    NewRow,
    RequestRow,
    SessionList,
    SessionRow,
    age,
)
from ccq_tui.text import masked, one_line, safe
from ccq_tui.widgets.hints import cut
from ccq_tui.widgets.lines import DrawnLine, LineView, wrapped
from ccq_tui.widgets.palette import Palette, palette_of
from ccq_tui.words import in_one_unit, plural

TEXT_AT = 8
"""Cell at which the text of a row begins."""
WORDS_FROM, COST_FROM = 64, 100
"""Widths of the list in cells from which a session's row has more than its name, and its cost."""
FIELD_AT = 19
"""Cell at which the text of a field begins."""
BLANK = Text()
MISSING = "gone: {decline} removes it, c copies"


@dataclass(frozen=True, slots=True)
class ListProps:
    """The circumstances in which the list is drawn.

    Attributes:
        width: Its cells.
        height: Its lines.
        now: Returns the seconds since 1970.
        palette: Its styles.
        directory: The directory whose earlier sessions are listed, or "".
        branch: The branch of that, or "".
        away: Whether a panel has the keys.
        fields: The fields of the row for a new session while it is open.
        begun: The prompt that is typed there while it is closed, or "".
        title: The text that replaces the name of the session under the cursor, or "".
        advice: What an almost empty list says.
        finds: Whether letters find, and are no keys.
    """

    width: int
    height: int
    now: Callable[[], float]
    palette: Palette
    directory: str = ""
    branch: str = ""
    away: bool = False
    fields: tuple[NewField, ...] = ()
    begun: str = ""
    title: str = ""
    advice: tuple[str, ...] = ()
    finds: bool = False


def head_line(parts: Sequence[str], right: str, width: int) -> str:
    """Return a rule with words in it; without room the right end goes first, then the last words."""
    parts = list(parts)
    while len(parts) > 1 and cell_len(" ─ ".join(parts)) + (cell_len(right) + 6 if right else 3) > width:
        if right and cell_len(" ─ ".join(parts)) + 3 <= width:
            right = ""
        else:
            parts.pop()
    left, end = f"─ {' ─ '.join(parts)} ", f" {right} ─" if right else ""
    return cut(left + "─" * (width - cell_len(left) - cell_len(end)) + end, width)


def head_parts(state: SessionList, *, here: bool, finding: bool) -> list[str]:
    """Return the words of the head: how much waits, and how many sessions there are."""
    found = list(state.sessions)
    if state.filter.strip():
        return ["Sessions", f"{sum(isinstance(row, SessionRow) for row in state.shown)} of {len(found)}"]
    waits = sum(max(len(row.requests), row.heading is ListHeading.NEEDS) for row in found)
    count = sum(row.ours and row.heading is not ListHeading.EARLIER for row in found) if here else 0
    words = f"{waits:,} wait{'s' if waits == 1 else ''}" if waits else "" if finding else "nothing waits"
    return [part for part in ("Sessions", words, plural(count, "session") if count else "") if part]


# -- rows ---------------------------------------------------------------------------------------------------


def list_lines(state: SessionList, props: ListProps) -> list[DrawnLine]:
    """Return the lines of the rows shown, with blank ones between groups where all have room with them."""
    palette, lines, gaps = props.palette, list[DrawnLine](), list[int]()
    sizes = Counter(row.heading for row in state.shown if isinstance(row, SessionRow))
    longest = max((cell_len(row.session) for row in state.shown if isinstance(row, SessionRow)), default=0)
    column = min(longest, 2 * props.width // 5)
    heading = None
    for at, row in enumerate(state.shown):
        if not isinstance(row, RequestRow) and row.heading is not heading:
            heading = row.heading
            gaps += [len(lines)] if lines else []
            if heading.words:
                count = (f"  {sizes[heading]}", palette.muted)
                lines.append(DrawnLine(Text.assemble((f" {heading.words}", palette.strong), count)))
        lines.append(DrawnLine(BLANK, at, late=partial(row_text, row, column, props)))
        if isinstance(row, NewRow):
            lines += [DrawnLine(text, at) for text in _field_lines(props)]
    if len(lines) + len(gaps) <= props.height:
        for gap in reversed(gaps):
            lines.insert(gap, DrawnLine(BLANK))
    return [*lines, *_advice_lines(props, props.height - len(lines))]


def _advice_lines(props: ListProps, room: int) -> list[DrawnLine]:
    """Return what an almost empty list says, with a blank line before it where there is room."""
    style, width = props.palette.muted, props.width - 5
    texts = [line for words in props.advice for line in wrapped(Text(words, style), width)]
    lines = [DrawnLine(Text.assemble("   ", text)) for text in texts]
    return [*([DrawnLine(Text())] if lines and room > len(lines) else []), *lines][:room]


def row_text(row: Listed, column: int, props: ListProps, at_cursor: bool) -> Text:
    """Return the line of a row."""
    palette = props.palette
    mark = signs.AWAY if props.away else signs.CURSOR
    lead = Text.assemble((f" {mark} ", palette.accent) if at_cursor else "   ", end="")
    if isinstance(row, NewRow):
        lead.append(f"{NEW_ROW.heading.sign}    ", palette.muted)
        key = Text("" if props.finds else "   n", palette.muted)
        begun = (f"  {one_line(props.begun, 200)}" if props.begun else "", palette.muted)
        return _fitted(lead, Text.assemble(("New session", palette.plain), begun), key, props.width)
    if isinstance(row, RequestRow):
        lead.append(f"  {row.sign}  ", palette.warning)
        asked = Text(f"{age(props.now() - row.asked):>4}", palette.muted)
        return _fitted(lead, Text(row.line, palette.plain), asked, props.width)
    lead.append(f"{row.sign} ", getattr(palette, signs.COLOURS.get(row.sign, "muted")))
    lead.append(f"{row.number or '':<3}", palette.muted)
    text = Text.assemble((row.session, palette.accent if row.shown else palette.plain))
    if at_cursor and props.title:
        text = Text(props.title, palette.strong)
    elif column and props.width >= WORDS_FROM:
        text.truncate(column, overflow="ellipsis", pad=True)
        text.append(f"  {' · '.join(filter(None, words_of(row, props)))}", palette.muted)
    return _fitted(lead, text, _right(row, props), props.width)


def _right(row: SessionRow, props: ListProps) -> Text:
    since = row.waits_since if row.heading in (ListHeading.NEEDS, ListHeading.PARKED) else row.since
    when = "there" if row.place is Place.NATIVE else f"{age(props.now() - since):>4}"
    cost = f"{f'${row.cost:.2f}':>7} " if row.cost and props.width >= COST_FROM else ""
    badge = f"{signs.UNDELIVERED} {row.undelivered} " if row.undelivered else ""
    palette = props.palette
    return Text.assemble((cost, palette.muted), (badge, palette.warning), (when, palette.muted))


def _fitted(lead: Text, text: Text, right: Text, width: int) -> Text:
    room = max(1, width - lead.cell_len - right.cell_len - 2)
    if text.cell_len > room:
        text.truncate(room - 1)
        text.rstrip()
        text.append("…")
    text.truncate(room, pad=True)
    return Text.assemble(lead, text, " ", right)


def words_of(row: SessionRow, props: ListProps) -> Iterator[str]:
    """Yield what stands behind a session's name: where it is unless that is known, and its last words."""
    if row.shown:
        yield "you are here"
    elif row.place is Place.ELSEWHERE:
        yield row.place.value
    elif row.place.is_lost:
        yield with_keys(MISSING)
    if row.directory and row.directory != props.directory and row.ours:
        yield short_path(Path(row.directory))
    if row.branch and row.branch != props.branch:
        yield f"git {row.branch}"
    if row.background:
        yield f"{row.background} in the background"
    match row.heading:
        case ListHeading.QUEUED:
            yield "waits for a free process"
        case ListHeading.FAILED if row.state != SessionState.FAILED:
            yield "its process was killed while it worked"
        case _:
            yield "no prompt yet" if row.unused and row.place is Place.HERE else row.last_line


def _field_lines(props: ListProps) -> Iterator[Text]:
    palette = props.palette
    for one in props.fields:
        lines = [
            line for text in one.text.split("\n") for line in wrapped(Text(masked(text)), props.width - 21)
        ]
        for at, line in enumerate(lines):
            label = one.label if not at else ""
            yield Text.assemble((f"{'':{TEXT_AT}}{label:<{FIELD_AT - TEXT_AT}}", palette.muted), line)
        if one.fault:
            for line in wrapped(Text(safe(one.fault), palette.warning), props.width - 21):
                yield Text.assemble(" " * FIELD_AT, line)


def window_top(at: int, count: int, height: int) -> int:
    """Return the first line in sight of ``count``, with the line ``at`` the cursor about in the middle."""
    return 0 if at < height - 1 else max(0, min(at - height // 2, count - height))


def beyond(lines: Sequence[DrawnLine], top: int, height: int) -> tuple[str, str]:
    """Return what the first and the last line in sight say of the rows above and below them, or ""."""

    def rows(line: int) -> int:
        # The row for a new session grows with its prompt.
        above = (one.row for one in reversed(lines[max(0, line - 200) : line]) if one.row is not None)
        return next(above, -1) + 1

    above, below = rows(top + 1), rows(len(lines)) - rows(top + height - 1)
    return (
        f"   ↑ {above:,} more · Home" if top > 0 else "",
        f"   ↓ {below:,} more · End" if top + height < len(lines) else "",
    )


class RowsView(LineView):
    """Draws the rows; the first and the last line say what is out of sight."""

    DEFAULT_CSS = "RowsView { scrollbar-size-vertical: 0; }"

    def keep_cursor_in_sight(self) -> None:
        """Leave the rows where they are as long as the one under the cursor is in sight."""
        at, shown = self._place_of(self.cursor), self._lines_on_screen
        if at and self.size.height and not (at.start in shown and at.stop - 1 in shown):
            top = window_top(at.stop - 1, len(self.lines), self.size.height)
            # The first line of a row that has more than there is room for stays in sight.
            self.scroll_to(y=min(top, max(0, at.start - 1)), animate=False, force=True)

    @property
    def _lines_on_screen(self) -> range:
        seen, top = super()._lines_on_screen, int(self.scroll_offset.y)
        bottom = top + self.size.height
        return range(max(seen.start, top + (top > 0)), min(seen.stop, bottom - (bottom < len(self.lines))))

    def render_line(self, y: int) -> Strip:
        """Draw a line, or what is above or below it."""
        top, height = int(self.scroll_offset.y), self.size.height
        if 0 < y < height - 1 or not (words := beyond(self.lines, top, height)[y > 0]):
            return super().render_line(y)
        muted = self.rich_style + palette_of(self).muted
        return Strip([Segment(words, muted)]).adjust_cell_length(self.size.width, muted)


def facts_of(row: SessionRow, now: float) -> list[str]:
    """Return what is known of a session, the most important first: its state, its place, ..."""
    since, waited = (in_one_unit(max(0.0, now - at), "min", " ") for at in (row.since, row.waits_since))
    match row.heading:
        case ListHeading.NEEDS:
            state = f"waits {waited}"
        case ListHeading.PARKED:
            state = f"paused {waited}"
        case ListHeading.EARLIER:
            state = f"ended {since} ago"
        case ListHeading.FAILED if row.state != SessionState.FAILED:
            state = "its process is gone"
        case ListHeading.DONE:
            state = f"done · {since}"
        case _:
            state = f"{sign_and_word(SessionState(row.state), len(row.requests))[1]} {since}"
    place = {
        Place.HERE: f"here, Alt+{row.number}" if row.number else "here",
        Place.RESTS: "your answer resumes it" if row.requests else "Enter resumes it",
        Place.NATIVE: "in Claude Code’s own screen: answer it there",
    }.get(row.place, row.place.value)
    kind = row.last_line.partition(",")[0] if row.place is Place.FOREIGN else ""
    facts = (
        *(state, kind, "" if row.place is Place.FOREIGN else place),
        short_path(Path(row.directory)) if row.directory else "",
        f"git {row.branch}" if row.branch else "",
        f"${row.cost:.2f}" if row.cost else "",
        f"{signs.UNDELIVERED} {plural(row.undelivered, 'answer')} not delivered" if row.undelivered else "",
        *(row.labels, place if row.place is Place.FOREIGN else ""),
    )
    return [fact for fact in facts if fact]


EMPTY = (
    "Nothing waits for you, and no session is open.",
    "",
    "Questions of every session, of Claude Code’s own (ccq-tui hooks install), of MCP clients and of wrapped "
    "programs wait here until you have time.",
)
ALONE = (
    "You are in the only session. When Claude asks, the question waits in that session and here, for as long "
    "as you like; {panel} comes back to it from everywhere.",
)
