"""A list over the whole screen of what the store has, read again when that changes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import cache
from typing import Any, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import Static

from ccq_tui.inbox.port import Added, InboxChange, InboxRenewed, SessionNoted, Settled
from ccq_tui.inbox.reach import Look
from ccq_tui.inbox.store.rows import StoredRequest
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.input.keys import Hints
from ccq_tui.screens.list_screen import ListScreen, State
from ccq_tui.screens.overlay import Result
from ccq_tui.screens.sessions.session_manager import SessionManager
from ccq_tui.widgets.lifetime import after_refresh, is_live, start_work
from ccq_tui.widgets.notice_line import NoticeLine
from ccq_tui.widgets.palette import Palette, palette_of
from ccq_tui.widgets.panel.measures import key_lines
from ccq_tui.worktrees.model import can_be_there

AGES_SECONDS = 5
"""Seconds between updates of times."""
SAID_SECONDS = 20.0


class StoredList(ListScreen[Result, State]):
    """Shows rows of all terminals, with the details of the one under the cursor.

    Attributes:
        manager: What opens sessions, with the inbox.
        clock: Monotonic clock, in seconds.
        stored: The rows read from the store, by key.
        native: Those of Claude Code's own screen, by key.
        all_read: Whether the reading of the store has ended.
        details: The part below the list.
    """

    DEFAULT_CSS = """
    StoredList {
        background: $background;
        overflow: hidden;
        & > NoticeLine { background: $background; }
        & > Vertical {
            height: 1fr;
            & > Static { height: auto; }
            & > ListField { max-height: 1; margin: 0; padding: 0 1 0 3; border: none; }
            & > ListField:focus { border: none; }
        }
    }
    """
    LOOK_SECONDS: ClassVar[float]
    """Seconds between looks at what reports nothing by itself."""

    def __init__(
        self,
        state: State,
        read_rows: Callable[[Store, Look], list[Any]],
        manager: SessionManager,
        clock: Callable[[], float],
        *details: Widget,
    ) -> None:
        """Create the screen; ``read_rows`` returns the rows of the store."""
        super().__init__(state)
        self.manager, self.clock, self.details = manager, clock, details
        self.stored: dict[str, Any] = {}
        self.native: dict[str, Any] = {}
        self.all_read = False
        self._is_old = self._reads = False
        """Whether the store has changed since the last reading began, and whether one is under way."""
        self._read_rows = read_rows
        self.notices = NoticeLine()
        self._heading = Static("", id="list-title", markup=False)
        self._headed = Text()

    def compose(self) -> ComposeResult:
        with Vertical():
            yield self._heading
            yield self.field
            yield self.view
            yield from self.details
        yield self.notices
        yield self.key_line

    def on_mount(self) -> None:
        """Show what is here, read the rest, and subscribe to changes."""
        inbox, sessions = self.manager.inbox, self.manager.sessions
        self._unsubscribe = (inbox.subscribe(self.take_change), sessions.subscribe(self.put_together))
        self.put_together()
        self.read_soon()
        self.look()
        self.set_interval(self.LOOK_SECONDS, self.look)

    def on_unmount(self) -> None:
        for unsubscribe in self._unsubscribe:
            unsubscribe()

    # -- what is listed -----------------------------------------------------------------------------------

    def native_row(self, waiting: StoredRequest, *, asked: bool) -> Any:
        """Return the row of a request in Claude Code's own screen, or None; ``asked``: by a hook, too."""
        raise NotImplementedError

    def rows(self) -> Iterable[Any]:
        """Return all rows in their order."""
        raise NotImplementedError

    async def read_rest(self) -> None:
        """Read what is shown beside the rows; raises `InboxError`."""

    def cannot_read(self, error: InboxError) -> None:
        """Say that not all is listed."""
        raise NotImplementedError

    def put_together(self) -> None:
        """List what is known by now."""
        self.show(self.state.with_rows(self.rows()))

    def drop(self, key: str) -> None:
        """Take a row of the store out of the list."""
        self.stored.pop(key, None)
        self.put_together()

    def read_soon(self) -> None:
        """Read the store again, after what is being read: changes may come faster than a list is read."""
        self._is_old = True
        if not self._reads:
            self._reads = True
            start_work(self, self._read, name="list")

    async def _read(self) -> None:
        try:
            while self._is_old:
                self._is_old, began = False, time.monotonic()
                await self.read_all()
                if self._is_old:  # half of the time is left to other work of the store
                    await asyncio.sleep(time.monotonic() - began)
        finally:
            self._reads = False

    async def read_all(self) -> None:
        """Read the store."""
        inbox, at = self.manager.inbox, datetime.now(UTC)
        look = Look(cache(can_be_there), await self.manager.recorded(), at)
        try:
            rows = await inbox.run(lambda store: self._read_rows(store, look))
            self.stored = {row.key: row for row in rows}
            await self.read_rest()
        except InboxError as error:
            self.cannot_read(error)
        self.all_read = True
        self.put_together()
        self.draw()

    async def read_native(self) -> None:
        """List the requests in Claude Code's own screen, and drop those that no longer wait."""
        try:
            found = await self.manager.native_waiting()
        except InboxError:
            return  # `read_all` says so
        rows = (self.native_row(one, asked=asked) for one, asked in found)
        self.native = {row.key: row for row in rows if row is not None}
        self.put_together()

    def look(self) -> None:
        """Look at what reports nothing by itself, and update the times."""
        start_work(self, self.read_native, name="native sessions", group="native", exclusive=True)
        self.draw()

    def take_change(self, change: InboxChange) -> None:
        """Read again what has changed."""
        match change:
            case Added() | Settled() | SessionNoted() | InboxRenewed():
                self.read_soon()

    # -- drawing ------------------------------------------------------------------------------------------

    def heading(self, width: int, palette: Palette) -> Text:
        """Return the title."""
        raise NotImplementedError

    def draw_details(self, palette: Palette) -> None:
        """Draw the part below the list."""
        raise NotImplementedError

    @property
    def order(self) -> object:
        """What the lines of the rows depend on, beside the rows."""
        return None

    @property
    def standing(self) -> str:
        """What stands above the keys, or ""."""
        return ""

    @property
    def hints(self) -> Hints:
        """The keys that apply, the most useful first."""
        raise NotImplementedError

    def say(self, text: str, seconds: float = SAID_SECONDS, of: str = "") -> None:
        """Show a text above the keys for some seconds, or in the session that is shown instead.

        One with an owner is covered by later ones, and comes back.
        """
        if self.is_running and self.is_attached:
            self.notices.say(text, seconds, of)
        else:
            self.manager.sessions.say(text, seconds=SAID_SECONDS)

    def on_resize(self) -> None:
        if is_live(self):
            # Textual's own layout, which follows now, would miss heights that change within it.
            after_refresh(self, self.draw)

    def draw(self) -> None:
        """Draw all but a panel."""
        if not self.has_parts:
            return
        palette = palette_of(self)
        self.field.show_cursor = self.finds
        self.draw_list(time.time() // AGES_SECONDS, self.order, field=self.finds or bool(self.state.filter))
        if (heading := self.heading(self.app.size.width, palette)) != self._headed:
            # Each update lays the whole screen out again.
            self._headed = heading
            self._heading.update(heading)
        self.draw_details(palette)
        self.notices.stand(self.standing)
        self.key_line.show(self.signed or self.hints, most_lines=key_lines(self.app.size.height))
