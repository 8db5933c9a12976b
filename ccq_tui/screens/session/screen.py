"""The screen of one session: it takes the session's events, and gives it what the person says."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import ClassVar, Protocol

import click
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import Screen
from textual.worker import Worker

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
from ccq_tui.screens.session.dock import Dock, copied_draft
from ccq_tui.screens.session.view import SessionView, noted
from ccq_tui.screens.terminal import edit_text, set_title
from ccq_tui.widgets.decision import DecisionPanel
from ccq_tui.widgets.prompt import Prompt
from ccq_tui.widgets.question import QuestionPanel
from ccq_tui.widgets.status_line import StatusLine
from ccq_tui.widgets.transcript import Transcript

SURFACE = "panel"
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
        self._session = make_session(self._take)
        self._view = SessionView(launch.settings.directory, since=clock())
        self._again: tuple[str, float] = ("", 0.0)
        self._lost_draft = ""
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
        self._worker = self.run_worker(self._session.run(), name="session")
        if self._launch.prompt:
            self._say(self._launch.prompt)

    async def end(self) -> None:
        """End the session and wait until its process is gone."""
        self._session.close()
        if self._worker is not None and not self._worker.is_finished:
            await self.workers.wait_for_complete([self._worker])

    # -- events of the session ----------------------------------------------------------------------------

    def _take(self, event: AgentEvent) -> None:
        """Queue an event; one message is enough for all that come before it is handled."""
        if not self._arrived:
            self.post_message(self.EventsArrived())
        self._arrived.append(event)

    @on(EventsArrived)
    def _handle_events(self) -> None:
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
            case RequestSettled(request_id, outcome):
                self._close(request_id, outcome)
            case PromptReturned(text, reason):
                self.dock.prompt.put_back(text)
                self.dock.notices.say(f"Not sent: {reason}")
            case _:
                pass

    def _close(self, request_id: str, outcome: RequestOutcome) -> None:
        """Close the panel of a request that was settled elsewhere, keeping what was typed for it."""
        gone = self.dock.withdraw(request_id)
        if gone is None:
            return
        reason = outcome.reason if isinstance(outcome, Cancelled) else "answered elsewhere"
        self._lost_draft = copied_draft(gone)
        kept = " · F8 copies your draft" if self._lost_draft else ""
        self.dock.notices.say(f"The request was closed: {reason}{kept}", seconds=30.0)

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
        self._session.answer(event.request_id, event.outcome, SURFACE)

    @on(Dock.LineChanged)
    def _line_changed(self) -> None:
        self._draw_status()

    @on(QuestionPanel.EditorWanted)
    @on(DecisionPanel.EditorWanted)
    def _edit_answer(self, event: QuestionPanel.EditorWanted | DecisionPanel.EditorWanted) -> None:
        edited = self._edited(event.text)
        if edited is not None:
            event.panel.put_text(edited)

    def action_edit_prompt(self) -> None:
        """Edit the prompt in the person's editor."""
        edited = self._edited(self.dock.prompt.text)
        if edited is not None:
            self.dock.prompt.put(edited)

    def _edited(self, text: str) -> str | None:
        try:
            return edit_text(self.app, text)
        except click.ClickException as error:
            self.dock.notices.say(f"{error.message} · set VISUAL or EDITOR to one that runs")
            return None

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
            self.app.run_worker(self.app.run_action("quit"))
        else:
            self.dock.notices.say("Ctrl+C again quits", seconds=AGAIN_SECONDS)

    def action_copy_draft(self) -> None:
        """Copy the draft of the request that was closed last."""
        if self._lost_draft:
            self.app.copy_to_clipboard(self._lost_draft)
        self.dock.notices.say("Draft copied" if self._lost_draft else "There is no draft to copy")

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
