"""The dock: the prompt, or in its place the panel of the request that waits first."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widget import Widget

from ccq_tui.config.keymap import key_of, keymap
from ccq_tui.inbox import waiting_line
from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.draft import Draft, with_recalled
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.requests import AnsweredRequest, QuestionRequest
from ccq_tui.inbox.waiting_line import WaitingLine, seconds_to_wait
from ccq_tui.input.keys import Hints, KeyPlace, key_line
from ccq_tui.questions.events import Pressed
from ccq_tui.questions.merge_partial import begun, grown
from ccq_tui.questions.state import Arriving, Page, PanelState
from ccq_tui.screens.session.key_repeats import PressedTwice
from ccq_tui.transcript.blocks import RequestPlace
from ccq_tui.widgets.decision import DecisionPanel
from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.keys import Typed
from ccq_tui.widgets.lifetime import after, soon
from ccq_tui.widgets.notice_line import NoticeLine
from ccq_tui.widgets.panel_host import PANELS, Panel, PanelHost
from ccq_tui.widgets.prompt import Prompt
from ccq_tui.widgets.question import QuestionPanel

LOW_SCREEN = 18
UNSENT = "the prompt"
"""Owner of the line that says why the prompt was not sent."""
TIDY_SECONDS = 0.05
"""Most seconds that an answered panel stays on the screen until its answer is on its way to the agent."""


APART_SECONDS = 0.2
"""Seconds between the making of two panels."""


def shell_hints() -> Hints:
    """Return the keys to show while the prompt is a line for the shell."""
    line, stop = (
        key_line(KeyPlace.PROMPT, frozenset(("shell",)), enter="run in your shell"),
        key_of("interrupt"),
    )
    return (*line, (f"{stop} {stop}", "clear"))


class PanelPool:
    """Keeps a panel of each kind, made once: making one is the slowest step from a request to the screen."""

    def __init__(
        self, dock: Widget, drafting: Callable[[], bool], session: str, clock: Callable[[], float]
    ) -> None:
        self._dock = dock
        self._drafting = drafting
        self._session = session
        self._directory = ""
        self._clock = clock
        self._made: dict[type[Panel], Panel] = {}

    def of(self, draft: Draft) -> Panel:
        """Return the panel in which a draft is drawn."""
        return self._of_kind(PANELS[type(draft)])

    def make_ready(self) -> None:
        """Make the panels before they are needed, one after the other: keys come between."""
        missing = [kind for kind in PANELS.values() if kind not in self._made]
        if missing and self._dock.is_attached:
            self._of_kind(missing[0])
            after(self._dock, APART_SECONDS, self.make_ready)

    def be_called(self, session: str, directory: str) -> None:
        """Take the session's new name and its directory."""
        if (session, directory) != (self._session, self._directory):
            self._session, self._directory = session, directory
            for panel in self._made.values():
                self._name(panel)

    def _name(self, panel: Panel) -> None:
        if isinstance(panel, DecisionPanel):
            panel.form.directory = self._directory
        panel.session = self._session

    def _of_kind(self, kind: type[Panel]) -> Panel:
        panel = self._made.get(kind)
        if panel is None:
            panel = self._made[kind] = kind(session=self._session, clock=self._clock)
            panel.drafting = self._drafting
            self._name(panel)
            self._dock.mount(panel)
        return panel


class Dock(Vertical):
    """Keeps the line of waiting requests and shows the first of them in place of the prompt."""

    DEFAULT_CSS = """
    Dock { height: auto; }
    """

    class LineChanged(Message):
        """Other requests wait, or they are answered elsewhere on the screen."""

    def __init__(self, session: str, draft: str = "", *, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(id="dock")
        self._clock = clock
        self.host: PanelHost
        """Shows the first request, with the panel in the place of the prompt; set by who makes the dock."""
        self.notices = NoticeLine()
        """The line above the prompt."""
        self.prompt = Prompt(draft, clock=clock)
        """The prompt."""
        self._hints = HintBar()
        self.line = WaitingLine()
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
        self.twice = PressedTwice(self, self.notices, clock)
        """Takes the keys that are pressed twice."""

    @property
    def panel(self) -> Panel | None:
        """The panel on the screen, hidden or not, or None."""
        return self.host.panel

    def compose(self) -> ComposeResult:
        yield self.notices
        yield self.prompt
        yield self._hints

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

    def add(self, opened: OpenRequest, earlier: Sequence[Page] = ()) -> None:
        """Add a request to the line; it is shown when it is the first and nobody is typing.

        A set that was still being written keeps its draft. Drafts of ``earlier`` pages, of questions that
        were closed, come back with the same questions.
        """
        request = opened.request
        if request.id in self.line:
            if opened.arriving is not None and isinstance(request, QuestionRequest):
                self._grow(opened, request, None, earlier)
                self._change(self.line)
                if isinstance(opened.draft, PanelState) and opened.draft.has_draft:
                    opened.type(opened.draft, Actor.here(Surface.PANEL))
            return
        if opened.draft is None and earlier and isinstance(request, AnsweredRequest):
            again = begun(request.questions, None, earlier)
            opened.draft = again if again.has_draft else None
        if not self.line.items:
            self._settled = 0
        self._change(self.line.with_added(opened))
        self._show_soon()
        self._make_way_soon()

    def arrive(
        self, opened: OpenRequest, request: QuestionRequest, arriving: Arriving, earlier: Sequence[Page] = ()
    ) -> None:
        """Show more of a question set that is still being written; for ``earlier`` see `add`."""
        if request.id in self.line:
            self._grow(opened, request, arriving, earlier)
            self._make_way_soon()
        else:
            opened.draft = begun(request.questions, arriving, earlier)
            self.add(opened)

    def _grow(
        self,
        opened: OpenRequest,
        request: QuestionRequest,
        arriving: Arriving | None,
        earlier: Sequence[Page],
    ) -> None:
        questions, draft = request.questions, opened.draft
        if isinstance(self.panel, QuestionPanel) and self.host.opened is opened:
            opened.draft = self.panel.grow(questions, arriving, earlier=earlier, recalled=opened.recalled)
        elif isinstance(draft, PanelState):
            opened.draft = with_recalled(
                grown(draft, questions, arriving, self._clock(), earlier=earlier), opened.recalled
            )
        self._say_what_waits()

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
        self._let_panel_go()
        self.line = self.line.asked_first
        self._tidy()

    def withdraw(self, request_id: str) -> OpenRequest | None:
        """Take a request out of the line and show the next; return it, or None if it did not wait."""
        gone = self.line.get(request_id)
        if gone is not None:
            self._take_out(gone)
            self._tidy()
        return gone

    def _take_out(self, gone: OpenRequest) -> None:
        """Take a request out of the line, and let its panel leave; `_tidy` shows that."""
        self._settled += 1
        if self.line.head is gone:
            self._let_panel_go()
        self.line = self.line.without(gone.request.id)

    def let_go(self, opened: OpenRequest) -> None:
        """Let the panel of a request go that was settled in it; the screen is drawn a moment later."""
        self._take_out(opened)
        self._tidying = after(self, TIDY_SECONDS, self._tidy)

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
        self.host.show(first, self.panels.of(first.shown), at=self._place(), asked_for=asked_for)
        self._show_prompt()

    def _let_panel_go(self) -> None:
        """Let the panel go; it stays on the screen and keeps what is typed until it is put away."""
        if self.panel is not None:
            self._put_away()
            self._leaving = self.host.leave()

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
        self.type_late(late)
        self._leaving = None

    def type_late(self, typed: Iterable[Typed]) -> None:
        """Give the prompt what was typed into a panel that has gone, or before anybody saw the question."""
        for event in typed:
            self.prompt.field.post_message(event)
            self.prompt.note_typed()

    def give_back(self, panel: Panel) -> None:
        """Give the prompt its place back, with all that was typed; the panel waits for a pause."""
        self.host.leave()
        self.prompt.take_over(panel.state.guard.returned)
        self.type_late(panel.rest())
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

    def folded(self) -> None:
        """Show the prompt under a panel that was folded away, or the panel again."""
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
