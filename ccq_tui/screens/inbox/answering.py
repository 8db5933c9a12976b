"""The part of the inbox screen in which one request is answered where it is listed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from textual import events, on

from ccq_tui.inbox import (
    AlreadySettled,
    Cancelled,
    InboxError,
    PermissionRequest,
    PlanRequest,
    RequestOutcome,
    Won,
)
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.reach import NOBODY_DECIDES
from ccq_tui.inbox.waiting import TYPING_PAUSE, Draft, Waiting, first_draft
from ccq_tui.questions import Expired
from ccq_tui.questions.input_guard import GUARDED_KEYS, InputGuard
from ccq_tui.questions.state import PanelState
from ccq_tui.screens.editor import GROUP, EditorError, edit_text
from ccq_tui.screens.inbox.listing import InboxRow, Place
from ccq_tui.screens.inbox.port import InboxHost
from ccq_tui.screens.inbox.showing import Showing
from ccq_tui.screens.session.drafts import ClosedDrafts, draft_of, left_over
from ccq_tui.widgets.decision import DecisionPanel
from ccq_tui.widgets.keys import copy_of, text_of
from ccq_tui.widgets.lifetime import after_refresh, start_work
from ccq_tui.widgets.panel import RequestPanel
from ccq_tui.widgets.question import QuestionPanel

DRAFT_KEPT = " · F8 copies your draft"
ANSWERS = "inbox answer"
"""The group of workers that see an answer through."""


class Answering(Showing):
    """Opens the panel of a request, keeps its draft, and hands its outcome to the inbox."""

    def __init__(
        self, host: InboxHost, *, said: str = "", clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(host, said=said, clock=clock)
        self.closed_drafts = ClosedDrafts()
        """What was typed for requests that somebody else answered first."""
        self._ahead: list[events.Key | events.Paste] | None = None
        self._typed_at: float | None = None
        self.closed_at: float | None = None
        """When a panel closed by itself, or the last key meant for it came; None after a pause."""

    def open_panel(self, row: InboxRow) -> None:
        """Open the panel of a request with its draft; keys that come from now on are the panel's."""
        if self._ahead is None:
            self._ahead = []
            start_work(self, partial(self._open_panel, row), name="open panel")

    def on_screen_resume(self) -> None:
        """Let an open panel ignore what was meant for the screen that covered it."""
        if self.panel is not None:
            self.panel.uncover()

    def hands_on(self, event: events.Key | events.Paste) -> bool:
        """Keep what is typed into the list for the panel that is being opened; say whether there is one."""
        typed = copy_of(event)  # the one that came is stopped at the list
        if self.panel is not None:
            self.panel.type_ahead([typed])  # it has not taken the focus yet
        elif self._ahead is not None:
            self._ahead.append(typed)
        else:
            return False
        return True

    def note_key(self, event: events.Key) -> bool:
        """Note a key of the list, and whether it was meant for a panel that closed by itself.

        Letters then are words to find, and no Enter or Esc means anything until there is a pause.

        Returns:
            Whether the list passes it over.
        """
        at, typed = self.clock(), bool(text_of(event))
        if typed:
            self._typed_at = at
        if self.closed_at is None or at - self.closed_at >= TYPING_PAUSE:
            self.closed_at = None
            return False
        self.closed_at = at
        if typed:
            self.find(True)
        return event.key in GUARDED_KEYS

    async def _open_panel(self, row: InboxRow) -> None:
        try:
            await self._read_and_open(row)
        finally:
            ahead, self._ahead = self._ahead or [], None
        if self.panel is not None:
            self.panel.type_ahead(ahead)

    async def _read_and_open(self, row: InboxRow) -> None:
        try:
            draft = await self.draft_for(row)
        except InboxError as error:
            self.say(f"Its draft cannot be read: {error}")
            return
        if self.panel is not None or not self.is_current:
            return
        draft = replace(draft, hidden=False, guard=InputGuard(typed_at=self._typed_at))
        kind = QuestionPanel if isinstance(draft, PanelState) else DecisionPanel
        panel = kind(draft, session=row.session, clock=self.clock, asked_for=True)  # type: ignore[arg-type]
        if isinstance(panel, DecisionPanel):
            panel.unseen_above = self.unseen_of_plan
        self.answered, self.panel = row, panel
        self.mount(panel)
        self.panel_changed()
        # Until the panel has taken its lines, more of a plan is drawn than anybody can have read.
        after_refresh(panel, self.about_view.look_anew)

    async def draft_for(self, row: InboxRow) -> Draft:
        """Return the state in which a request opens: with what was typed for it, wherever that was.

        Raises:
            InboxError: The disk cannot be read.
        """
        request = row.stored.request
        here = self.host.draft_here(row)
        return here or await self.host.inbox.load_draft(request) or first_draft(request)

    def close_panel(self, *, keep: bool = True) -> Waiting | None:
        """Close the panel; return the request with its draft.

        Args:
            keep: Whether the draft goes to its session.
        """
        panel, row = self.panel, self.answered
        if panel is None or row is None:
            return None
        self.panel = self.answered = None
        panel.remove()
        if keep:
            self.host.keep_draft_here(row, panel.state)
        self.panel_changed()
        return Waiting(row.stored.request, panel.state)

    @on(QuestionPanel.Changed)
    @on(DecisionPanel.Changed)
    def _keep_draft(self, event: QuestionPanel.Changed | DecisionPanel.Changed) -> None:
        event.stop()
        if self.answered is None or event.panel is not self.panel:
            return
        self.host.touch_here(self.answered)
        self.host.inbox.save_draft(self.answered.id, event.state)
        if event.state.hidden:
            self.close_panel()

    @on(QuestionPanel.Ended)
    @on(DecisionPanel.Ended)
    def _settle(self, event: QuestionPanel.Ended | DecisionPanel.Ended) -> None:
        event.stop()
        row = self.answered
        if row is None or event.panel is not self.panel:
            return
        waiting = self.close_panel(keep=False)
        self.settle_soon(row, event.outcome, waiting)

    def settle_soon(self, row: InboxRow, outcome: RequestOutcome, waiting: Waiting | None = None) -> None:
        """Give the inbox an outcome, and see it through also when this screen is left meanwhile."""
        work = partial(self._settled, row, outcome, waiting)
        start_work(self.app, work, name="inbox answer", group=ANSWERS)

    async def _settled(self, row: InboxRow, outcome: RequestOutcome, waiting: Waiting | None) -> None:
        if is_decision(row) and row.place in (Place.RESTS, Place.GONE):
            self.say(f"It {NOBODY_DECIDES}" + self._kept(waiting))
            return
        try:
            if waiting is None:
                waiting = Waiting(row.stored.request, await self.draft_for(row))
            verdict = await self.host.inbox.answer(row.id, outcome, Actor.here(Surface.INBOX))
        except InboxError as error:
            if waiting is not None:
                self.host.keep_draft_here(row, waiting.draft)
            self.say(f"Not answered: {error} · your draft is kept")
            return
        self.forget(row)
        if isinstance(verdict, Won):
            # What cannot be delivered is copied instead; of all else what the agent was not sent.
            gone = row.place is Place.GONE
            kept = self.closed_drafts.keep(draft_of(waiting) if gone else left_over(waiting, outcome))
            self.say(await self.host.deliver(row) + (DRAFT_KEPT if kept else ""))
        elif isinstance(verdict, AlreadySettled):
            self.too_late(verdict, waiting)
        else:
            self.say("The request no longer exists" + self._kept(waiting))

    @on(QuestionPanel.Returned)
    def _find_typed(self, event: QuestionPanel.Returned) -> None:
        """Find the words that were meant for no panel; it closes, and its draft is kept."""
        event.stop()
        panel = self.panel
        if panel is None or event.panel is not panel or panel.keys_under_way:
            return
        typed = "".join(panel.state.guard.returned)
        self.close_panel()
        self.closed_at = self.clock()
        self.find(True)
        self.field.type(typed)
        for late in panel.rest():
            self.field.post_message(late)

    @on(RequestPanel.Late)
    def _keep_late(self, event: RequestPanel.Late) -> None:
        """Give the list what was typed right behind the key that hid the panel."""
        event.stop()
        self.field.post_message(event.typed)

    def too_late(self, settled: AlreadySettled, waiting: Waiting | None) -> None:
        """Say that somebody else was faster, and keep what was typed here."""
        match settled.outcome:
            case Cancelled(reason):
                said = f"It was closed: {reason}"
            case Expired():
                said = "Nobody answered it in the time allowed; nothing was chosen"
            case _:
                where = settled.actor.where_from_here if settled.actor else "elsewhere"
                said = f"Already answered {where} at {settled.at.astimezone():%H:%M:%S}"
        self.say(said + self._kept(waiting))

    def _kept(self, waiting: Waiting | None) -> str:
        kept = waiting is not None and self.closed_drafts.keep(draft_of(waiting))
        return DRAFT_KEPT if kept else ""

    @on(QuestionPanel.EditorWanted)
    @on(DecisionPanel.EditorWanted)
    def _edit_answer(self, event: QuestionPanel.EditorWanted | DecisionPanel.EditorWanted) -> None:
        event.stop()
        start_work(self, partial(self._edit, event.panel, event.text), name="editor", group=GROUP)

    async def _edit(self, panel: object, text: str) -> None:
        try:
            edited = await edit_text(self.app, text)
        except EditorError as error:
            self.say(str(error))
            return
        if edited is None:
            return
        if self.panel is panel and self.panel is not None:
            self.panel.put_text(edited.text)
            if edited.problem:
                self.say(edited.problem)
        elif self.closed_drafts.keep(edited.text):
            self.say(f"The request was closed meanwhile{DRAFT_KEPT}")


def is_decision(row: InboxRow) -> bool:
    """Whether a request is a permission or a plan."""
    return isinstance(row.stored.request, PermissionRequest | PlanRequest)
