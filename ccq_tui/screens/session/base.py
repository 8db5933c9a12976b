"""What every part of the session's screen stands on: the session, what is known of it, its widgets."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable

from textual import events, on
from textual.message import Message
from textual.reactive import Reactive
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import Worker

from ccq_tui.agent.events import (
    AgentEvent,
    HistoryLoaded,
    PermissionAsked,
    PlanProposed,
    QuestionAsked,
    SessionState,
    StateChanged,
)
from ccq_tui.config import Launch
from ccq_tui.inbox.waiting import Line
from ccq_tui.screens.editor import GROUP, EditorError, edit_text
from ccq_tui.screens.failing import failure
from ccq_tui.screens.session.dock import Dock
from ccq_tui.screens.session.port import SessionFactory
from ccq_tui.screens.session.view import TIMED, SessionView, noted
from ccq_tui.widgets.keys import presses_of
from ccq_tui.widgets.lifetime import after, start_work
from ccq_tui.widgets.transcript import Transcript

BATCH = 0.012
"""Seconds of a burst's events that are handled together."""
AWAITED = (QuestionAsked, PermissionAsked, PlanProposed)
"""Events that a person waits for."""
AGAIN_SECONDS = 2.0
"""How long a key that asks to be pressed again may take."""


class SessionBase(Screen[None]):
    """The common ground of the screen's parts; each part owns the keys and handlers of one concern.

    Args:
        launch: What the program was started with.
        make_session: Makes the session.
        clock: Returns seconds of a monotonic clock.
    """

    focused: Reactive[Widget | None] = Reactive(None, repaint=False)
    """Who has the keys; Textual would draw the whole screen for another one, not only the two that change."""

    class EventsArrived(Message):
        """The session told something; the events are in the screen's queue."""

    def __init__(
        self, launch: Launch, make_session: SessionFactory, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__()
        self.launch = launch
        self.clock = clock
        self.view = SessionView(launch.settings.directory, since=clock(), title=launch.title)
        """What is known of the session."""
        self._arrived: deque[AgentEvent] = deque()
        self._handled_at = float("-inf")
        self._again: tuple[str, float] = ("", 0.0)
        self._styled = False
        self._make_session = make_session
        self.session = make_session(self._take, launch)
        self.ends = False
        """Whether the session is ended for good: nothing starts it again here."""
        self.slots: asyncio.Semaphore | None = None
        """How many sessions may have a process at a time, shared by all of this terminal."""

    async def live(self) -> None:
        """Be the session, once there is room for its process."""
        if self.slots is None:
            await self.session.run()
            return
        if self.slots.locked():
            self._take(StateChanged(SessionState.QUEUED))
        async with self.slots:
            await self.session.run()

    def renew(self, launch: Launch, *, told_already: bool = False) -> None:
        """Put another session in the place of one that is over; what is on the screen stays there.

        Args:
            launch: What to start it with; it becomes the screen's own.
            told_already: Whether the transcript has the conversation that is resumed.
        """

        def tell(event: AgentEvent) -> None:
            if not (told_already and isinstance(event, HistoryLoaded)):
                self._take(event)

        self.launch = launch
        # At once: what would start it again before its first event is there must not do so twice.
        self.view = noted(self.view, StateChanged(SessionState.STARTING), self.clock())
        self.session = self._make_session(tell, launch)

    @property
    def dock(self) -> Dock:
        """The prompt or the panel."""
        return self.query_one(Dock)

    @property
    def waiting(self) -> Line:
        """What waits for the person; not what is still being written."""
        dock = self.query_one_optional(Dock)
        return dock.line.asked if dock is not None else Line()

    @property
    def counts_seconds(self) -> bool:
        """Whether something changes with every second: a time shown, or a limit; the parts extend this."""
        return self.view.state in TIMED

    @property
    def in_front(self) -> bool:
        """Whether this session is the one on the screen, a list over it or not."""
        return self in self.app.screen_stack

    @property
    def transcript(self) -> Transcript:
        """The log pane."""
        return self.query_one(Transcript)

    @on(Worker.StateChanged)
    def _work_changed(self, event: Worker.StateChanged) -> None:
        if words := failure(event):
            self.transcript.add_notice(words, "error")

    # -- coming to the front ------------------------------------------------------------------------------

    @on(events.ScreenResume)
    def _style_once(self, event: events.ScreenResume) -> None:
        """Style everything once: a screen that is shown for the first time is told so twice."""
        if event.refresh_styles:
            event.refresh_styles = not self._styled
            self._styled = self.is_attached

    @on(events.ScreenSuspend)
    def _style_again(self) -> None:
        """Style everything anew when it is shown again."""
        self._styled = False

    # -- events of the session ----------------------------------------------------------------------------

    def _take(self, event: AgentEvent) -> None:
        """Queue an event; all that come until the queue is looked at are handled together."""
        self._arrived.append(event)
        if isinstance(event, AWAITED):
            self.post_message(self.EventsArrived())
        elif len(self._arrived) == 1:
            if self.clock() - self._handled_at < BATCH:
                # In a burst each message of the stream would otherwise cost a round of Textual's own.
                after(self, BATCH, self._handle_events)
            else:
                self.post_message(self.EventsArrived())

    @on(EventsArrived)
    def _handle_events(self) -> None:
        if not self._arrived:
            return  # one that is awaited took all along
        self._handled_at = self.clock()
        while self._arrived:
            event = self._arrived.popleft()
            self.transcript.apply(event)
            self.view = noted(self.view, event, self.clock())
            self.handle(event)
        self.changed()

    def handle(self, event: AgentEvent) -> None:
        """Do what an event asks of the screen; the parts extend this."""

    def changed(self) -> None:
        """Show that something is known anew; the parts extend this."""

    def take_command(self, text: str) -> bool:  # noqa: ARG002 - the parts read it
        """Do what a prompt says that is a command of the program's own; the parts extend this.

        Args:
            text: What was sent from the prompt.

        Returns:
            Whether it was one; all else is for the agent.
        """
        return False

    def wake(self, *, answered: bool = False, ended: bool = False) -> None:
        """Start the session again where it waits without a process; a part knows how.

        Args:
            answered: Whether a question of it was answered.
            ended: Whether one that has ended is started again, too.
        """

    @property
    def waits_to_begin(self) -> bool:
        """Whether what was sent or typed is kept for a later start of the session, which has not begun."""
        return False

    def chose(self, setting: str, value: str | None) -> None:
        """Take in that model, mode or effort was chosen; a part keeps it.

        Args:
            setting: "model", "mode" or "effort".
            value: What was chosen, None for the default.
        """

    async def end(self) -> None:
        """End the session and wait until its process is gone; the whole screen knows how."""
        raise NotImplementedError

    # -- what the parts share -----------------------------------------------------------------------------

    def edit(self, text: str, put: Callable[[str], None]) -> None:
        """Edit a text in the person's editor.

        Args:
            text: What the editor begins with.
            put: Takes the edited text; not called when nothing was saved.
        """

        async def edit() -> None:
            try:
                edited = await edit_text(self.app, text)
            except EditorError as error:
                self.dock.notices.say(str(error))
                return
            if edited is not None:
                put(edited.text)
                if edited.problem:
                    self.dock.notices.say(edited.problem)

        start_work(self, edit, name="editor", group=GROUP)

    def pressed_again(self, key: str, meaning: str = "") -> bool:
        """Whether a key is pressed for the second time within a short time, and no other key between.

        Args:
            key: The key.
            meaning: What it means now: a press that meant something else is not the first one.
        """
        now, (before, at) = self.clock(), self._again
        self._again = (f"{key} {meaning}", now)
        soon = now - at < AGAIN_SECONDS and not presses_of(self).other_since(key, at)
        return soon and before == f"{key} {meaning}"
