"""The overview: all sessions by what they need, over the session on the screen."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from rich.style import Style
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from ccq_tui.config.keymap import keymap, with_keys
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.session_groups import Group
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.screens.inbox.inbox_list import SessionPlace
from ccq_tui.screens.overlay import ListScreen
from ccq_tui.screens.overview.board import OVER, OVERVIEW, OVERVIEW_ACTIONS, Board, Card
from ccq_tui.screens.overview.card_feed import CardFeed
from ccq_tui.screens.overview.card_lines import (
    Now,
    about_lines,
    column_lines,
    head_line,
    list_lines,
    title_line,
    window,
)
from ccq_tui.screens.session.messages import ProgramAction
from ccq_tui.screens.sessions.session_manager import SessionManager
from ccq_tui.widgets.hints import HintBar, Hints
from ccq_tui.widgets.keys import new_labels
from ccq_tui.widgets.lifetime import after_refresh, is_live, start_work
from ccq_tui.widgets.lines import DrawnLine, LineView
from ccq_tui.widgets.notice_line import NoticeLine
from ccq_tui.widgets.palette import Palette, palette_of
from ccq_tui.widgets.panel.measures import key_lines


class Column(Vertical):
    """A group: its head, and its cards, which scroll."""

    DEFAULT_CSS = """
    Column {
        width: 1fr;
        border-left: solid $ccq-rule;
        &.-first { border-left: none; }
        & > Static { height: 2; }
    }
    """

    def __init__(self, group: Group) -> None:
        super().__init__(classes="-first" if group is next(iter(Group)) else "")
        self.group = group

    def compose(self) -> ComposeResult:
        yield Static("", markup=False)
        yield LineView()

    @property
    def cards(self) -> LineView:
        return self.query_one(LineView)

    def show(self, head: Text, lines: list[DrawnLine], cursor: int | None, style: Style) -> None:
        """Draw another head and other cards, or the same with the cursor elsewhere."""
        self.query_one(Static).update(head, layout=False)
        self.cards.show(lines, cursor, style)


class Columns(Horizontal):
    """All groups side by side."""

    def compose(self) -> ComposeResult:
        for group in Group:
            yield Column(group)


EMPTY_SESSION = "The session is empty, so it cannot be marked as done"
LOOK_SECONDS = 5.0
"""Seconds between updates of times and of other processes' sessions: a killed one reports nothing."""
AT_WORK = (Group.NEEDS, Group.WORKING)
CLOSED = {
    SessionPlace.OTHER: "It runs in another ccq-tui · {panel} answers what it asks",
    SessionPlace.ASKER: "It is in Claude Code's own screen · {panel} answers what it asks",
    SessionPlace.THERE: "It is in Claude Code's own screen: answer it there · docs/bridges.md",
    SessionPlace.GONE: "The session was deleted, or its directory is gone: it cannot be opened",
}
"""Words for sessions that cannot be opened here."""
COLUMNS_FROM = 126
"""Screen width in cells from which all groups are side by side; below that they form one list."""
TALL_FROM = 18
"""Screen height in lines from which a card of the list has two lines."""
FINDING: Hints = (("Enter", "to the cards"), ("Esc", "clear"), ("↑ ↓", "move"))


class OverviewBody(Vertical):
    """The part of the screen above the notices and the keys."""


class OverviewScreen(ListScreen[Card | None, Board]):
    """Shows all sessions; its result is the card whose session to show, or None."""

    DEFAULT_CSS = """
    OverviewScreen {
        background: $background;
        overflow: hidden;
        & > OverviewBody { height: 1fr; }
        & > NoticeLine { background: $background; }
        & #overview-title { height: 1; }
        & #overview-filter {
            height: 0; min-height: 0; max-height: 1; margin: 0; padding: 0 1 0 3; border: none;
        }
        & #overview-filter:focus { border: none; }
        & Columns { height: 1fr; border-top: solid $ccq-rule; }
        & #overview-list { height: 1fr; }
        & #overview-about { border-top: solid $ccq-rule; }
        & .-off { display: none; }
    }
    """
    feed: CardFeed
    makes_way = True
    help_place = OVERVIEW
    """The keys that F1 lists first here."""

    def __init__(self, manager: SessionManager, *, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(self._take_key, field_id="overview-filter")
        self._manager = manager
        self.clock = clock
        self.feed = CardFeed(self, manager, clock, self.draw, self.say)
        self._finding = False
        self._drawn: dict[str, tuple[object, list[DrawnLine]]] = {}

    def on_mount(self) -> None:
        self.set_focus(self.field, scroll_visible=False)
        self.query_one(HintBar).labels = new_labels()
        self.feed.begin()
        self.set_interval(LOOK_SECONDS, self.feed.look_again)

    def on_unmount(self) -> None:
        self.feed.end()

    def compose(self) -> ComposeResult:
        with OverviewBody():
            yield Static("", id="overview-title", markup=False)
            yield self.field
            # A hidden part needs no layout, which would be thrown away at the start.
            yield Columns(classes="" if self._side_by_side else "-off")
            yield LineView(id="overview-list", classes="-off" if self._side_by_side else "")
            yield Static("", id="overview-about", markup=False)
        yield NoticeLine()
        yield HintBar()

    @property
    def _side_by_side(self) -> bool:
        return self.app.size.width >= COLUMNS_FROM

    # -- keys -----------------------------------------------------------------------------------------------

    def _take_key(self, event: events.Key) -> bool:
        """Do what a key means; return whether the field must not take it."""
        if self.passes_on(event):
            return True
        if self._finding:
            self.take_text()
            return self._take_while_finding(event.key)
        for key in keymap().list_keys(letters=True).get(event.key, (event.key,)):
            self._do(OVERVIEW_ACTIONS.get(key, ""), key)
        return event.key not in ("ctrl+c",)

    def _take_while_finding(self, key: str) -> bool:
        match key:
            case "enter":
                self._finding = False
                self.draw()
            case "escape":
                self._clear()
            case "up" | "down":
                self._move(key)
            case _:
                return key in ("tab", "shift+tab", "pageup", "pagedown")
        return True

    def _do(self, action: str, key: str) -> None:
        """Do an action of the table of keys; "" if the table has none for the key."""
        match action:
            case "empty" if self.state.filter:
                self._clear()
            case "empty" | "leave":
                self.dismiss(None)
            case "inbox":
                self.dismiss(None)
                self.post_message(ProgramAction("inbox"))
            case "find":
                self._finding = True
                self.query_one(NoticeLine).hush()
                self.draw()
            case "new":
                self.post_message(ProgramAction("new"))
            case "earlier":
                start_work(self.app, self._open_earlier, name="earlier session", group="sessions")
            case "open" | "mark" | "retry":
                self._do_with_card(action, self.state.under)
            case "":
                if len(key) == 1:
                    self.say("/ filters the sessions", 4.0)
            case _:
                self._move(action)

    def _do_with_card(self, action: str, card: Card | None) -> None:
        if card is None:
            return
        if self._view.cursor not in self._view.rows_in_sight:
            self._view.keep_cursor_in_sight()
        elif action == "open":
            self._open(card)
        elif action == "mark":
            self._mark_soon(card)
        else:
            self._retry(card)

    def _move(self, action: str) -> None:
        board, within = self.state, self._side_by_side
        page, most = max(1, self._view.size.height // 4 - 1), len(board.rows)
        match action:
            case "left" | "right":
                self.show(board.stepped(-1 if action == "left" else 1))
            case "up" | "down":
                self.show(board.moved(-1 if action == "up" else 1, within=within))
            case "first" | "last":
                self.show(board.jumped(-most if action == "first" else most, within=within))
            case _:
                by = page if action.startswith("page") else 1
                self.show(board.jumped(-by if action.endswith("up") else by, within=within))

    @property
    def _view(self) -> LineView:
        """The view that has the cursor."""
        under = self.state.under
        if not self._side_by_side or under is None:
            return self.query_one("#overview-list", LineView)
        return next(one.cards for one in self.query(Column) if one.group is under.group)

    def _clear(self) -> None:
        self._finding = False
        self.field.put("")
        self.show(self.state.filtered(""))
        self.draw()

    def take_row(self) -> None:
        """Open the card under the cursor."""
        if self.state.under is not None:
            self._open(self.state.under)

    def under(self, event: events.MouseEvent) -> str | None:
        """Return the key of the card under the pointer, or None."""
        places: list[tuple[LineView, tuple[Card, ...]]]
        if self._side_by_side:
            columns = self.state.columns
            places = [(one.cards, columns[one.group]) for one in self.query(Column)]
        else:
            places = [(self.query_one("#overview-list", LineView), self.state.shown)]
        for view, cards in places:
            row = view.row_on_screen(event.screen_offset)
            if row is not None and row < len(cards):
                return cards[row].key
        return None

    # -- what a key means for a session ----------------------------------------------------------------------

    def _open(self, card: Card) -> None:
        if card.place in CLOSED:
            self.say(with_keys(CLOSED[card.place]))
        else:
            self.dismiss(card)

    def _mark_soon(self, card: Card) -> None:
        """Mark a session as done, or take that back."""
        if card.place in (SessionPlace.THERE, SessionPlace.ASKER):
            self.say(with_keys(CLOSED[card.place]))
        elif not card.known:
            self.say(EMPTY_SESSION)
        elif card.waiting and not card.done:
            self.say("A question waits in this session · answer or decline it first")
        elif card.group in AT_WORK and not card.done:
            self.say("Claude is working in this session · wait, or interrupt it")
        else:
            start_work(self, partial(self._mark, card), name="mark")

    async def _mark(self, card: Card) -> None:
        def write(store: Store) -> None:
            store.sessions.set_done(card.session_id, not card.done, Actor.here(Surface.OVERVIEW))

        try:
            await self._manager.inbox.run(write)
        except InboxError as error:
            self.say(f"The mark could not be saved: {error}")
            return
        self.feed.read_again((card.session_id,))
        self.say("Marked as not done" if card.done else "Marked as done · d undoes it", 6.0)

    def _retry(self, card: Card) -> None:
        """Start a session again that has no process, and stay here."""
        if card.place in CLOSED:
            self.say(with_keys(CLOSED[card.place]))
        elif can_start(card):
            # A worker of the program, so that it is seen through even if this screen is left meanwhile.
            start_work(self.app, partial(self._go_on, card), name="go on", group="sessions")
        else:
            self.say(
                "It is working already" if card.group is Group.WORKING else "It is running · Enter shows it"
            )

    async def _go_on(self, card: Card) -> None:
        self.say("Restarting it…", 6.0)
        screen = self._manager.sessions.by_mode(card.key)
        if screen is not None:
            said = self._manager.restart(screen)
        else:
            problem = await self._manager.resume(card, Surface.OVERVIEW, behind=True)
            said = problem or "It continues here · Enter shows it"
        if self.is_attached:
            self.say(said, 6.0)
            self.feed.read_again((card.session_id,))

    async def _open_earlier(self) -> None:
        if problem := await self._manager.open_earlier():
            self.say(problem)

    def _hints_for(self, card: Card | None) -> Hints:
        """Return the keys that apply to a card, and those that always do."""
        own: list[tuple[str, str]] = []
        if card is not None and card.place in (SessionPlace.HERE, SessionPlace.RESTS):
            own.append(("Enter", "open" if card.place is SessionPlace.HERE else "resume"))
        if card is not None and card.done:
            own.append(("d", "not done"))
        elif card is not None and card.known and not card.waiting and card.group not in AT_WORK:
            own.append(("d", "done"))
        if card is not None and can_start(card):
            own.append(("r", "retry" if card.group is Group.FAILED else "start"))
        always = (("n", "new"), ("/", "find"), ("Esc", "back"), ("Ctrl+R", "earlier"), ("F2", "inbox"))
        return (*own, *always)

    # -- drawing --------------------------------------------------------------------------------------------

    def say(self, text: str, seconds: float = 20.0) -> None:
        """Show a text above the keys for some seconds."""
        if self.is_running and self.is_attached:
            self.query_one(NoticeLine).say(text, seconds)

    def on_resize(self) -> None:
        if is_live(self):
            # Textual's own layout, which follows now, would miss heights that change within it.
            after_refresh(self, self.draw)

    def draw(self) -> None:
        if not self.has_parts:
            return
        board, size = self.state, self.app.size
        palette, now = palette_of(self.query_one(OverviewBody)), Now(self.clock(), time.time())
        title = title_line(board, size.width, palette, counted=not self._side_by_side)
        self.query_one("#overview-title", Static).update(title, layout=False)
        field = self.field
        field.show_cursor = self._finding
        field.styles.height = field.styles.min_height = 1 if self._finding or board.filter else 0
        self.query_one(Columns).set_class(not self._side_by_side, "-off")
        list_view = self.query_one("#overview-list", LineView)
        list_view.set_class(self._side_by_side, "-off")
        if self._side_by_side:
            self._draw_columns(board, now, palette)
        else:
            self._draw_list(list_view, board, now, palette)
        self._draw_about(board.under, now, palette)
        self.query_one(NoticeLine).stand(self._what_next(board))
        hints = FINDING if self._finding else self._hints_for(board.under)
        self.query_one(HintBar).show(hints, most_lines=key_lines(size.height))

    def _draw_columns(self, board: Board, now: Now, palette: Palette) -> None:
        width = self.app.size.width // len(Group) - 2
        under, columns = board.under, board.columns
        for column in self.query(Column):
            cards = columns[column.group]
            cursor = cards.index(under) if under is not None and under.group is column.group else None
            rows = window(len(cards), cursor or 0)
            made_for = (*_made_for(cards, rows, now), width, palette)
            lines = self._kept(column.group, made_for)
            if lines is None:
                lines = column_lines(cards, rows, width, now, palette)
                self._drawn[column.group] = made_for, lines
            head = head_line(column.group, len(cards), width, palette, here=cursor is not None)
            column.show(head, lines, cursor, palette.cursor)

    def _draw_list(self, view: LineView, board: Board, now: Now, palette: Palette) -> None:
        width, tall, shown = self.app.size.width - 1, self.app.size.height >= TALL_FROM, board.shown
        cursor = shown.index(board.under) if board.under is not None else None
        rows = window(len(shown), cursor or 0)
        made_for = (*_made_for(shown, rows, now), width, palette, tall)
        lines = self._kept("list", made_for)
        if lines is None:
            lines = list_lines(shown, rows, width, now, palette, tall=tall)
            self._drawn["list"] = made_for, lines
        view.show(lines, cursor, palette.cursor)

    def _kept(self, name: str, made_for: object) -> list[DrawnLine] | None:
        """Return the lines already drawn for the same input, or None."""
        before, lines = self._drawn.get(name, (None, []))
        return lines if before == made_for else None

    def _draw_about(self, card: Card | None, now: Now, palette: Palette) -> None:
        view = self.query_one("#overview-about", Static)
        height = 2 if self.app.size.height < TALL_FROM else 4
        lines = about_lines(card, self.app.size.width, height, now, palette) if card else []
        # Always of one height: the view above must not jump as the cursor moves.
        view.styles.height = height + 1
        view.update(Text("\n").join(lines), layout=False)

    def _what_next(self, board: Board) -> str:
        if board.filter and not board.shown:
            return "No match · Esc clears the filter"
        if self.feed.all_read and len(board.rows) <= 1:
            return "The only session so far · n opens another · Ctrl+R an earlier one"
        return ""


def can_start(card: Card) -> bool:
    """Whether a session has no process and can get one from here."""
    return card.place is SessionPlace.RESTS or (card.place is SessionPlace.HERE and card.state in OVER)


def _made_for(cards: tuple[Card, ...], rows: range, now: Now) -> tuple[object, ...]:
    """Return the input that determines the drawn lines of cards."""
    drawn = cards[rows.start : rows.stop]
    return drawn, tuple(now.age(card) for card in drawn), rows, len(cards)
