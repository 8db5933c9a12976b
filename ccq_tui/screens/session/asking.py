"""The part of the screen where requests wait, are answered, and are closed when nobody can answer them."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.message import Message

from ccq_tui.agent.events import (
    AnswerNotKept,
    ArrivingEnded,
    PermissionAsked,
    PlanProposed,
    QuestionArriving,
    QuestionAsked,
    RequestSettled,
    SessionState,
    StateChanged,
)
from ccq_tui.inbox import Cancelled
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.questions import Expired
from ccq_tui.screens.session.base import AGAIN_SECONDS, SessionBase
from ccq_tui.screens.session.dock import Dock
from ccq_tui.screens.session.drafts import (
    ClosedDrafts,
    LeftPages,
    draft_of,
    plan_left_over,
    set_left_over,
    text_left_over,
)
from ccq_tui.screens.session.growing import GrowingDock
from ccq_tui.supervisor.events import SessionEvent
from ccq_tui.supervisor.session import SupervisedSession
from ccq_tui.widgets.decision import DecisionPanel
from ccq_tui.widgets.lifetime import after
from ccq_tui.widgets.question import QuestionPanel

READY_SECONDS = 0.2
"""How long after a prompt panels are made ahead."""
CLOSED_SECONDS = 30.0
"""How long it is said above the prompt that a request was closed."""
UNOPENED = "No session was opened · F8 copies the prompt that you typed for it"
LEFT_OVER = "F8 copies what you had selected and typed"


class Asking(SessionBase):
    """Hands requests to the dock and their outcomes to the session, and loses no draft on the way."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f2", "toggle_panel", "Show or hide what waits for an answer", show=False, id="panel"),
        Binding(
            "f8",
            "copy_draft",
            "Copy the draft of a question that was closed",
            priority=True,
            show=False,
            id="copy_draft",
        ),
    ]

    class InboxWanted(Message):
        """What waits in all sessions is to be shown."""

    def __init__(self, session: SupervisedSession) -> None:
        super().__init__(session)
        self._drafts = ClosedDrafts()
        self._left = LeftPages()
        self._said_closed = ""
        self._answered: dict[str, Dock.Answered] = {}

    @property
    def dock(self) -> GrowingDock:
        """The prompt, or the panel in its place."""
        return self.query_one(GrowingDock)

    def handle(self, event: SessionEvent) -> None:
        """Let requests wait, and close what was settled."""
        super().handle(event)
        match event:
            case QuestionArriving(request, arriving):
                self._came_again()
                self.dock.arrive(request, arriving, self._left.pages)
            case ArrivingEnded():
                self._close_arriving(event)
            case QuestionAsked(request) | PermissionAsked(request) | PlanProposed(request):
                self._came_again()
                if request.id not in self._answered:  # else asked again only to be told what was answered
                    self.dock.add(request, event.draft, self._left.pages)
            case RequestSettled():
                self._close(event)
            case AnswerNotKept(request_id) if answered := self._answered.pop(request_id, None):
                self.dock.add(answered.waiting.request, answered.waiting.draft)
            case StateChanged(SessionState.WORKING):
                # While the agent thinks: the start is over, and what it asks first finds its panel made.
                after(self, READY_SECONDS, self.dock.panels.make_ready)
            case _:
                pass

    def _close(self, event: RequestSettled) -> None:
        """Close the panel of a request that was settled elsewhere, keeping what was typed for it."""
        outcome = event.outcome
        answered = self._answered.pop(event.request_id, None)
        if (
            answered is not None
            and event.actor in (None, Actor.here(Surface.PANEL))
            and outcome == answered.outcome
        ):
            self.dock.tidy()
            return
        gone = self.dock.withdraw(event.request_id) or (answered.waiting if answered else None)
        if gone is None:
            return
        where = f"answered {event.actor.where_from_here}" if event.actor else "answered elsewhere"
        if isinstance(outcome, Expired):
            where = "nobody answered in time; nothing was chosen"
        reason = outcome.reason if isinstance(outcome, Cancelled) else where
        if isinstance(outcome, Cancelled):
            self._left.add(gone)
        kept = self._keep_draft(draft_of(gone))
        self.dock.notices.say(f"The request was closed: {reason}{kept}", seconds=CLOSED_SECONDS)

    def _close_arriving(self, event: ArrivingEnded) -> None:
        """Close the panel of a set that will not be asked; its draft comes back with the same questions."""
        gone = self.dock.withdraw(event.request_id)
        if gone is None:
            return
        self._left.add(gone)
        kept = self._keep_draft(draft_of(gone))
        self._said_closed = f"The question was closed: {event.reason}{kept}"
        self.dock.notices.say(self._said_closed, seconds=CLOSED_SECONDS)

    def _came_again(self) -> None:
        """No longer say that a question was closed once one is asked again, with its draft."""
        said, self._said_closed = self._said_closed, ""
        if said and said in self.dock.notices.text:
            self.dock.notices.hush()

    def _keep_draft(self, draft: str) -> str:
        """Keep the draft of a closed request; return what to say of it."""
        if not self._drafts.keep(draft):
            return ""
        # The line above the prompt passes; the transcript stays.
        self.transcript.add_notice(f"F8 copies what you had answered:\n{draft}", "warning")
        return " · F8 copies your draft"

    def keep_unopened(self, prompt: str) -> None:
        """Keep the first prompt of a session that was not opened."""
        if self._drafts.keep(prompt):
            self.dock.notices.say(UNOPENED)

    @on(Dock.Answered)
    def _answer(self, event: Dock.Answered) -> None:
        text = text_left_over(event.waiting, event.outcome)
        if text:
            self.dock.prompt.put_back(text)
        self._keep_draft(plan_left_over(event.waiting, event.outcome))
        if self._drafts.keep(set_left_over(event.waiting, event.outcome)):
            self.dock.notices.say(LEFT_OVER)
        self._left.forget(event.waiting)
        self._answered[event.waiting.request.id] = event
        self.session.answer(event.waiting.request.id, event.outcome, Actor.here(Surface.PANEL))

    @on(QuestionPanel.EditorWanted)
    @on(DecisionPanel.EditorWanted)
    def _edit_answer(self, event: QuestionPanel.EditorWanted | DecisionPanel.EditorWanted) -> None:
        panel = event.panel

        def put(text: str) -> None:
            if self.dock.panel is panel and event.current:
                panel.put_text(text)
            else:
                self.dock.notices.say(f"The request was closed meanwhile{self._keep_draft(text)}")

        self.edit(event.text, put)

    def action_toggle_panel(self) -> None:
        """Show or hide what waits here; pressed twice, or where nothing does, what waits in all sessions."""
        folded_at, typed_at = self.dock.folded_at, self.dock.prompt.last_typed
        again = folded_at is not None and self.clock() - folded_at < AGAIN_SECONDS
        if folded_at is not None and typed_at is not None and typed_at > folded_at:
            again = False  # hidden to write something: the next press shows it again
        if self.dock.line.items and not again:
            self.dock.toggle_panel()
        else:
            self.dock.folded_at = None
            self.post_message(self.InboxWanted())

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
