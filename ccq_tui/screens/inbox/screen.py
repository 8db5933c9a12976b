"""The inbox screen: the waiting requests of all sessions, oldest first, over the session on the screen."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Hashable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Any

from rich.text import Text
from textual import events, on

from ccq_tui.config.keymap import key_of
from ccq_tui.inbox.actors import Surface
from ccq_tui.inbox.format import unread_words
from ccq_tui.inbox.kinds import closed_words
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.port import InboxChange, Notified, Settled
from ccq_tui.inbox.reach import taking_words
from ccq_tui.inbox.requests import PlanRequest, RequestOutcome
from ccq_tui.inbox.store.rows import StoredRequest
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.input.gate import Face, Stroke
from ccq_tui.input.keys import Hints, KeyPlace, actions_at
from ccq_tui.questions import Declined
from ccq_tui.runtime.notices import notified_words
from ccq_tui.screens.editor import edit_for
from ccq_tui.screens.inbox.body import about, copied, key_hints, list_lines, plan_lines, refusal, title_line
from ccq_tui.screens.inbox.inbox_list import InboxList, InboxRow, SessionPlace, held_rows, placed, read_rows
from ccq_tui.screens.link_opener import open_url
from ccq_tui.screens.sessions.session_manager import SessionManager
from ccq_tui.screens.stored_list import StoredList
from ccq_tui.widgets.decision import DecisionPanel
from ccq_tui.widgets.keys import Typed, copy_of, keys_meant, text_of
from ccq_tui.widgets.lifetime import after_refresh, start_work
from ccq_tui.widgets.lines import DrawnLine, Flow, TextLines
from ccq_tui.widgets.palette import Palette, palette_of
from ccq_tui.widgets.panel.drafts import ClosedDrafts, draft_words, left_over
from ccq_tui.widgets.panel.host import PanelHost
from ccq_tui.widgets.panels import Panel, panel_kind
from ccq_tui.widgets.sight import SightView, more_line

ANSWERS = "inbox answer"
"""The group of workers that see an answer through."""


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
    SHOWS = frozenset({"answer", "decline"})
    LOOK_SECONDS = 1.0

    def __init__(
        self, manager: SessionManager, *, said: str = "", clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.about = SightView(id="inbox-about")
        """Details of the request under the cursor, or the plan while it is being decided."""
        self._more = TextLines(id="inbox-more", classes="-off")
        super().__init__(InboxList(), read_rows, manager, clock, self.about, self._more)
        self.panel: Panel | None = None
        """The panel that is open, or None."""
        self.row: InboxRow | None = None
        """The row of the request that was opened last."""
        self.early: list[Typed] | None = None
        """Keys and pastes for the panel that is being opened, or None."""
        self.drafts = ClosedDrafts()
        """Drafts of requests that were closed, for copying."""
        self.undelivered = 0
        """Number of answers that have not reached Claude yet, as far as is known."""
        self._unreadable = 0
        self._said = said
        self.declining = False
        """Whether it is asked whether to decline the request of the row."""
        self._about_for: tuple[object, ...] = ()

    @property
    def help_place(self) -> KeyPlace:
        """The keys that F1 lists first: those of the panel that is open."""
        return self.PLACE if self.panel is None else self.panel.help_place

    def on_mount(self) -> None:
        """Say what the program has to say; Textual runs the base's handler, too."""
        self.field.placeholder = "Type to filter"
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
            row, opened = self.row, self.panel.opened if self.panel is not None else None
            asks = opened is not None or self.early is not None or self.declining
            if asks and row is not None and row.key == change.request.id:
                self.declining = False
                kept = self.drafts.offer(draft_words(opened.shown)) if opened is not None else ""
                self._close_panel()
                self.came_up(letters=True)
                self.say(closed_words(change.request, change.outcome, change.actor) + kept)
            self.drop(change.request.id)

    # -- keys -----------------------------------------------------------------------------------------------

    def confirms(self, key: Stroke) -> bool:
        """Take the key after Ctrl+D; return whether it only answered that."""
        meant = keys_meant(key.name)[:1] if self.declining else ()
        if meant in (("ctrl+d",), ("y",)):
            self.judged(replace(key, text=""), self._decline_soon, "declines it")
        else:
            self._keep()
        return meant in (("ctrl+d",), ("y",), ("n",), ("escape",))

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
                self._open_soon(row)
            case "go_to":
                self.dismiss(row)
            case "decline":
                self.row, self.declining = row, True
                self.draw()
                self.begin(Face(shown_at=None, prompts=False))
            case "park":
                self.say(f"Parking {row.session}…")
                start_work(self, partial(self._park, row), name="park", group="park")

    async def _park(self, row: InboxRow) -> None:
        self.say(await self.manager.park(row, Surface.INBOX))
        self.read_soon()

    def _keep(self) -> None:
        """Ask no longer whether to decline a request."""
        if self.declining:
            self.declining, self.face = False, Face(by_itself=False, prompts=False)
            self.draw()

    def _decline_soon(self) -> None:
        self._keep()
        if self.row is not None:
            self._run(partial(self._decline, self.row))

    def clicked(self, key: Hashable, event: events.Click) -> None:
        self._keep()
        super().clicked(key, event)

    async def _decline(self, row: InboxRow) -> None:
        if (opened := await self.read_request(row)) is not None:
            self._host(row).settle(opened, Declined())

    def _copy(self, row: InboxRow | None) -> None:
        if row is not None and not len(self.drafts):
            start_work(self, partial(self._copy_row, row), name="copy")
        else:
            self.say(self.drafts.copy(self.app.copy_to_clipboard), 4.0)

    async def _copy_row(self, row: InboxRow) -> None:
        opened = await self.read_request(row)
        draft = draft_words(opened.shown) if opened is not None else ""
        self.app.copy_to_clipboard(copied(row, draft))
        self.say("Question and answer copied" if draft else "Question copied", 4.0)

    def under(self, event: events.MouseEvent) -> Hashable | None:
        """Return the id of the request under the pointer, or None."""
        return super().under(event) if self.panel is None else None

    # -- the panel of one request ---------------------------------------------------------------------------

    def came_up(self, *, letters: bool = False) -> None:
        """Begin anew, with the panel that is open: keys under way were meant for what covered it."""
        super().came_up(letters=letters)
        if self.panel is not None:
            self.panel.uncover()

    def hands_on(self, event: events.Key | events.Paste) -> bool:
        """Pass what is typed into the list to the panel that is open or opening; return whether it was."""
        if super().hands_on(event):
            return True
        typed = copy_of(event)  # the original is stopped at the list
        if self.panel is not None:
            self.panel.post_message(typed)  # it has not taken the focus yet
        elif self.early is not None:
            self.early.append(typed)
        else:
            return False
        return True

    def find_late(self, typed: list[Typed]) -> None:
        """Filter by what was typed for a panel that did not open, as behind one that closed by itself."""
        self.came_up(letters=True)
        self.type_late(typed)

    def _open_soon(self, row: InboxRow) -> None:
        """Open the panel of a request with its draft; keys from now on belong to the panel."""
        if self.early is None:
            self.row, self.early = row, []
            start_work(self, partial(self._open, row), name="open panel")

    async def _open(self, row: InboxRow) -> None:
        try:
            opened = await self.read_request(row)
        finally:
            typed, self.early = self.early or [], None
        if opened is not None and opened.is_pending and self.panel is None and self.is_current:
            panel = self.panel = panel_kind(opened.shown)(self._host(row), self.clock)
            panel.begin(opened, asked_for=True)
            self.mount(panel)
            self._panel_changed()
            for one in typed:  # none of it decides anything: the panel is not drawn yet
                panel.post_message(one)
            # Until the panel has taken its lines, more of a plan is drawn than anybody can have read.
            after_refresh(panel, self.about.look_anew)
        elif typed:
            self.find_late(typed)

    async def read_request(self, row: InboxRow) -> OpenRequest | None:
        """Return the request of a row with its draft, or None and say why not."""
        try:
            opened = await self.manager.inbox.open(row.key)
        except InboxError as error:
            self.say(f"Its draft cannot be read: {error}")
            return None
        if opened is None:
            self.say("The request no longer exists")
        return opened

    def _host(self, row: InboxRow) -> PanelHost:
        return PanelHost(
            surface=Surface.INBOX,
            say=lambda text, _: self.say(text),
            run=self._run,
            edit=lambda text, put: edit_for(self, text, put, self.say),
            open_link=lambda url: open_url(self.app, url, self.say),
            keep=self.drafts.offer,
            leave=self._let_go,
            ended=partial(self._ended, row),
            type_late=self.type_late,
            folded=self._close_panel,
            typed=self._touch,
            unseen_above=self.unseen_of_plan,
            # An asker other than a session is named already.
            session="" if row.place is SessionPlace.ASKER else row.session,
            directory=row.directory,
        )

    def _run(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run work that an answer needs; the screen may be left meanwhile."""
        start_work(self.app, work, name=ANSWERS, group=ANSWERS)

    def _touch(self, opened: OpenRequest) -> None:
        """Start the time limits of a request's session again."""
        if (screen := self.manager.sessions.known(opened.request.session_id)) is not None:
            screen.attention.touch()

    async def _ended(
        self, row: InboxRow, opened: OpenRequest, outcome: RequestOutcome, error: InboxError | None
    ) -> None:
        """Have the decision delivered to the agent; say what was done, and how it gets there."""
        if error is not None:
            self.say(f"Not answered: {error} · your draft is kept")
            return
        self.drop(row.key)
        draft = opened.shown
        # Keep the whole draft if it cannot be delivered, else what the agent was not sent.
        gone = row.place is SessionPlace.GONE
        kept = self.drafts.offer(draft_words(draft) if gone else left_over(draft, outcome))
        done = "Declined" if isinstance(outcome, Declined) else "Answered"
        self.say(await self._deliver(row, done) + kept)

    async def _deliver(self, row: InboxRow, done: str) -> str:
        name, origin = row.session, row.stored.request.origin
        if self.manager.sessions.known(row.session_id) is not None:
            return f"{done} · {name} continues"
        if row.place is SessionPlace.ASKER:
            return f"{done} · {await asyncio.to_thread(taking_words, origin)}"
        if row.place is SessionPlace.OTHER or await self.manager.runs_elsewhere(row.session_id):
            return f"{done} · the ccq-tui that runs {name} delivers it"
        if row.place is SessionPlace.GONE:
            return "Not delivered: its session is gone"
        problem = await self.manager.resume(row, Surface.INBOX, behind=True)
        return problem or f"{done} · {name} starts in the background to receive it"

    def _close_panel(self) -> None:
        panel, self.panel = self.panel, None
        if panel is not None:
            panel.leave()
            panel.display = False  # at once: its parts are removed one by one
            panel.remove()
            self._panel_changed()

    def _let_go(self, opened: OpenRequest, _: RequestOutcome) -> None:
        """Close the panel of a request that was settled in it."""
        if self.panel is not None and self.panel.opened is opened:
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

    def type_late(self, typed: Sequence[Typed]) -> None:
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
        row = self.row if self.declining else None
        return f"Decline “{row.question}”?" if row is not None else ""

    @property
    def hints(self) -> Hints:
        """The keys that apply, the most useful first."""
        sessions = self.manager.sessions
        back = "back" if sessions.front is not None else "to the session" if sessions else "leave"
        return key_hints(self.state, back, finds=self.finds, declining=self.declining)

    def heading(self, _width: int, palette: Palette) -> Text:
        return title_line(self.state, self.undelivered, palette)

    def make_lines(self, width: int, palette: Palette) -> list[DrawnLine]:
        return list_lines(self.state, datetime.now(UTC), width, palette)

    def draw_details(self, palette: Palette) -> None:
        """Draw the request under the cursor or above its panel, if it is another one."""
        row = self.row if self.panel is not None else self.state.under
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
        request = self.row.stored.request if self.panel is not None and self.row else None
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
