"""The dock: the prompt, or in its place the panel of the request that waits first."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from ccq_tui.config.keymap import key_of, keymap, with_keys
from ccq_tui.inbox import waiting_line
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.port import DraftUpdated
from ccq_tui.inbox.requests import AnsweredRequest, QuestionRequest, Request, RequestOutcome
from ccq_tui.inbox.waiting_line import (
    Draft,
    Waiting,
    WaitingLine,
    first_draft,
    seconds_to_wait,
    with_recalled,
)
from ccq_tui.questions.events import Pressed
from ccq_tui.questions.input_guard import InputGuard
from ccq_tui.questions.merge_partial import asked_again, begun, grown
from ccq_tui.questions.model import Recalled
from ccq_tui.questions.state import Arriving, Page, PanelState
from ccq_tui.screens.session.panel_pool import Panel, PanelPool
from ccq_tui.transcript.blocks import RequestPlace
from ccq_tui.widgets.hints import HintBar, Hints
from ccq_tui.widgets.lifetime import after, soon
from ccq_tui.widgets.notice_line import NoticeLine
from ccq_tui.widgets.panel import RequestPanel
from ccq_tui.widgets.prompt import Prompt
from ccq_tui.widgets.question import QuestionPanel

LOW_SCREEN = 18
CLEAR = "{interrupt} {interrupt}"
SHELL_KEYS: Hints = (("Enter", "run in your shell"), (CLEAR, "clear"), ("↑", "earlier prompts"))
UNSENT = "the prompt"
"""Owner of the line that says why the prompt was not sent."""
TIDY_SECONDS = 0.05
"""Most seconds that an answered panel stays on the screen until its answer is on its way to the agent."""


class Dock(Vertical):
    """Keeps the line of waiting requests and shows the first of them in place of the prompt."""

    DEFAULT_CSS = """
    Dock { height: auto; }
    """

    @dataclass
    class Answered(Message):
        """A person settled a request in its panel."""

        waiting: Waiting
        outcome: RequestOutcome

    @dataclass
    class DraftChanged(Message):
        """Something was selected or typed for a request."""

        waiting: Waiting

    @dataclass
    class TakenOver(Message):
        """The person took over the newer draft of another process; ``waiting`` has the one typed here."""

        waiting: Waiting

    class LineChanged(Message):
        """Other requests wait, or they are answered elsewhere on the screen."""

    def __init__(self, session: str, draft: str = "", *, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(id="dock")
        self._clock = clock
        self.opened: Callable[[str], OpenRequest | None] = lambda _: None
        """Returns a request that is open in the inbox, by its id."""
        self.notices = NoticeLine()
        """The line above the prompt."""
        self.prompt = Prompt(draft, clock=clock)
        """The prompt."""
        self._hints = HintBar()
        self.line = WaitingLine()
        self.panel: Panel | None = None
        """The panel on the screen, hidden or not, or None."""
        self._leaving: Panel | None = None
        self.places: dict[str, RequestPlace] = {}
        """Where each request in the line is answered now, as it was last reported."""
        self._settled = 0
        self.panels = PanelPool(self, lambda: self.prompt.holds_text, session, clock)
        """The panels, made once."""
        self._opening: asyncio.TimerHandle | None = None
        self._tidying: asyncio.TimerHandle | None = None
        self._making_way: asyncio.TimerHandle | None = None
        self._coming = False
        self._offered = ""
        self._countdown = ""
        self._keys: Hints = ()
        self._room = 0
        self._unsent = ""
        """The unsent prompt whose reason is shown as long as it stays in the field, or ""."""
        self._early: list[str] | None = []
        """Text typed before the prompt was there to take it; None since then."""
        self.folded_at: float | None = None
        """Time when the panel was last hidden by the key that also shows it."""

    def compose(self) -> ComposeResult:
        yield self.notices
        yield self.prompt
        yield self._hints

    def on_mount(self) -> None:
        """Begin in the prompt, with the text typed for it."""
        self.prompt.take_focus()
        early, self._early = self._early, None
        if early:
            self.prompt.take_over(early)
        self.fit()

    def type_early(self, typed: str) -> bool:
        """Keep a key or a paste until the prompt is there; return whether it was kept."""
        if self._early is not None and typed:
            self._early.append(typed)
            return True
        return False

    def on_resize(self) -> None:
        """Fit the prompt's keys, the notices and the prompt into the new size."""
        self.fit()

    def fit(self) -> None:
        """Show the prompt's keys where there is room for them."""
        choices = self.prompt.choices
        again = key_of("history")
        shell = tuple((with_keys(key), does) for key, does in SHELL_KEYS)
        keys = shell if self.prompt.in_shell else self._keys
        self._hints.show(keys if choices is None else choices.hints(again), self.prompt.field.vim.mode)
        self._hints.display = not self._covered and self.app.size.height >= LOW_SCREEN
        self.notices.leave_room(self._covered)
        self.prompt.field.leave_room()

    @on(Prompt.ListChanged)
    def _show_keys_of_list(self, event: Prompt.ListChanged) -> None:
        event.stop()
        self.fit()

    def make_room(self, lines: int) -> None:
        """Lift the transcript above a list of ``lines`` lines at the foot of the screen; 0 for none."""
        below = self.screen.region.height - self.region.bottom
        # A filter makes the list lower again: the transcript does not move with each letter.
        self._room = max(self._room, lines - below) if lines else 0
        self.styles.min_height = self._room or None

    def show_keys(self, keys: Hints) -> None:
        """Show under the prompt which keys apply now."""
        if keys != self._keys:
            self._keys = keys
            self.fit()

    # -- the line -----------------------------------------------------------------------------------------

    def add(
        self,
        request: Request,
        draft: Draft | None = None,
        earlier: Sequence[Page] = (),
        recalled: tuple[Recalled | None, ...] = (),
    ) -> None:
        """Add a request to the line; it is shown when it is the first and nobody is typing.

        A set that was still being written keeps its draft. Drafts of ``earlier`` pages, of questions that
        were closed, come back with the same questions.
        """
        if (known := self.line.get(request.id)) is not None:
            if known.arriving and isinstance(request, QuestionRequest):
                self._ask(request, earlier, recalled)
            return
        if draft is None and earlier and isinstance(request, AnsweredRequest):
            draft = asked_again(request.questions, earlier)
        if draft is not None:
            draft = replace(draft, outcome=None)  # its outcome was not kept
        if recalled:
            draft = with_recalled(draft or first_draft(request), recalled)
        if not self.line.items:
            self._settled = 0
        self._change(self.line.with_added(request, draft))
        self._show_soon()
        self._make_way_soon()

    def arrive(self, request: QuestionRequest, arriving: Arriving, earlier: Sequence[Page] = ()) -> None:
        """Show more of a question set that is still being written; for ``earlier`` see `add`."""
        if request.id not in self.line:
            self.add(request, begun(request.questions, arriving, earlier))
            return
        self._grow(request, arriving, earlier)
        self._make_way_soon()

    def _ask(
        self, request: QuestionRequest, earlier: Sequence[Page], recalled: tuple[Recalled | None, ...]
    ) -> None:
        """Let a set that was still being written wait like any other, and keep its draft."""
        waiting = self._grow(request, None, earlier, recalled)
        self._change(self.line)
        if waiting is not None and isinstance(waiting.draft, PanelState) and waiting.draft.has_draft:
            self.post_message(self.DraftChanged(waiting))

    def _grow(
        self,
        request: QuestionRequest,
        arriving: Arriving | None,
        earlier: Sequence[Page],
        recalled: tuple[Recalled | None, ...] = (),
    ) -> Waiting | None:
        known = self.line.get(request.id)
        if known is None or not isinstance(known.draft, PanelState):
            return None
        if isinstance(self.panel, QuestionPanel) and self.line.head is known:
            draft = self.panel.grow(request.questions, arriving, earlier=earlier, recalled=recalled)
        else:
            draft = grown(known.draft, request.questions, arriving, self._clock(), earlier=earlier)
            draft = replace(draft, recalled=recalled)
        waiting = Waiting(request, draft)
        self.line = self.line.with_item(waiting)
        self._say_what_waits()
        return waiting

    def _make_way_soon(self) -> None:
        """Check after a moment whether the first set is still not asked while something waits behind it."""
        if self.line.held_up and self._making_way is None:
            self._making_way = after(self, waiting_line.HELD_UP_SECONDS, self._make_way)

    def _make_way(self) -> None:
        self._making_way = None
        head = self.line.head
        if head is None or not self.line.held_up:
            return
        typed = self.panel.touched if self.panel is not None else None
        if wait := seconds_to_wait(self._clock(), typed, drafting=False):
            self._making_way = after(self, wait, self._make_way)
            return
        if self.panel is not None:
            self.line = self.line.with_draft(head.request.id, self.panel.state)
            self._let_panel_go()
        self.line = self.line.asked_first
        self._tidy()

    def withdraw(self, request_id: str) -> Waiting | None:
        """Take a request out of the line and show the next.

        Return it with its draft, or None if it did not wait.
        """
        gone = self.line.get(request_id)
        if gone is None:
            return None
        gone = self._take_out(gone)
        self._tidy()
        return gone

    def _take_out(self, gone: Waiting) -> Waiting:
        """Take a request out of the line, and let its panel leave; `_tidy` shows that."""
        self._settled += 1
        if self.panel is not None and self.line.head is gone:
            # The panel may be a key ahead of its messages.
            gone = replace(gone, draft=self.panel.state)
            self._let_panel_go()
        self.line = self.line.without(gone.request.id)
        return gone

    def draft_of(self, request_id: str) -> Draft | None:
        """Return the draft of a request that waits here, or None."""
        waiting = self.line.get(request_id)
        if waiting is not None and waiting is self.line.head and self.panel is not None:
            return self.panel.state
        return waiting.draft if waiting is not None else None

    def put_draft(self, request_id: str, draft: Draft) -> None:
        """Take the draft of a request that waits here as another surface left it."""
        before = self.draft_of(request_id)
        if before is None:
            return
        draft = replace(draft, hidden=before.hidden, guard=before.guard, outcome=None)
        if draft == before:
            return
        self.line = self.line.with_draft(request_id, draft)
        if self.panel is not None and self.line.head is self.line.get(request_id):
            self.panel.rest()
            self.panel = None
            self._show_soon()

    def follow(self, change: DraftUpdated) -> bool:
        """Show that another process changed a draft; return whether the request waits here."""
        waiting = self.line.get(change.request.id)
        if waiting is None:
            return False
        panel = self.panel if self.line.head is waiting else None
        if not change.stale:
            kept = replace(change.draft, hidden=waiting.draft.hidden, guard=InputGuard())
            self.line = self.line.with_draft(change.request.id, kept)
        if panel is not None and change.stale:
            panel.freeze(change.words)
        elif panel is not None:
            panel.take_draft(change.draft)
        self._say_what_waits()
        return True

    @on(RequestPanel.TakeOver)
    def _take_over(self, event: RequestPanel.TakeOver) -> None:
        event.stop()
        first = self.line.head
        opened = self.opened(first.request.id) if first is not None else None
        if first is None or opened is None or not event.current or event.panel is not self.panel:
            return
        mine = Waiting(first.request, opened.take_over() or first.draft)
        if opened.draft is not None:
            self.line = self.line.with_draft(first.request.id, opened.draft)
            event.panel.take_draft(opened.draft)
            self.post_message(self.TakenOver(mine))

    def unfold(self, request_id: str) -> None:
        """Show the panel of a request, if that is the first in the line."""
        if self.line.head is not None and self.line.head.request.id == request_id and not self._covered:
            self.toggle_panel()
            if self.panel is not None:
                self.panel.uncover(again=False)  # the key that went here may still be held down

    def toggle_panel(self) -> None:
        """Hide the panel, show it again, or open at once a request that waits for a pause in typing."""
        if self.panel is not None:
            self.panel.dispatch(Pressed("f2", at=self._clock()))
        elif self.line.items:
            self._open_panel(asked_for=True)

    def _change(self, line: WaitingLine) -> None:
        self.line = line
        self.post_message(self.LineChanged())

    def _show_soon(self) -> None:
        """Show the first request after all that happened at once: an interrupt settles many together."""
        if not self._coming:
            self._coming = True
            soon(self, self._show_first)

    def _show_first(self) -> None:
        self._coming = False
        if self._opening:
            self._opening.cancel()
            self._opening = None
        if self.line.head is None:
            self._show_prompt()
            return
        if self.panel is not None:
            self.panel.place = self._place()
            self._say_what_waits()
            return
        wait = seconds_to_wait(self._clock(), self.prompt.typing_at, drafting=self.prompt.holds_text)
        if wait:
            self._say_what_waits()
            self._opening = after(self, wait, self._show_first)
        else:
            self._open_panel()

    # -- the panel ----------------------------------------------------------------------------------------

    def _open_panel(self, *, asked_for: bool = False) -> None:
        first = self.line.head
        if first is None:
            return
        self._put_away()
        self.panel = self.panels.of(first.draft)
        self.panel.begin(
            first.draft,  # type: ignore[arg-type]  # the kind was chosen by it
            place=self._place(),
            asked_for=asked_for,
        )
        if (opened := self.opened(first.request.id)) is not None and opened.stale is not None:
            self.panel.freeze(opened.stale.words)
        self._show_prompt()
        self.post_message(RequestPanel.Opened(self.panel))

    def _let_panel_go(self) -> None:
        """Let the panel go; it stays on the screen and keeps what is typed until it is put away."""
        if self.panel is None:
            return
        self._put_away()
        self._leaving, self.panel = self.panel, None

    def _put_away(self) -> None:
        """Take a panel that leaves off the screen."""
        if self._leaving is None:
            return
        left, typed = self._leaving.state, self._leaving.touched
        late = self._leaving.rest()
        if not left.hidden:
            if left.outcome is None and typed is not None:
                # Settled while somebody typed: the next panel waits for a pause as behind the prompt.
                self.prompt.note_typed(typed)
            # Keys under way were meant for the panel: they stay in the prompt, and send nothing.
            # What is begun after one's own answer was meant for the prompt.
            if left.outcome is None or late or self.prompt.holds_text:
                self.prompt.hold()
            self.prompt.take_focus()
        self._type_late(late)
        self._leaving = None

    def _type_late(self, typed: Iterable[events.Key | events.Paste]) -> None:
        """Give the prompt what was typed into a panel that has gone."""
        for event in typed:
            self.prompt.field.post_message(event)
            self.prompt.note_typed()

    @on(RequestPanel.Late)
    def _keep_late(self, event: RequestPanel.Late) -> None:
        """Give the prompt what somebody typed before they saw the question."""
        event.stop()
        self._type_late([event.typed])

    @on(RequestPanel.Returned)
    def _give_back(self, event: RequestPanel.Returned) -> None:
        """Give the prompt its place back, with all that was typed; the panel waits for a pause."""
        event.stop()
        first, panel = self.line.head, self.panel
        if first is None or panel is None or not event.current or panel.keys_under_way:
            return
        draft = panel.state
        self.line = self.line.with_draft(first.request.id, replace(draft, guard=InputGuard()))
        self.panel = None
        self.prompt.take_over(draft.guard.returned)
        self._type_late(panel.rest())
        self._show_prompt()
        self._show_soon()

    def uncover(self) -> None:
        """Begin the panel's grace again: the search or list that covered it has gone."""
        if self._covered and self.panel is not None:
            self.panel.uncover()

    def tidy(self) -> None:
        """Show at once the next request after an answer, now that this is on its way."""
        if self._tidying is not None:
            self._tidy()

    def _tidy(self) -> None:
        if self._tidying is not None:
            self._tidying.cancel()
            self._tidying = None
        if self._leaving is not None:
            self._put_away()
            self._show_prompt()
        self._change(self.line)
        self._show_soon()

    def _place(self) -> tuple[int, int]:
        return (self._settled + 1, self._settled + len(self.line.items))

    @property
    def _covered(self) -> bool:
        return self.panel is not None and not self.panel.state.hidden

    def _show_prompt(self) -> None:
        """Show the prompt or the panel, whichever has its turn, and give it the focus."""
        covered = self._covered
        # Not by a class: Textual would look up all styles of all parts again.
        self.prompt.display = not covered
        if self.panel is not None:
            self.panel.display = covered
        self._say_what_waits()
        self.fit()
        if not covered:
            self.prompt.take_focus()

    def offer(self, text: str) -> None:
        """Show above the prompt what a key would do, while nothing waits; "" for nothing."""
        if text != self._offered:
            self._offered = text
            self._say_what_waits()

    def count_down(self, words: str) -> None:
        """Show in the panel, or above the prompt, what happens soon if nobody presses a key.

        "" for nothing.
        """
        if self.panel is not None:
            self.panel.countdown = words if self._covered else ""
        if words != self._countdown:
            self._countdown = words
            self._say_what_waits()

    def _say_what_waits(self) -> None:
        """Say above the prompt what waits, with the key that a click presses; report where it is answered."""
        first, line = RequestPlace.OPEN if self._covered else RequestPlace.HIDDEN, self.line.items
        places = {one.request.id: RequestPlace.QUEUED if at else first for at, one in enumerate(line)}
        if places != self.places:
            self.places = places
            self.post_message(self.LineChanged())
        told = "" if self._covered else self.line.told(self._countdown, opens=self.panel is None)
        action = "panel" if told and self.line.items else "recover" if self._offered and not told else ""
        keys = keymap().keys.get(action, ())
        self.notices.stand(told or self._offered, keys[0] if keys else "")

    @on(RequestPanel.Changed)
    def _keep_draft(self, event: RequestPanel.Changed) -> None:
        event.stop()
        first = self.line.head
        if first is None or event.panel is not self.panel or not event.current:
            return
        if isinstance(event, RequestPanel.Hidden) and event.key == "f2":
            self.folded_at = self._clock()
        # The panel may have grown meanwhile.
        waiting = Waiting(first.request, self.panel.state)
        self.line = self.line.with_item(waiting)
        if not waiting.arriving:
            self.post_message(self.DraftChanged(waiting))
        if self.prompt.display == self._covered:
            self._show_prompt()

    @on(Prompt.Said)
    def _say(self, event: Prompt.Said) -> None:
        event.stop()
        self.notices.say(event.words, of=UNSENT)

    def say_unsent(self, words: str, seconds: float) -> None:
        """Show why the text of the prompt was not sent, until it changes."""
        self._unsent = self.prompt.text
        self.notices.say(words, seconds, UNSENT)

    @on(Prompt.Submitted)
    @on(Prompt.Changed)
    def _say_it_no_longer(self, event: Prompt.Submitted | Prompt.Changed) -> None:
        """Drop the reason why a prompt was not sent, once it is sent or has changed."""
        if isinstance(event, Prompt.Submitted) or self._unsent not in ("", self.prompt.text):
            self._unsent = ""
            self.notices.hush(UNSENT)

    @on(RequestPanel.Ended)
    def _settle(self, event: RequestPanel.Ended) -> None:
        event.stop()
        first = self.line.head
        if first is None or event.panel is not self.panel or not event.current:
            return
        # The answer goes first: drawing the screen takes longer than all that is between it and the agent.
        self.post_message(self.Answered(self._take_out(first), event.outcome))
        self._tidying = after(self, TIDY_SECONDS, self._tidy)
