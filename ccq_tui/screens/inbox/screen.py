"""The inbox screen: what waits in all sessions, oldest first, over the session that is on the screen."""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Static, TextArea

from ccq_tui.inbox import (
    Added,
    AlreadySettled,
    Denied,
    InboxChange,
    InboxError,
    InboxRenewed,
    SessionNoted,
    Settled,
)
from ccq_tui.inbox.listing import unread_words
from ccq_tui.inbox.waiting import Waiting
from ccq_tui.questions import Declined
from ccq_tui.questions.input_guard import DECLINING_KEYS, is_fresh
from ccq_tui.screens.inbox.answering import Answering, is_decision
from ccq_tui.screens.inbox.drawing import copied
from ccq_tui.screens.inbox.listing import InboxRow, Place
from ccq_tui.screens.inbox.reading import held_rows, placed, read_page, read_row
from ccq_tui.screens.inbox.showing import AGES_SECONDS, InboxBody
from ccq_tui.screens.keylist import INBOX
from ccq_tui.screens.overlay import ListField
from ccq_tui.screens.session.drafts import draft_of
from ccq_tui.widgets.decision import DecisionPanel
from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.keys import keys_meant
from ccq_tui.widgets.lifetime import start_work
from ccq_tui.widgets.lines import LineView
from ccq_tui.widgets.notice_line import NoticeLine
from ccq_tui.widgets.pointer import Pointer
from ccq_tui.widgets.sight import SightView
from ccq_tui.widgets.texts import TextLines

PAGES = 200
"""Pages of the store that are listed at most."""
MOVES = {"up": -1, "down": 1, "ctrl+p": -1, "ctrl+n": 1, "shift+tab": -1, "tab": 1}
SCROLLS = {"ctrl+up": -1, "ctrl+down": 1, "pageup": 0, "pagedown": 0}
"""Keys that scroll what is below the list, by so many lines or by a page."""
TAKING = frozenset({"right", "enter", "ctrl+d"})
"""Keys that do something with the request under the cursor."""
LETTERS = {"k": "up", "j": "down", "a": "right", "l": "right", "slash": "find", "q": "f2"}


_logger = logging.getLogger(__name__)


class InboxScreen(Answering):
    """Lists what waits; lets a person answer it here, go to its session, decline it or park its session."""

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
    BINDINGS: ClassVar[list[BindingType]] = []
    HELP_PLACE = INBOX
    """The keys that F1 lists first here."""

    def on_mount(self) -> None:
        """Read what waits, and hear of what changes."""
        self._pointer = Pointer(self._row_under)
        self.field.placeholder = "Type to find"
        self.set_focus(self.field, scroll_visible=False)
        self._unsubscribe = self.host.inbox.subscribe(self._changed)
        start_work(self, self._read, name="inbox list")
        self.set_interval(AGES_SECONDS, self.draw)
        if self.said:
            self.say(self.said)
        self.draw()

    def on_unmount(self) -> None:
        """Hear no more."""
        self._unsubscribe()

    def compose(self) -> ComposeResult:
        """Build head, filter, list, what is known of the request under the cursor, and keys."""
        with InboxBody():
            yield Static("", id="inbox-title", markup=False)
            yield ListField(self._take_key, lambda paste: self.passes_on(paste) or self.hands_on(paste))
            yield LineView(id="inbox-list")
            yield SightView(id="inbox-about")
            yield TextLines(id="inbox-more", classes="-off")
        yield NoticeLine()
        yield HintBar()

    # -- what waits -----------------------------------------------------------------------------------------

    async def _read(self) -> None:
        """List what waits page by page: the first is seen before the last is read."""
        after, recorded = 0, await self.host.recorded()
        gone = {row.id for row in self.state.rows}
        try:
            for _ in range(PAGES):
                rows = await self.host.inbox.run(partial(read_page, after=after, recorded=recorded))
                if not rows:
                    break
                self._list(rows)
                gone -= {row.id for row in rows}
                after = rows[-1].stored.number
            unreadable = await self.host.inbox.run(lambda store: len(store.unreadable))
        except InboxError as error:
            self._cannot_read(error)
        else:
            self._list(here := held_rows(self.host.inbox.held()))
            for name in gone - {row.id for row in here}:  # another file has not what was listed
                self.show(self.state.without(name))
            if unreadable:
                self.say(f"{unread_words(unreadable)} · the log has which", seconds=60.0)
        await self._count_undelivered()

    async def _count_undelivered(self) -> None:
        """Count the answers that have not reached Claude yet."""
        try:
            counts = await self.host.inbox.run(lambda store: store.undelivered_counts())
        except InboxError as error:
            _logger.warning("Answers that were not delivered cannot be counted: %s", error)
            return
        self.undelivered = sum(counts.values())
        self.draw()

    def _cannot_read(self, error: InboxError) -> None:
        """List what waits in this process alone, and say that there may be more."""
        self._list(held_rows(self.host.inbox.held(written=True)))
        self.say(f"Only what waits here is listed; the inbox cannot be read: {error}", seconds=60.0)

    def _list(self, rows: list[InboxRow]) -> None:
        self.show(self.state.with_rows(placed(rows, self.host.open_here())))

    def _changed(self, change: InboxChange) -> None:
        if isinstance(change, Added):
            start_work(self, partial(self._read_one, change.request.id), name="inbox row")
        elif isinstance(change, InboxRenewed) and change.another:
            start_work(self, self._read, name="inbox list")
        elif isinstance(change, SessionNoted):
            start_work(self, self._count_undelivered, name="inbox count", group="inbox count", exclusive=True)
        elif isinstance(change, Settled):
            self.show(self.state.without(change.request.id))
            if self.answered is not None and self.answered.id == change.request.id:
                waiting, self.closed_at = self.close_panel(keep=False), self.clock()
                self.too_late(AlreadySettled(change.actor, datetime.now(UTC), change.outcome), waiting)

    async def _read_one(self, request_id: str) -> None:
        try:
            row = await self.host.inbox.run(lambda store: read_row(store, request_id))
        except InboxError as error:
            self._cannot_read(error)
            return
        held = held_rows(one for one in self.host.inbox.held() if one.request.id == request_id)
        if rows := held or ([row] if row is not None else []):
            self._list(rows)

    # -- keys -----------------------------------------------------------------------------------------------

    def _take_key(self, event: events.Key) -> bool:
        """Do what a key means; whether it meant anything. All others edit the filter."""
        if self.passes_on(event) or self.hands_on(event):
            return True  # it came in one burst with the key that opened something
        if self.note_key(event):
            return True
        self.show(self.state.filtered(self.field.text.replace("\n", " ")))
        if self.declining is not None and self._decides(event.key):
            return True
        plain = event.key
        if not self.finds:
            plain = LETTERS.get(plain, plain)
        taken = [self._take_known(key) for key in keys_meant(self, plain)]
        return any(taken)

    def _take_known(self, key: str) -> bool:
        page = max(1, self.query_one("#inbox-list").size.height - 1)
        match key:
            case _ if key in MOVES:
                self.show(self.state.moved(MOVES[key]))
            case "pageup" | "pagedown":
                self.show(self.state.put(self.state.cursor + (-page if key == "pageup" else page)))
            case "home" | "end":
                self.show(self.state.put(0 if key == "home" else len(self.state.rows)))
            case "ctrl+up" | "ctrl+down":
                self._scroll_about(key)
            case "escape" if self.finds:
                self.find(False)
                self.field.put("")
                self.show(self.state.filtered(""))
            case "escape" | "f2":
                self.dismiss(None)
            case "g" if not self.finds:
                self.show(self.state.regrouped())
            case "find":
                self.find(True)
            case "f8":
                self._copy(self.state.under)
            case _:
                return self._take_for_row(key, self.state.under)
        return True

    def _scroll_about(self, key: str) -> None:
        """Scroll what is known of the request, or the plan that is decided on."""
        page = max(1, self.about_view.size.height - 1)
        self.about_view.scroll_relative(
            y=SCROLLS[key] or (-page if key == "pageup" else page), animate=False, force=True
        )

    def on_key(self, event: events.Key) -> None:
        """Scroll what stands above a panel by the keys that the panel leaves to others."""
        if self.panel is not None and event.key in SCROLLS:
            event.stop()
            self._scroll_about(event.key)

    @on(SightView.Looked)
    def _looked(self) -> None:
        self.say_more()
        if isinstance(self.panel, DecisionPanel):
            self.panel.look()

    def _take_for_row(self, key: str, row: InboxRow | None) -> bool:
        known = ("right", "enter", "ctrl+d", "ctrl+j", "shift+enter", "alt+enter")
        if row is None:
            return key in known or (not self.finds and key in ("p", "c"))
        view = self.query_one("#inbox-list", LineView)
        self.state = replace(self.state, in_sight=view.rows_in_sight)
        if (key in TAKING or (key == "p" and not self.finds)) and self.state.taken is None:
            view.keep_cursor_in_sight()
            return True
        match key:
            case "right":
                self._answer(row)
            case "enter":
                self._go_to(row)
            case "ctrl+d":
                self.declining = (row.id, self.clock())
                self.draw()
            case "p" if not self.finds:
                self.say(f"Parking {row.session}…")
                start_work(self, partial(self._park, row), name="park", group="park")
            case "c" if not self.finds:
                self._copy(row)
            case _:
                return key in known
        return True

    async def _park(self, row: InboxRow) -> None:
        self.say(await self.host.park(row))
        await self._read_one(row.id)

    def _answer(self, row: InboxRow) -> None:
        if row.place is Place.GONE:
            self.say("Its session is gone: nothing can be delivered · c copies it · Ctrl+D declines it")
        else:
            self.open_panel(row)

    def _go_to(self, row: InboxRow) -> None:
        if row.place is Place.GONE:
            self.say("Its session is gone: it cannot be opened · c copies it · Ctrl+D declines it")
        elif row.place is Place.OTHER:
            self.say("It runs in another ccq-tui · → answers it here")
        elif row.place is Place.ASKER:
            self.say("No session asked it · → answers it here")
        else:
            self.dismiss(row)

    def _decides(self, key: str) -> bool:
        """Take the key after Ctrl+D; whether it was meant for that alone."""
        request_id, at = self.declining or ("", 0.0)
        # Held down, the key comes again by itself; and nobody has read yet what is asked.
        if key in DECLINING_KEYS and is_fresh(at, self.clock()):
            self.declining = (request_id, self.clock())
            return True
        self.declining = None
        self.draw()
        row = self.state.get(request_id)
        if key in ("ctrl+d", "y") and row is not None:
            outcome = Denied() if is_decision(row) else Declined()
            self.settle_soon(row, outcome)
        return key in ("ctrl+d", "y", "n", "escape")

    def _copy(self, row: InboxRow | None) -> None:
        if len(self.closed_drafts):
            self.app.copy_to_clipboard(self.closed_drafts.copied())
            self.say("Draft copied", 4.0)
        elif row is not None:
            start_work(self, partial(self._copy_row, row), name="copy")

    async def _copy_row(self, row: InboxRow) -> None:
        try:
            draft = await self.draft_for(row)
        except InboxError as error:
            self.say(f"Its draft cannot be read: {error}")
            return
        self.app.copy_to_clipboard(copied(row, draft_of(Waiting(row.stored.request, draft))))
        self.say("Question and answer copied" if draft.has_draft else "Question copied", 4.0)

    @on(TextArea.Changed)
    def _text_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self.show(self.state.filtered(self.field.text.replace("\n", " ")))

    def _row_under(self, event: events.MouseEvent) -> str | None:
        """Return the request under the pointer."""
        row = self.query_one("#inbox-list", LineView).row_on_screen(event.screen_offset)
        shown = self.state.shown
        return shown[row].id if self.panel is None and row is not None and row < len(shown) else None

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Note where a click may begin."""
        self._pointer.press(event)

    def on_click(self, event: events.Click) -> None:
        """Put the cursor on a row, and open the one that has it."""
        request_id = self._pointer.clicked(event)
        under = self.state.under
        if request_id is not None and under is not None and request_id == under.id:
            self._answer(under)
        elif request_id is not None:
            self.show(self.state.put([row.id for row in self.state.shown].index(request_id)))
