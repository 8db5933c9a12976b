"""What every part of the session's screen stands on: the session, what is known of it, its widgets."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from textual import events, on
from textual.message import Message
from textual.reactive import Reactive
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import Worker

from ccq_tui.agent.events import PermissionAsked, PlanProposed, QuestionAsked
from ccq_tui.config import Launch
from ccq_tui.inbox.waiting import Line
from ccq_tui.screens.editor import GROUP, EditorError, edit_text
from ccq_tui.screens.failing import failure
from ccq_tui.screens.session.dock import Dock
from ccq_tui.screens.session.view import TIMED, SessionView, noted
from ccq_tui.supervisor.events import LimitReached, Reconnected, SessionEvent
from ccq_tui.supervisor.session import SupervisedSession
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
        session: The session that the screen shows.
    """

    focused: Reactive[Widget | None] = Reactive(None, repaint=False)
    """Who has the keys; Textual would draw the whole screen for another one, not only the two that change."""

    class EventsArrived(Message):
        """The session told something; the events are in the screen's queue."""

    def __init__(self, session: SupervisedSession) -> None:
        super().__init__()
        self.session = session
        self.clock = session.clock
        self.view = SessionView(
            session.launch.settings.directory, since=session.clock(), title=session.launch.title
        )
        """What is known of the session."""
        self._arrived: deque[SessionEvent] = deque()
        self._handled_at = float("-inf")
        self._again: tuple[str, float] = ("", 0.0)
        self._styled = False
        session.subscribe(self._take)

    @property
    def launch(self) -> Launch:
        """What the session was started with."""
        return self.session.launch

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

    def _take(self, event: SessionEvent) -> None:
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
            if not isinstance(event, Reconnected | LimitReached):
                self.transcript.apply(event)
                self.view = noted(self.view, event, self.clock())
            self.handle(event)
        self.changed()

    def handle(self, event: SessionEvent) -> None:
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
