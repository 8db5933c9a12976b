"""The overview: all sessions by what they need, over the session on the screen."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rich.style import Style
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.dom import DOMNode
from textual.widgets import Static

from ccq_tui.agent.events import SessionState
from ccq_tui.bridges.claude_code.native_sessions import has_hook, without_ours
from ccq_tui.config.keymap import keymap, with_keys
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.port import Added, InboxChange, InboxRenewed, InboxTrouble, SessionNoted, Settled
from ccq_tui.inbox.session_groups import Group, group_of
from ccq_tui.inbox.store.rows import StoredRequest, StoredSession, StoredStanding
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.processes import alive, this_process
from ccq_tui.screens.inbox.inbox_list import SessionPlace
from ccq_tui.screens.overlay import Feed, ListScreen
from ccq_tui.screens.overview.board import (
    OVER,
    OVERVIEW,
    OVERVIEW_ACTIONS,
    Board,
    Card,
    harmless,
    here_group,
    joined,
)
from ccq_tui.screens.overview.card_lines import (
    Now,
    about_lines,
    column_lines,
    head_line,
    list_lines,
    title_line,
    window,
)
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.session.ui import ProgramAction
from ccq_tui.screens.sessions.session_manager import SessionManager
from ccq_tui.widgets.hints import HintBar, Hints
from ccq_tui.widgets.keys import new_labels
from ccq_tui.widgets.lifetime import after_refresh, is_live, start_work
from ccq_tui.widgets.lines import DrawnLine, LineView
from ccq_tui.widgets.notice_line import NoticeLine
from ccq_tui.widgets.palette import Palette, palette_of
from ccq_tui.widgets.panel.measures import key_lines
from ccq_tui.words import SHORT
from ccq_tui.worktrees.model import can_be_there

PAGE = 100
PAGES = 10
"""Most pages of the store that are shown."""


@dataclass(eq=False)
class CardFeed(Feed[Board]):
    """Keeps the board up to date; reads only changes from the store.

    Attributes:
        board: State of the board.
        all_read: Whether the reading of stored sessions has ended.
    """

    _owner: DOMNode
    _manager: SessionManager
    _clock: Callable[[], float]
    _draw: Callable[[], None]
    _say: Callable[[str], None]

    def __post_init__(self) -> None:
        self.state = Board()
        self.all_read = False
        self._here: tuple[Card, ...] = ()
        self._stored: dict[str, Card] = {}
        self._native: dict[str, Card] = {}
        self._to_read: dict[str, None] = {}
        self._reading = False
        self._unsubscribe: tuple[Callable[[], None], ...] = ()

    def begin(self) -> None:
        """Show this terminal's sessions, read the stored ones, and subscribe to changes."""
        manager = self._manager
        self._unsubscribe = (manager.inbox.subscribe(self._changed), manager.sessions.subscribe(self._gather))
        self._gather()
        self.show(self.state.begun())
        start_work(self._owner, self.read_all, name="overview")
        start_work(self._owner, self.read_native, name="native sessions")

    def end(self) -> None:
        for unsubscribe in self._unsubscribe:
            unsubscribe()

    def _gather(self) -> None:
        """Take in the state of the sessions of this terminal."""
        here = tuple(self._card(screen) for screen in self._manager.sessions)
        if here != self._here:
            self._here = here
            self._put_together()

    def _card(self, screen: SessionScreen) -> Card:
        view, waiting = screen.view, len(screen.waiting.items)
        return harmless(
            Card(
                key=self._manager.sessions.mode_of(screen),
                session_id=screen.session.known_id,
                session=view.name,
                group=here_group(view.state, waiting),
                place=SessionPlace.HERE,
                state=str(view.state),
                since=view.since,
                waiting=waiting,
                cost=view.cost,
                last_line=view.last_line,
                directory=str(view.cwd),
                shown=screen is self._manager.sessions.front,
            )
        )

    def read_again(self, session_ids: Iterable[str]) -> None:
        """Read some stored sessions again, soon."""
        self._to_read.update(dict.fromkeys(session_ids))
        if self._to_read and not self._reading:
            self._reading = True
            start_work(self._owner, self._read_some, name="overview sessions")

    def _put_together(self) -> None:
        ahead = time.time() - self._clock()
        self.show(self.state.with_rows(joined(self._here, self._stored | self._native, ahead)))

    def _take(self, cards: Iterable[Card]) -> None:
        self._stored.update((card.session_id, card) for card in cards)
        self._put_together()

    def _changed(self, change: InboxChange) -> None:
        match change:
            case SessionNoted(session_id):
                self.read_again((session_id,))
            case Added() | Settled():
                self.read_again((change.request.session_id,))
            case InboxRenewed(another=True):
                start_work(self._owner, self.read_all, name="overview")
            case InboxTrouble():
                pass  # the session on the screen says it

    async def read_all(self) -> None:
        """Read page by page, so that the first cards appear before the last are read."""
        after: StoredSession | None = None
        inbox, recorded = self._manager.inbox, await self._manager.recorded()
        try:
            for _ in range(PAGES):
                cards, after = await inbox.run(partial(read_page, after=after, recorded=recorded))
                self._take(cards)
                if after is None:
                    break
        except InboxError as error:
            self._say(f"Stored sessions cannot be read: {error}")
        self.all_read = True
        self._draw()

    async def _read_some(self) -> None:
        try:
            while self._to_read:
                some = tuple(self._to_read)[:PAGE]
                for name in some:
                    del self._to_read[name]
                recorded = await self._manager.recorded()
                read = partial(read_cards, session_ids=some, recorded=recorded)
                cards = await self._manager.inbox.run(read)
                for name in set(some).difference(card.session_id for card in cards):
                    self._stored.pop(name, None)  # claimed and released, with nothing said in it
                self._take(cards)
        except InboxError as error:
            self._say(f"Stored sessions cannot be read: {error}")
        finally:
            self._reading = False

    async def read_native(self) -> None:
        """Show the waiting sessions of Claude Code's own screen, and drop those that no longer wait."""
        try:
            found = await self._manager.native_waiting(without_ours)
            asked = await self._manager.inbox.run(
                lambda store: {one.request.id for one in found if has_hook(store, one.request)}
            )
        except InboxError:
            return  # `read_all` says so
        native = {one.request.session_id: native_card(one, one.request.id in asked) for one in found}
        if native != self._native:
            self._native = native
            self._put_together()

    def look_again(self) -> None:
        """Read the sessions of other processes again, and redraw the times."""
        start_work(self._owner, self.read_native, name="native sessions")
        self.read_again(card.session_id for card in self.state.rows if card.place is SessionPlace.OTHER)
        self._draw()


def read_page(
    store: Store, after: StoredSession | None, recorded: Collection[str] | None = None
) -> tuple[list[Card], StoredSession | None]:
    """Return a page of the stored sessions, newest first, and the one that the next page follows, or None."""
    found = store.sessions.standings(after, PAGE)
    return [_card(one, recorded) for one in found], found[-1].session if len(found) == PAGE else None


def read_cards(
    store: Store, session_ids: tuple[str, ...], recorded: Collection[str] | None = None
) -> list[Card]:
    """Return the cards of some sessions; those that are not stored are left out."""
    return [
        _card(one, recorded) for name in session_ids if (one := store.sessions.standing(name)) is not None
    ]


def native_card(waiting: StoredRequest, asked: bool) -> Card:
    """Return the card of a session in Claude Code's own screen; ``asked`` if a hook asks for it, too."""
    request = waiting.request
    directory = request.origin.directory
    return harmless(
        Card(
            key=request.session_id,
            session_id=request.session_id,
            session=request.origin.called,
            group=Group.NEEDS,
            place=SessionPlace.ASKER if asked else SessionPlace.THERE,
            state=SessionState.AWAITING,
            since=waiting.asked_at.timestamp(),
            waiting=1,
            last_line=kind_of(request).summary(request),
            directory=directory,
            known=False,
        )
    )


def _card(one: StoredStanding, recorded: Collection[str] | None) -> Card:
    session, runs = one.session, alive(one.session.owner)
    directory = session.directory
    if runs and session.owner != this_process():
        place = SessionPlace.OTHER
    elif recorded is not None and session.id not in recorded:
        place = SessionPlace.GONE
    else:
        place = SessionPlace.RESTS if directory and can_be_there(Path(directory)) else SessionPlace.GONE
    return harmless(
        Card(
            key=session.id,
            session_id=session.id,
            session=session.name or Path(directory).name or session.id[:SHORT],
            group=group_of(session.state, one.waiting, runs=runs, done=session.done),
            place=place,
            state=str(session.state),
            since=one.since.timestamp(),
            waiting=one.waiting,
            undelivered=0 if runs else one.undelivered,
            cost=session.cost,
            last_line=session.last_line,
            directory=directory,
            done=session.done,
        )
    )


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
        page = max(1, self._view.size.height // 4 - 1)
        if (moved := self.state.after(action, page, within=self._side_by_side)) is not None:
            self.show(moved)

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
            make = partial(column_lines, cards, rows, width, now, palette)
            lines = self._lines(column.group, made_for, make)
            head = head_line(column.group, len(cards), width, palette, here=cursor is not None)
            column.show(head, lines, cursor, palette.cursor)

    def _draw_list(self, view: LineView, board: Board, now: Now, palette: Palette) -> None:
        width, tall, shown = self.app.size.width - 1, self.app.size.height >= TALL_FROM, board.shown
        cursor = shown.index(board.under) if board.under is not None else None
        rows = window(len(shown), cursor or 0)
        made_for = (*_made_for(shown, rows, now), width, palette, tall)
        make = partial(list_lines, shown, rows, width, now, palette, tall=tall)
        view.show(self._lines("list", made_for, make), cursor, palette.cursor)

    def _lines(self, name: str, made_for: object, make: Callable[[], list[DrawnLine]]) -> list[DrawnLine]:
        """Return the lines already drawn for the same input, or new ones."""
        if name not in self._drawn or self._drawn[name][0] != made_for:
            self._drawn[name] = made_for, make()
        return self._drawn[name][1]

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
