"""The dock: the prompt, or in its place the panel of the request that waits first."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from rich.cells import cell_len
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Static

from ccq_tui.compat.textual.pictures import draw_now
from ccq_tui.config.keymap import key_of, keymap
from ccq_tui.heights import is_low
from ccq_tui.inbox import waiting_line
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.draft import Draft
from ccq_tui.inbox.kinds import closed_words
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.port import Added, Grown, Parked, RequestChange, Settled
from ccq_tui.inbox.requests import AnsweredRequest, Cancelled, QuestionRequest
from ccq_tui.inbox.waiting_line import WaitingLine
from ccq_tui.input.gate import Face, KeyKind, To, may_open
from ccq_tui.input.keynames import shown_key
from ccq_tui.input.keys import Hints, KeyPlace, key_line
from ccq_tui.questions.events import Pressed
from ccq_tui.questions.merge_partial import begun, grown
from ccq_tui.questions.state import Arriving, PanelState
from ccq_tui.runtime.session import SupervisedSession
from ccq_tui.text import safe
from ccq_tui.transcript.blocks import RequestPlace
from ccq_tui.widgets.hints import NARROW, HintBar
from ccq_tui.widgets.keys import keyboard_of
from ccq_tui.widgets.lifetime import after, soon
from ccq_tui.widgets.notice_line import NoticeLine
from ccq_tui.widgets.palette import palette_of
from ccq_tui.widgets.panel import RequestPanel
from ccq_tui.widgets.panel.host import ClosedPages, PanelHost, beyond
from ccq_tui.widgets.panel.request_panel import TAKES_PROMPT
from ccq_tui.widgets.prompt import Prompt
from ccq_tui.widgets.prompt.prompt import SIGN

UNSENT = "the prompt"
"""Owner of the line that says why the prompt was not sent."""
CLOSED = "a closed request"
"""Owner of the line that says how one was closed: it goes with the next panel or prompt."""
HOW_SECONDS = 20.0
"""Seconds to show how an answer reaches the agent."""
PARKED = "Paused · your answer resumes the session"
LEFT = "The question still waits · your answer restarts Claude and reaches it as a message"
BY_MESSAGE = "Asked before the session ended · your answer goes to Claude as a message"


class PromptLine(Static):
    """The last line of the prompt while a panel is above it: what was typed there stays in sight."""

    DEFAULT_CSS = "PromptLine { height: 1; background: $background; }"
    shown: reactive[tuple[str, bool, bool]] = reactive(("", False, False))
    """The text, or "" for nothing; whether the caret is in it, and whether a key makes it the answer."""

    def watch_shown(self) -> None:
        self.display = bool(self.shown[0])

    def render(self) -> Text:
        palette, key = palette_of(self), shown_key(TAKES_PROMPT)
        text, caret, answers = self.shown
        keys = f"  {key} answers with it " if self.size.width >= NARROW else f" {key} "
        keys = keys if answers else ""
        last = safe(text.splitlines()[-1]) if text else ""
        room = self.size.width - len(SIGN) - 1 - len(keys)
        while cell_len(last) > room:
            last = f"…{last[2:]}"
        pad = " " * max(0, room - cell_len(last))
        return Text.assemble(
            (SIGN, palette.accent), f"{last}{'▏' if caret else ' '}", pad, (keys, palette.muted), no_wrap=True
        )


def shell_hints() -> Hints:
    """Return the keys to show while the prompt is a line for the shell."""
    line, stop = (
        key_line(KeyPlace.PROMPT, frozenset(("shell",)), enter="run in your shell"),
        key_of("interrupt"),
    )
    return (*line, (f"{stop} {stop}", "clear"))


class Dock(Vertical):
    """Keeps the line of waiting requests and shows the first of them in place of the prompt."""

    DEFAULT_CSS = """
    Dock {
        height: auto;
        & > Prompt, & > HintBar { max-width: 101; }
    }
    """

    class LineChanged(Message):
        """Other requests wait, or they are answered elsewhere on the screen."""

    def __init__(self, draft: str = "", *, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(id="dock")
        self._clock = clock
        self.host: PanelHost
        """What the panel of the first request stands on; set by who sees the requests through."""
        self.shown: Callable[[OpenRequest, RequestPanel], object] = lambda *_: None
        """Called with each request that is shown, and its panel."""
        self.notices = NoticeLine()
        """The line above the prompt."""
        self.prompt = Prompt(draft, clock=clock)
        """The prompt."""
        self._hints = HintBar()
        self.prompt_line = PromptLine()
        """The end of the prompt's text, under a panel."""
        self.line = WaitingLine()
        self._leaves = False
        """Whether the panel lets a request go, and is not off the screen yet."""
        self.places: dict[str, RequestPlace] = {}
        """Where each request in the line is answered now, as it was last reported."""
        self._settled = 0
        self._made: RequestPanel | None = None
        """The panel, made once: making one is the slowest step from a request to the screen."""
        self._opening: asyncio.TimerHandle | None = None
        self._making_way: asyncio.TimerHandle | None = None
        self._offered = ""
        self._countdown = ""
        self._keys: Hints = ()
        self._room = 0
        self._unsent = ""
        """The unsent prompt whose reason is shown as long as it stays in the field, or ""."""
        self.closed = ClosedPages()
        """The questions that were closed, for when they are asked again."""
        self._draw_before: Callable[[], object] = lambda: None
        self._unfollow: Callable[[], None] = lambda: None

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

    # -- the line -----------------------------------------------------------------------------------------

    def follow(self, session: SupervisedSession, draw_before: Callable[[], object]) -> None:
        """Show the requests of a session; ``draw_before`` draws what it sent before one."""
        self._draw_before = draw_before
        self._unfollow = session.follow(lambda *news: soon(self, partial(self._take, *news)))

    def on_unmount(self) -> None:
        self._unfollow()

    def _take(self, opened: OpenRequest, change: RequestChange) -> None:
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
        kept = "" if answered_here else self.host.keep(beyond(opened.shown, change.outcome))
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
        self.shown(first, panel)
        self.show_prompt()
        if draw_now(self.screen):
            panel.note_written()  # a key may come before the next round of messages

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
                # Settled while somebody typed: the next panel waits for a pause as behind the prompt.
                self.prompt.note_typed(typed)
            # What was begun in the panel ends in the prompt, where Enter says so first; what is begun after
            # one's own answer was meant for the prompt.
            if left.outcome is None or late or self.prompt.holds_text:
                self.prompt.came_up()
            self.prompt.take_focus()
        self.prompt.take_over(late)

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

    def offer(self, text: str) -> None:
        """Show above the prompt what a key would do, while nothing waits; "" for nothing."""
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
        words = "" if self._covered else self.line.words(self._countdown, opens=self.panel is None)
        action = "panel" if words and self.line.items else "recover" if self._offered and not words else ""
        keys = keymap().keys.get(action, ())
        self.notices.stand(words or self._offered, keys[0] if keys else "")

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
