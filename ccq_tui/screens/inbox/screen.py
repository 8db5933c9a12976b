"""The inbox screen: the waiting requests of all sessions, oldest first, over the session on the screen."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

from textual import events, on
from textual.app import ComposeResult
from textual.screen import Screen

from ccq_tui.config.keymap import key_of, with_keys
from ccq_tui.inbox.actors import Surface
from ccq_tui.inbox.elicitations import link_to_open
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.port import Added, DraftUpdated, InboxChange, InboxRenewed, Notified, SessionNoted, Settled
from ccq_tui.inbox.requests import RequestOutcome
from ccq_tui.inbox.verdicts import AlreadySettled, InboxError
from ccq_tui.inbox.waiting_line import TYPING_PAUSE, Waiting
from ccq_tui.questions.input_guard import DECLINING_KEYS, GUARDED_KEYS, InputGuard, Presses, is_fresh
from ccq_tui.runtime.notices import notified_words
from ccq_tui.screens.editor import GROUP, edit_for
from ccq_tui.screens.inbox.body import AGES_SECONDS, InboxBody, copied, key_hints, refusal
from ccq_tui.screens.inbox.inbox_feed import InboxFeed
from ccq_tui.screens.inbox.inbox_list import INBOX, INBOX_ACTIONS, InboxList, InboxRow
from ccq_tui.screens.inbox.request_answers import DRAFT_KEPT, RequestAnswers
from ccq_tui.screens.link_opener import Target, open_target
from ccq_tui.screens.overlay import ListScreen
from ccq_tui.screens.session.drafts import draft_of
from ccq_tui.screens.session.panel_pool import PANELS
from ccq_tui.screens.session.requests import OWN_TEXT
from ccq_tui.screens.sessions.session_manager import SessionManager
from ccq_tui.widgets.decision import DecisionPanel
from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.keys import copy_of, keys_meant, new_labels, text_of
from ccq_tui.widgets.lifetime import after_refresh, is_live, start_work
from ccq_tui.widgets.notice_line import NoticeLine
from ccq_tui.widgets.panel import RequestPanel
from ccq_tui.widgets.panel.measures import key_lines
from ccq_tui.widgets.question import QuestionPanel
from ccq_tui.widgets.sight import SightView

ANSWERS = "inbox answer"
"""The group of workers that see an answer through."""
SAID_SECONDS = 20.0
NATIVE_SECONDS = 1.0
"""Seconds between looks at sessions in Claude Code's own screen."""
SCROLLS = frozenset({"scroll_up", "scroll_down", "page_up", "page_down"})
"""Actions that scroll the content above a panel."""


@dataclass(slots=True)
class Opening:
    """A panel whose draft is being read.

    Attributes:
        row: Its request.
        typed: Keys and pastes for it that came meanwhile.
        changed: Whether another surface changed the draft since the read began.
    """

    row: InboxRow
    typed: list[events.Key | events.Paste] = field(default_factory=list)
    changed: bool = False


class InboxScreen(ListScreen[InboxRow | None, InboxList]):
    """Lists waiting requests; lets a person answer or decline one, go to its session, or park that.

    Attributes:
        answered: The request whose panel is open, or None.
        panel: The panel that is open, or None.
    """

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
        self.answers = RequestAnswers(manager)
        self.body = InboxBody(self.field)
        self.answered: InboxRow | None = None
        self.panel: QuestionPanel | DecisionPanel | None = None
        self._said = said
        self._presses = Presses()
        self._finding = False
        """Whether letters go to the filter although it is still empty."""
        self.declining: tuple[str, float] | None = None
        """The request whose declining awaits a confirmation, and since when."""
        self._opening: Opening | None = None
        """The panel that is being opened, or None."""
        self._closed_at: float | None = None
        """Time at which a panel closed by itself, or the last key meant for it came; None after a pause."""

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
        elif isinstance(change, DraftUpdated):
            self._follow(change)
        elif isinstance(change, Settled):
            self._settled(change)
        elif isinstance(change, Notified):
            self.say(notified_words(change))

    def _settled(self, change: Settled) -> None:
        """Take a request out of the list; if it is open, opening or being declined, say who settled it."""
        opened = self.answered or (self._opening.row if self._opening is not None else None)
        opens = opened is not None and opened.id == change.request.id
        asks = self.declining is not None and self.declining[0] == change.request.id
        if asks:
            self.declining = None
        self.feed.drop(change.request.id)
        if opens or asks:
            self._closed_at = self.clock()
            waiting = self.close_panel(keep=False) if opens else None
            settled = AlreadySettled(change.actor, datetime.now(UTC), change.outcome)
            self.say(self.answers.too_late(settled, waiting))

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
                self._open_soon(row)
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
            self.settle_soon(row, kind_of(row.stored.request).REFUSAL)
        return key in ("ctrl+d", "y", "n", "escape")

    def _copy(self, row: InboxRow | None) -> None:
        if len(self.answers.closed):
            self.app.copy_to_clipboard(self.answers.closed.copied())
            self.say("Draft copied", 4.0)
        elif row is not None:
            start_work(self, partial(self._copy_row, row), name="copy")

    async def _copy_row(self, row: InboxRow) -> None:
        try:
            draft = await self.answers.draft_for(row)
        except InboxError as error:
            self.say(f"Its draft cannot be read: {error}")
            return
        self.app.copy_to_clipboard(copied(row, draft_of(Waiting(row.stored.request, draft))))
        self.say("Question and answer copied" if draft.has_draft else "Question copied", 4.0)

    def under(self, event: events.MouseEvent) -> str | None:
        """Return the id of the request under the pointer, or None."""
        row = self.body.list_view.row_on_screen(event.screen_offset)
        shown = self.state.shown
        return shown[row].id if self.panel is None and row is not None and row < len(shown) else None

    def take_row(self) -> None:
        """Open the request under the cursor."""
        self._do_with_row("answer", self.state.under)

    # -- the panel of one request ---------------------------------------------------------------------------

    def _open_soon(self, row: InboxRow) -> None:
        """Open the panel of a request with its draft; keys from now on belong to the panel."""
        if self._opening is None:
            self._opening, self.declining = Opening(row), None
            start_work(self, partial(self._open_panel, self._opening), name="open panel")

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
        elif self._opening is not None:
            self._opening.typed.append(typed)
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

    async def _open_panel(self, opening: Opening) -> None:
        try:
            await self._read_and_open(opening)
        finally:
            self._opening = None
        if self.panel is not None:
            self.panel.type_ahead(opening.typed)
        elif opening.typed:
            self._closed_at = self.clock()  # it goes to the filter, as behind a panel that closed by itself
            for typed in opening.typed:
                self.field.post_message(typed)

    async def _read_and_open(self, opening: Opening) -> None:
        row, opening.changed = opening.row, True
        try:
            while opening.changed:
                opening.changed = False
                draft = await self.answers.draft_for(row)
        except InboxError as error:
            self.say(f"Its draft cannot be read: {error}")
            return
        if self.state.get(row.id) is None or self.panel is not None or not self.is_current:
            return
        draft = replace(draft, hidden=False, guard=InputGuard())
        kind = PANELS[type(draft)]
        panel = kind(draft, session=row.of_session, clock=self.clock, asked_for=True)  # type: ignore[arg-type]
        if isinstance(panel, DecisionPanel):
            panel.form.unseen_above = self.body.unseen_of_plan
            panel.form.directory = row.directory
        self.answered, self.panel = row, panel
        self.mount(panel)
        self._panel_changed()
        # Until the panel has taken its lines, more of a plan is drawn than anybody can have read.
        after_refresh(panel, self.body.about_view.look_anew)

    def _follow(self, change: DraftUpdated) -> None:
        """Show what another process changed in the draft of the open panel, or of the one being opened."""
        if self._opening is not None and self._opening.row.id == change.request.id:
            self._opening.changed = True
        if self.panel is None or self.answered is None or self.answered.id != change.request.id:
            return
        if change.stale:
            self.panel.freeze(change.words)
        else:
            self.panel.take_draft(change.draft)
        self.say(f"The draft was {change.words}")

    @on(RequestPanel.TakeOver)
    def _take_over(self, event: RequestPanel.TakeOver) -> None:
        event.stop()
        opened = self.answers.opened
        if self.answered is None or event.panel is not self.panel or opened is None or opened.stale is None:
            return
        mine = opened.take_over() or event.panel.state
        self.answers.closed.keep(draft_of(Waiting(opened.request, mine)))
        if opened.draft is not None:
            event.panel.take_draft(opened.draft)
        self.say(with_keys(OWN_TEXT))

    def close_panel(self, *, keep: bool = True) -> Waiting | None:
        """Close the panel; return the request with its draft, which its session keeps if ``keep`` is set."""
        panel, row = self.panel, self.answered
        if panel is None or row is None:
            return None
        self.panel = self.answered = None
        panel.remove()
        if keep:
            self.answers.keep(row, panel.state)
        self._panel_changed()
        return Waiting(row.stored.request, panel.state)

    def _panel_changed(self) -> None:
        """Give the list's place to the request's details and the keys to the panel, or take both back."""
        answering = self.panel is not None
        self.set_class(answering, "-answering")
        self.query_one(HintBar).set_class(answering, "-off")
        if not answering:
            self.set_focus(self.field, scroll_visible=False)
        self.draw()

    @on(RequestPanel.Changed)
    def _keep_draft(self, event: RequestPanel.Changed) -> None:
        event.stop()
        if self.answered is None or event.panel is not self.panel:
            return
        # Another surface may have changed it meanwhile.
        self.answers.save(self.answered, event.panel.state)
        if event.state.hidden:
            self.close_panel()

    @on(RequestPanel.Ended)
    def _settle(self, event: RequestPanel.Ended) -> None:
        event.stop()
        row = self.answered
        if row is not None and event.panel is self.panel:
            self.settle_soon(row, event.outcome, self.close_panel(keep=False))

    def settle_soon(self, row: InboxRow, outcome: RequestOutcome, waiting: Waiting | None = None) -> None:
        """Give the inbox an outcome, and see it through even if this screen is left meanwhile."""

        async def settle() -> None:
            said = await self.answers.settle(row, outcome, waiting, lambda: self.feed.drop(row.id))
            if url := link_to_open(row.stored.request, outcome):
                said = f"{said} · {await open_target(self.app, Target(url, url=url))}"
            self.say(said)

        start_work(self.app, settle, name="inbox answer", group=ANSWERS)

    @on(RequestPanel.Returned)
    def _find_typed(self, event: RequestPanel.Returned) -> None:
        """Filter by the words that were not meant for the panel; close it and keep its draft."""
        event.stop()
        panel = self.panel
        if panel is None or event.panel is not panel or panel.keys_under_way:
            return
        typed = "".join(panel.state.guard.returned)
        self.close_panel()
        self._closed_at = self.clock()
        self._find(True)
        self.field.type(typed)
        for late in panel.rest():
            self.field.post_message(late)

    @on(RequestPanel.Late)
    def _keep_late(self, event: RequestPanel.Late) -> None:
        """Give the list what was typed right after the key that hid the panel."""
        event.stop()
        self.field.post_message(event.typed)

    @on(RequestPanel.EditorWanted)
    def _edit_answer(self, event: RequestPanel.EditorWanted) -> None:
        event.stop()
        panel = event.panel

        def put(text: str) -> None:
            if self.panel is panel:
                panel.put_text(text)
            elif self.answers.closed.keep(text):
                self.say(f"The request was closed before your answer{with_keys(DRAFT_KEPT)}")

        start_work(self, partial(edit_for, self.app, event.text, put, self.say), name="editor", group=GROUP)

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
        self.body.draw(self.state, self.answered, undelivered=self.feed.undelivered, finds=self.finds)
        declining = self.state.get(self.declining[0]) if self.declining else None
        hints = key_hints(self.state, self._way_back(), finds=self.finds, declining=bool(self.declining))
        self.query_one(HintBar).show(hints, most_lines=key_lines(self.app.size.height))
        notices = self.query_one(NoticeLine)
        notices.leave_room(self.panel is not None)
        notices.stand(f"Decline “{declining.question}”?" if declining else "")

    def _way_back(self) -> str:
        sessions = self._manager.sessions
        return "back" if sessions.front is not None else "to the session" if sessions else "leave"
