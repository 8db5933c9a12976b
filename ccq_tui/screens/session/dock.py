"""The dock: the prompt, or in its place the panel of the request that waits first, and what came of each."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from ccq_tui.agent import events as ev
from ccq_tui.agent.delivery import CLEARED
from ccq_tui.agent.problems import Problem
from ccq_tui.compat.textual.pictures import draw_now
from ccq_tui.config.keymap import key_of, keymap, with_keys
from ccq_tui.heights import is_low
from ccq_tui.inbox import waiting_line
from ccq_tui.inbox.actors import WITHDRAWN, Actor, Surface
from ccq_tui.inbox.draft import Draft
from ccq_tui.inbox.kinds import closed_words, kind_of
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.port import Added, Grown, Parked, RequestChange, Settled
from ccq_tui.inbox.requests import AnsweredRequest, Cancelled, PlanRequest, QuestionRequest, RequestOutcome
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.inbox.waiting_line import WaitingLine
from ccq_tui.input.gate import Face, KeyKind, To, may_open
from ccq_tui.input.keys import Hints, KeyPlace, key_line
from ccq_tui.questions.events import Pressed
from ccq_tui.questions.merge_partial import begun, grown
from ccq_tui.questions.state import Arriving, PanelState
from ccq_tui.runtime.limits import Attention
from ccq_tui.runtime.session import SupervisedSession
from ccq_tui.screens.editor import edit_for
from ccq_tui.screens.link_opener import open_url
from ccq_tui.screens.session.prompt_line import PromptLine
from ccq_tui.transcript.blocks import RequestPlace
from ccq_tui.widgets.hints import HIDES, HintBar
from ccq_tui.widgets.keys import keyboard_of
from ccq_tui.widgets.lifetime import after, after_refresh, soon, start_work
from ccq_tui.widgets.notice_line import NoticeLine
from ccq_tui.widgets.panel import RequestPanel
from ccq_tui.widgets.panel.host import ClosedDrafts, ClosedPages, PanelHost, beyond, draft_words, left_over
from ccq_tui.widgets.prompt import Prompt
from ccq_tui.widgets.transcript import Transcript

UNSENT = "the prompt"
"""Owner of the line that says why the prompt was not sent."""
CLOSED = "a closed request"
"""Owner of the line that says how one was closed: it goes with the next panel or prompt."""
HOW_SECONDS = 20.0
"""Seconds to show how an answer reaches the agent."""
PARKED = "Paused · your answer resumes the session"
LEFT = "The question still waits · your answer restarts Claude and reaches it as a message"
BY_MESSAGE = "Asked before the session ended · your answer goes to Claude as a message"
IN_PROMPT = "Your text was not sent: it is in the prompt"
LEFT_OVER = "{copy_draft} copies your draft"
UNDELIVERED = "Your answer did not reach Claude; {copy_draft} copies it"
OTHERS = "Another ccq-tui now runs this session and has your answer"


def shell_hints() -> Hints:
    """Return the keys to show while the prompt is a line for the shell."""
    line, stop = (
        key_line(KeyPlace.PROMPT, frozenset(("shell",)), enter="run in your shell"),
        key_of("interrupt"),
    )
    return (*line, (f"{stop} {stop}", "clear"))


class Dock(Vertical):
    """Shows the first of the requests that wait in place of the prompt, and loses no draft on the way.

    Attributes:
        notices: The line above the prompt.
        prompt_line: The end of the prompt's text, under a panel.
        line: The requests that wait.
        places: Where each of them is answered now, as it was last reported.
        closed: The questions that were closed, for when they are asked again.
        drafts: Drafts of requests that were closed, for copying.
        host: What the panel stands on.
    """

    DEFAULT_CSS = """
    Dock {
        height: auto;
        & > Prompt, & > HintBar { max-width: 101; }
    }
    """

    class LineChanged(Message):
        """Other requests wait, or they are answered elsewhere on the screen."""

    def __init__(
        self, session: SupervisedSession, transcript: Transcript, draw_before: Callable[[], object]
    ) -> None:
        """Show the requests of a session; ``draw_before`` draws what it sent before one."""
        super().__init__(id="dock")
        self._session, self._transcript, self._draw_before = session, transcript, draw_before
        self._clock = session.clock
        self.notices, self._hints, self.prompt_line = NoticeLine(), HintBar(), PromptLine()
        self.prompt = Prompt(session.launch.draft, clock=self._clock)
        self.line = WaitingLine()
        self.places: dict[str, RequestPlace] = {}
        self.closed, self.drafts = ClosedPages(), ClosedDrafts()
        self._leaves = False
        """Whether the panel lets a request go, and is not off the screen yet."""
        self._settled = 0
        self._made: RequestPanel | None = None
        """The panel, made once: making one is the slowest step from a request to the screen."""
        self._opening: asyncio.TimerHandle | None = None
        self._making_way: asyncio.TimerHandle | None = None
        self._countdown = ""
        self._keys: Hints = ()
        self._room = 0
        self._unsent = ""
        """The unsent prompt whose reason is shown as long as it stays in the field, or ""."""
        self._seen = 0
        """The turn of the panel that was on the screen when another one covered it, or 0."""
        self._left_end_for = ""
        """The plan for whose head the transcript left its end, or ""."""
        self._touched = self._clock()
        """When a person last did something in the session."""
        session.attention = self._attention
        self._unfollow = session.follow(lambda *news: soon(self, partial(self._follow, *news)))
        self.host = PanelHost(
            surface=Surface.PANEL,
            say=lambda text, of: self.notices.say(text, of=of),
            run=lambda work: start_work(self, work, name="answer"),
            edit=lambda text, put: edit_for(self, text, put, self.notices.say),
            open_link=lambda url: open_url(self.app, url, self.notices.say),
            keep=self.keep,
            leave=self._leave,
            ended=self._ended,
            type_late=self.prompt.take_over,
            folded=self.show_prompt,
            typed=lambda _: self.show_line(),
            prompt=self.prompt,
            unseen_above=lambda: (transcript.plan.unseen, False),
            hides=HIDES,
        )

    @property
    def panel(self) -> RequestPanel | None:
        """The panel on the screen, hidden or not, or None."""
        return self._made if self._made is not None and self._made.opened is not None else None

    def be_called(self, session: str, directory: str) -> None:
        """Take the session's new name and its directory."""
        if (session, directory) != (self.host.session, self.host.directory):
            self.host.session, self.host.directory = session, directory
            if self.panel is not None:
                self.panel.redraw()

    def pressed(self, face: Face, call: Callable[[], object], first: Callable[[], str] = str) -> None:
        """Do something with the last key, once it is known to be meant.

        Where it must be pressed twice, its first press calls ``first``, which returns what to say.
        """
        hands = keyboard_of(self)
        verdict = hands.judge_last(replace(face, kind=KeyKind.DECIDE, prompts=False))
        if verdict.sign is not None:
            self.notices.say(first(), face.again, face.twice, hands.key.name)
        elif verdict.to is To.PANEL:
            hands.wait(hands.key, verdict.after, call, partial(after, self), alone=bool(face.twice))

    def compose(self) -> ComposeResult:
        yield self.notices
        yield self.prompt
        yield self._hints
        yield self.prompt_line

    def on_mount(self) -> None:
        """Begin in the prompt."""
        self.prompt.take_focus()
        self.fit()

    def on_resize(self) -> None:
        """Fit the prompt's keys, the notices and the prompt into the new size."""
        self.fit()

    def fit(self) -> None:
        """Show the prompt's keys where there is room for them."""
        choices = self.prompt.choices
        again = key_of("history")
        keys = shell_hints() if self.prompt.in_shell else self._keys
        self._hints.show(keys if choices is None else choices.hints(again), self.prompt.field.vim.mode)
        self.show_line()
        self._hints.display = not (self._covered or is_low(self.app.size.height))
        self.notices.leave_room(self._covered)
        self.prompt.field.leave_room()

    def show_line(self) -> None:
        """Show what the prompt under a panel holds, with the caret where the keys go to it."""
        shown = ("", False, False)
        if (panel := self.panel) is not None and self._covered:
            shown = (self.prompt.text.strip(), panel.keys.enter_is_prompts, not panel.state.typing)
        self.prompt_line.shown = shown

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

    # -- events of the session, and its requests ----------------------------------------------------------

    def on_unmount(self) -> None:
        self._unfollow()

    def take(self, event: ev.AgentEvent) -> None:
        """Make panels ready, leave what no longer belongs here, and offer what did not reach the agent."""
        match event:
            case ev.StateChanged(ev.SessionState.WORKING):
                # While the agent thinks: the start is over, and what it asks first finds its panel made.
                after(self, 0.2, self.make_ready)
            case ev.StateChanged(ev.SessionState.STARTING):
                for item in self.line.items:
                    self.notices.hush(item.request.id)  # a process waits again
            case ev.ConversationReset():
                for item in self.line.items:
                    if item.request.session_id != self._session.known_id:
                        self.close(item, Settled(item.request, Cancelled(CLEARED), WITHDRAWN))
            case ev.DraftLeft(draft):
                self.keep(draft_words(draft))
            case ev.SessionLost(kind=Problem.RUNS_ELSEWHERE) if self._undelivered:
                self.notices.say(OTHERS, HOW_SECONDS)
            case ev.SessionLost(kind=Problem.DIRECTORY_MISSING | Problem.NO_CONVERSATION):
                self._offer_answers()

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
        return [one for one in self._session.requests if one.stored.actor == here]

    def keep(self, draft: str, words: str = LEFT_OVER) -> str:
        """Keep a draft, also in sight; return what to say of it."""
        kept = self.drafts.offer(draft)
        if kept:  # the line above the prompt passes; the transcript stays
            self._transcript.add_notice(f"{with_keys(words)}:\n{draft}", "warning")
        return kept

    def keep_to_copy(self, text: str, words: str) -> None:
        """Keep a text that a key copies, and say so above the prompt."""
        if self.drafts.offer(text):
            self.notices.say(with_keys(words))

    def _leave(self, opened: OpenRequest, outcome: RequestOutcome) -> None:
        """Keep what is not part of the outcome at hand, and put what was typed beside it into the prompt."""
        draft = opened.shown
        # Until then the answer is on disk and leaves the program, which drawing would hold up by 20 ms.
        self.withdraw(opened, 0.05)
        self.notices.hush(opened.request.id)
        text, plan, answers = left_over(draft, outcome)
        if text:
            self.prompt.put_back(text)
            self.notices.say(IN_PROMPT)
        self.keep(plan)
        self.keep_to_copy(answers, LEFT_OVER)
        self.closed.forget(draft)
        if opened.request.id == self._left_end_for:
            self._left_end_for = ""
            self._transcript.action_end()

    async def _ended(self, opened: OpenRequest, _: RequestOutcome, error: InboxError | None) -> None:
        """Let a request wait again whose answer was not taken."""
        if error is not None:
            self._transcript.apply(ev.ErrorReported("answer", f"The answer was not kept: {error}"))
            self.add(opened)

    def _follow(self, opened: OpenRequest, change: RequestChange) -> None:
        match change:
            case Grown(request, arriving):
                self._arrive(opened, request, arriving)
            case Added() if opened.is_pending:
                self.add(opened)
                if opened.by_message:
                    self.notices.say(BY_MESSAGE, HOW_SECONDS, opened.request.id)
            case Parked(deferred=deferred) if opened in self.line.asked.items:
                self.notices.say(PARKED if deferred else LEFT, HOW_SECONDS, opened.request.id)
            case Settled():
                self.close(opened, change)

    def close(self, opened: OpenRequest, change: Settled) -> None:
        """Take a settled request out of the line; say so and keep its draft, unless it was settled here."""
        self.notices.hush(opened.request.id)
        if opened not in self.line.items:
            return
        self.withdraw(opened)
        if change.actor == Actor.here(Surface.PANEL):
            return
        if isinstance(change.outcome, Cancelled):
            self.closed.add(opened.shown)
        # The inbox of this program keeps what its answer leaves over.
        answered_here = change.actor == Actor.here(Surface.INBOX)
        kept = "" if answered_here else self.keep(beyond(opened.shown, change.outcome))
        words = closed_words(opened.request, change.outcome, change.actor)
        self.notices.say(words + kept, of=CLOSED)

    def add(self, opened: OpenRequest) -> None:
        """Add a request to the line; it is shown when it is the first and nobody is typing.

        A set that was still being written keeps its draft; drafts of closed questions come back.
        """
        request, draft, earlier = opened.request, opened.draft, self.closed.pages
        if opened in self.line.items:
            arrived = draft is not None and draft.arriving is not None
            if arrived and isinstance(request, QuestionRequest):
                self._grow(opened, request, None)
                self._change(self.line)
                if opened.draft is not None and opened.draft.has_draft:
                    opened.type(opened.draft, Actor.here(Surface.PANEL))
            return
        if draft is None and earlier and isinstance(request, AnsweredRequest):
            again = begun(request.questions, None, earlier)
            opened.draft = again if again.has_draft else None
        if not self.line.items:
            self._settled = 0
        self._change(WaitingLine((*self.line.items, opened)))

    def _arrive(self, opened: OpenRequest, request: QuestionRequest, arriving: Arriving) -> None:
        """Show more of a question set that is still being written."""
        if opened in self.line.items:
            self._grow(opened, request, arriving)
            soon(self, self._show_first)
        else:
            opened.draft = begun(request.questions, arriving, self.closed.pages)
            self.add(opened)

    def _grow(self, opened: OpenRequest, request: QuestionRequest, arriving: Arriving | None) -> None:
        shows = self.panel is not None and self.panel.opened is opened

        def more(draft: PanelState) -> Draft:
            written = grown(draft, request.questions, arriving, seen=shows, earlier=self.closed.pages)
            return replace(written, recalled=opened.recalled)

        if self.panel is not None and shows:
            opened.draft = self.panel.change(more)
        elif opened.draft is not None:
            opened.draft = more(opened.draft)
        self._say_what_waits()

    def _make_way(self) -> None:
        self._making_way = None
        if not self.line.held_up:
            return
        typed = self.panel.touched if self.panel is not None else None
        if wait := may_open(self._clock(), typed, draft=False):
            self._making_way = after(self, wait, self._make_way)
            return
        self._release_panel()
        self.line = self.line.asked_first
        self._tidy()

    def withdraw(self, settled: OpenRequest, seconds: float = 0.0) -> None:
        """Take a request out of the line; after some seconds its panel goes, and the next one is shown."""
        self._settled += 1
        if self.line.head is settled:
            self._release_panel()
        self.line = WaitingLine(tuple(item for item in self.line.items if item is not settled))
        if seconds:
            after(self, seconds, self._tidy)
        else:
            self._tidy()

    def unfold(self, request_id: str) -> None:
        """Show the panel of a request, if that is the first in the line."""
        if self.line.head is not None and self.line.head.request.id == request_id and not self._covered:
            self.toggle_panel()
            if self.panel is not None:
                self.panel.uncover(again=False)  # the key that went here may still be held down

    def toggle(self) -> bool:
        """Toggle the panel; return whether that was done: not right after hiding it, nor if nothing waits."""
        hidden = self.panel is not None and self.panel.state.hidden
        toggles = bool(self.line.items) and not (hidden and keyboard_of(self).again)
        if toggles:
            self.toggle_panel()
        return toggles

    def toggle_panel(self) -> None:
        """Hide the panel, show it again, or open at once a request that waits for a pause in typing."""
        if self.panel is not None:
            self.panel.dispatch(Pressed("f2"))
        elif self.line.items:
            self._open_panel(asked_for=True)

    def _change(self, line: WaitingLine) -> None:
        """Let other requests wait; show the first after all that happened at once, as by an interrupt."""
        self.line = line
        self.post_message(self.LineChanged())
        soon(self, self._show_first)

    def _show_first(self) -> None:
        """Show the first request, or wait until nobody types, or let those behind it go first."""
        if self._opening:
            self._opening.cancel()
            self._opening = None
        if self.line.held_up and self._making_way is None:
            self._making_way = after(self, waiting_line.HELD_UP_SECONDS, self._make_way)
        if self.line.head is None:
            self.show_prompt()
            return
        if self.panel is not None:
            self.panel.place = self._place()
            self._say_what_waits()
            return
        wait = may_open(self._clock(), self.prompt.typing_at, draft=self.prompt.holds_text)
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
        self._draw_before()
        self.notices.hush(CLOSED)
        self._put_away()
        panel = self.make_ready()
        panel.begin(first, place=self._place(), asked_for=asked_for)
        if isinstance(first.request, PlanRequest):
            # Only after the panel has taken its lines from the transcript.
            after_refresh(panel, partial(self._show_plan, first.request.id))
        self.show_prompt()
        if draw_now(self.screen):
            panel.note_written()  # a key may come before the next round of messages

    def _show_plan(self, request_id: str) -> None:
        """Bring the head of a plan that is being decided into view."""
        if self._transcript.viewport.following:
            self._left_end_for = request_id
        self._transcript.plan.show(request_id)

    def make_ready(self) -> RequestPanel:
        """Make the panel before it is needed; return it."""
        if self._made is None:
            self._made = RequestPanel(self.host, self._clock)
            self.mount(self._made, before=self.prompt_line)
        return self._made

    def _release_panel(self) -> None:
        """Let the panel go; it stays on the screen and keeps what is typed until it is put away."""
        if self.panel is not None:
            self.panel.leave()
            self._leaves = True

    def _put_away(self) -> None:
        """Take a panel that leaves off the screen."""
        if self._made is None or not self._leaves:
            return
        self._leaves, left, typed = False, self._made.state, self._made.touched
        late = self._made.rest()
        if not left.hidden:
            if left.outcome is None and typed is not None:
                # Settled while a person typed: the next panel waits for a pause as behind the prompt.
                self.prompt.note_typed(typed)
            # What was begun in the panel ends in the prompt, where Enter says so first; what is begun after
            # one's own answer was meant for the prompt.
            if left.outcome is None or late or self.prompt.holds_text:
                self.prompt.came_up()
            self.prompt.take_focus()
        self.prompt.take_over(late)

    def suspended(self) -> None:
        """Remember which request was seen in the panel: another screen covers it."""
        self._seen = self.panel.turn if self.panel is not None else 0

    def came_up(self) -> None:
        """Begin the grace of a panel that another screen covered: no key until now was meant for it."""
        if self.panel is not None and not self.panel.refresh_draft():
            self.panel.uncover(again=self.panel.turn == self._seen)

    def uncover(self) -> None:
        """Begin the panel's grace again: the search or list that covered it has gone."""
        if self._covered and self.panel is not None:
            self.panel.uncover()

    def _tidy(self) -> None:
        if self._leaves:
            self._put_away()
            self.show_prompt()
        self._change(self.line)

    def _place(self) -> tuple[int, int]:
        return (self._settled + 1, self._settled + len(self.line.items))

    @property
    def _covered(self) -> bool:
        return self.panel is not None and not self.panel.state.hidden

    def show_prompt(self) -> None:
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

    def touch(self) -> None:
        """Restart the time limits: a person did something, here or for this session on another screen."""
        self._touched = self._clock()

    def _attention(self) -> Attention:
        """Return when a person last did something, and which question is shown."""
        first = next((item.request for item in self.line.asked.items), None)
        return Attention(self._touched, first.id if first and kind_of(first).EXPIRES else "")

    def changed(self) -> None:
        """Show which limit ends the wait soon without a key, and which key recovers from an error."""
        self._countdown = self._session.check_limits()
        if self.panel is not None:
            self.panel.countdown = self._countdown if self._covered else ""
        self._transcript.offer(self._session.recovery.words)
        self._say_what_waits()

    def _say_what_waits(self) -> None:
        """Say above the prompt what waits, with the key that a click presses; report where it is answered."""
        first, line = RequestPlace.OPEN if self._covered else RequestPlace.HIDDEN, self.line.items
        places = {one.request.id: RequestPlace.QUEUED if at else first for at, one in enumerate(line)}
        if places != self.places:
            self.places = places
            self.post_message(self.LineChanged())
        words = "" if self._covered else self.line.words(self._countdown, opens=self.panel is None)
        recovery = self._session.recovery
        offered = f"{recovery.because} {recovery.words}" if recovery.words else ""
        action = "panel" if words and self.line.items else "recover" if offered and not words else ""
        keys = keymap().keys.get(action, ())
        self.notices.stand(words or offered, keys[0] if keys else "")

    @on(Prompt.Notice)
    def _say(self, event: Prompt.Notice) -> None:
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
        if isinstance(event, Prompt.Submitted):
            self.notices.hush(CLOSED)
        if isinstance(event, Prompt.Submitted) or self._unsent not in ("", self.prompt.text):
            self._unsent = ""
            self.notices.hush(UNSENT)
        if self._covered and self.panel is not None:
            self.fit()
            self.panel.redraw()  # Enter is the panel's again, or the prompt's
