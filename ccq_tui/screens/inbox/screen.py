"""The inbox screen: the waiting requests of all sessions, oldest first, over the session on the screen."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

from textual import events, on
from textual.app import ComposeResult
from textual.screen import Screen

from ccq_tui.config.keymap import key_of
from ccq_tui.inbox.actors import Surface
from ccq_tui.inbox.draft import Draft
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.port import Added, InboxChange, InboxRenewed, Notified, SessionNoted, Settled
from ccq_tui.inbox.reach import taking_words
from ccq_tui.inbox.requests import Request, RequestOutcome
from ccq_tui.inbox.verdicts import AlreadySettled, InboxError
from ccq_tui.inbox.waiting_line import TYPING_PAUSE
from ccq_tui.questions import Declined
from ccq_tui.questions.input_guard import DECLINING_KEYS, GUARDED_KEYS, Presses, is_fresh
from ccq_tui.runtime.notices import notified_words
from ccq_tui.screens.editor import GROUP, edit_for
from ccq_tui.screens.inbox.body import AGES_SECONDS, InboxBody, copied, key_hints, refusal
from ccq_tui.screens.inbox.inbox_feed import InboxFeed
from ccq_tui.screens.inbox.inbox_list import INBOX, INBOX_ACTIONS, InboxList, InboxRow, SessionPlace
from ccq_tui.screens.link_opener import Target, open_target
from ccq_tui.screens.overlay import ListScreen
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.sessions.session_manager import SessionManager
from ccq_tui.widgets.decision import DecisionPanel
from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.keys import copy_of, keys_meant, new_labels, text_of
from ccq_tui.widgets.lifetime import after_refresh, is_live, start_work
from ccq_tui.widgets.notice_line import NoticeLine
from ccq_tui.widgets.panel.drafts import draft_words, left_over
from ccq_tui.widgets.panel.input_queue import Typed
from ccq_tui.widgets.panel.measures import key_lines
from ccq_tui.widgets.panel.request_panel import PanelMessage
from ccq_tui.widgets.panel_host import PANELS, Panel, PanelHost
from ccq_tui.widgets.sight import SightView

ANSWERS = "inbox answer"
"""The group of workers that see an answer through."""


@dataclass(slots=True)
class Opening:
    """A panel whose draft is being read.

    Attributes:
        row: Its request.
        typed: Keys and pastes for it that came meanwhile.
    """

    row: InboxRow
    typed: list[events.Key | events.Paste] = field(default_factory=list)


class InboxHost(PanelHost):
    """Shows the request of a row; its session, if that is here, has its draft, too.

    Attributes:
        row: The row of the request that was opened last.
        opening: The panel that is being opened, or None.
    """

    def __init__(self, screen: InboxScreen, manager: SessionManager) -> None:
        super().__init__(Surface.INBOX, screen)
        self.row: InboxRow | None = None
        self.opening: Opening | None = None
        self._screen = screen
        self._manager = manager

    # -- opening --------------------------------------------------------------------------------------------

    def open_soon(self, row: InboxRow) -> None:
        """Open the panel of a request with its draft; keys from now on belong to the panel."""
        if self.opening is None:
            self.opening = Opening(row)
            start_work(self._screen, partial(self._open, self.opening), name="open panel")

    async def _open(self, opening: Opening) -> None:
        try:
            opened = await self.read(opening.row)
        finally:
            self.opening = None
        screen = self._screen
        if opened is not None and opened.is_pending and self.panel is None and screen.is_current:
            self.row = opening.row
            panel = self._panel_for(opened, opening.row)
            self.show(opened, panel, asked_for=True)
            screen.open_panel(panel)
            panel.type_ahead(opening.typed)
            # Until the panel has taken its lines, more of a plan is drawn than anybody can have read.
            after_refresh(panel, screen.body.about_view.look_anew)
        elif opening.typed:
            screen.find_late(opening.typed)

    async def read(self, row: InboxRow) -> OpenRequest | None:
        """Return the request of a row with its draft, or None and say why not."""
        try:
            opened = await self._manager.inbox.open(row.id)
        except InboxError as error:
            self.say(f"Its draft cannot be read: {error}")
            return None
        if opened is None:
            self.say("The request no longer exists")
        return opened

    def _panel_for(self, opened: OpenRequest, row: InboxRow) -> Panel:
        panel = PANELS[type(opened.shown)](None, session=row.of_session, clock=self._screen.clock)
        if isinstance(panel, DecisionPanel):
            panel.form.unseen_above = self._screen.body.unseen_of_plan
            panel.form.directory = row.directory
        return panel

    # -- what is around the panel ---------------------------------------------------------------------------

    def say(self, text: str, of: str = "") -> None:  # noqa: ARG002 - one request is open at a time
        self._screen.say(text)

    def run(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        start_work(self._screen.app, work, name="inbox answer", group=ANSWERS)

    def edit(self, text: str, put: Callable[[str], None]) -> None:
        work = partial(edit_for, self._screen.app, text, put, self._screen.say)
        start_work(self._screen, work, name="editor", group=GROUP)

    async def open_link(self, url: str) -> None:
        self.say(await open_target(self._screen.app, Target(url, url=url)))

    def typed(self, opened: OpenRequest) -> None:
        """Start the time limits of its session again."""
        if (screen := self._session_of(opened.request)) is not None:
            screen.attention.touch()

    def refused(self, _opened: OpenRequest, _draft: Draft, error: InboxError) -> None:
        self.say(f"Not answered: {error} · your draft is kept")

    # -- the answer -----------------------------------------------------------------------------------------

    async def won(self, opened: OpenRequest, draft: Draft, outcome: RequestOutcome) -> None:
        """Have the decision delivered to the agent; say what was done, and how it gets there."""
        row = self._screen.take_out(opened.request.id) or self.row
        if row is None:
            return
        # Keep the whole draft if it cannot be delivered, else what the agent was not sent.
        gone = row.place is SessionPlace.GONE
        kept = self.keep(draft_words(draft) if gone else left_over(draft, outcome))
        done = "Declined" if isinstance(outcome, Declined) else "Answered"
        self.say(await self._deliver(row, done) + kept)

    async def _deliver(self, row: InboxRow, done: str) -> str:
        name = row.session
        if self._session_of(row.stored.request) is not None:
            return f"{done} · {name} continues"
        if row.place is SessionPlace.ASKER:
            taken = await asyncio.to_thread(taking_words, row.stored.request.origin)
            return f"{done} · {taken}"
        if row.place is SessionPlace.OTHER or await self._manager.runs_elsewhere(row.session_id):
            return f"{done} · the ccq-tui that runs {name} delivers it"
        if row.place is SessionPlace.GONE:
            return "Not delivered: its session is gone"
        problem = await self._manager.resume(row, Surface.INBOX, behind=True)
        return problem or f"{done} · {name} starts in the background to receive it"

    def _session_of(self, request: Request) -> SessionScreen | None:
        return self._manager.sessions.known(request.session_id)


SAID_SECONDS = 20.0
NATIVE_SECONDS = 1.0
"""Seconds between looks at sessions in Claude Code's own screen."""
SCROLLS = frozenset({"scroll_up", "scroll_down", "page_up", "page_down"})
"""Actions that scroll the content above a panel."""


class InboxScreen(ListScreen[InboxRow | None, InboxList]):
    """Lists waiting requests; lets a person answer or decline one, go to its session, or park that."""

    feed: InboxFeed
    DEFAULT_CSS = """
    InboxScreen {
        background: $background;
        overflow: hidden;
        & > InboxBody { height: 1fr; }
        & > NoticeLine { background: $background; }
        & Static { height: auto; }
        & #filter { height: 0; min-height: 0; max-height: 1; margin: 0; padding: 0 1 0 3; border: none; }
        & #filter:focus { border: none; }
        & #inbox-list { height: 1fr; }
        & #inbox-about { height: 45%; border-top: solid $ccq-rule; }
        & #inbox-more { height: 1; margin: 0 3; }
        & .-off { display: none; }
        &.-answering #inbox-list { display: none; }
        &.-answering #inbox-about { height: 1fr; }
    }
    """

    def __init__(
        self, manager: SessionManager, *, said: str = "", clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(self._take_key, lambda paste: self.passes_on(paste) or self._hands_on(paste))
        self._manager = manager
        self.clock = clock
        self.feed = InboxFeed(manager, self.draw, partial(self.say, seconds=60.0))
        self.host = InboxHost(self, manager)
        self.body = InboxBody(self.field)
        self._said = said
        self._presses = Presses()
        self._finding = False
        """Whether letters go to the filter although it is still empty."""
        self.declining: tuple[str, float] | None = None
        """The request whose declining awaits a confirmation, and since when."""
        self._closed_at: float | None = None
        """Time at which a panel closed by itself, or the last key meant for it came; None after a pause."""

    @property
    def panel(self) -> Panel | None:
        """The panel that is open, or None."""
        return self.host.panel

    @property
    def help_place(self) -> str:
        """The keys that F1 lists first: those of the panel that is open."""
        return INBOX if self.panel is None else self.panel.help_place

    def compose(self) -> ComposeResult:
        yield self.body
        yield NoticeLine()
        yield HintBar()

    def on_mount(self) -> None:
        """Read the waiting requests, and subscribe to changes."""
        self.field.placeholder = "Type to filter"
        self.set_focus(self.field, scroll_visible=False)
        self.query_one(HintBar).labels = new_labels()
        self._unsubscribe = self._manager.inbox.subscribe(self._changed)
        # Immediate: a key may come before the event that says that another screen has gone.
        self.app.screen_change_signal.subscribe(self, self._came_up, immediate=True)
        start_work(self, self._read, name="inbox list")
        self.set_interval(AGES_SECONDS, self.draw)
        self._look_there()
        self.set_interval(NATIVE_SECONDS, self._look_there)
        if self._said:
            self.say(self._said)
        self.draw()

    def on_unmount(self) -> None:
        self._unsubscribe()

    @property
    def finds(self) -> bool:
        """Whether letters go to the filter, and none is a command."""
        return self._finding or bool(self.state.filter)

    # -- what waits -----------------------------------------------------------------------------------------

    async def _read(self) -> None:
        await self.feed.read_all()
        await self.feed.count_undelivered()

    def _look_there(self) -> None:
        """List the requests in Claude Code's own screen, which reports none by itself."""
        start_work(self, self.feed.read_native, name="native sessions")

    def _changed(self, change: InboxChange) -> None:
        if isinstance(change, Added):
            start_work(self, partial(self.feed.read_one, change.request.id), name="inbox row")
        elif isinstance(change, InboxRenewed) and change.another:
            start_work(self, self._read, name="inbox list")
        elif isinstance(change, SessionNoted):
            count = self.feed.count_undelivered
            start_work(self, count, name="inbox count", group="inbox count", exclusive=True)
        elif isinstance(change, Settled):
            self._settled(change)
        elif isinstance(change, Notified):
            self.say(notified_words(change))

    def _settled(self, change: Settled) -> None:
        """Take a request out of the list; if it is open, opening or being declined, say who settled it."""
        name, opened, opening = change.request.id, self.host.opened, self.host.opening
        asks = self.declining is not None and self.declining[0] == name
        if asks:
            self.declining = None
        self.feed.drop(name)
        draft = opened.shown if opened is not None and opened.request.id == name else None
        if asks or draft is not None or (opening is not None and opening.row.id == name):
            self._closed_at = self.clock()
            if draft is not None:
                self._close_panel()
            settled = AlreadySettled(change.actor, datetime.now(UTC), change.outcome)
            self.say(self.host.too_late(settled, draft))

    # -- keys -----------------------------------------------------------------------------------------------

    def _take_key(self, event: events.Key) -> bool:
        """Do what a key means; return whether it meant anything. All others edit the filter."""
        if self.passes_on(event) or self._hands_on(event):
            return True  # it came in one burst with the key that opened something
        # Of the keys that came here: the app may know of later ones by now.
        self._presses = self._presses.pressed(event.key, self.clock())
        if self._passes_over(event):
            return True
        self.take_text()
        meant = keys_meant(event.key)
        if self.declining is not None and self._decides(*meant[:1]):
            return True
        if self.finds and text_of(event):
            return False
        done = [self._do(INBOX_ACTIONS.get(key, "")) for key in meant]
        return any(done)

    def _do(self, action: str) -> bool:
        """Do an action of the table of keys; return whether the table has it."""
        moved = self.state.after(action, max(1, self.body.list_view.size.height - 1))
        if moved is not None:
            self.show(moved)
            return True
        match action:
            case "":
                return False
            case "scroll_up" | "scroll_down":
                self._scroll_about(action)
            case "empty" if self.finds:
                self._find(False)
                self.field.put("")
                self.show(self.state.filtered(""))
            case "empty" | "leave":
                self.dismiss(None)
            case "regroup":
                self.show(self.state.regrouped())
            case "find":
                self._find(True)
            case "copy":
                self._copy(self.state.under)
            case _:
                self._do_with_row(action, self.state.under)
        return True

    def _scroll_about(self, action: str) -> None:
        """Scroll the details of the request, or the plan being decided."""
        view = self.body.about_view
        by = max(1, view.size.height - 1) if action.startswith("page") else 1
        view.scroll_relative(y=-by if action.endswith("up") else by, animate=False, force=True)

    def on_key(self, event: events.Key) -> None:
        """Scroll the content above a panel with the keys that the panel does not take."""
        if self.panel is not None and (action := INBOX_ACTIONS.get(event.key)) in SCROLLS:
            event.stop()
            self._scroll_about(action)

    @on(SightView.Looked)
    def _looked(self) -> None:
        self.body.say_more()
        if isinstance(self.panel, DecisionPanel):
            self.panel.look()

    def _do_with_row(self, action: str, row: InboxRow | None) -> None:
        if row is None:
            return
        view = self.body.list_view
        self.feed.state = replace(self.state, in_sight=view.rows_in_sight)
        if self.state.taken is None:
            view.keep_cursor_in_sight()
            return
        if refused := refusal(row, action, key_of("decline")):
            self.say(refused)
            return
        match action:
            case "answer":
                self.declining = None
                self.host.open_soon(row)
            case "go_to":
                self.dismiss(row)
            case "decline":
                self.declining = (row.id, self.clock())
                self.draw()
            case "park":
                self.say(f"Parking {row.session}…")
                start_work(self, partial(self._park, row), name="park", group="park")

    async def _park(self, row: InboxRow) -> None:
        self.say(await self._manager.park(row, Surface.INBOX))
        await self.feed.read_one(row.id)

    def _decides(self, key: str = "") -> bool:
        """Take the key after Ctrl+D; return whether it only answered that."""
        request_id, at = self.declining or ("", 0.0)
        # A key held down repeats by itself, and nobody has read the question yet.
        if key in DECLINING_KEYS and is_fresh(at, self.clock(), self._presses.apart):
            self.declining = (request_id, self.clock())
            return True
        self.declining = None
        self.draw()
        if key in ("ctrl+d", "y") and (row := self.state.get(request_id)) is not None:
            self.host.run(partial(self._decline, row))
        return key in ("ctrl+d", "y", "n", "escape")

    async def _decline(self, row: InboxRow) -> None:
        if (opened := await self.host.read(row)) is not None:
            self.host.row = row
            self.host.settle(opened, kind_of(opened.request).REFUSAL)

    def _copy(self, row: InboxRow | None) -> None:
        if len(self.host.drafts):
            self.app.copy_to_clipboard(self.host.drafts.copied())
            self.say("Draft copied", 4.0)
        elif row is not None:
            start_work(self, partial(self._copy_row, row), name="copy")

    async def _copy_row(self, row: InboxRow) -> None:
        opened = await self.host.read(row)
        draft = draft_words(opened.shown) if opened is not None else ""
        self.app.copy_to_clipboard(copied(row, draft))
        self.say("Question and answer copied" if draft else "Question copied", 4.0)

    def under(self, event: events.MouseEvent) -> str | None:
        """Return the id of the request under the pointer, or None."""
        row = self.body.list_view.row_on_screen(event.screen_offset)
        shown = self.state.shown
        return shown[row].id if self.panel is None and row is not None and row < len(shown) else None

    def take_row(self) -> None:
        """Open the request under the cursor."""
        self._do_with_row("answer", self.state.under)

    # -- the panel of one request ---------------------------------------------------------------------------

    def _came_up(self, screen: Screen[Any]) -> None:
        """Let an open panel or a declining confirmation ignore keys meant for what covered it."""
        if screen is not self:
            return
        if self.panel is not None:
            self.panel.uncover()
        if self.declining is not None:
            self.declining = (self.declining[0], self.clock())

    def _hands_on(self, event: events.Key | events.Paste) -> bool:
        """Pass what is typed into the list to the panel that is open or opening; return whether one is."""
        typed = copy_of(event)  # the original is stopped at the list
        if self.panel is not None:
            self.panel.type_ahead([typed])  # it has not taken the focus yet
        elif self.host.opening is not None:
            self.host.opening.typed.append(typed)
        else:
            return False
        return True

    def _passes_over(self, event: events.Key) -> bool:
        """Note a key of the list; return whether it was meant for a panel that closed by itself.

        Until there is a pause, letters go to the filter, and Enter and Esc mean nothing.
        """
        at, typed = self.clock(), bool(text_of(event))
        if self._closed_at is None or at - self._closed_at >= TYPING_PAUSE:
            self._closed_at = None
            return False
        self._closed_at = at
        if typed:
            self._find(True)
        return event.key in GUARDED_KEYS

    def find_late(self, typed: list[Typed]) -> None:
        """Filter by what was typed for a panel that did not open, as behind one that closed by itself."""
        self._closed_at = self.clock()
        self.type_late(typed)

    def open_panel(self, panel: Panel) -> None:
        """Put a panel that asks in place of the list."""
        self.mount(panel)
        self._panel_changed()

    def _close_panel(self) -> None:
        if (panel := self.host.leave()) is not None:
            panel.remove()
            self._panel_changed()

    def let_go(self, opened: OpenRequest) -> None:
        """Close the panel of a request that was settled in it."""
        if self.host.opened is opened:
            self._close_panel()

    def take_out(self, request_id: str) -> InboxRow | None:
        """Take a request out of the list, and return its row; None if it is gone."""
        row = self.state.get(request_id)
        self.feed.drop(request_id)
        return row

    def _panel_changed(self) -> None:
        """Give the list's place to the request's details and the keys to the panel, or take both back."""
        answering = self.panel is not None
        self.set_class(answering, "-answering")
        self.query_one(HintBar).set_class(answering, "-off")
        if not answering:
            self.set_focus(self.field, scroll_visible=False)
        self.draw()

    @on(PanelMessage)
    def _take_message(self, event: PanelMessage) -> None:
        event.stop()
        self.host.take_message(event)

    def folded(self, _key: str) -> None:
        """Close a panel that was folded away."""
        self._close_panel()

    def give_back(self, panel: Panel) -> None:
        """Filter by the words that were not meant for the panel, and close it."""
        typed = "".join(panel.state.guard.returned)
        self._close_panel()
        self._closed_at = self.clock()
        self._find(True)
        self.field.type(typed)
        self.type_late(panel.rest())

    def type_late(self, typed: list[Typed]) -> None:
        """Give the list what was typed right after the key that hid the panel."""
        for late in typed:
            self.field.post_message(late)

    # -- drawing --------------------------------------------------------------------------------------------

    def say(self, text: str, seconds: float = SAID_SECONDS) -> None:
        """Show a text above the keys for some seconds, or in the session that is shown instead."""
        if self.is_running and self.is_attached:
            self.query_one(NoticeLine).say(text, seconds)
        else:
            self._manager.sessions.say(text, seconds=SAID_SECONDS)

    def _find(self, on: bool) -> None:
        """Send letters to the filter, or treat them as keys again."""
        self._finding = on
        self.draw()

    def on_resize(self) -> None:
        if is_live(self):
            self.draw()

    def draw(self) -> None:
        """Draw everything around the panel."""
        if not self.has_parts:
            return
        row = self.host.row if self.panel is not None else None
        self.body.draw(self.state, row, undelivered=self.feed.undelivered, finds=self.finds)
        declining = self.state.get(self.declining[0]) if self.declining else None
        hints = key_hints(self.state, self._way_back(), finds=self.finds, declining=bool(self.declining))
        self.query_one(HintBar).show(hints, most_lines=key_lines(self.app.size.height))
        notices = self.query_one(NoticeLine)
        notices.leave_room(self.panel is not None)
        notices.stand(f"Decline “{declining.question}”?" if declining else "")

    def _way_back(self) -> str:
        sessions = self._manager.sessions
        return "back" if sessions.front is not None else "to the session" if sessions else "leave"
