"""The list of sessions to resume: what waits in each; found, previewed, named, forked, deleted."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial

from rich.text import Text
from textual.widgets import Static

from ccq_tui.agent.options import SessionOptions
from ccq_tui.agent.reader import EarlierSession, ReaderError, delete_earlier, earlier_sessions, rename_earlier
from ccq_tui.commands.command import PickRow
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.kinds import kind_of
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.input.keys import Hints, KeyPlace
from ccq_tui.processes import alive
from ccq_tui.runtime.launches import WayOn
from ccq_tui.screens.pickers.picker import Picker
from ccq_tui.text import one_line
from ccq_tui.widgets.lifetime import start_work
from ccq_tui.widgets.lines import wrapped
from ccq_tui.widgets.palette import Palette, palette_of
from ccq_tui.words import in_one_unit

_logger = logging.getLogger(__name__)

MOST_QUESTIONS = 3
"""Most requests previewed of a session."""


@dataclass(frozen=True, slots=True)
class Shelved:
    """A session of the list.

    Attributes:
        session: Claude Code's record of it.
        waiting: Its waiting requests, one line each, at most `MOST_QUESTIONS`.
        count: Number of its waiting requests.
        runs: Whether a ccq-tui runs it now, this one or another.
    """

    session: EarlierSession
    waiting: tuple[str, ...] = ()
    count: int = 0
    runs: bool = False


class Shelf:
    """Source of a list of sessions, which also renames and deletes them."""

    def __init__(self, options: SessionOptions, inbox: Inbox, without: str = "") -> None:
        self.options = options
        self._inbox = inbox
        self._without = without

    async def sessions(self, *, everywhere: bool = False) -> tuple[Shelved, ...]:
        """List the sessions of the directory, or of all, the newest first; raises `ReaderError`."""
        found = await earlier_sessions(self.options, everywhere=everywhere)
        others = [one for one in found if one.session_id != self._without]
        try:
            return await self._inbox.run(lambda store: _shelved(store, others))
        except InboxError:
            # Other places report that the inbox cannot be read; the sessions are there all the same.
            return tuple(Shelved(one) for one in others)

    async def rename(self, session: EarlierSession, title: str) -> None:
        """Give a session a title in Claude Code's record and in the inbox; raises `ReaderError`."""
        await rename_earlier(self.options, session.session_id, title)

        def name(store: Store) -> None:
            if store.sessions.get(session.session_id) is not None:
                store.sessions.upsert(session.session_id, name=title)

        try:
            await self._inbox.run(name)
        except InboxError as error:
            # Its record has the title, and names it at its next resume.
            _logger.warning("The inbox does not have the title of a session: %s", error)

    async def delete(self, session: EarlierSession) -> None:
        """Delete a session's file, and its settled questions from the inbox; raises `ReaderError`."""
        await delete_earlier(self.options, session.session_id)
        try:
            await self._inbox.run(lambda store: store.requests.forget(session.session_id))
        except InboxError as error:
            _logger.warning("The inbox keeps the answers of a deleted session: %s", error)


def _shelved(store: Store, sessions: Sequence[EarlierSession]) -> tuple[Shelved, ...]:
    counts = store.requests.waiting_counts()
    found = []
    for one in sessions:
        count, known = counts.get(one.session_id, 0), store.sessions.get(one.session_id)
        waiting = store.requests.waiting(one.session_id, limit=MOST_QUESTIONS) if count else []
        lines = tuple(kind_of(stored.request).summary(stored.request) for stored in waiting)
        found.append(Shelved(one, lines, count, known is not None and alive(known.owner)))
    return tuple(found)


def session_row(one: Shelved, now: float, *, everywhere: bool = False) -> PickRow:
    session, seconds = one.session, now - one.session.modified
    # Where there is no repository the CLI calls the branch HEAD.
    branch = "" if session.branch == "HEAD" else session.branch[:20]
    age = f"{in_one_unit(seconds, 'min', ' ')} ago" if seconds >= 60 else "now"
    marks = (f"? {one.count}" if one.count else "", "open" if one.runs else "", branch, age)
    return PickRow(
        session.session_id,
        session.summary or session.session_id,
        session.directory if everywhere else "",
        right=" · ".join(mark for mark in marks if mark),
    )


LONGEST_TITLE = 200
PREVIEW_LINES = 6
PREVIEW_FROM = 18
"""Screen height in lines from which there is a preview."""
SIGNS = {"user": "❯ ", "assistant": "● "}


class SessionPicker(Picker):
    """Shows sessions; when one was chosen, `way` says how to continue."""

    DEFAULT_CSS = """
    SessionPicker {
        & > #picker > #picker-preview { height: auto; }
    }
    """

    PLACE = KeyPlace.RESUME
    ON_ROW = ("choose", "fork", "rename", "delete")

    def __init__(self, shelf: Shelf, *, find: str = "", about: str = "", leave: str = "leave") -> None:
        super().__init__("Resume which session?", (), about=about, choose="resume")
        self._everywhere = False
        self._said = about
        self.about = self._place_line
        self.way: WayOn | None = None
        self.empty = "Looking for sessions…"
        self._shelf = shelf
        self._find = find
        self._leave = leave
        self._sessions: tuple[Shelved, ...] = ()
        self._renaming: EarlierSession | None = None
        self._found = ""
        self._last_words = Static("", markup=False, id="picker-preview")

    def on_mount(self) -> None:
        """Add the preview, and look for sessions; Textual runs `Picker`'s own handler as well."""
        self.body.mount(self._last_words, before=self.key_line)
        if self._find:
            self.field.put(self._find)
        self._work(self._look)

    def _work(self, what: Callable[[], Awaitable[None]]) -> None:
        """Run something that takes time; show its errors above the list."""

        async def run() -> None:
            try:
                await what()
            except ReaderError as error:
                self.empty = "Sessions could not be read · Esc leaves"
                self.say(f"The list could not do it: {one_line(str(error), 300)}")

        start_work(self, run, name="sessions", group="sessions", exclusive=True)

    async def _look(self) -> None:
        self._sessions = await self._shelf.sessions(everywhere=self._everywhere)
        where = "in any directory" if self._everywhere else "of this directory"
        self.empty = f"No other session {where}"
        self.take_text()
        had_rows, now = bool(self.state.rows), time.time()
        rows = [session_row(one, now, everywhere=self._everywhere) for one in self._sessions]
        self.state = self.state.with_rows(rows)
        self.draw()
        if rows and not had_rows:
            self.came_up()

    @property
    def _under(self) -> Shelved | None:
        value = self._value
        return next((one for one in self._sessions if one.session.session_id == value), None)

    # -- keys -----------------------------------------------------------------------------------------------

    def decides(self, action: str) -> bool:
        return self._renaming is None and super().decides(action)

    def take(self, key: str) -> bool:
        return super().take(key) if self._renaming is None else self._take_while_renaming(key)

    def act(self, action: str) -> bool:
        if action != "everywhere":
            return super().act(action)
        self._everywhere = not self._everywhere
        self.about = self._place_line
        self._work(self._look)
        return True

    def act_on(self, action: str, row: PickRow) -> None:
        """Go on with a session, or change it."""
        match action, self._under:
            case "choose" | "fork", Shelved(session):
                self.way = WayOn(session, fork=action == "fork")
                self.dismiss(row.value)
            case "rename", Shelved(runs=True):
                self.say("This session is open in a ccq-tui; type /rename there")
            case "rename", Shelved(session):
                self._renaming, self._found = session, self.field.text
                self.field.put(one_line(session.summary, LONGEST_TITLE))
                self.say("Its title:")
            case "delete", Shelved() as under:
                self._work(partial(self._delete, under))

    def take_text(self) -> None:
        """Filter by what is typed, unless it is a title."""
        if self._renaming is None:
            super().take_text()

    # -- naming and deleting --------------------------------------------------------------------------------

    def _take_while_renaming(self, key: str) -> bool:
        session, title = self._renaming, one_line(self.field.text, LONGEST_TITLE).strip()
        if key not in {"enter", "escape"}:
            return key in {"up", "down", "tab", "shift+tab", "pageup", "pagedown", "ctrl+j"}
        self.field.put(self._found)
        self._renaming = None
        self.say("")
        if key == "enter" and session is not None and title and title != session.summary:
            self._work(partial(self._rename, session, title))
        return True

    async def _rename(self, session: EarlierSession, title: str) -> None:
        await self._shelf.rename(session, title)
        await self._look()

    async def _delete(self, under: Shelved) -> None:
        if under.runs:
            self.say("This session is open in a ccq-tui; close it there first")
            return
        title = one_line(under.session.summary or under.session.session_id, 60)
        waits = f" {under.count} open question(s) are lost with it." if under.count else ""
        sure = Picker(
            f"Delete “{title}”?",
            (PickRow("no", "Keep it"), PickRow("yes", "Delete it", "its file in Claude Code's directory")),
            about=f"It cannot be resumed afterwards, and its answers are forgotten.{waits}",
        )
        if await self.app.push_screen_wait(sure) == "yes":
            await self._shelf.delete(under.session)
            await self._look()

    # -- drawing --------------------------------------------------------------------------------------------

    @property
    def _place_line(self) -> str:
        shown, other = ("this directory", "all directories")[:: -1 if self._everywhere else 1]
        place = f"Sessions of {shown} · type to filter · Ctrl+A lists {other}"
        return f"{self._said}\n{place}" if self._said else place

    @property
    def _shows_field(self) -> bool:
        return self._renaming is not None or super()._shows_field

    @property
    def _extra_lines(self) -> int:
        something = any(one.waiting or one.session.last for one in self._sessions)
        return PREVIEW_LINES + 1 if something and self.app.size.height >= PREVIEW_FROM else 0

    def draw(self) -> None:
        """Draw the list, and under it the preview of the session under the cursor."""
        super().draw()
        if self.has_parts:
            self._last_words.display = bool(self._extra_lines)
            self._last_words.update(self._preview_text(palette_of(self)))

    def _preview_text(self, palette: Palette) -> Text:
        """Return what waits in the session under the cursor, and below it what was said last."""
        width, under = max(20, self.app.size.width - 6), self._under
        asked = [Text(f"? {one_line(line, 300)}", palette.badge) for line in (under.waiting if under else ())]
        last = [
            Text(SIGNS.get(who, "") + one_line(text, 400), palette.muted)
            for who, text in (under.session.last if under else ())
        ]
        waits, said = (
            [line for text in texts for line in wrapped(text, width)[:2]] for texts in (asked, last)
        )
        lines = [*waits[:PREVIEW_LINES], *said[max(0, len(waits) + len(said) - PREVIEW_LINES) :]]
        lines += [Text("")] * (PREVIEW_LINES - len(lines))
        rule = Text("─" * (self.app.size.width - 1), palette.muted)
        return Text("\n").join([rule, *(Text.assemble("   ", line) for line in lines)])

    @property
    def _hints(self) -> Hints:
        if self._renaming is not None:
            return (("Enter", "rename"), ("Esc", "keep its title"))
        if not self._sessions:
            return (("Esc", self._leave),)
        return self._line("resume", "clear" if self.state.filter else self._leave)
