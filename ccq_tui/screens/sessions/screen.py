"""Sessions: everything that waits, runs or was, over the session on the screen; answers requests, too."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container

from ccq_tui.agent.reader import EarlierSession, ReaderError
from ccq_tui.config.keymap import keymap, with_keys
from ccq_tui.config.launch import Launch
from ccq_tui.inbox import layout
from ccq_tui.inbox.format import unread_words
from ccq_tui.inbox.kinds import closed_words, kind_of
from ccq_tui.inbox.place import Place
from ccq_tui.inbox.port import Added, Delivered, InboxChange, InboxRenewed, Notified, SessionNoted, Settled
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.input.gate import NEVER, Face, Hand, KeyKind, Sign, Stroke, judge
from ccq_tui.input.keys import Hints, KeyPlace, actions_at, key_line
from ccq_tui.runtime.launches import WayOn, proposed_name
from ccq_tui.runtime.notices import notified_words
from ccq_tui.runtime.view import short_path
from ccq_tui.screens.editor import edit_for
from ccq_tui.screens.list_screen import ListScreen
from ccq_tui.screens.session import SessionScreen
from ccq_tui.screens.sessions.answering import AnsweringList, Going
from ccq_tui.screens.sessions.listing import Listing
from ccq_tui.screens.sessions.model import (
    CARET,
    DIRECTORY,
    NEW_ROW,
    PROMPT,
    WORKTREE,
    Listed,
    ListHeading,
    NewSession,
    RequestRow,
    SessionList,
    SessionRow,
    enter_words,
    ordered,
    refusal,
    words_for,
)
from ccq_tui.screens.sessions.rows import ALONE, EMPTY, ListLook, RowsView, head_line, head_parts, list_lines
from ccq_tui.screens.sessions.session_manager import SessionManager
from ccq_tui.text import masked, one_line
from ccq_tui.widgets.keys import keyboard_of, keys_meant, text_of
from ccq_tui.widgets.lifetime import after_refresh, is_live, start_work
from ccq_tui.widgets.lines import SightView, TextLines
from ccq_tui.widgets.measures import SHARES, is_low, most_lines
from ccq_tui.widgets.palette import palette_of
from ccq_tui.widgets.panel.host import draft_words

MOST_EARLIER = 200
LOOK_SECONDS, AGES_SECONDS = 1.0, 5
BESIDE_FROM = 120
"""Width of the screen in cells from which details are beside the list."""
AGAIN_OPENS = "The letter before these words opened this · Enter again opens a session with them"
NATIVE = "It waits in Claude Code’s own screen, in {} · ccq-tui hooks install lets it ask here"
UNREADABLE = (
    "⚠ The inbox cannot be read: {} · only what this ccq-tui holds is listed · ccq-tui doctor says more"
)


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


class SessionsScreen(AnsweringList):
    """Lists sessions and requests; its result goes to a session, or is None.

    Attributes:
        question: What is asked above the keys, or None.
        all_read: Whether the reading of the store has ended.
    """

    DEFAULT_CSS = """
    SessionsScreen {
        background: $background;
        overflow: hidden;
        & > NoticeLine { background: $background; }
        & > TextLines { height: 1; }
        & > ListField { height: 0; min-height: 0; max-height: 0; border: none; padding: 0; margin: 0; }
        & > #sessions {
            height: 1fr;
            & > RowsView { height: 1fr; }
            & > Details { height: 1fr; }
            & > .-off { display: none; }
            &.-beside { layout: horizontal; }
            &.-beside > Details { width: 1fr; height: 1fr; border-left: solid $ccq-rule; }
        }
        & > .-off { display: none; }
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
            base: The launch whose command line an earlier session gets, or None for that of the session.
            finds: Whether the filter is open.
            find: The filter to begin with.
            begins: Whether the fields of a new session are open.
            notice: What the program has to say.
        """
        super().__init__(manager)
        self.listing = Listing(
            manager.sessions, manager.records, self.put_together, self._until_drawn, self.clock
        )
        self.question: ListQuestion | None = None
        self.all_read = self.everywhere = False
        self.finds = self._begins_finding = finds
        self._aim: Callable[[SessionList], SessionList] | None = aim
        self._base, self._notice, self._find = base, notice, find
        self._begins = begins
        self.form: NewSession | SessionRow | None = None
        """What the field holds in place of the filter: a new session's fields, or the title of one."""
        self._filter = ""
        """The filter meanwhile."""
        self._doubtful = False
        """Whether the letter that opened the fields may have begun a word, so that Enter asks once."""
        self._opened_at = NEVER
        """When a letter opened the fields in which nothing is typed yet."""
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
            self.everywhere = True
            self.field.put(self._find)
            self.state = self.state.filtered(self._find)
        if self._begins:
            self._open_fields()
        self.put_together()
        self.read_soon()
        self._look()
        self._read_records()
        self.set_interval(LOOK_SECONDS, self._look)
        self.say(self._notice)

    def on_unmount(self) -> None:
        for unsubscribe in self._unsubscribe:
            unsubscribe()

    @property
    def help_place(self) -> KeyPlace:
        """The keys that F1 lists first: those of the panel that is open."""
        if self.panel is not None:
            return self.panel.help_place
        return KeyPlace.NEW if self._new else self.PLACE

    @property
    def launch(self) -> Launch:
        return self._base or self.manager.launch

    # -- what is listed -------------------------------------------------------------------------------------

    def put_together(self) -> None:
        """List what is known by now, with the cursor on its row."""
        rows = self.listing.rows(self.launch, everywhere=self.everywhere)
        before, state = self.state.under, self.state.with_rows(ordered(rows, MOST_EARLIER))
        under = state.under
        if isinstance(before, RequestRow) and (under is None or under.key != before.key):
            # To the one that waits longest then, or that comes next.
            self._aim = self._aim or SessionList.on_waiting
        self.show(self._aim(state) if self._aim is not None else state)
        if self.all_read and isinstance(self.state.under, RequestRow):
            self._aim = None

    async def _until_drawn(self) -> None:
        """Wait for the next frame."""
        self.refresh()
        await self.wait_for_refresh()

    def read_soon(self, *sessions: str) -> None:
        """Read sessions again, or all, after what is being read."""
        if self.listing.is_to_read(*sessions):
            start_work(self, self._read, name="list")

    async def _read(self) -> None:
        before = self.listing.unreadable
        try:
            await self.listing.read()
        except InboxError as error:
            self.say(UNREADABLE.format(error), 60.0)
        if self.listing.unreadable > before:
            self.say(f"{unread_words(self.listing.unreadable)} · the log names them", 60.0)
        self.all_read = True
        self.put_together()
        self.draw()

    def _look(self) -> None:
        """Look at what reports nothing by itself, and update the times."""
        start_work(self, self.listing.read_native, name="native sessions", group="native", exclusive=True)
        if int(self.clock()) % AGES_SECONDS == 0:
            stored = self.listing.stored.items()
            # A process that was killed reports nothing.
            if elsewhere := [name for name, row in stored if row.place is Place.ELSEWHERE]:
                self.read_soon(*elsewhere)
        self.draw()

    def _read_records(self) -> None:
        """Read the sessions that Claude Code keeps."""

        async def read() -> None:
            try:
                await self.manager.records.read(self.launch, everywhere=self.everywhere)
            except ReaderError as error:
                self.say(f"Earlier sessions cannot be read: {error}")
            self.put_together()

        start_work(self, read, name="earlier sessions", group="records", exclusive=True)

    def take_change(self, change: InboxChange) -> None:
        """Read again what has changed; close at once what was settled, and say who settled it."""
        match change:
            case Added(request):
                self.read_soon(request.session_id)
            case SessionNoted(session_id):
                self.read_soon(session_id)
            case Delivered(request_id):
                self.notices.hush(request_id)
                self.read_soon(request_id.partition("@")[2])
            case InboxRenewed():
                self.read_soon()
            case Notified():
                self.say(notified_words(change), 60.0, of="notification")  # what covers it goes first
            case Settled(request):
                self._settled(change)
                self.listing.drop(request.id, request.session_id)
                self.read_soon(request.session_id)

    def _settled(self, change: Settled) -> None:
        row, opened = self.row, self.panel.opened if self.panel is not None else None
        asks = opened is not None or self.early is not None
        declines = self.question is not None and self.question.about == change.request.id
        if declines or (asks and row is not None and row.key == change.request.id):
            self.question = None
            kept = self.drafts.offer(draft_words(opened.shown)) if opened is not None else ""
            self.close_panel()
            self.came_up(letters=True)
            self.say(closed_words(change.request, change.outcome, change.actor) + kept)

    # -- keys -----------------------------------------------------------------------------------------------

    def confirms(self, key: Stroke) -> bool:
        """Take a key that answers the question above the keys, or is one of a text; return whether it did."""
        self._aim = None
        if self.form is not None:
            return self._in_form(key)
        if (asked := self.question) is None:
            return False
        meant = keys_meant(key.name)[:1]
        if meant in ((asked.key,), ("y",)):
            self.judged(replace(key, text=""), partial(self._confirmed, asked), asked.does)
            return True
        self._keep()
        return meant in (("n",), ("escape",))

    def _confirmed(self, asked: ListQuestion) -> None:
        self._keep()
        asked.call()

    def _keep(self) -> None:
        """Ask no longer."""
        if self.question is not None:
            self.question, self.face = None, Face(by_itself=False, prompts=False)
            self.draw()

    def ask(self, question: ListQuestion) -> None:
        """Ask something above the keys; nothing is confirmed before that is in sight."""
        self.question = question
        self.draw()
        self.begin(Face(shown_at=None, prompts=False))

    def act(self, action: str) -> bool:
        match action:
            case "scroll_up" | "scroll_down":
                self.details.scroll_by(action)
            case "new":
                self._open_fields()
            case "copy":
                self._copy()
            case "everywhere":
                self.everywhere = not self.everywhere
                self._read_records()
                self.put_together()
            case "empty" if self._begins_finding and not self.field.text:
                self.dismiss(None)
            case "waiting":
                under = self.state.under
                self.show(self.state.on_waiting(under.key if under is not None else None))
            case _:
                return super().act(action)
        return True

    def do(self, key: Stroke, meant: Sequence[str]) -> bool:
        """Do what a key means here, or everywhere: Alt and a digit go to a session."""
        digit = key.name.removeprefix("alt+")
        if digit != key.name and digit.isdigit() and 0 < int(digit) <= len(self.manager.sessions):
            screen = self.manager.sessions[int(digit) - 1]
            self._show(screen, partial(self.manager.sessions.show, screen))
            return True
        return super().do(key, meant)

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
            self.say(self.drafts.copy(self.app.copy_to_clipboard), 4.0)

    @on(SightView.Looked)
    def _looked(self) -> None:
        self.details.say_more()
        if self.panel is not None:
            self.panel.look()

    def act_on(self, action: str, row: Listed) -> None:
        if (session := self.state.session_under) is None:  # the row for a new one
            if action == "choose":
                self._open_fields()
            return
        match action, row:
            case _ if session.place is Place.NATIVE:
                self.say(NATIVE.format(session.directory))
            case "choose", RequestRow():
                self.answer(row)
            case "decline", RequestRow():
                self.row = row
                words = f"Decline “{row.words}”?"
                call = partial(self.run, partial(self.decline, row))
                self.ask(ListQuestion(words, "ctrl+d", "declines it", call, row.key))
            case _ if refused := refusal(action, session, only=len(self.manager.sessions) == 1):
                self.say(refused)
            case _:
                self._act_on_session(action, session)

    def _act_on_session(self, action: str, row: SessionRow) -> None:
        match action:
            case "choose":
                self._go_to(row)
            case "fork":
                self._resume(row, fork=True)
            case "park":
                self._do(self.manager.park, row, f"Pausing {row.quoted}…")
            case "restart":
                self._do(self.manager.restart, row, "Restarting it…")
            case "done":
                self._do(self.manager.mark, row)
            case "close":
                self._close(row)
            case "rename":
                self.form, self._filter = row, self.field.text
                self.field.put(row.session)
                self.draw()
            case "decline":
                self._delete(row)

    def _go_to(self, row: SessionRow) -> None:
        match row.place:
            case Place.FOREIGN:
                self.answer(row.requests[0])
            case Place.ELSEWHERE | Place.NO_DIRECTORY:
                self._resume(row)
            case Place.RESTS if self._base is not None or row.heading is ListHeading.EARLIER:
                self._resume(row)
            case _:
                self._show(self.manager.open_for(row), partial(self.manager.go_to, row))

    def _show(self, screen: SessionScreen | None, going: Going) -> None:
        """Leave the list; a session that is open is shown at once, since keys under way are meant for it."""
        self.dismiss(going)
        if screen is not None:
            self.manager.sessions.show(screen)

    def _resume(self, row: SessionRow, *, fork: bool = False) -> None:
        """Open a session by its record."""
        known = EarlierSession(row.session_id, row.session, row.since, row.branch, row.directory)
        self.dismiss(partial(self.manager.open_earlier, WayOn(known, fork=fork), self._base))

    def edits(self, key: Stroke) -> bool:
        return self.form is not None or super().edits(key)

    # -- the text of a title, and of the fields of a new session --------------------------------------------

    @property
    def _new(self) -> NewSession | None:
        """The new session whose fields are open, or None."""
        return self.form if isinstance(self.form, NewSession) else None

    def take_text(self) -> None:
        """Filter by what is typed, unless it is a title or a field of a new session."""
        if (new := self._new) is not None:
            new.type(self.field.text)
            self._propose(new)
        if self.form is None:
            super().take_text()
        elif is_live(self):
            self.draw()

    def _leave_form(self) -> None:
        self.form, self.field.one_line = None, True
        self.field.put(self._filter)
        self.draw()

    def _rename(self, row: SessionRow) -> None:
        title = one_line(self.field.text, 200).strip()
        self._leave_form()
        if title not in ("", row.session):
            self._change_records(partial(self.manager.records.rename, self.launch, row.session_id, title))

    def _change_records(self, work: Callable[[], Awaitable[None]]) -> None:
        """Change what Claude Code keeps, and read it again."""

        async def change() -> None:
            try:
                await work()
            except ReaderError as error:
                self.say(f"It could not be done: {error}")
            self.read_soon()
            self._read_records()

        start_work(self, change, name="sessions", group="records change")

    def _open_fields(self) -> None:
        """Open the fields of the row for a new session."""
        opened = keyboard_of(self).key
        self._opened_at = opened.at if opened.text else NEVER
        self.form, self._doubtful, self._filter = self.manager.new, False, self.field.text
        self.finds = False
        self.manager.new.at = PROMPT
        self.show(self.state.filtered("").on_key(NEW_ROW.key))
        self._to_field(self.manager.new)

    def _to_field(self, new: NewSession) -> None:
        self.field.one_line = new.at != PROMPT
        self.field.put(new.text)
        self.draw()

    def _in_form(self, key: Stroke) -> bool:
        """Take a key while a title or a new session is typed; return whether it is done with."""
        action, new = actions_at(KeyPlace.NEW).get(key.name, ""), self.manager.new
        if key.text and self._opened_at != NEVER:
            hand, self._opened_at = Hand(opened_at=self._opened_at), NEVER
            self._doubtful = judge(key, Face(KeyKind.TEXT, prompts=False), hand)[0].sign is Sign.DOUBT
        self.hands.note(key)
        match action:
            case "keep":
                self._leave_form()
            case "open" if isinstance(self.form, SessionRow):
                self._rename(self.form)
            case _ if self._new is None:
                return bool(action and not key.text)
            case "open" if new.at == PROMPT and self.field.goes_on():
                pass
            case "open" if self._doubtful:
                self._doubtful = False
                self.say(AGAIN_OPENS)
            case "open":
                start_work(self, self._open_new, name="open", group="look", exclusive=True)
            case "field_next" | "field_before" if key.name not in ("up", "down") or new.at != PROMPT:
                new.step(1 if action == "field_next" else -1)
                self._to_field(new)
            case "editor" if new.at == PROMPT:
                edit_for(self, self.field.text, self.field.put, self.say)
            case _:
                return False
        return True

    async def _open_new(self) -> None:
        new = self.manager.new
        if (spec := await asyncio.to_thread(new.spec, self.launch.settings.directory)) is not None:
            self.dismiss(partial(self.manager.open_new, spec, self._base))
        else:
            self._to_field(new)

    def _propose(self, new: NewSession) -> None:
        """Make up the name of a worktree where a space asks for one; no name has a space."""

        async def propose() -> None:
            name = await asyncio.to_thread(
                proposed_name, new.texts[DIRECTORY], self.launch.settings.directory
            )
            if new.texts[WORKTREE].isspace():  # else a name was typed meanwhile
                new.texts[WORKTREE] = name
                self._to_field(new)

        if new.at == WORKTREE and new.text.isspace():
            start_work(self, propose, name="name", group="look", exclusive=True)

    # -- what is done with a session ------------------------------------------------------------------------

    def _do(self, work: Callable[[SessionRow], Awaitable[str]], row: SessionRow, first: str = "") -> None:
        """Do something with a session, even if this screen is left meanwhile; say how that went."""

        async def do() -> None:
            result = await work(row)
            if is_live(self):
                self.say(result)
                self.read_soon(row.session_id)

        if first:
            self.say(first)
        start_work(self.app, do, name="session", group="sessions")

    def _close(self, row: SessionRow) -> None:
        if (screen := self.manager.sessions.by_mode(row.key)) is None:
            return
        call = partial(self.manager.work, "close session", partial(self.manager.close, screen.session))
        if screen.view.busy:
            words = f"Claude is working in “{screen.view.short_name}”: interrupt and close it?"
            self.ask(ListQuestion(words, "x", "closes it", call, row.key))
        else:
            call()

    def _delete(self, row: SessionRow) -> None:
        words = f"Delete the conversation {row.quoted}? It cannot be resumed afterwards."
        words = f"Remove {row.quoted} from the list?" if row.place.is_gone else words
        call = partial(self._change_records, partial(self.manager.records.delete, self.launch, row))
        self.ask(ListQuestion(words, "ctrl+d", "deletes it", call, row.key))

    def _copy(self) -> None:
        row, session = self.state.under, self.state.session_under
        if isinstance(row, SessionRow):
            row = next(iter(row.requests), None)
        if isinstance(row, RequestRow) and session is not None and not len(self.drafts):
            start_work(self, partial(self._copy_row, row), name="copy")
        else:
            self.say(self.drafts.copy(self.app.copy_to_clipboard), 4.0)

    async def _copy_row(self, row: RequestRow) -> None:
        stored, typed = await self.listing.request(row)
        if stored is not None:
            request, draft = stored.request, draft_words(typed) if typed is not None else ""
            lines = layout.lines(kind_of(request).document(request, None))
            self.app.copy_to_clipboard("\n".join([*lines, "", draft]).strip() + "\n")
            self.say("Question and answer copied" if draft else "Question copied", 4.0)

    def clicked(self, key: Hashable, event: events.Click) -> None:
        self._aim = None
        self._keep()
        if self.form is None:
            super().clicked(key, event)

    def under(self, event: events.MouseEvent) -> Hashable | None:
        """Return the key of the row under the pointer, or None."""
        return super().under(event) if self.panel is None else None

    # -- drawing --------------------------------------------------------------------------------------------

    @property
    def standing(self) -> str:
        if self.question is not None:
            return self.question.words
        if self.state.filter and not self.state.shown:
            return "No match · Esc clears the filter"
        return ""

    @property
    def hints(self) -> Hints:
        """The keys that apply, the most useful first."""
        if self.question is not None:
            return (("y", self.question.does), ("Esc", "keep it"))
        if isinstance(self.form, SessionRow):
            return (("Enter", "rename"), ("Esc", "keep its title"))
        if self.form is not None:
            return key_line(KeyPlace.NEW, enter="open it", leave="keep as draft")
        sessions = self.manager.sessions
        back = "back" if sessions.front is not None else "to the session" if sessions else "leave"
        row, session = self.state.under, self.state.session_under
        typed = self.finds and bool(self.state.filter)
        words = words_for(row, session, alone=sessions.front is None, finds=self.finds, typed=typed)
        other = {"ctrl+a": "this directory" if self.everywhere else "all directories"}
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
        palette, (width, height) = palette_of(self), self.app.size
        front = self.manager.sessions.front
        beside, answering = width >= BESIDE_FROM, self.panel is not None
        right = "all directories" if self.everywhere else short_path(self.launch.settings.directory)
        text, caret = masked(self.field.text).replace("\t", " "), self.field.caret
        shown = (self.finds or bool(self.state.filter)) and self.form is None and not answering
        self._finding.set_class(not shown, "-off")
        mark = CARET if self.finds else ""
        self._finding.show([Text.assemble((" / ", palette.accent), text[:caret], mark, text[caret:])])
        self.body.set_class(beside, "-beside")
        advice = self._advice
        self.view.set_class(answering and not beside, "-off")
        self.view.styles.width = 2 * width // 5 if beside else "1fr"
        details = 0 if beside or is_low(height) or advice or self._new else height // 4 + 1
        self.details.styles.height = "1fr" if beside or answering else details
        self.details.set_class(not (beside or answering or details), "-off")
        self.notices.stand(self.standing)
        self.notices.styles.max_height = 1 if is_low(height) else 2
        # What a panel leaves of a low screen is for the notice, then for its session, then for the head.
        left = height - most_lines(height, SHARES[-1]) - bool(self.notices.text) if answering else height
        self._head.set_class(left < 2 - beside, "-off")
        self.details.leave(left)
        cells = 2 * width // 5 if beside else width
        room = height - 2 - shown - (0 if answering else details) - self.notices.size.height
        look = ListLook(
            cells,
            room,
            self._now,
            palette,
            str(self.launch.settings.directory),
            front.around.branch if front is not None else "",
            away=answering,
            fields=self._new.shown(self.launch.settings.directory, caret) if self._new else (),
            title=f"{text[:caret]}{CARET}{text[caret:]}" if isinstance(self.form, SessionRow) else "",
            advice=() if beside else advice,
            finds=self.finds,
        )
        made_for = (self.state.shown, look, right)
        if made_for != self._made_for:
            self._made_for, self._lines = made_for, list_lines(self.state, look)
            parts = head_parts(self.state, here=bool(self.manager.sessions), finding=self.finds)
            self._head.show([Text(head_line(parts, right, width), palette.muted)])
        if (tick := self._now()) != self._drawn_at:
            self._drawn_at = tick
            self.view.refresh()  # the ages
        self.view.show(self._lines, self.state.cursor if self.state.shown else None)
        self.draw_details(replace(look, advice=advice if beside else ()), beside=beside)
        self.key_line.show(self.signed or self.hints)

    @property
    def _advice(self) -> tuple[str, ...]:
        if self.finds or self._new or not self.all_read or len(self.state.rows) > 2:
            return ()
        rows = tuple(self.state.sessions)
        if not rows:
            return EMPTY
        return tuple(map(with_keys, ALONE)) if len(rows) == 1 and rows[0].unused else ()
