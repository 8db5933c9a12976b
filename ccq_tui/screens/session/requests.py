"""Requests of a session: they wait in the dock, are answered, and are closed when nobody can answer them."""

from __future__ import annotations

import asyncio
from functools import partial

from ccq_tui.agent import events as ev
from ccq_tui.agent.problems import Problem
from ccq_tui.config.keymap import with_keys
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.elicitations import link_to_open
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.port import DraftUpdated
from ccq_tui.inbox.requests import Cancelled, PlanRequest, QuestionRequest, Request, RequestOutcome
from ccq_tui.inbox.verdicts import AlreadySettled, InboxError, Verdict
from ccq_tui.inbox.waiting_line import Waiting
from ccq_tui.questions import Expired
from ccq_tui.runtime.events import SessionEvent
from ccq_tui.screens.link_opener import Target, open_target
from ccq_tui.screens.session.dock import Dock
from ccq_tui.screens.session.drafts import (
    ClosedDrafts,
    ClosedPages,
    draft_of,
    plan_left_over,
    set_left_over,
    text_left_over,
)
from ccq_tui.screens.session.panel_pool import Panel
from ccq_tui.screens.session.ui import AGAIN_SECONDS, SessionUi
from ccq_tui.widgets.decision import DecisionPanel
from ccq_tui.widgets.keys import presses_of
from ccq_tui.widgets.lifetime import after_refresh
from ccq_tui.widgets.panel import RequestPanel
from ccq_tui.widgets.question import QuestionPanel

READY_SECONDS = 0.2
"""Seconds from the start of a turn to the making of panels."""
CLOSED_SECONDS = 30.0
"""Seconds to show that a request was closed."""
HOW_SECONDS = 20.0
"""Seconds to show how an answer reaches the agent."""
CLOSED, ARRIVING = "a closed request", "a question that was being written"
"""Owners of the lines that say why something is no longer asked."""
IN_PROMPT = "Your text was not sent: it is in the prompt"
LEFT_OVER = "{copy_draft} copies your draft"
OWN_TEXT = "The newer draft is here · {copy_draft} copies yours"
UNDELIVERED = "Your answer did not reach Claude; {copy_draft} copies it"
PARKED = "Parked without a process · your answer restarts Claude"
LEFT = "The question still waits · your answer restarts Claude and reaches it as a message"
OTHERS = "Another ccq-tui now runs this session and has your answer"
BY_MESSAGE = "Asked before the session ended · your answer goes to Claude as a message"


class RequestQueue:
    """Hands requests to the dock and their outcomes to the session, and loses no draft on the way."""

    def __init__(self, ui: SessionUi) -> None:
        self._ui = ui
        self._drafts = ClosedDrafts()
        self._left = ClosedPages()
        self._closed: Waiting | None = None
        """The request whose end was reported last."""
        self._seen: tuple[Panel, int] | None = None
        self._left_end_for = ""
        """The plan for whose head the transcript left its end, or ""."""

    # -- events of the session -----------------------------------------------------------------------------

    def take(self, event: SessionEvent) -> None:
        """Let requests wait, close what was settled, and say how an answer reaches the agent."""
        dock = self._ui.dock
        match event:
            case ev.QuestionArriving(request, arriving):
                self._came_again(request)
                dock.arrive(request, arriving, self._left.pages)
            case ev.ArrivingEnded():
                self._close_arriving(event)
            case (
                ev.QuestionAsked(request)
                | ev.PermissionAsked(request)
                | ev.PlanProposed(request)
                | ev.ElicitationAsked(request)
            ):
                self._came_again(request)
                opened = self._ui.session.inbox.known(request.id)
                if opened is not None and opened.is_pending:  # else asked again only to receive its answer
                    recalled = event.recalled if isinstance(event, ev.QuestionAsked) else ()
                    dock.add(request, event.draft, self._left.pages, recalled)
                if isinstance(event, ev.QuestionAsked) and event.by_message:
                    self._ui.say(BY_MESSAGE, HOW_SECONDS, request.id)
            case ev.RequestSettled():
                self._close(event)
            case DraftUpdated():
                self._follow(event)
            case ev.StateChanged(ev.SessionState.WORKING):
                # While the agent thinks: the start is over, and what it asks first finds its panel made.
                self._ui.after(READY_SECONDS, dock.panels.make_ready)
            case _:
                self._say_way(event)

    def _say_way(self, event: SessionEvent) -> None:
        """Say how an answer reaches the agent, if not in the usual way."""
        dock = self._ui.dock
        match event:
            case ev.RequestParked(request_id, deferred) if request_id in dock.line.asked:
                self._ui.say(PARKED if deferred else LEFT, HOW_SECONDS, request_id)
            case ev.SessionLost(kind=Problem.RUNS_ELSEWHERE) if self._undelivered:
                self._ui.say(OTHERS, seconds=HOW_SECONDS)
            case ev.SessionLost(kind=Problem.DIRECTORY_GONE | Problem.NO_CONVERSATION):
                self._offer_answers()
            case ev.StateChanged(ev.SessionState.STARTING):
                for item in dock.line.items:
                    dock.notices.hush(item.request.id)  # a process waits again
            case _:
                pass

    def _close(self, event: ev.RequestSettled) -> None:
        """Close the panel of a request that was settled elsewhere, keeping what was typed for it."""
        outcome = event.outcome
        self._ui.dock.notices.hush(event.request_id)
        gone = self._ui.dock.withdraw(event.request_id)
        if gone is not None:
            self._say_closed(gone, outcome, event.actor)

    def _say_closed(self, gone: Waiting, outcome: RequestOutcome, actor: Actor | None) -> None:
        where = f"answered {actor.where_from_here}" if actor else "answered elsewhere"
        if isinstance(outcome, Expired):
            where = "nobody answered in time; nothing was chosen"
        reason = outcome.reason if isinstance(outcome, Cancelled) else where
        if isinstance(outcome, Cancelled):
            self._left.add(gone)
        kept = self.keep(draft_of(gone))
        self._closed = gone
        self._ui.say(f"The request was closed: {reason}{kept}", CLOSED_SECONDS, CLOSED)

    def _follow(self, change: DraftUpdated) -> None:
        """Show that another process changed a draft."""
        if self._ui.dock.follow(change):
            self._ui.say(f"The draft was {change.words}", of=change.request.id)

    def taken_over(self, event: Dock.TakenOver) -> None:
        """Keep the draft typed here whose place another process's took."""
        self._ui.dock.notices.hush(event.waiting.request.id)
        self.keep_to_copy(draft_of(event.waiting), OWN_TEXT)

    def _close_arriving(self, event: ev.ArrivingEnded) -> None:
        """Close the panel of a set that will not be asked; its draft comes back with the same questions."""
        gone = self._ui.dock.withdraw(event.request_id)
        if gone is None:
            return
        self._left.add(gone)
        kept = self.keep(draft_of(gone))
        self._ui.say(f"The question was closed: {event.reason}{kept}", CLOSED_SECONDS, ARRIVING)

    def _came_again(self, request: Request) -> None:
        """Drop the line that a question was closed once it is asked again, with its draft."""
        self._ui.dock.notices.hush(ARRIVING)
        if self._closed is not None and _same(self._closed.request, request):
            self._closed = None
            self._ui.dock.notices.hush(CLOSED)

    def _offer_answers(self) -> None:
        """Offer answers for copying if their session's directory or conversation is gone; they stay kept."""
        for opened in self._undelivered:
            if opened.draft is not None:
                self.keep(draft_of(Waiting(opened.request, opened.draft)), UNDELIVERED)

    @property
    def _undelivered(self) -> list[OpenRequest]:
        """The requests answered here whose answers Claude was not seen to have."""
        session, here = self._ui.session, Actor.here(Surface.PANEL)
        return [one for one in session.inbox.of(session.known_id) if one.stored.actor == here]

    def keep(self, draft: str, words: str = LEFT_OVER) -> str:
        """Keep the draft of a closed request; return what to say of it."""
        if not self._drafts.keep(draft):
            return ""
        # The line above the prompt passes; the transcript stays.
        self._ui.note(f"{with_keys(words)}:\n{draft}", "warning")
        return f" · {with_keys(LEFT_OVER)}"

    def keep_to_copy(self, text: str, words: str) -> None:
        """Keep a text that a key copies, and say so above the prompt."""
        if self._drafts.keep(text):
            self._ui.say(with_keys(words))

    # -- what the person does -------------------------------------------------------------------------------

    def answer(self, event: Dock.Answered) -> None:
        """Give an outcome to the session, and keep what was typed but is not part of it."""
        waiting, outcome, dock = event.waiting, event.outcome, self._ui.dock
        self._ui.dock.notices.hush(waiting.request.id)
        if text := text_left_over(waiting, outcome):
            dock.prompt.put_back(text)
            self._ui.say(IN_PROMPT)
        self.keep(plan_left_over(waiting, outcome))
        self.keep_to_copy(set_left_over(waiting, outcome), LEFT_OVER)
        self._left.forget(waiting)
        opened = self._ui.session.inbox.known(waiting.request.id)
        if opened is not None:
            verdict = opened.settle(outcome, Actor.here(Surface.PANEL))
            self._ui.start(partial(self._see_through, waiting, verdict), "answer")
        if url := link_to_open(waiting.request, outcome):
            self._ui.start(partial(self._open, url), "link")
        if waiting.request.id == self._left_end_for:
            self._left_end_for = ""
            self._ui.transcript.action_end()

    async def _see_through(self, waiting: Waiting, settling: asyncio.Future[Verdict]) -> None:
        """Close what is answered, or ask it again if the inbox did not take the answer."""
        try:
            verdict = await asyncio.shield(settling)
        except InboxError as error:
            self._ui.transcript.apply(ev.ErrorReported("answer", f"The answer was not kept: {error}"))
            self._ui.dock.add(waiting.request, waiting.draft)
            return
        self._ui.dock.tidy()
        if isinstance(verdict, AlreadySettled):
            self._say_closed(waiting, verdict.outcome, verdict.actor)

    async def _open(self, url: str) -> None:
        self._ui.say(await open_target(self._ui.app, Target(url, url=url)))

    def edit(self, event: QuestionPanel.EditorWanted | DecisionPanel.EditorWanted) -> None:
        """Edit the text of a panel in the person's editor."""
        panel = event.panel

        def put(text: str) -> None:
            if self._ui.dock.panel is panel and event.current:
                panel.put_text(text)
            else:
                self._ui.say(f"The request was closed before your answer{self.keep(text)}")

        self._ui.edit(event.text, put)

    def toggle(self) -> None:
        """Show or hide what waits here; when pressed twice, or if nothing waits, show the inbox."""
        dock = self._ui.dock
        folded_at, typed_at = dock.folded_at, presses_of(dock).typed_at
        again = folded_at is not None and self._ui.clock() - folded_at < AGAIN_SECONDS
        if folded_at is not None and typed_at is not None and typed_at > folded_at:
            again = False  # hidden to write something: the next press shows it again
        if dock.line.items and not again:
            dock.toggle_panel()
        else:
            dock.folded_at = None
            self._ui.act("inbox")

    def copy_drafts(self) -> None:
        """Copy the drafts of requests that were closed."""
        count = len(self._drafts)
        if count:
            self._ui.app.copy_to_clipboard(self._drafts.copied())
        words = {0: "No draft to copy", 1: "Draft copied"}
        self._ui.say(words.get(count, f"{count} drafts copied"))

    # -- a plan is read in the transcript -------------------------------------------------------------------

    def show_plan(self, event: RequestPanel.Opened) -> None:
        """Bring the head of a plan that is being decided into view."""
        panel = event.panel
        if not isinstance(panel, DecisionPanel) or not event.current:
            return
        if isinstance(request := panel.state.request, PlanRequest):
            panel.form.unseen_above = lambda: (self._ui.transcript.plan.unseen, False)
            # Only after the panel has taken its lines from the transcript.
            after_refresh(panel, partial(self._bring_into_view, request.id))

    def _bring_into_view(self, request_id: str) -> None:
        if self._ui.transcript.following:
            self._left_end_for = request_id
        self._ui.transcript.plan.show(request_id)

    def looked(self) -> None:
        """Note that the transcript was scrolled: more of the plan may have been seen."""
        if isinstance(panel := self._ui.dock.panel, DecisionPanel):
            panel.look()

    # -- behind other screens -------------------------------------------------------------------------------

    def covered(self) -> None:
        """Remember which request was seen in which panel."""
        panel = self._ui.dock.panel
        self._seen = (panel, panel.turn) if panel is not None else None

    def came_up(self) -> None:
        """Begin the grace of a panel that another screen covered: no key until now was meant for it."""
        panel = self._ui.dock.panel
        if panel is not None:
            panel.uncover(again=(panel, panel.turn) == self._seen)


def _same(closed: Request, request: Request) -> bool:
    """Whether a request asks the same as one that was closed."""
    if isinstance(closed, QuestionRequest) and isinstance(request, QuestionRequest):
        return closed.questions.questions == request.questions.questions
    return closed.id == request.id
