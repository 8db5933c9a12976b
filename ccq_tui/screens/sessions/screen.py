"""Sessions: everything that waits, runs or was, over the session on the screen; answers requests, too."""

import time
from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container

from ccq_tui.config.keymap import keymap, with_keys
from ccq_tui.config.launch import Launch
from ccq_tui.heights import SHARES, is_low, most_lines
from ccq_tui.inbox import layout
from ccq_tui.inbox.kinds import closed_words, kind_of
from ccq_tui.inbox.place import Place
from ccq_tui.inbox.port import Added, Delivered, InboxChange, InboxRenewed, Notified, SessionNoted, Settled
from ccq_tui.inbox.store.rows import StoredDraft
from ccq_tui.input.gate import Face, Stroke
from ccq_tui.input.keys import Hints, KeyPlace, actions_at, key_line
from ccq_tui.runtime.notices import notified_words
from ccq_tui.runtime.view import short_path
from ccq_tui.screens.list_screen import ListScreen
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.sessions.details import Details
from ccq_tui.screens.sessions.list_form import ListForm
from ccq_tui.screens.sessions.listing import AGES_SECONDS, Listing
from ccq_tui.screens.sessions.model import (
    CARET,
    PROMPT,
    Listed,
    RequestRow,
    SessionList,
    SessionRow,
    enter_words,
    ordered,
    refusal,
    words_for,
)
from ccq_tui.screens.sessions.rows import ALONE, EMPTY, ListProps, RowsView, head_line, head_parts, list_lines
from ccq_tui.screens.sessions.session_manager import SessionManager
from ccq_tui.text import masked
from ccq_tui.widgets.keys import Typed, copy_of, intended_keys, text_of
from ccq_tui.widgets.lifetime import after_refresh, is_live
from ccq_tui.widgets.lines import SightView, TextLines
from ccq_tui.widgets.notice_line import NoticeLine
from ccq_tui.widgets.palette import palette_of
from ccq_tui.widgets.panel import RequestPanel
from ccq_tui.widgets.panel.host import beyond, draft_words

POLL_SECONDS = 1.0
NOTICE_SECONDS = 20.0
Going = Callable[[], Awaitable[str | None]]
"""What leaving the list leads to; it may return in words why that could not be."""
NATIVE = "It waits in Claude Code’s own screen, in {} · ccq-tui hooks install lets it ask here"


@dataclass(frozen=True, slots=True)
class ListQuestion:
    """A question above the keys.

    Attributes:
        words: The question.
        key: The key that asked, which confirms, as y does.
        does: What that does.
        call: Does it.
        about: The row that it is about.
    """

    words: str
    key: str
    does: str
    call: Callable[[], object]
    about: object


class SessionsScreen(ListScreen[Going | None, SessionList]):
    """Lists sessions and requests; its result goes to a session, or is None.

    Attributes:
        manager: What opens sessions, with the inbox.
        listing: What is listed.
        question: What is asked above the keys, or None.
        form: What the field holds in place of the filter.
        details: What is known of a row, with the panel of its request.
        notices: The line above the keys.
    """

    DEFAULT_CSS = """
    SessionsScreen {
        background: $background;
        overflow: hidden;
        & > NoticeLine { background: $background; }
        & > TextLines { height: 1; }
        & > ListField { height: 0; min-height: 0; max-height: 0; }
        & > #sessions {
            height: 1fr;
            & > RowsView { height: 1fr; }
            & > Details { height: 1fr; }
            &.-beside { layout: horizontal; }
            &.-beside > Details { width: 1fr; height: 1fr; border-left: solid $ccq-rule; }
        }
    }
    """
    PLACE = KeyPlace.SESSIONS
    ON_ROW = ("choose", "decline", "park", "restart", "done", "close", "fork", "rename")
    SHOWS = frozenset({"choose", "decline", "close", "rename"})
    CARET = ListScreen.CARET | {"left", "right"}
    LETTERS = True
    makes_way = True

    def __init__(
        self,
        manager: SessionManager,
        *,
        aim: Callable[[SessionList], SessionList] = SessionList.on_shown,
        base: Launch | None = None,
        finds: bool = False,
        find: str = "",
        begins: bool = False,
        notice: str = "",
    ) -> None:
        """Create the screen.

        Args:
            manager: What opens sessions.
            aim: Puts the cursor where it begins, as long as rows come and nobody pressed a key.
            base: As the attribute.
            finds: Whether the filter is open.
            find: The filter to begin with.
            begins: Whether the fields of a new session are open.
            notice: What the program has to say.
        """
        super().__init__(SessionList())
        self.manager, self.notices = manager, NoticeLine()
        self.listing = Listing(self, manager, base, self.say, self.put_together)
        self.question: ListQuestion | None = None
        self.form, self.details = ListForm(self, self.listing), Details(self, self.listing)
        self.finds = self._begins_finding = finds
        self._aim: Callable[[SessionList], SessionList] | None = aim
        self._notice, self._find, self._begins = notice, find, begins
        self.view: RowsView = RowsView()
        self._head, self._finding = TextLines(), TextLines()
        self.body = Container(self.view, self.details, id="sessions")
        self._drawn_at = 0.0
        """The time for which ages are drawn."""

    def compose(self) -> ComposeResult:
        yield self._head
        yield self._finding
        yield self.body
        yield self.field
        yield self.notices
        yield self.key_line

    def on_mount(self) -> None:
        """Show what is here, read the rest and follow changes; Textual runs the base's handler, too."""
        inbox, sessions = self.manager.inbox, self.manager.sessions
        self._unsubscribe = (inbox.subscribe(self.take_change), sessions.subscribe(self.put_together))
        if self._find:
            self.listing.everywhere = True
            self.field.put(self._find)
            self.state = self.state.filtered(self._find)
        if self._begins:
            self.form.open()
        self.put_together()
        self.listing.read_soon()
        self.listing.poll()
        self.listing.read_records()
        self.set_interval(POLL_SECONDS, self.listing.poll)
        self.say(self._notice)

    def on_unmount(self) -> None:
        for unsubscribe in self._unsubscribe:
            unsubscribe()

    @property
    def panel(self) -> RequestPanel | None:
        """The panel that is open, or None."""
        return self.details.panel

    @property
    def help_place(self) -> KeyPlace:
        """The keys that F1 lists first: those of the panel that is open."""
        if self.panel is not None:
            return self.panel.help_place
        return KeyPlace.NEW if self.form.new else self.PLACE

    def say(self, text: str, seconds: float = NOTICE_SECONDS, of: str = "") -> None:
        """Show a text above the keys for some seconds, or in the session that is shown instead.

        One with an owner is covered by later ones, and comes back.
        """
        if self.is_running and self.is_attached:
            self.notices.say(text, seconds, of)
            self.draw()
        else:
            self.manager.sessions.say(text, seconds=NOTICE_SECONDS)

    # -- what is listed -------------------------------------------------------------------------------------

    def put_together(self) -> None:
        """List what is known by now, with the cursor on its row."""
        before = self.state.under
        state = self.state.with_rows(ordered(self.listing.rows(), 200))
        under = state.under
        if isinstance(before, RequestRow) and (under is None or under.key != before.key):
            # To the one that waits longest then, or that comes next.
            self._aim = self._aim or SessionList.on_waiting
        self.show(self._aim(state) if self._aim is not None else state)
        if self.listing.all_read and isinstance(self.state.under, RequestRow):
            self._aim = None

    def take_change(self, change: InboxChange) -> None:
        """Read again what has changed; close at once what was settled, and say who settled it."""
        match change:
            case Added(request) | StoredDraft(request):
                self.listing.read_soon(request.session_id)
            case SessionNoted(session_id):
                self.listing.read_soon(session_id)
            case Delivered(request_id):
                self.notices.hush(request_id)
                self.listing.read_soon(request_id.partition("@")[2])
            case InboxRenewed():
                self.listing.read_soon()
            case Notified():
                self.say(notified_words(change), 60.0, of="notification")  # what covers it goes first
            case Settled(request):
                self._settled(change)
                self.put_together()
                self.listing.read_soon(request.session_id)

    def _settled(self, change: Settled) -> None:
        details = self.details
        row, opened = details.row, details.panel.opened if details.panel is not None else None
        asks = opened is not None or details.early is not None
        declines = self.question is not None and self.question.about == change.request.id
        if declines or (asks and row is not None and row.key == change.request.id):
            self.question = None
            kept = details.drafts.offer(beyond(opened.shown, change.outcome)) if opened is not None else ""
            details.close()
            self.came_up(letters=True)
            self.say(closed_words(change.request, change.outcome, change.actor) + kept)

    # -- keys -----------------------------------------------------------------------------------------------

    def came_up(self, *, letters: bool = False) -> None:
        """Begin anew, with the panel that is open: keys under way were meant for what covered it."""
        super().came_up(letters=letters)
        if self.panel is not None:
            self.panel.uncover()

    def hands_on(self, event: Typed) -> bool:
        """Pass what is typed into the list to the panel that is open or opening; return whether it was."""
        if super().hands_on(event):
            return True
        typed = copy_of(event)  # the original is stopped at the list
        if self.panel is not None:
            self.panel.post_message(typed)  # it has not taken the focus yet
        elif self.details.early is not None:
            self.details.early.append(typed)
        else:
            return False
        return True

    def confirms(self, key: Stroke) -> bool:
        """Take a key that answers the question above the keys, or is one of a text; return whether it did."""
        self._aim = None
        if self.form.about is not None:
            return self.form.take_key(key)
        if (asked := self.question) is None:
            return False
        intended = intended_keys(key.name)[:1]
        if intended in ((asked.key,), ("y",)):
            self.judged(replace(key, text=""), partial(self._keep, asked.call), asked.does)
            return True
        self._keep()
        return intended in (("n",), ("escape",))

    def _keep(self, then: Callable[[], object] = lambda: None) -> None:
        """Ask no longer."""
        if self.question is not None:
            self.question, self.face = None, Face(by_itself=False, prompts=False)
            self.draw()
        then()

    def show_question(self, question: ListQuestion) -> None:
        """Ask something above the keys; nothing is confirmed before that is in sight."""
        self.question = question
        self.draw()
        self.begin(Face(shown_at=None, prompts=False))

    def act(self, action: str) -> bool:
        match action:
            case "scroll_up" | "scroll_down":
                self.details.scroll_by(action)
            case "new":
                self.form.open()
            case "copy":
                self._copy()
            case "everywhere":
                self.listing.everywhere = not self.listing.everywhere
                self.listing.read_records()
                self.put_together()
            case "empty" if self._begins_finding and not self.field.text:
                self.dismiss(None)
            case "waiting":
                under = self.state.under
                self.show(self.state.on_waiting(under.key if under is not None else None))
            case _:
                return super().act(action)
        return True

    def do(self, key: Stroke, intended: Sequence[str]) -> bool:
        """Do what a key means here, or everywhere: Alt and a digit go to a session."""
        digit = key.name.removeprefix("alt+")
        if digit != key.name and digit.isdigit() and 0 < int(digit) <= len(self.manager.sessions):
            screen = self.manager.sessions[int(digit) - 1]
            self._show(screen, partial(self.manager.sessions.show, screen))
            return True
        return super().do(key, intended)

    def on_key(self, event: events.Key) -> None:
        """Take the keys that an open panel does not: those that scroll what is above it, and F8."""
        if self.panel is None:
            return
        action = actions_at(self.PLACE).get(event.key, "")
        if action.startswith(("scroll_", "page_")):
            event.stop()
            self.details.scroll_by(action)
        elif action == "copy" and not text_of(event):
            event.stop()
            self._copy_drafts()

    @on(SightView.LinesSeen)
    def _lines_seen(self) -> None:
        self.details.say_more()
        if self.panel is not None:
            self.panel.update_seen()

    def edits(self, key: Stroke) -> bool:
        return self.form.about is not None or super().edits(key)

    def take_text(self) -> None:
        """Filter by what is typed, unless it is a title or a field of a new session."""
        if self.form.about is None:
            super().take_text()
        elif is_live(self):
            self.form.take_text()
            self.draw()

    def clicked(self, key: Hashable, event: events.Click) -> None:
        self._aim = None
        self._keep()
        if self.form.about is None:
            super().clicked(key, event)

    def under(self, event: events.MouseEvent) -> Hashable | None:
        """Return the key of the row under the pointer, or None."""
        return super().under(event) if self.panel is None else None

    # -- what is done with a row ----------------------------------------------------------------------------

    def act_on(self, action: str, row: Listed) -> None:
        if (session := self.state.session_under) is None:  # the row for a new one
            if action == "choose":
                self.form.open()
            return
        match action, row:
            case _ if session.place is Place.NATIVE:
                self.say(NATIVE.format(session.directory))
            case "choose", RequestRow():
                self.details.open_panel(row)
            case "decline", RequestRow():
                self.details.row = row
                words = f"Decline “{row.words}”?"
                call = partial(self.details.run, partial(self.details.decline, row))
                self.show_question(ListQuestion(words, "ctrl+d", "declines it", call, row.key))
            case _ if refused := refusal(action, session, only=len(self.manager.sessions) == 1):
                self.say(refused)
            case _:
                self._act_on_session(action, session)

    def _act_on_session(self, action: str, row: SessionRow) -> None:
        match action:
            case "choose":
                self._go_to(row)
            case "fork":
                # In the transcript the key finds.
                words = f"Fork {row.quoted}? The original stays as it is · / finds"
                fork = partial(self.dismiss, partial(self.manager.resume, row, self.listing.base, fork=True))
                self.show_question(ListQuestion(words, "ctrl+f", "forks it", fork, row.key))
            case "park":
                self.listing.do_to(row, self.manager.park, f"Pausing {row.quoted}…")
            case "restart":
                self.listing.do_to(row, self.manager.restart, "Restarting it…")
            case "done":
                self.listing.do_to(row, self.manager.mark)
            case "close":
                self._close(row)
            case "rename":
                self.form.retitle(row)
            case "decline":
                words = f"Delete the conversation {row.quoted}? It cannot be resumed afterwards."
                words = f"Remove {row.quoted} from the list?" if row.place.is_lost else words
                delete = partial(self.listing.do_to, row, self.listing.delete)
                self.show_question(ListQuestion(words, "ctrl+d", "deletes it", delete, row.key))

    def _go_to(self, row: SessionRow) -> None:
        if row.place is Place.FOREIGN:
            self.details.open_panel(row.requests[0])
        else:
            self._show(self.manager.open_for(row), partial(self.manager.go_to, row, self.listing.base))

    def _show(self, screen: SessionScreen | None, going: Going) -> None:
        """Leave the list; a session that is open is shown at once, since keys under way are meant for it."""
        self.dismiss(going)
        if screen is not None:
            self.manager.sessions.show(screen)

    def _close(self, row: SessionRow) -> None:
        if (screen := self.manager.sessions.by_mode(row.key)) is None:
            return
        call = partial(self.manager.work, "close session", partial(self.manager.close, screen.session))
        if screen.view.busy:
            words = f"Claude is working in “{screen.view.short_name}”: interrupt and close it?"
            self.show_question(ListQuestion(words, "x", "closes it", call, row.key))
        else:
            call()

    def _copy(self) -> None:
        row = self.state.under
        if isinstance(row, SessionRow):
            row = next(iter(row.requests), None)
        if not isinstance(row, RequestRow) or len(self.details.drafts):
            self._copy_drafts()
            return
        row = self.details.fresh(row)
        request, draft = row.stored.request, draft_words(row.typed) if row.typed is not None else ""
        lines = layout.lines(kind_of(request).document(request, None))
        self.app.copy_to_clipboard("\n".join([*lines, "", draft]).strip() + "\n")
        self.say("Question and answer copied" if draft else "Question copied", 4.0)

    def _copy_drafts(self) -> None:
        self.say(self.details.drafts.copy(self.app.copy_to_clipboard), 4.0)

    # -- drawing --------------------------------------------------------------------------------------------

    @property
    def hints(self) -> Hints:
        """The keys that apply, the most useful first."""
        if self.question is not None:
            return (("y", self.question.does), ("Esc", "keep it"))
        if self.form.about is not None:
            return self.form.hints
        sessions = self.manager.sessions
        back = "back" if sessions.front is not None else "to the session" if sessions else "leave"
        row, session = self.state.under, self.state.session_under
        typed = self.finds and bool(self.state.filter)
        words = words_for(row, session, alone=sessions.front is None, finds=self.finds, typed=typed)
        other = {"ctrl+a": "this directory" if self.listing.everywhere else "all directories"}
        other |= {"d": "not done"} if session is not None and session.done else {}
        leave = "clear" if typed else back
        return key_line(self.PLACE, words, other, keymap().keys, enter=enter_words(row, session), leave=leave)

    def on_resize(self) -> None:
        if is_live(self):
            # Textual's own layout, which follows now, would miss heights that change within it.
            after_refresh(self, self.draw)

    def _now(self) -> float:
        """Return the seconds since 1970; ages change every few."""
        return time.time() // AGES_SECONDS * AGES_SECONDS

    def draw(self) -> None:
        """Draw all but a panel."""
        if not self.has_parts:
            return
        palette, (width, height), new = palette_of(self), self.app.size, self.form.new
        front = self.manager.sessions.front
        # Width of the screen in cells from which details are beside the list.
        beside, answering = width >= 120, self.panel is not None
        right = "all directories" if self.listing.everywhere else short_path(self.listing.directory)
        text, caret = masked(self.field.text).replace("\t", " "), self.field.caret
        shown = (self.finds or bool(self.state.filter)) and self.form.about is None and not answering
        self._finding.display = shown
        mark = CARET if self.finds else ""
        self._finding.show([Text.assemble((" / ", palette.accent), text[:caret], mark, text[caret:])])
        self.body.set_class(beside, "-beside")
        advice = self._advice
        self.view.display = beside or not answering
        self.view.styles.width = 2 * width // 5 if beside else "1fr"
        details = 0 if beside or is_low(height) or advice or new else height // 4 + 1
        self.details.styles.height = "1fr" if beside or answering else details
        self.details.display = bool(beside or answering or details)
        nothing = "No match · Esc clears the filter" if self.state.filter and not self.state.shown else ""
        self.notices.stand(self.question.words if self.question is not None else nothing)
        self.notices.styles.max_height = 1 if is_low(height) else 2
        # What a panel leaves of a low screen is for the notice, then for its session, then for the head.
        left = height - most_lines(height, SHARES[-1]) - bool(self.notices.text) if answering else height
        self._head.display = left >= 2 - beside
        self.details.leave(left)
        cells = 2 * width // 5 if beside else width
        room = height - 2 - shown - (0 if answering else details) - self.notices.size.height
        props = ListProps(
            cells,
            room,
            self._now,
            palette,
            str(self.listing.directory),
            front.around.branch if front is not None else "",
            away=answering,
            fields=tuple(new.shown(self.listing.directory, caret)) if new else (),
            begun="" if new else self.manager.new.texts[PROMPT],
            title=f"{text[:caret]}{CARET}{text[caret:]}" if isinstance(self.form.about, SessionRow) else "",
            advice=() if beside else advice,
            finds=self.finds,
        )
        made_for = (self.state.shown, props, right)
        if made_for != self._made_for:
            self._made_for, self._lines = made_for, list_lines(self.state, props)
            parts = head_parts(self.state, here=bool(self.manager.sessions), finding=self.finds)
            self._head.show([Text(head_line(parts, right, width), palette.muted)])
        if (tick := self._now()) != self._drawn_at:
            self._drawn_at = tick
            self.view.refresh()  # the ages
        self.view.show(self._lines, self.state.cursor if self.state.shown else None)
        self.details.show(replace(props, advice=advice if beside else ()), beside=beside)
        self.key_line.display = not answering
        self.key_line.show(self.signed or self.hints)

    @property
    def _advice(self) -> tuple[str, ...]:
        if self.finds or self.form.new or not self.listing.all_read or len(self.state.rows) > 2:
            return ()
        rows = tuple(self.state.sessions)
        if not rows:
            return EMPTY
        return tuple(map(with_keys, ALONE)) if len(rows) == 1 and rows[0].unused else ()
