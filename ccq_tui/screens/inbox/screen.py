"""The inbox screen: the waiting requests of all sessions, oldest first, over the session on the screen."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Hashable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Any

from rich.text import Text
from textual import events, on
from textual.screen import Screen

from ccq_tui.config.keymap import key_of
from ccq_tui.inbox.actors import Surface
from ccq_tui.inbox.draft import Draft
from ccq_tui.inbox.format import unread_words
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.port import InboxChange, Notified, Settled
from ccq_tui.inbox.reach import taking_words
from ccq_tui.inbox.requests import PlanRequest, Request, RequestOutcome
from ccq_tui.inbox.store.rows import StoredRequest
from ccq_tui.inbox.verdicts import AlreadySettled, InboxError
from ccq_tui.inbox.waiting_line import TYPING_PAUSE
from ccq_tui.input.keys import Hints, KeyPlace, actions_at
from ccq_tui.questions import Declined
from ccq_tui.questions.input_guard import DECLINING_KEYS, GUARDED_KEYS, Presses, is_fresh
from ccq_tui.runtime.notices import notified_words
from ccq_tui.screens.editor import GROUP, edit_for
from ccq_tui.screens.inbox.body import about, copied, key_hints, list_lines, plan_lines, refusal, title_line
from ccq_tui.screens.inbox.inbox_list import InboxList, InboxRow, SessionPlace, held_rows, placed, read_rows
from ccq_tui.screens.link_opener import Target, open_target
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.sessions.session_manager import SessionManager
from ccq_tui.screens.stored_list import StoredList
from ccq_tui.widgets.decision import DecisionPanel
from ccq_tui.widgets.keys import Typed, copy_of, keys_meant, text_of
from ccq_tui.widgets.lifetime import after_refresh, start_work
from ccq_tui.widgets.lines import DrawnLine, Flow, TextLines
from ccq_tui.widgets.palette import Palette, palette_of
from ccq_tui.widgets.panel.drafts import draft_words, left_over
from ccq_tui.widgets.panel_host import PANELS, Panel, PanelHost
from ccq_tui.widgets.sight import SightView, more_line

ANSWERS = "inbox answer"
"""The group of workers that see an answer through."""


class InboxHost(PanelHost):
    """Shows the request of a row; its session, if that is here, has its draft, too.

    Attributes:
        row: The row of the request that was opened last.
        early: Keys and pastes for the panel that is being opened, or None.
    """

    def __init__(self, screen: InboxScreen, manager: SessionManager) -> None:
        super().__init__(Surface.INBOX, screen)
        self.row: InboxRow | None = None
        self.early: list[Typed] | None = None
        self._answered: dict[str, InboxRow] = {}
        """The rows of requests that are being settled: by then, another one may be open."""
        self._screen = screen
        self._manager = manager

    # -- opening --------------------------------------------------------------------------------------------

    def open_soon(self, row: InboxRow) -> None:
        """Open the panel of a request with its draft; keys from now on belong to the panel."""
        if self.early is None:
            self.row, self.early = row, []
            start_work(self._screen, partial(self._open, row), name="open panel")

    async def _open(self, row: InboxRow) -> None:
        try:
            opened = await self.read(row)
        finally:
            typed, self.early = self.early or [], None
        screen = self._screen
        if opened is not None and opened.is_pending and self.panel is None and screen.is_current:
            panel = self._panel_for(opened, row)
            self.show(opened, panel, asked_for=True)
            screen.open_panel(panel)
            panel.type_ahead(typed)
            # Until the panel has taken its lines, more of a plan is drawn than anybody can have read.
            after_refresh(panel, screen.about.look_anew)
        elif typed:
            screen.find_late(typed)

    async def read(self, row: InboxRow) -> OpenRequest | None:
        """Return the request of a row with its draft, or None and say why not."""
        try:
            opened = await self._manager.inbox.open(row.key)
        except InboxError as error:
            self.say(f"Its draft cannot be read: {error}")
            return None
        if opened is None:
            self.say("The request no longer exists")
        return opened

    def _panel_for(self, opened: OpenRequest, row: InboxRow) -> Panel:
        kind, clock = PANELS[type(opened.shown)], self._screen.clock
        # An asker other than a session is named already.
        session = "" if row.place is SessionPlace.ASKER else row.session
        panel = kind(session=session, clock=clock, hides="back")
        if isinstance(panel, DecisionPanel):
            panel.form.unseen_above = self._screen.unseen_of_plan
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

    def gave(self, opened: OpenRequest, _draft: Draft, _outcome: RequestOutcome) -> None:
        """Remember how the agent can be reached."""
        if self.row is not None:
            self._answered[opened.request.id] = self.row

    async def won(self, opened: OpenRequest, draft: Draft, outcome: RequestOutcome) -> None:
        """Have the decision delivered to the agent; say what was done, and how it gets there."""
        row = self._answered.pop(opened.request.id)
        self._screen.drop(row.key)
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


MOST_LINES = 5_000
"""Most lines of the details of a request."""
MORE_FRAME = 6
"""Cells beside the row that says how many lines of a plan are left."""
SCROLLS = frozenset({"scroll_up", "scroll_down", "page_up", "page_down"})
"""Actions that scroll the content above a panel."""


class InboxScreen(StoredList[InboxRow | None, InboxList]):
    """Lists waiting requests; lets a person answer or decline one, go to its session, or park that."""

    DEFAULT_CSS = """
    InboxScreen {
        & #inbox-about { height: 45%; border-top: solid $ccq-rule; }
        & #inbox-more { height: 1; margin: 0 3; }
        & .-off { display: none; }
    }
    """
    PLACE = KeyPlace.INBOX
    ON_ROW = ("answer", "go_to", "decline", "park")
    LOOK_SECONDS = 1.0

    def __init__(
        self, manager: SessionManager, *, said: str = "", clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.about = SightView(id="inbox-about")
        """Details of the request under the cursor, or the plan while it is being decided."""
        self._more = TextLines(id="inbox-more", classes="-off")
        super().__init__(InboxList(), read_rows, manager, clock, self.about, self._more)
        self.host = InboxHost(self, manager)
        self.undelivered = 0
        """Number of answers that have not reached Claude yet, as far as is known."""
        self._unreadable = 0
        self._said = said
        self._presses = Presses()
        self.declining: float | None = None
        """Since when it is asked whether to decline the request of the host's row."""
        self._closed_at: float | None = None
        """Time at which a panel closed by itself, or the last key meant for it came; None after a pause."""
        self._about_for: tuple[object, ...] = ()

    @property
    def panel(self) -> Panel | None:
        """The panel that is open, or None."""
        return self.host.panel

    @property
    def help_place(self) -> KeyPlace:
        """The keys that F1 lists first: those of the panel that is open."""
        return self.PLACE if self.panel is None else self.panel.help_place

    def on_mount(self) -> None:
        """Say what the program has to say; Textual runs the base's handler, too."""
        self.field.placeholder = "Type to filter"
        # Immediate: a key may come before the event that says that another screen has gone.
        self.app.screen_change_signal.subscribe(self, self._came_up, immediate=True)
        self.say(self._said)

    # -- what waits -----------------------------------------------------------------------------------------

    def native_row(self, waiting: StoredRequest, *, asked: bool) -> InboxRow | None:
        origin = waiting.request.origin
        return None if asked else InboxRow(waiting, origin.called, origin.directory, SessionPlace.THERE)

    def rows(self) -> Iterable[InboxRow]:
        """Return the rows of what waits, as far as this process knows, oldest first."""
        known, here = self.manager.inbox.known, self.manager.sessions.titles()
        rows = (placed(row, here) for row in (self.native | self.stored).values())
        waiting = (row for row in rows if (opened := known(row.key)) is None or opened.is_pending)
        return sorted(waiting, key=lambda row: row.stored.number)

    async def read_rest(self) -> None:
        """Count what cannot be read and what was not delivered, and list what is in memory alone."""
        inbox, before = self.manager.inbox, self._unreadable
        self._unreadable, self.undelivered = await inbox.run(
            lambda store: (len(store.requests.unreadable), sum(store.requests.undelivered_counts().values()))
        )
        self.stored |= held_rows(inbox.unsaved())
        if self._unreadable > before:
            self.say(f"{unread_words(self._unreadable)} · the log names them", 60.0)

    def cannot_read(self, error: InboxError) -> None:
        """List the requests that this process holds, and say that there may be more."""
        self.stored |= held_rows(self.manager.inbox.unsaved(written=True))
        self.say(f"The inbox cannot be read: {error} · only requests held here are listed", 60.0)

    def take_change(self, change: InboxChange) -> None:
        """Read again what has changed; close at once what was settled, and say who settled it."""
        super().take_change(change)
        if isinstance(change, Notified):
            self.say(notified_words(change), 60.0, of="notification")  # what covers it goes first
        elif isinstance(change, Settled):
            row, opened = self.host.row, self.host.opened
            asks = opened is not None or self.host.early is not None or self.declining is not None
            if asks and row is not None and row.key == change.request.id:
                self.declining, self._closed_at = None, self.clock()
                draft = opened.shown if opened is not None else None
                self._close_panel()
                settled = AlreadySettled(change.actor, datetime.now(UTC), change.outcome)
                self.say(self.host.too_late(settled, draft))
            self.drop(change.request.id)

    # -- keys -----------------------------------------------------------------------------------------------

    def passes_over(self, event: events.Key) -> bool:
        """Whether a key was meant for a panel that has closed, or answers whether to decline a request."""
        # Of the keys that came here: the app may know of later ones by now.
        self._presses = self._presses.pressed(event.key, self.clock())
        if self._comes_late(event):
            return True
        self.take_text()
        return self.declining is not None and self._decides(self.declining, *keys_meant(event.key)[:1])

    def act(self, action: str) -> bool:
        match action:
            case "scroll_up" | "scroll_down":
                self._scroll_about(action)
            case "regroup":
                self.show(self.state.kept(replace(self.state, grouped=not self.state.grouped)))
            case "copy":
                self._copy(self.state.under)
            case _:
                return super().act(action)
        return True

    def _scroll_about(self, action: str) -> None:
        """Scroll the details of the request, or the plan being decided."""
        by = max(1, self.about.size.height - 1) if action.startswith("page") else 1
        self.about.scroll_relative(y=-by if action.endswith("up") else by, animate=False, force=True)

    def on_key(self, event: events.Key) -> None:
        """Take the keys that an open panel does not: those that scroll what is above it, and F8."""
        if self.panel is None:
            return
        if (action := actions_at(self.PLACE).get(event.key)) in SCROLLS:
            event.stop()
            self._scroll_about(action)
        elif action == "copy" and not text_of(event):
            event.stop()
            self._copy(None)

    @on(SightView.Looked)
    def _looked(self) -> None:
        self._say_more()
        if isinstance(self.panel, DecisionPanel):
            self.panel.look()

    def act_on(self, action: str, row: InboxRow) -> None:
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
                self.host.row, self.declining = row, self.clock()
                self.draw()
            case "park":
                self.say(f"Parking {row.session}…")
                start_work(self, partial(self._park, row), name="park", group="park")

    async def _park(self, row: InboxRow) -> None:
        self.say(await self.manager.park(row, Surface.INBOX))
        self.read_soon()

    def _decides(self, asked_at: float, key: str = "") -> bool:
        """Take the key after Ctrl+D; return whether it only answered that."""
        # A key held down repeats by itself, and nobody has read the question yet.
        if key in DECLINING_KEYS and is_fresh(asked_at, self.clock(), self._presses.apart):
            self.declining = self.clock()
            return True
        self.declining = None
        self.draw()
        if key in ("ctrl+d", "y") and self.host.row is not None:
            self.host.run(partial(self._decline, self.host.row))
        return key in ("ctrl+d", "y", "n", "escape")

    async def _decline(self, row: InboxRow) -> None:
        if (opened := await self.host.read(row)) is not None:
            self.host.settle(opened, kind_of(opened.request).REFUSAL)

    def _copy(self, row: InboxRow | None) -> None:
        if len(self.host.drafts):
            self.app.copy_to_clipboard(self.host.drafts.copied())
            self.say("Draft copied", 4.0)
        elif row is not None:
            start_work(self, partial(self._copy_row, row), name="copy")
        else:
            self.say("No draft to copy", 4.0)

    async def _copy_row(self, row: InboxRow) -> None:
        opened = await self.host.read(row)
        draft = draft_words(opened.shown) if opened is not None else ""
        self.app.copy_to_clipboard(copied(row, draft))
        self.say("Question and answer copied" if draft else "Question copied", 4.0)

    def under(self, event: events.MouseEvent) -> Hashable | None:
        """Return the id of the request under the pointer, or None."""
        return super().under(event) if self.panel is None else None

    # -- the panel of one request ---------------------------------------------------------------------------

    def _came_up(self, screen: Screen[Any]) -> None:
        """Let an open panel or a declining confirmation ignore keys meant for what covered it."""
        if screen is not self:
            return
        if self.panel is not None:
            self.panel.uncover()
        if self.declining is not None:
            self.declining = self.clock()

    def hands_on(self, event: events.Key | events.Paste) -> bool:
        """Pass what is typed into the list to the panel that is open or opening; return whether it was."""
        if super().hands_on(event):
            return True
        typed = copy_of(event)  # the original is stopped at the list
        if self.panel is not None:
            self.panel.type_ahead([typed])  # it has not taken the focus yet
        elif self.host.early is not None:
            self.host.early.append(typed)
        else:
            return False
        return True

    def _comes_late(self, event: events.Key) -> bool:
        """Note a key of the list; return whether it was meant for a panel that closed by itself.

        Until there is a pause, letters go to the filter, and Enter and Esc mean nothing.
        """
        at, typed = self.clock(), bool(text_of(event))
        if self._closed_at is None or at - self._closed_at >= TYPING_PAUSE:
            self._closed_at = None
            return False
        self._closed_at = at
        if typed:
            self.find(True)
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
            panel.display = False  # at once: its parts are removed one by one
            panel.remove()
            self._panel_changed()

    def let_go(self, opened: OpenRequest) -> None:
        """Close the panel of a request that was settled in it."""
        if self.host.opened is opened:
            self._close_panel()

    def _panel_changed(self) -> None:
        """Give the list's place to the request's details and the keys to the panel, or take both back."""
        answering = self.panel is not None
        self.view.set_class(answering, "-off")
        self.key_line.set_class(answering, "-off")
        self.about.styles.height = "1fr" if answering else "45%"
        if not answering:
            self.set_focus(self.field, scroll_visible=False)
        self.draw()

    def folded(self) -> None:
        """Close a panel that was folded away."""
        self._close_panel()

    def give_back(self, panel: Panel) -> None:
        """Filter by the words that were not meant for the panel, and close it."""
        typed = "".join(panel.state.guard.returned)
        self._close_panel()
        self._closed_at = self.clock()
        self.find(True)
        self.field.type(typed)
        self.type_late(panel.rest())

    def type_late(self, typed: list[Typed]) -> None:
        """Give the list what was typed right after the key that hid the panel."""
        for late in typed:
            self.field.post_message(late)

    # -- drawing --------------------------------------------------------------------------------------------

    @property
    def order(self) -> bool:
        """Whether there are headings."""
        return self.state.grouped

    @property
    def standing(self) -> str:
        row = self.host.row if self.declining is not None else None
        return f"Decline “{row.question}”?" if row is not None else ""

    @property
    def hints(self) -> Hints:
        """The keys that apply, the most useful first."""
        sessions = self.manager.sessions
        back = "back" if sessions.front is not None else "to the session" if sessions else "leave"
        return key_hints(self.state, back, finds=self.finds, declining=self.declining is not None)

    def heading(self, _width: int, palette: Palette) -> Text:
        return title_line(self.state, self.undelivered, palette)

    def make_lines(self, width: int, palette: Palette) -> list[DrawnLine]:
        return list_lines(self.state, datetime.now(UTC), width, palette)

    def draw_details(self, palette: Palette) -> None:
        """Draw the request under the cursor or above its panel, if it is another one."""
        row = self.host.row if self.panel is not None else self.state.under
        self.notices.leave_room(self.panel is not None)
        width = self.app.size.width
        made_for = (row, width, palette, self.panel is None)
        if made_for != self._about_for:
            self._about_for, now = made_for, datetime.now(UTC)
            if (plan := self._plan) is not None:
                # The whole plan, and nothing else that would take its lines.
                lines = plan_lines(plan, width, palette)
            else:
                told = about(row, now, width, palette, asked=self.panel is None) if row else iter(())
                lines = islice(told, MOST_LINES)
            self.about.show_flow(Flow(lines))
        self.about.set_class(row is None, "-off")
        after_refresh(self, self._say_more)

    def unseen_of_plan(self) -> tuple[int, bool]:
        """Return the number of plan lines that were never on the screen, and whether more follow."""
        return self.about.unseen, self.about.goes_on

    @property
    def _plan(self) -> PlanRequest | None:
        """The plan being decided, or None."""
        request = self.host.row.stored.request if self.panel is not None and self.host.row else None
        return request if isinstance(request, PlanRequest) else None

    def _say_more(self) -> None:
        """Show under a plan how much more of it there is."""
        view, more = self.about, self._more
        scrolls = self._plan is not None and (view.above or view.below or view.goes_on)
        if scrolls and more.has_class("-off"):
            # The row takes a line of the plan that nobody can have read yet.
            after_refresh(self, view.look_anew)
        more.set_class(not scrolls, "-off")
        if scrolls:
            width = self.app.size.width - MORE_FRAME
            more.show([more_line(view, width, palette_of(view), down="PgDn", up="PgUp")])
