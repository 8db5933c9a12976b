"""Requests of a session: they wait in the dock, are answered, and are closed when nobody can answer them."""

from functools import partial

from ccq_tui.agent import events as ev
from ccq_tui.agent.delivery import CLEARED
from ccq_tui.agent.problems import Problem
from ccq_tui.config.keymap import with_keys
from ccq_tui.inbox.actors import WITHDRAWN, Actor, Surface
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.port import Settled
from ccq_tui.inbox.requests import Cancelled, PlanRequest, RequestOutcome
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.screens.link_opener import open_url
from ccq_tui.screens.session.dock import HOW_SECONDS
from ccq_tui.screens.session.ui import SessionUi
from ccq_tui.widgets.hints import HIDES
from ccq_tui.widgets.keys import keyboard_of
from ccq_tui.widgets.lifetime import after_refresh
from ccq_tui.widgets.panel import RequestPanel
from ccq_tui.widgets.panel.host import ClosedDrafts, PanelHost, draft_words, left_over

IN_PROMPT = "Your text was not sent: it is in the prompt"
LEFT_OVER = "{copy_draft} copies your draft"
UNDELIVERED = "Your answer did not reach Claude; {copy_draft} copies it"
OTHERS = "Another ccq-tui now runs this session and has your answer"


class RequestQueue:
    """Sees the requests of a session through, and loses no draft on the way.

    Attributes:
        drafts: Drafts of requests that were closed, for copying.
    """

    def __init__(self, ui: SessionUi) -> None:
        self._ui, self.drafts = ui, ClosedDrafts()
        self._seen = 0
        """The turn of the panel that was on the screen when another one covered it, or 0."""
        self._left_end_for = ""
        """The plan for whose head the transcript left its end, or ""."""
        dock = ui.dock
        dock.shown = self._bring_into_view
        dock.host = PanelHost(
            surface=Surface.PANEL,
            say=lambda text, of: ui.say(text, of=of),
            run=lambda work: ui.start(work, "answer"),
            edit=ui.edit,
            open_link=lambda url: open_url(ui.app, url, ui.say),
            keep=self.keep,
            leave=self._leave,
            ended=self._ended,
            type_late=dock.prompt.take_over,
            folded=dock.show_prompt,
            typed=lambda _: dock.show_line(),
            prompt=dock.prompt,
            unseen_above=lambda: (ui.transcript.plan.unseen, False),
            hides=HIDES,
        )

    # -- events of the session -----------------------------------------------------------------------------

    def take(self, event: ev.AgentEvent) -> None:
        """Make panels ready, leave what no longer belongs here, and offer what did not reach the agent."""
        dock = self._ui.dock
        match event:
            case ev.StateChanged(ev.SessionState.WORKING):
                # While the agent thinks: the start is over, and what it asks first finds its panel made.
                self._ui.after(0.2, dock.make_ready)
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
            case ev.SessionLost(kind=Problem.DIRECTORY_MISSING | Problem.NO_CONVERSATION):
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
        """Keep a draft, also in sight; return what to say of it."""
        kept = self.drafts.offer(draft)
        if kept:  # the line above the prompt passes; the transcript stays
            self._ui.note(f"{with_keys(words)}:\n{draft}", "warning")
        return kept

    def keep_to_copy(self, text: str, words: str) -> None:
        """Keep a text that a key copies, and say so above the prompt."""
        if self.drafts.offer(text):
            self._ui.say(with_keys(words))

    # -- what the person does -------------------------------------------------------------------------------

    def _leave(self, opened: OpenRequest, outcome: RequestOutcome) -> None:
        """Keep what is not part of the outcome at hand, and put what was typed beside it into the prompt."""
        draft = opened.shown
        # Until then the answer is on disk and leaves the program, which drawing would hold up by 20 ms.
        self._ui.dock.withdraw(opened, 0.05)
        self._ui.dock.notices.hush(opened.request.id)
        text, plan, answers = left_over(draft, outcome)
        if text:
            self._ui.dock.prompt.put_back(text)
            self._ui.say(IN_PROMPT)
        self.keep(plan)
        self.keep_to_copy(answers, LEFT_OVER)
        self._ui.dock.closed.forget(draft)
        if opened.request.id == self._left_end_for:
            self._left_end_for = ""
            self._ui.transcript.action_end()

    async def _ended(self, opened: OpenRequest, _: RequestOutcome, error: InboxError | None) -> None:
        """Let a request wait again whose answer was not taken."""
        if error is not None:
            self._ui.transcript.apply(ev.ErrorReported("answer", f"The answer was not kept: {error}"))
            self._ui.dock.add(opened)

    def toggle(self) -> None:
        """Show or hide what waits here; right after hiding it, or if nothing waits, show all that waits."""
        dock = self._ui.dock
        hidden = dock.panel is not None and dock.panel.state.hidden
        if dock.line.items and not (hidden and keyboard_of(dock).again):
            dock.toggle_panel()
        else:
            self._ui.act("waiting")

    # -- a plan is read in the transcript -------------------------------------------------------------------

    def _bring_into_view(self, opened: OpenRequest, panel: RequestPanel) -> None:
        """Bring the head of a plan that is being decided into view."""
        if isinstance(opened.request, PlanRequest):
            # Only after the panel has taken its lines from the transcript.
            after_refresh(panel, partial(self._show_plan, opened.request.id))

    def _show_plan(self, request_id: str) -> None:
        if self._ui.transcript.viewport.following:
            self._left_end_for = request_id
        self._ui.transcript.plan.show(request_id)

    # -- behind other screens -------------------------------------------------------------------------------

    def covered(self) -> None:
        """Remember which request was seen in which panel."""
        panel = self._ui.dock.panel
        self._seen = panel.turn if panel is not None else 0

    def came_up(self) -> None:
        """Begin the grace of a panel that another screen covered: no key until now was meant for it."""
        if (panel := self._ui.dock.panel) is not None and not panel.refresh_draft():
            panel.uncover(again=panel.turn == self._seen)
