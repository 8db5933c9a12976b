"""The overview: all sessions by what they need, over the session on the screen."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.dom import DOMNode
from textual.widgets import Static

from ccq_tui.agent.events import SessionState
from ccq_tui.bridges.claude_code.native_sessions import has_hook, without_ours
from ccq_tui.config.keymap import keymap, with_keys
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.port import Added, InboxChange, InboxRenewed, SessionNoted, Settled
from ccq_tui.inbox.reach import Look
from ccq_tui.inbox.session_groups import Group, group_of
from ccq_tui.inbox.store.rows import StoredRequest, StoredSession, StoredStanding
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.processes import alive
from ccq_tui.screens.inbox.inbox_feed import place_of
from ccq_tui.screens.inbox.inbox_list import SessionPlace
from ccq_tui.screens.overlay import Feed, ListScreen
from ccq_tui.screens.overview.board import (
    OVER,
    OVERVIEW,
    OVERVIEW_ACTIONS,
    Board,
    Card,
    about_lines,
    here_group,
    joined,
    list_lines,
    title_line,
)
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.session.ui import ProgramAction
from ccq_tui.screens.sessions.session_manager import SessionManager
from ccq_tui.widgets.hints import HintBar, Hints
from ccq_tui.widgets.keys import new_labels
from ccq_tui.widgets.lifetime import after_refresh, is_live, start_work
from ccq_tui.widgets.lines import DrawnLine, LineView
from ccq_tui.widgets.notice_line import NoticeLine
from ccq_tui.widgets.palette import palette_of
from ccq_tui.widgets.panel.measures import is_low, key_lines
from ccq_tui.words import SHORT
from ccq_tui.worktrees.model import can_be_there

PAGE = 100
PAGES = 10
"""Most pages of the store that are shown."""


@dataclass(eq=False)
class CardFeed(Feed[Board]):
    """Keeps the board up to date; reads only changes from the store.

    Attributes:
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
        self._ahead = time.time() - self._clock()
        """Seconds from the program's clock to the one since 1970."""
        self._here: tuple[Card, ...] = ()
        self._stored: dict[str, Card] = {}
        self._native: dict[str, Card] = {}
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
        return Card(
            key=self._manager.sessions.mode_of(screen),
            session_id=screen.session.known_id,
            session=view.name,
            group=here_group(view.state, waiting),
            place=SessionPlace.HERE,
            state=str(view.state),
            since=view.since + self._ahead,
            waiting=waiting,
            cost=view.cost,
            last_line=view.last_line,
            directory=str(view.cwd),
            shown=screen is self._manager.sessions.front,
        )

    def read_again(self, session_ids: Iterable[str]) -> None:
        """Read some stored sessions again."""
        if names := tuple(session_ids):
            start_work(self._owner, partial(self._read_some, names), name="overview sessions")

    def _put_together(self) -> None:
        self.show(self.state.with_rows(joined(self._here, self._stored | self._native)))

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

    async def _read_some(self, names: tuple[str, ...]) -> None:
        recorded = await self._manager.recorded()
        try:
            cards = await self._manager.inbox.run(partial(read_cards, session_ids=names, recorded=recorded))
        except InboxError as error:
            self._say(f"Stored sessions cannot be read: {error}")
            return
        for name in set(names).difference(card.session_id for card in cards):
            self._stored.pop(name, None)  # claimed and released, with nothing said in it
        self._take(cards)

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
    return Card(
        key=request.session_id,
        session_id=request.session_id,
        session=request.origin.called,
        group=Group.NEEDS,
        place=SessionPlace.ASKER if asked else SessionPlace.THERE,
        state=SessionState.AWAITING,
        since=waiting.asked_at.timestamp(),
        waiting=1,
        last_line=kind_of(request).summary(request),
        directory=request.origin.directory,
        known=False,
    )


def _card(one: StoredStanding, recorded: Collection[str] | None) -> Card:
    session, runs = one.session, alive(one.session.owner)
    return Card(
        key=session.id,
        session_id=session.id,
        session=session.name or Path(session.directory).name or session.id[:SHORT],
        group=group_of(session.state, one.waiting, runs=runs, done=session.done),
        place=place_of(session, Look(can_be_there, recorded)),
        state=str(session.state),
        since=one.since.timestamp(),
        waiting=one.waiting,
        undelivered=0 if runs else one.undelivered,
        cost=session.cost,
        last_line=session.last_line,
        directory=session.directory,
        done=session.done,
        labels=session.labelled,
    )


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
FINDING: Hints = (("Enter", "to the cards"), ("Esc", "clear"), ("↑ ↓", "move"))


class OverviewScreen(ListScreen[Card | None, Board]):
    """Shows all sessions; its result is the card whose session to show, or None."""

    DEFAULT_CSS = """
    OverviewScreen {
        background: $background;
        overflow: hidden;
        & > NoticeLine { background: $background; }
        & #overview-title { height: 1; }
        & #overview-filter {
            height: 0; min-height: 0; max-height: 1; margin: 0; padding: 0 1 0 3; border: none;
        }
        & #overview-filter:focus { border: none; }
        & #overview-about { border-top: solid $ccq-rule; }
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
        self._drawn: tuple[object, ...] = ()
        self._lines: list[DrawnLine] = []

    def on_mount(self) -> None:
        self.set_focus(self.field, scroll_visible=False)
        self.query_one(HintBar).labels = new_labels()
        self.feed.begin()
        self.set_interval(LOOK_SECONDS, self.feed.look_again)

    def on_unmount(self) -> None:
        self.feed.end()

    def compose(self) -> ComposeResult:
        yield Static("", id="overview-title", markup=False)
        yield self.field
        yield LineView()
        yield Static("", id="overview-about", markup=False)
        yield NoticeLine()
        yield HintBar()

    @property
    def _view(self) -> LineView:
        return self.query_one(LineView)

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
        if (moved := self.state.after(action, max(1, self._view.size.height - 1))) is not None:
            self.show(moved)

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
        row, shown = self._view.row_on_screen(event.screen_offset), self.state.shown
        return shown[row].key if row is not None and row < len(shown) else None

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
        board, size, palette = self.state, self.app.size, palette_of(self)
        self.query_one("#overview-title", Static).update(title_line(board, size.width, palette), layout=False)
        field = self.field
        field.show_cursor = self._finding
        field.styles.height = field.styles.min_height = 1 if self._finding or board.filter else 0
        made_for = (board.shown, size.width, palette, time.time() // LOOK_SECONDS)
        if made_for != self._drawn:
            self._drawn, self._lines = made_for, list_lines(board, size.width - 1, palette)
        self._view.show(self._lines, board.cursor if board.shown else None, palette.cursor)
        about, height = self.query_one("#overview-about", Static), 2 if is_low(size.height) else 4
        lines = about_lines(board.under, size.width, height, palette) if board.under else []
        # Always of one height: the list above must not jump as the cursor moves.
        about.styles.height = height + 1
        about.update(Text("\n").join(lines), layout=False)
        self.query_one(NoticeLine).stand(self._what_next(board))
        hints = FINDING if self._finding else self._hints_for(board.under)
        self.query_one(HintBar).show(hints, most_lines=key_lines(size.height))

    def _what_next(self, board: Board) -> str:
        if board.filter and not board.shown:
            return "No match · Esc clears the filter"
        if self.feed.all_read and len(board.rows) <= 1:
            return "The only session so far · n opens another · Ctrl+R an earlier one"
        return ""


def can_start(card: Card) -> bool:
    """Whether a session has no process and can get one from here."""
    return card.place is SessionPlace.RESTS or (card.place is SessionPlace.HERE and card.state in OVER)
