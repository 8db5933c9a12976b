"""The overview: all sessions by what they need, over the session on the screen."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import partial
from pathlib import Path

from rich.text import Text
from textual.widgets import Static

from ccq_tui.agent.events import SessionState
from ccq_tui.config.keymap import keymap, with_keys
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.reach import Look
from ccq_tui.inbox.session_groups import Group
from ccq_tui.inbox.store.rows import StoredRequest, StoredSession
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.input.keys import Hints, KeyPlace, key_line
from ccq_tui.processes import alive
from ccq_tui.screens.inbox.inbox_list import SessionPlace, place_of
from ccq_tui.screens.overview.board import Board, Card, about_lines, joined, list_lines, title_line
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.session.ui import ProgramAction
from ccq_tui.screens.sessions.session_manager import SessionManager
from ccq_tui.screens.stored_list import StoredList
from ccq_tui.widgets.lifetime import start_work
from ccq_tui.widgets.lines import DrawnLine
from ccq_tui.widgets.palette import Palette
from ccq_tui.widgets.panel.measures import is_low
from ccq_tui.words import SHORT

MOST_SESSIONS = 1_000
"""Most stored sessions that are listed."""
OVER = frozenset({SessionState.PARKED, SessionState.FAILED, SessionState.ENDED})
"""States in which a session of this terminal has no process."""


def read_rows(store: Store, look: Look) -> list[Card]:
    """Return the cards of the stored sessions."""
    waiting, undelivered = store.requests.waiting_counts(), store.requests.undelivered_counts()
    return [
        _card(one, store.sessions.since(one), waiting.get(one.id, 0), undelivered.get(one.id, 0), look)
        for one in store.sessions.page(limit=MOST_SESSIONS)
    ]


def native_card(waiting: StoredRequest, asked: bool) -> Card:
    """Return the card of a session in Claude Code's own screen; ``asked`` if a hook asks for it, too."""
    request = waiting.request
    return Card(
        key=request.session_id,
        session_id=request.session_id,
        session=request.origin.called,
        place=SessionPlace.ASKER if asked else SessionPlace.THERE,
        runs=True,
        state=SessionState.AWAITING,
        since=waiting.asked_at.timestamp(),
        waiting=1,
        last_line=kind_of(request).summary(request),
        directory=request.origin.directory,
        known=False,
    )


def _card(session: StoredSession, since: datetime, waiting: int, undelivered: int, look: Look) -> Card:
    return Card(
        key=session.id,
        session_id=session.id,
        session=session.name or Path(session.directory).name or session.id[:SHORT],
        place=place_of(session, look),
        runs=alive(session.owner),
        state=str(session.state),
        since=since.timestamp(),
        waiting=waiting,
        undelivered=undelivered,
        cost=session.cost,
        last_line=session.last_line,
        directory=session.directory,
        done=session.done,
        labels=session.labelled,
    )


EMPTY_SESSION = "The session is empty, so it cannot be marked as done"
AT_WORK = (Group.NEEDS, Group.WORKING)
CLOSED = {
    SessionPlace.OTHER: "It runs in another ccq-tui · {panel} answers what it asks",
    SessionPlace.ASKER: "It is in Claude Code's own screen · {panel} answers what it asks",
    SessionPlace.THERE: "It is in Claude Code's own screen: answer it there · docs/bridges.md",
    SessionPlace.GONE: "The session was deleted, or its directory is gone: it cannot be opened",
}
"""Words for sessions that cannot be opened here."""


class OverviewScreen(StoredList[Card | None, Board]):
    """Shows all sessions; its result is the card whose session to show, or None."""

    DEFAULT_CSS = """
    OverviewScreen {
        & #overview-about { border-top: solid $ccq-rule; }
    }
    """
    PLACE = KeyPlace.OVERVIEW
    ON_ROW = ("open", "mark", "retry")
    CARET = StoredList.CARET | {"left", "right"}
    LETTERS = True
    LOOK_SECONDS = 5.0
    makes_way = True

    def __init__(self, manager: SessionManager, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._about = Static("", id="overview-about", markup=False)
        super().__init__(Board(), read_rows, manager, clock, self._about)
        self._ahead = time.time() - clock()
        """Seconds from the program's clock to the one since 1970."""

    def on_mount(self) -> None:
        """Put the cursor on the session that the person comes from; Textual runs the base's handler, too."""
        self.put_together()
        self.show(self.state.begun())

    # -- what is listed -------------------------------------------------------------------------------------

    def native_row(self, waiting: StoredRequest, *, asked: bool) -> Card:
        return native_card(waiting, asked)

    def rows(self) -> Iterable[Card]:
        """Return a card for each session, group by group."""
        here = (self._card(screen) for screen in self.manager.sessions)
        return joined(here, self.stored | self.native)

    def _card(self, screen: SessionScreen) -> Card:
        view = screen.view
        return Card(
            key=screen.mode,
            session_id=screen.session.known_id,
            session=view.name,
            place=SessionPlace.HERE,
            runs=view.state not in OVER,
            state=str(view.state),
            since=view.since + self._ahead,
            waiting=len(screen.session.waiting),
            cost=view.cost,
            last_line=view.last_line,
            directory=str(view.cwd),
            shown=screen is self.manager.sessions.front,
        )

    def cannot_read(self, error: InboxError) -> None:
        self.say(f"Stored sessions cannot be read: {error}")

    def look(self) -> None:
        """Look at sessions of other processes, too: a killed one reports nothing."""
        super().look()
        self.read_soon()

    # -- keys -----------------------------------------------------------------------------------------------

    def act(self, action: str) -> bool:
        match action:
            case "open" if self.finds:
                self.find(False)
            case "inbox":
                self.dismiss(None)
                self.post_message(ProgramAction("inbox"))
            case "new":
                self.post_message(ProgramAction("new"))
            case "earlier":
                start_work(self.app, self.manager.open_earlier, name="earlier session", group="sessions")
            case _:
                return super().act(action)
        return True

    def act_on(self, action: str, card: Card) -> None:
        if action == "mark":
            self._mark_soon(card)
        elif card.place in CLOSED:
            self.say(with_keys(CLOSED[card.place]))
        elif action == "open":
            self.dismiss(card)
        elif can_start(card):
            # A worker of the program, so that it is seen through even if this screen is left meanwhile.
            start_work(self.app, partial(self._go_on, card), name="go on", group="sessions")
        else:
            self.say(
                "It is working already" if card.group is Group.WORKING else "It is running · Enter shows it"
            )

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
            await self.manager.inbox.run(write)
        except InboxError as error:
            self.say(f"The mark could not be saved: {error}")
            return
        self.read_soon()
        self.say("Marked as not done" if card.done else "Marked as done · d undoes it", 6.0)

    async def _go_on(self, card: Card) -> None:
        """Start a session again that has no process, and stay here."""
        self.say("Restarting it…", 6.0)
        screen = self.manager.sessions.by_mode(card.key)
        if screen is not None:
            said = self.manager.restart(screen)
        else:
            problem = await self.manager.resume(card, Surface.OVERVIEW, behind=True)
            said = problem or "It continues here · Enter shows it"
        if self.is_attached:
            self.say(said, 6.0)

    # -- drawing --------------------------------------------------------------------------------------------

    @property
    def hints(self) -> Hints:
        """The keys that apply to the card under the cursor, and those that always do."""
        card, words, said, enter = self.state.under, {"rows"}, dict[str, str](), ""
        if self.finds:
            card, words, enter = None, {"moving"}, "to the cards"
        elif card is not None and card.place in (SessionPlace.HERE, SessionPlace.RESTS):
            enter = "open" if card.place is SessionPlace.HERE else "resume"
        rests = card is not None and card.known and not card.waiting and card.group not in AT_WORK
        if card is not None and (card.done or rests):
            words.add("done")
            said["d"] = "not done" if card.done else "done"
        if card is not None and can_start(card):
            words.add("starts")
            said["r"] = "retry" if card.group is Group.FAILED else "start"
        leave = "clear" if self.finds else "back"
        return key_line(self.PLACE, frozenset(words), said, keymap().keys, enter=enter, leave=leave)

    @property
    def standing(self) -> str:
        if self.state.filter and not self.state.shown:
            return "No match · Esc clears the filter"
        if self.all_read and len(self.state.rows) <= 1:
            return "The only session so far · n opens another · Ctrl+R an earlier one"
        return ""

    def heading(self, width: int, palette: Palette) -> Text:
        return title_line(self.state, width, palette)

    def make_lines(self, width: int, palette: Palette) -> list[DrawnLine]:
        return list_lines(self.state, width, palette)

    def draw_details(self, palette: Palette) -> None:
        """Draw what is known of the session under the cursor."""
        size, card = self.app.size, self.state.under
        height = 2 if is_low(size.height) else 4
        lines = about_lines(card, size.width, height, palette) if card is not None else []
        # Always of one height: the list above must not jump as the cursor moves.
        self._about.styles.height = height + 1
        self._about.update(Text("\n").join(lines), layout=False)


def can_start(card: Card) -> bool:
    """Whether a session has no process and can get one from here."""
    return card.place is SessionPlace.RESTS or (card.place is SessionPlace.HERE and not card.runs)
