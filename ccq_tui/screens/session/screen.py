"""The screen of one session: it takes the session's events, and gives it what the person says."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable
from typing import ClassVar, Protocol

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import Screen
from textual.worker import Worker, WorkerState

from ccq_tui.agent.events import (
    AgentEvent,
    PermissionAsked,
    PlanProposed,
    PromptReturned,
    QuestionAsked,
    RequestSettled,
)
from ccq_tui.config import Launch
from ccq_tui.inbox import Cancelled, RequestOutcome
from ccq_tui.inbox.waiting import Waiting
from ccq_tui.screens.session.dock import Dock
from ccq_tui.screens.session.drafts import ClosedDrafts, draft_of, text_left_over
from ccq_tui.screens.session.view import SessionView, noted
from ccq_tui.screens.terminal import EditorError, edit_text, set_title
from ccq_tui.widgets.decision import DecisionPanel
from ccq_tui.widgets.later import after
from ccq_tui.widgets.prompt import Prompt
from ccq_tui.widgets.question import QuestionPanel
from ccq_tui.widgets.status_line import StatusLine
from ccq_tui.widgets.transcript import Transcript

_logger = logging.getLogger(__name__)

SURFACE = "panel"
BATCH = 0.012
"""Seconds of a burst's events that are handled together."""
CLOSED_SECONDS = 30.0
"""How long it is said above the prompt that a request was closed."""
AGAIN_SECONDS = 2.0
"""How long a key that asks to be pressed again may take."""


class Session(Protocol):
    """What the screen needs of a session; `ccq_tui.agent.session.AgentSession` is one."""

    async def run(self) -> None:
        """Be the session, to its end."""

    def send(self, text: str) -> str:
        """Give the agent a prompt."""

    def interrupt(self) -> None:
        """End the running turn."""

    def answer(self, request_id: str, outcome: RequestOutcome, surface: str) -> None:
        """Settle a request."""

    def close(self) -> None:
        """End the session."""


SessionFactory = Callable[[Callable[[AgentEvent], None]], Session]
"""Makes a session that tells its events to a function."""


class SessionScreen(Screen[None]):
    """Transcript above, prompt or panel below, status at the bottom.

    Args:
        launch: What the program was started with.
        make_session: Makes the session.
        clock: Returns seconds of a monotonic clock.
    """

    DEFAULT_CSS = """
    SessionScreen {
        & > Transcript { height: 1fr; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pageup", "scroll_transcript('page_up')", priority=True, show=False),
        Binding("pagedown", "scroll_transcript('page_down')", priority=True, show=False),
        Binding("ctrl+up", "scroll_transcript('line_up')", priority=True, show=False),
        Binding("ctrl+down", "scroll_transcript('line_down')", priority=True, show=False),
        Binding("ctrl+home", "scroll_transcript('home')", priority=True, show=False),
        Binding("ctrl+end", "scroll_transcript('end')", priority=True, show=False),
        Binding("ctrl+o", "toggle_folds", priority=True, show=False),
        Binding("ctrl+c", "copy_or_quit", priority=True, show=False),
        Binding("f8", "copy_draft", priority=True, show=False),
        Binding("f2", "toggle_panel", show=False),
        Binding("escape", "interrupt", show=False),
        Binding("ctrl+g", "edit_prompt", show=False),
    ]

    class EventsArrived(Message):
        """The session told something; the events are in the screen's queue."""

    def __init__(
        self, launch: Launch, make_session: SessionFactory, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__()
        self._launch = launch
        self._clock = clock
        self._arrived: deque[AgentEvent] = deque()
        self._handled_at = float("-inf")
        self._session = make_session(self._take)
        self._view = SessionView(launch.settings.directory, since=clock())
        self._again: tuple[str, float] = ("", 0.0)
        self._drafts = ClosedDrafts()
        self._answered: dict[str, Waiting] = {}
        self._worker: Worker[None] | None = None

    @property
    def view(self) -> SessionView:
        """What is known of the session."""
        return self._view

    @property
    def dock(self) -> Dock:
        """The prompt or the panel."""
        return self.query_one(Dock)

    @property
    def transcript(self) -> Transcript:
        """The log pane."""
        return self.query_one(Transcript)

    def compose(self) -> ComposeResult:
        """Build transcript, dock and status line."""
        yield Transcript()
        yield Dock(self._view.name, self._launch.draft, clock=self._clock)
        yield StatusLine()

    def on_mount(self) -> None:
        """Start the session, and send what the command line said."""
        self.set_interval(1.0, self._draw_status)
        self._draw_status()
        for notice in self._launch.notices:
            self.transcript.add_notice(notice, "warning")
        # What goes wrong in it must not take the screen, and all that is typed on it, along.
        self._worker = self.run_worker(self._session.run(), name="session", exit_on_error=False)
        if self._launch.prompt:
            self._say(self._launch.prompt)

    async def end(self) -> None:
        """End the session and wait until its process is gone."""
        self.dock.notices.say("Ending the session · Ctrl+Q again does not wait", seconds=60.0)
        self._session.close()
        if self._worker is not None and not self._worker.is_finished:
            await self.workers.wait_for_complete([self._worker])

    @on(Worker.StateChanged)
    def _worker_changed(self, event: Worker.StateChanged) -> None:
        if event.state is WorkerState.ERROR:
            _logger.error("worker %s failed", event.worker.name, exc_info=event.worker.error)
            self.transcript.add_notice(
                f"Something went wrong in ccq-tui ({event.worker.name}); the log has more.", "error"
            )

    # -- events of the session ----------------------------------------------------------------------------

    def _take(self, event: AgentEvent) -> None:
        """Queue an event; all that come until the queue is looked at are handled together."""
        self._arrived.append(event)
        if len(self._arrived) == 1:
            if self._clock() - self._handled_at < BATCH:
                # In a burst each message of the stream would otherwise cost a round of Textual's own.
                after(self, BATCH, self._handle_events)
            else:
                self.post_message(self.EventsArrived())

    @on(EventsArrived)
    def _handle_events(self) -> None:
        self._handled_at = self._clock()
        while self._arrived:
            event = self._arrived.popleft()
            self.transcript.apply(event)
            self._view = noted(self._view, event, self._clock())
            self._handle(event)
        self._draw_status()

    def _handle(self, event: AgentEvent) -> None:
        match event:
            case QuestionAsked(request) | PermissionAsked(request) | PlanProposed(request):
                self.dock.add(request)
                self._ring()
            case RequestSettled():
                self._close(event)
            case PromptReturned(text, reason):
                self.dock.prompt.put_back(text)
                self.transcript.add_notice(
                    f"A prompt was not sent and is back in its field: {reason}", "warning"
                )
            case _:
                pass

    def _close(self, event: RequestSettled) -> None:
        """Close the panel of a request that was settled elsewhere, keeping what was typed for it."""
        outcome = event.outcome
        answered = self._answered.pop(event.request_id, None)
        if answered is not None and not isinstance(outcome, Cancelled):
            return
        gone = self.dock.withdraw(event.request_id) or answered
        if gone is None:
            return
        where = f"answered by {event.surface}" if event.surface else "answered elsewhere"
        reason = outcome.reason if isinstance(outcome, Cancelled) else where
        kept = self._keep_draft(draft_of(gone))
        self.dock.notices.say(f"The request was closed: {reason}{kept}", seconds=CLOSED_SECONDS)

    def _keep_draft(self, draft: str) -> str:
        """Keep the draft of a closed request; return what to say of it."""
        if not self._drafts.keep(draft):
            return ""
        # The line above the prompt passes; the transcript stays.
        self.transcript.add_notice(f"F8 copies what you had answered:\n{draft}", "warning")
        return " · F8 copies your draft"

    def _ring(self) -> None:
        if self._launch.settings.bell and not self.app.app_focus:
            self.app.bell()

    # -- what the person does -----------------------------------------------------------------------------

    @on(Prompt.Submitted)
    def _send(self, event: Prompt.Submitted) -> None:
        self._say(event.text)

    def _say(self, text: str) -> None:
        """Show a prompt at once, and send it; the session keeps it while it starts or works."""
        self.transcript.add_prompt(text.rstrip())
        self._session.send(text.rstrip())

    @on(Dock.Answered)
    def _answer(self, event: Dock.Answered) -> None:
        text = text_left_over(event.waiting, event.outcome)
        if text:
            self.dock.prompt.put_back(text)
        self._answered[event.waiting.request.id] = event.waiting
        self._session.answer(event.waiting.request.id, event.outcome, SURFACE)

    @on(Dock.LineChanged)
    def _line_changed(self) -> None:
        self._draw_status()

    @on(QuestionPanel.EditorWanted)
    @on(DecisionPanel.EditorWanted)
    def _edit_answer(self, event: QuestionPanel.EditorWanted | DecisionPanel.EditorWanted) -> None:
        panel = event.panel

        def put(text: str) -> None:
            if self.dock.panel is panel:
                panel.put_text(text)
            else:
                self.dock.notices.say(f"The request was closed meanwhile{self._keep_draft(text)}")

        self._edit(event.text, put)

    def action_edit_prompt(self) -> None:
        """Edit the prompt in the person's editor."""
        self._edit(self.dock.prompt.text, self.dock.prompt.put)

    def _edit(self, text: str, put: Callable[[str], None]) -> None:
        async def edit() -> None:
            try:
                edited = await edit_text(self.app, text)
            except EditorError as error:
                self.dock.notices.say(str(error))
                return
            if edited is not None:
                put(edited)

        self.run_worker(edit(), name="editor", group="editor", exclusive=True)

    def action_scroll_transcript(self, how: str) -> None:
        """Scroll the transcript, whatever has the focus."""
        getattr(self.transcript, f"action_{how}")()

    def action_toggle_folds(self) -> None:
        """Unfold thinking and long outputs, or fold them."""
        self.transcript.toggle_folds()

    def action_toggle_panel(self) -> None:
        """Show or hide what waits."""
        if self.dock.line.items:
            self.dock.toggle_panel()
        else:
            self.dock.notices.say("Nothing waits for an answer")

    def action_interrupt(self) -> None:
        """Interrupt the turn; where that would withdraw a hidden request, ask once."""
        if not self._view.busy:
            return
        if self.dock.line.items and not self._pressed_again("escape"):
            self.dock.notices.say("Esc again interrupts Claude and withdraws what waits · F2 shows it")
            return
        self._session.interrupt()

    def action_copy_or_quit(self) -> None:
        """Copy what is selected; with nothing selected, quit when pressed twice."""
        selected = self.get_selected_text() or getattr(self.focused, "selected_text", "")
        if selected:
            self.app.copy_to_clipboard(selected)
            self.dock.notices.say("Copied")
        elif self._pressed_again("ctrl+c"):
            self.app.run_worker(self.app.run_action("quit"), name="quit")
        else:
            self.dock.notices.say("Ctrl+C again quits", seconds=AGAIN_SECONDS)

    def action_copy_draft(self) -> None:
        """Copy the drafts of requests that were closed."""
        count = len(self._drafts)
        if count:
            self.app.copy_to_clipboard(self._drafts.copied())
        words = (
            "Draft copied"
            if count == 1
            else f"{count} drafts copied"
            if count
            else "There is no draft to copy"
        )
        self.dock.notices.say(words)

    def _pressed_again(self, key: str) -> bool:
        now, (before, at) = self._clock(), self._again
        self._again = (key, now)
        return key == before and now - at < AGAIN_SECONDS

    def _draw_status(self) -> None:
        if self.is_mounted:
            self.query_one(StatusLine).show(self._view.words(self._clock()))
            title = self._view.title(len(self.dock.line.items))
            if title != self.title:
                self.title = title
                set_title(self.app, title)
