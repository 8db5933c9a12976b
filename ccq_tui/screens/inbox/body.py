"""The inbox screen above its keys: title, filter, list, and the details of a request."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from itertools import islice

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from ccq_tui.config.keymap import key_of
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.requests import PlanRequest, Request
from ccq_tui.screens.inbox.inbox_list import InboxList, InboxRow, SessionPlace
from ccq_tui.screens.overlay import ListField
from ccq_tui.text import one_line, safe
from ccq_tui.widgets.decision.details import flow_lines
from ccq_tui.widgets.hints import Hints
from ccq_tui.widgets.lifetime import after_refresh
from ccq_tui.widgets.lines import DrawnLine, Flow, LateLine, LineView, TextLines, flowing, wrapped
from ccq_tui.widgets.palette import Palette, palette_of
from ccq_tui.widgets.sight import SightView, more_line
from ccq_tui.words import in_one_unit, plural

AGES_SECONDS = 10.0
"""Seconds between updates of the ages."""
MORE_FRAME = 6
"""Cells beside the row that says how many lines of a plan are left."""
MOST_LINES = 5_000


class InboxBody(Vertical):
    """Draws the list, and redraws only what changed."""

    def __init__(self, field: ListField) -> None:
        super().__init__()
        self.field = field
        self._answered: InboxRow | None = None
        self._drawn: tuple[object, ...] = ()
        self._lines: list[DrawnLine] = []
        self._about: tuple[object, ...] = ()
        self._title: Text | None = None
        self._palette: Palette | None = None

    def compose(self) -> ComposeResult:
        yield Static("", id="inbox-title", markup=False)
        yield self.field
        yield LineView(id="inbox-list")
        yield SightView(id="inbox-about")
        yield TextLines(id="inbox-more", classes="-off")

    @property
    def list_view(self) -> LineView:
        return self.query_one("#inbox-list", LineView)

    @property
    def about_view(self) -> SightView:
        """Details of the request under the cursor, or the plan while it is being decided."""
        return self.query_one("#inbox-about", SightView)

    def unseen_of_plan(self) -> tuple[int, bool]:
        """Return the number of plan lines that were never on the screen, and whether more follow."""
        return self.about_view.unseen, self.about_view.goes_on

    @property
    def _plan(self) -> PlanRequest | None:
        """The plan being decided, or None."""
        request = self._answered.stored.request if self._answered else None
        return request if isinstance(request, PlanRequest) else None

    def draw(self, state: InboxList, answered: InboxRow | None, *, undelivered: int, finds: bool) -> None:
        """Draw a state of the list."""
        self._answered = answered
        palette, now, width = palette_of(self), datetime.now(UTC), self.app.size.width
        self._draw_title(state, undelivered, palette)
        self.field.styles.height = self.field.styles.min_height = 1 if finds else 0
        age = int(now.timestamp() // AGES_SECONDS)
        made_for = (state.rows, state.filter, state.grouped, width, palette, age)
        if made_for != self._drawn:
            self._drawn, self._lines = made_for, list_lines(state, now, width - 1, palette)
        self.list_view.show(self._lines, state.cursor if state.shown else None, palette.cursor)
        row = answered or state.under
        drawn = (row, width, palette, answered is None)
        if drawn != self._about:
            self._about = drawn
            if (plan := self._plan) is not None:
                # The whole plan, and nothing else that would take its lines.
                self.about_view.show_flow(Flow(plan_lines(plan, width, palette)))
            else:
                lines = about(row, now, width, palette, asked=answered is None) if row else iter(())
                self.about_view.show_flow(Flow(islice(lines, MOST_LINES)))
        self.about_view.set_class(row is None, "-off")
        after_refresh(self, self.say_more)

    def _draw_title(self, state: InboxList, undelivered: int, palette: Palette) -> None:
        count = len(state.rows)
        wait = f"{count} wait{'s' if count == 1 else ''} for you" if count else ""
        words = f"{len(state.shown)} of {count}" if state.filter else wait
        title = Text.assemble((" ◆ Inbox", palette.accent), (f" · {words}" if words else "", palette.muted))
        if undelivered:
            title.append(
                f" · {plural(undelivered, 'answer')} not delivered ({key_of('overview')})", palette.warning
            )
        if title != self._title or palette != self._palette:
            # Each update lays the whole screen out again.
            self._title, self._palette = title, palette
            self.query_one("#inbox-title", Static).update(title)

    def say_more(self) -> None:
        """Show under a plan how much more of it there is."""
        view, more = self.about_view, self.query_one("#inbox-more", TextLines)
        scrolls = self._plan is not None and (view.above or view.below or view.goes_on)
        if scrolls and more.has_class("-off"):
            # The row takes a line of the plan that nobody can have read yet.
            after_refresh(self, view.look_anew)
        more.set_class(not scrolls, "-off")
        if scrolls:
            width = self.app.size.width - MORE_FRAME
            more.show([more_line(view, width, palette_of(view), down="PgDn", up="PgUp")])


SIGNS = {
    SessionPlace.HERE: "◆",
    SessionPlace.OTHER: "◆",
    SessionPlace.RESTS: "◇",
    SessionPlace.GONE: "✖",
    SessionPlace.ASKER: "◆",
    SessionPlace.THERE: "◇",
}
WORDS = {
    SessionPlace.HERE: "open here",
    SessionPlace.OTHER: "runs in another ccq-tui",
    SessionPlace.RESTS: "no process · your answer starts it",
    SessionPlace.ASKER: "asked by another program · it takes your answer",
    SessionPlace.GONE: "deleted, or its directory is gone · c copies question and answer",
    SessionPlace.THERE: "answer it there: it waits in Claude Code's own screen",
}
AGE_WIDTH = 5
LONGEST = 20_000
"""Most characters shown of one text."""
ANSWER, GO = ("→", "answer here"), ("Enter", "go to session")
DECLINE, COPY, PARK = ("Ctrl+D", "decline"), ("c", "copy"), ("p", "park")
LIST: Hints = (("/", "find"), ("g", "group"))


def age(asked: datetime, now: datetime) -> str:
    """Return the age of a request in one unit."""
    return in_one_unit(max(0.0, (now - asked).total_seconds()))


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
        lines.append(
            LateLine(at, partial(_row_text, row, 0 if state.grouped else column, now, width, palette))
        )
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
    rest = ((SIGNS[row.place] + " ", sign), (name, palette.strong), (asked, palette.muted), question)
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
    told = f"asked {age(row.stored.asked_at, now)} ago · {WORDS[row.place]}"
    for line in wrapped(Text(told, alarm), width):
        yield Text.assemble("   ", line)
    if row.stored.context.strip():
        yield from _block(row.stored.context.strip(), palette.muted, width, "   ┃ ")
    if asked:
        yield from _asked(row.stored.request, width, palette)


def plan_lines(request: PlanRequest, width: int, palette: Palette) -> Iterator[Text]:
    """Yield the lines of a whole plan."""
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
    """Return a request and its draft as plain text, for the clipboard."""
    passages = kind_of(row.stored.request).passages(row.stored.request)
    asked = "\n".join(f"{'  ' if one.is_row else ''}{one.text}" for one in passages)
    return f"{asked}\n\n{draft}".strip() + "\n"


def refusal(row: InboxRow, action: str, decline_key: str) -> str:
    """Say why an action ("answer", "go_to", "decline" or "park") cannot be done with a request, or ""."""
    without_session = f"c copies it · {decline_key} declines it"
    match row.place, action:
        case SessionPlace.THERE, _:
            where = one_line(row.directory, 300)
            return f"Answer it there: it waits in Claude Code's own screen, in {where} · docs/bridges.md"
        case SessionPlace.GONE, "answer":
            return f"Its session is gone, so nothing can be delivered · {without_session}"
        case SessionPlace.GONE, "go_to":
            return f"Its session is gone and cannot be opened · {without_session}"
        case SessionPlace.OTHER, "go_to":
            return "It runs in another ccq-tui · → answers it here"
        case SessionPlace.ASKER, "go_to":
            return "It belongs to no session · → answers it here"
        case SessionPlace.ASKER, "park":
            return "It belongs to no session, so nothing can be parked · → answers it here"
        case _:
            return ""


def key_hints(state: InboxList, way_back: str, *, finds: bool, declining: bool) -> Hints:
    """Return the keys that apply, the most useful first."""
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
        case SessionPlace.THERE:
            return (COPY, back, *LIST)
        case SessionPlace.ASKER:
            return (ANSWER, back, DECLINE, *LIST, COPY)
        case SessionPlace.OTHER:
            return (ANSWER, back, DECLINE, *LIST, PARK, COPY)
        case SessionPlace.HERE:
            return (ANSWER, GO, back, DECLINE, *LIST, PARK, COPY)
        case SessionPlace.RESTS:
            return (ANSWER, GO, back, DECLINE, *LIST, COPY)
