"""Requests of a session: they wait in the dock, are answered, and are closed when nobody can answer them."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from ccq_tui.agent import events as ev
from ccq_tui.agent.delivery import CLEARED
from ccq_tui.agent.problems import Problem
from ccq_tui.config.keymap import with_keys
from ccq_tui.inbox.actors import WITHDRAWN, Actor, Surface
from ccq_tui.inbox.draft import Draft
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.port import Settled
from ccq_tui.inbox.requests import Cancelled, PlanRequest, RequestOutcome
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.runtime.events import SessionEvent
from ccq_tui.screens.link_opener import Target, open_target
from ccq_tui.screens.session.dock import HOW_SECONDS
from ccq_tui.screens.session.key_repeats import AGAIN_SECONDS
from ccq_tui.screens.session.ui import SessionUi
from ccq_tui.widgets.decision import DecisionPanel
from ccq_tui.widgets.keys import presses_of
from ccq_tui.widgets.lifetime import after_refresh
from ccq_tui.widgets.panel.drafts import draft_words, plan_left_over, set_left_over, text_left_over
from ccq_tui.widgets.panel_host import Panel, PanelHost

READY_SECONDS = 0.2
"""Seconds from the start of a turn to the making of panels."""
IN_PROMPT = "Your text was not sent: it is in the prompt"
LEFT_OVER = "{copy_draft} copies your draft"
UNDELIVERED = "Your answer did not reach Claude; {copy_draft} copies it"
OTHERS = "Another ccq-tui now runs this session and has your answer"


class RequestQueue(PanelHost):
    """Hands the requests of a session to its dock, and loses no draft on the way."""

    def __init__(self, ui: SessionUi) -> None:
        super().__init__(Surface.PANEL, ui.dock)
        ui.dock.host = self
        self._ui = ui
        self._seen: tuple[Panel | None, int] = (None, 0)
        self._left_end_for = ""
        """The plan for whose head the transcript left its end, or ""."""

    # -- events of the session -----------------------------------------------------------------------------

    def take(self, event: SessionEvent) -> None:
        """Make panels ready, leave what no longer belongs here, and offer what did not reach the agent."""
        dock = self._ui.dock
        match event:
            case ev.StateChanged(ev.SessionState.WORKING):
                # While the agent thinks: the start is over, and what it asks first finds its panel made.
                self._ui.after(READY_SECONDS, dock.panels.make_ready)
            case ev.StateChanged(ev.SessionState.STARTING):
                for item in dock.line.items:
                    dock.notices.hush(item.request.id)  # a process waits again
            case ev.ConversationReset():
                for item in dock.line.items:
                    if item.request.session_id != self._ui.session.known_id:
                        dock.close(item, Settled(item.request, Cancelled(CLEARED), WITHDRAWN))
            case ev.DraftLeft(draft):
                self.keep(draft_words(draft))
            case ev.SessionLost(kind=Problem.RUNS_ELSEWHERE) if self._undelivered:
                self._ui.say(OTHERS, seconds=HOW_SECONDS)
            case ev.SessionLost(kind=Problem.DIRECTORY_GONE | Problem.NO_CONVERSATION):
                self._offer_answers()
            case _:
                pass

    def _offer_answers(self) -> None:
        """Offer answers for copying if their session's directory or conversation is gone; they stay kept."""
        for opened in self._undelivered:
            if opened.draft is not None:
                self.keep(draft_words(opened.draft), UNDELIVERED)
                opened.draft = None  # it is offered once

    @property
    def _undelivered(self) -> list[OpenRequest]:
        """The requests answered here whose answers Claude was not seen to have."""
        here = Actor.here(Surface.PANEL)
        return [one for one in self._ui.session.requests if one.stored.actor == here]

    def keep(self, draft: str, words: str = LEFT_OVER) -> str:
        kept = super().keep(draft)
        if kept:  # the line above the prompt passes; the transcript stays
            self._ui.note(f"{with_keys(words)}:\n{draft}", "warning")
        return kept

    def keep_to_copy(self, text: str, words: str) -> None:
        """Keep a text that a key copies, and say so above the prompt."""
        if self.drafts.keep(text):
            self._ui.say(with_keys(words))

    # -- what the person does -------------------------------------------------------------------------------

    def say(self, text: str, of: str = "") -> None:
        self._ui.say(text, of=of)

    def run(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._ui.start(work, "answer")

    def edit(self, text: str, put: Callable[[str], None]) -> None:
        self._ui.edit(text, put)

    async def open_link(self, url: str) -> None:
        self._ui.say(await open_target(self._ui.app, Target(url, url=url)))

    def gave(self, opened: OpenRequest, draft: Draft, outcome: RequestOutcome) -> None:
        """Keep what is not part of the outcome at hand, and put what was typed beside it into the prompt."""
        self._ui.dock.notices.hush(opened.request.id)
        if text := text_left_over(draft, outcome):
            self._ui.dock.prompt.put_back(text)
            self._ui.say(IN_PROMPT)
        self.keep(plan_left_over(draft, outcome))
        self.keep_to_copy(set_left_over(draft, outcome), LEFT_OVER)
        self._ui.dock.closed.forget(draft)
        if opened.request.id == self._left_end_for:
            self._left_end_for = ""
            self._ui.transcript.action_end()

    def refused(self, opened: OpenRequest, _draft: Draft, error: InboxError) -> None:
        self._ui.transcript.apply(ev.ErrorReported("answer", f"The answer was not kept: {error}"))
        self._ui.dock.add(opened)

    def toggle(self) -> None:
        """Show or hide what waits here; right after hiding it, or if nothing waits, show the inbox."""
        dock = self._ui.dock
        hidden = dock.panel is not None and dock.panel.state.hidden
        if dock.line.items and not (hidden and presses_of(dock).apart < AGAIN_SECONDS):
            dock.toggle_panel()
        else:
            self._ui.act("inbox")

    def copy_drafts(self) -> None:
        """Copy the drafts of requests that were closed."""
        count = len(self.drafts)
        if count:
            self._ui.app.copy_to_clipboard(self.drafts.copied())
        words = {0: "No draft to copy", 1: "Draft copied"}
        self._ui.say(words.get(count, f"{count} drafts copied"))

    # -- a plan is read in the transcript -------------------------------------------------------------------

    def show(self, opened: OpenRequest, panel: Panel, **where: Any) -> None:
        """Ask a request in a panel; the head of a plan that is being decided comes into view."""
        super().show(opened, panel, **where)
        if isinstance(panel, DecisionPanel) and isinstance(opened.request, PlanRequest):
            panel.form.unseen_above = lambda: (self._ui.transcript.plan.unseen, False)
            # Only after the panel has taken its lines from the transcript.
            after_refresh(panel, partial(self._bring_into_view, opened.request.id))

    def _bring_into_view(self, request_id: str) -> None:
        if self._ui.transcript.following:
            self._left_end_for = request_id
        self._ui.transcript.plan.show(request_id)

    def looked(self) -> None:
        """Note that the transcript was scrolled: more of the plan may have been seen."""
        if isinstance(self.panel, DecisionPanel):
            self.panel.look()

    # -- behind other screens -------------------------------------------------------------------------------

    def covered(self) -> None:
        """Remember which request was seen in which panel."""
        self._seen = (self.panel, self.panel.turn if self.panel is not None else 0)

    def came_up(self) -> None:
        """Begin the grace of a panel that another screen covered: no key until now was meant for it."""
        if self.panel is not None and not self.refresh():
            self.panel.uncover(again=(self.panel, self.panel.turn) == self._seen)
