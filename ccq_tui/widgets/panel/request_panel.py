"""The base of all panels: one queue of keys, the text field, grace, focus and drawing.

A panel decides nothing: it sends a key to its machine, and draws the state that comes back. It is made once
and asks one request after the other: making its widgets and looking up their styles takes longer than
everything else between a request and the screen. Between two requests it rests: hidden, taking nothing.
Keys are on their way while one request replaces another: no key typed for one may decide the next.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Generic, Protocol, cast

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import var
from textual.screen import Screen
from textual.widgets import TextArea

from ccq_tui.config.keymap import keymap
from ccq_tui.inbox.draft import Draft
from ccq_tui.inbox.requests import RequestOutcome
from ccq_tui.input.keys import KeyPlace
from ccq_tui.questions.events import Clicked, Event, Pasted, Paused, Pressed, Shown, TabClicked, TextChanged
from ccq_tui.questions.input_guard import (
    GRACE,
    GUARDED_KEYS,
    REPEAT_DELAY,
    WORD_SECONDS,
    InputGuard,
    Meaning,
    Presses,
)
from ccq_tui.questions.state import typable
from ccq_tui.widgets.completer import FILES, Completer
from ccq_tui.widgets.hints import HIDES, HintBar
from ccq_tui.widgets.keys import Typed, copy_of, presses_of, text_of
from ccq_tui.widgets.lifetime import after as later
from ccq_tui.widgets.lifetime import is_live, soon
from ccq_tui.widgets.palette import palette_of
from ccq_tui.widgets.panel.field import AnswerField
from ccq_tui.widgets.panel.form import Drawn, Effect, PanelForm, State
from ccq_tui.widgets.panel.measures import PanelLook
from ccq_tui.widgets.pointer import Clickable

PanelTarget = tuple[int, type[Clicked | TabClicked], int]
"""What can be clicked in a panel: the number of the request, the event, and its row or tab."""


class PanelOwner(Protocol):
    """Who shows a panel, and is told what becomes of it."""

    def changed(self, panel: RequestPanel[Any], draft: Draft) -> None:
        """Take a state that is a draft to keep."""

    def settled(self, panel: RequestPanel[Any], outcome: RequestOutcome) -> None:
        """Take the outcome, at once: the answer goes before anything is drawn."""

    def folded(self, panel: RequestPanel[Any]) -> None:
        """Note that the person folded the panel away, with a key or without, or unfolded it."""

    def returned(self, panel: RequestPanel[Any]) -> None:
        """Take keys that were meant for the prompt; the panel's state and `RequestPanel.rest` have them."""

    def came_late(self, typed: Typed) -> None:
        """Take input that came when a panel asked nothing any more."""

    def wants_newer(self, panel: RequestPanel[Any]) -> None:
        """Show the newer draft of another process, which the person wants."""

    def wants_editor(self, panel: RequestPanel[Any], text: str) -> None:
        """Edit the open text in the person's own editor; `RequestPanel.put_text` brings it back."""


class RequestPanel(Vertical, Clickable[PanelTarget], Generic[State]):
    """Draws the state of an open request, and turns keys, pastes and clicks into events.

    It rests until `begin`.
    """

    DEFAULT_CSS = """
    RequestPanel {
        height: 10;
        background: $surface;
        & > HintBar { dock: bottom; }
        & > AnswerField { position: absolute; min-width: 4; max-height: 100%; margin: 0; padding: 0; }
        & > AnswerField, & > AnswerField:focus { border: none; scrollbar-size-vertical: 0; }
        & > ChoiceList { overlay: screen; position: absolute; width: 100%; background: $panel; }
        & > .-off { display: none; }
    }
    """
    can_focus = True
    help_place: ClassVar[KeyPlace]
    """The section of keys that F1 lists first."""
    FORM: ClassVar[type[Any]]
    """The `PanelForm` that the panel asks with."""
    place: var[tuple[int, int]] = var((1, 1), init=False)
    """Position among the waiting requests, and their number."""
    session: var[str] = var("", always_update=True, init=False)
    """The session's name, or ""; drawn again with the directory, which has no name of its own here."""
    countdown: var[str] = var("", init=False)
    """Words for what happens soon if nobody presses a key, or ""."""

    @dataclass
    class Begun(Message):
        """A request is asked; everything queued before it is done."""

        turn: int

    owner: PanelOwner

    def __init__(
        self, *, session: str = "", clock: Callable[[], float] = time.monotonic, hides: str = HIDES
    ) -> None:
        super().__init__()
        self.form: PanelForm[State] = self.FORM()
        self._state: State = self.form.nothing
        self.turn = 0
        """Number of the request: input meant for one is not for the next."""
        self._under_way = 0
        """Number of keys and pastes in the queue."""
        self._ahead = 0
        """Number of those that were typed before the panel was drawn."""
        self._came_ahead = False
        """Whether the input being handled was."""
        self._behind = False
        """Whether input of an earlier turn may still be in the queue."""
        self._late: list[Typed] = []
        """Input that came after the request was settled here."""
        self._presses = Presses()
        self.touched: float | None = None
        """Time of the last key or click here, or None."""
        self._rests = True
        self._stale = ""
        """Where another process changed the draft, or "": no key decides until that is taken over."""
        self._fresh = self._ready = False
        self.set_reactive(RequestPanel.session, session)
        self._clock = clock
        self.drafting: Callable[[], bool] = bool
        """Returns whether the prompt that the panel replaces holds text."""
        # The parts are kept, not looked up: a panel may be settled before it was ever composed.
        self._field = AnswerField(self._take_key, id="field")
        # The panel keeps the focus and hands keys on: one queue, so that none overtakes another.
        self._field.can_focus = False
        self._field.add_class("-off")
        self._completer = Completer(self._field, clock, self.post_message)
        self._completer.changed = self._completed
        self._hints = HintBar(hides=hides)
        self._drawn_for = Size(0, 0)
        self._pressed_at = 0.0
        self._meant: Mapping[str, tuple[str, ...]] = {}
        self.display = False

    def compose(self) -> ComposeResult:
        yield from self.form.compose()
        yield self._field
        yield self._completer.view
        yield self._hints

    # -- one request after the other ------------------------------------------------------------------------

    def begin(self, state: State, *, place: tuple[int, int] = (1, 1), asked_for: bool = False) -> None:
        """Ask another request; the panel must rest.

        One that a person ``asked_for`` has no grace: no key can have been meant for something else.
        """
        self.turn += 1
        self._state, self._rests, self._stale = state, False, ""
        self.set_reactive(RequestPanel.place, place)
        self._fresh = not (asked_for or state.hidden)
        self.display = not state.hidden
        if self._ready:
            self._behind = True
            self.post_message(self.Begun(self.turn))
            self._open()

    @on(Begun)
    def _begun(self, event: Begun) -> None:
        event.stop()
        self._behind = event.turn != self.turn

    def rest(self) -> list[Typed]:
        """Stop asking; return the input typed after the request was settled, or for the prompt."""
        self.turn += 1
        late, self._late = self._late, []
        self._state, self._rests, self._fresh, self.touched = self.form.nothing, True, False, None
        self.display = False
        self._clear()
        return late

    def on_mount(self) -> None:
        """Watch the terminal's focus and size, and ask the first request."""
        if self.is_attached:  # otherwise settled in the moment in which it was asked
            self.screen.screen_layout_refresh_signal.subscribe(self, self._laid_out)
            self._ready = True
            if self._rests:
                # Draw once unseen: the first drawing takes longer, and nobody waits for it yet.
                self.form.draw(self._state, self._look(), self._hints)
                self._clear()
            else:
                self._open()

    def post_message(self, message: Message) -> bool:
        """Queue a message, and count keys and pastes: nothing may overtake them."""
        posted = super().post_message(message)
        self._under_way += posted and isinstance(message, events.Key | events.Paste)
        return posted

    def type_ahead(self, typed: Iterable[Typed]) -> None:
        """Take copies of input typed for the panel before it was drawn; none of it decides anything."""
        for event in typed:
            self.post_message(event)
        self._ahead = self._under_way

    def _sets_aside(self, event: Typed) -> bool:
        """Set aside input that is too early or too late for the current request; return whether it was."""
        word = self._state.guard.word
        if word is not None and word.outcome is not None and self._clock() - word.at >= WORD_SECONDS:
            self.dispatch(Paused(word.at))  # the timer is late
        self._under_way -= 1
        self._came_ahead, self._ahead = self._ahead > 0 or not self.size, max(0, self._ahead - 1)
        types = isinstance(event, events.Paste) or bool(text_of(event))
        if self._state.outcome is not None or self._state.guard.returned:
            self._late.append(copy_of(event))
            self._give_back()
        elif not (self._rests or self._behind or (self._state.hidden and types)):
            return False
        elif types:  # another key has no use elsewhere
            self.owner.came_late(copy_of(event))
        event.stop()
        return True

    def _give_back(self) -> None:
        """Return keys once everything typed for the prompt is here."""
        if self._state.guard.returned and not self._under_way:
            self.owner.returned(self)

    # -- state ----------------------------------------------------------------------------------------------

    @property
    def state(self) -> State:
        return self._state

    def watch_place(self) -> None:
        self._draw()

    watch_session = watch_countdown = watch_place

    @property
    def enlarged(self) -> bool:
        """Whether something is enlarged, which PageUp and PageDown then page."""
        return self._state.large and not self._state.hidden

    def touch(self) -> None:
        """Note that somebody is here, and stop the countdown."""
        self.touched = self._clock()
        self.countdown = ""

    def _open(self) -> None:
        self._meant = keymap().meant(self.help_place)
        self._state = self.form.step(self._state, replace(self._shown(), asked_for=not self._fresh))
        if self._fresh:
            self._sleep()
        self._draw()
        self._take_focus()

    def uncover(self, *, again: bool = True) -> None:
        """Start the grace again, behind a cover; ``again``: this request was on the screen before."""
        if not self._state.hidden:
            self.dispatch(replace(self._shown(), again=again))

    def _shown(self) -> Shown:
        presses = presses_of(self)
        pressed_at = presses.at if presses.key in GUARDED_KEYS else None
        return Shown(self._clock(), presses.typed_at, pressed_at=pressed_at)

    def _sleep(self) -> None:
        """Draw the keys faintly until they decide something."""
        guard = self._state.guard
        # A key that may still be held down asks the question whether to decline.
        seconds = REPEAT_DELAY if guard.asked_at == guard.quiet_since else GRACE
        self._hints.sleep(seconds + max(0.0, (guard.quiet_since or 0.0) - self._clock()))

    def take_draft(self, draft: Draft) -> None:
        """Show the draft of another surface; the grace begins again, for nobody has seen it."""
        shown = replace(cast("State", draft), hidden=self._state.hidden, guard=InputGuard(), outcome=None)
        self._state, self._stale = shown, ""
        if is_live(self):
            self._draw()  # first: the field still has the text that was here
        self.uncover(again=False)

    def freeze(self, words: str) -> None:
        """Let no key decide until the person takes over the newer draft; ``words`` say where it is from."""
        self._take_text()
        self._stale = words
        if is_live(self):
            self._draw()

    def _clear(self) -> None:
        self.form.forget()
        self.countdown = ""
        if self._ready:
            self._hints.wake()
            self._completer.close()
            self._field.add_class("-off")
            # Load even an empty text: undo must not bring back what was typed.
            self._field.load_text("")

    def dispatch(self, event: Event) -> None:
        """Send an event to the machine, and draw the result."""
        if self._rests:
            return
        if not isinstance(event, TextChanged):
            self._take_text()
        acts = self.is_mounted and isinstance(event, Pressed | Clicked)
        if acts:
            self._state = self.form.step(self._state, self.form.sight(self._state))
            if not isinstance(event, Pressed) or self.form.meaning(self._state, event) is Meaning.COMMAND:
                self.form.seek()
        before, after = self._state, self.form.step(self._state, event)
        if after is not before and after != before:
            self._go_to(before, after)

    def _go_to(self, before: State, after: State) -> None:
        if before.hidden and not after.hidden:
            # What was typed meanwhile went elsewhere.
            typed_at = presses_of(self).typed_at or after.guard.typed_at
            after = replace(after, guard=replace(after.guard, typed_at=typed_at))
        self._state = after
        if after.guard.quiet_since is not None and after.guard.quiet_since != before.guard.quiet_since:
            # A grace begins: of the panel, or of the question whether to decline.
            self._sleep()
        if after.guard.returned:
            self._give_back()
            return
        word = after.guard.word
        if word is not None and word.outcome is not None and word is not before.guard.word:
            later(self, WORD_SECONDS, partial(self.dispatch, Paused(word.at)))
        if replace(after, guard=before.guard) == before:
            return
        if after.outcome is not None:
            self.owner.settled(self, after.outcome)
            return
        if is_live(self):
            self._draw()
            self._take_focus()
        self.owner.changed(self, after)
        if after.hidden != before.hidden:
            self.owner.folded(self)

    def open_editor(self) -> None:
        """Ask for the person's editor, as its key in the panel does."""
        if not self._rests:
            self._take_text()
            self._obey(Pressed("ctrl+g", at=self._clock()))

    def put_text(self, text: str) -> None:
        """Put a text back into the open field, such as one that came out of an editor."""
        text = typable(text)
        if not self._state.text.endswith("\n"):
            # Editors end a file with a newline that nobody typed.
            text = text.removesuffix("\n")
        self.dispatch(TextChanged(text))

    # -- keys and pastes ------------------------------------------------------------------------------------

    async def on_key(self, event: events.Key) -> None:
        """Handle a key: first as the panel's own, then as an edit of the open text."""
        if self._sets_aside(event):
            event.prevent_default()
            return
        self.touch()
        taken = self._completer.press(event.key) or self._take_key(event)
        if not taken and self._state.typing and not self._state.hidden:
            taken = await self._field.edits_with(event)
            self._take_text()
            self._completer.complete(FILES, opens=bool(event.character) and not self._field.one_line)
        if taken or event.key in ("tab", "shift+tab"):  # which would move the focus out of the panel
            event.stop()
            event.prevent_default()

    def _take_key(self, event: events.Key) -> bool:
        """Send a key to the machine; return whether it meant anything here."""
        self._take_text()
        if self._stale and not self._state.hidden and event.key not in ("escape", "f2"):
            if event.key == "enter":
                self.owner.wants_newer(self)
            return True
        character = text_of(event)
        # Only keys that came here count: the app may already know of later ones.
        self._presses = self._presses.pressed(event.key, now := self._clock())
        apart, ahead = self._presses.apart, self._came_ahead
        pressed = Pressed(event.key, character, now, self.drafting(), ahead=ahead, apart=apart)
        typing = self._state.typing and not self._state.hidden
        if typing and event.key == "enter" and self._field.goes_on():
            return True
        meant = None if typing or self._state.hidden else self._meant.get(event.key)
        if meant is None:
            return self._take_known(pressed)
        # A key that was given away is a character like any other, or nothing.
        known = [replace(pressed, key=key, character="") for key in meant]
        known[-1:] = [replace(last, given=character) for last in known[-1:]]  # it is typed once
        return self._take_known(*(known or [replace(pressed, key="")]))

    def _take_known(self, *meant: Pressed) -> bool:
        """Handle one key in each of its meanings."""
        for pressed in meant:
            if self.form.meaning(self._state, pressed) is not Meaning.COMMAND:
                self.dispatch(pressed)
                return True
        taken = [self._obey(pressed) for pressed in meant]
        if not any(taken):
            self.dispatch(meant[0])  # the machine notes when somebody pressed a key
        return any(taken)

    def _obey(self, pressed: Pressed) -> bool:
        """Do what a key means here; return whether it meant anything."""
        effect = self.form.effect(self._state, pressed)
        if effect in (Effect.STEP, Effect.EDIT):
            self.dispatch(pressed)
        if effect is Effect.EDIT and (text := self.form.text_to_edit(self._state)) is not None:
            self.owner.wants_editor(self, text)
        if effect is Effect.DONE:
            self._draw()
        return effect is not None

    def on_paste(self, event: events.Paste) -> None:
        if self._sets_aside(event):
            return
        self.touch()
        event.stop()
        if self._stale:
            return
        pasted = Pasted(event.text, self._clock(), self.drafting())
        writes = self._state.typing and not self._state.hidden
        typed = writes and self.form.meaning(self._state, pasted) is Meaning.COMMAND
        self.dispatch(pasted)
        if typed:
            self._field.type(event.text)
            self._take_text()

    def on_mouse_down(self, _event: events.MouseDown) -> None:
        self.touch()
        self._pressed_at = self._clock()

    def clicked(self, target: PanelTarget, _event: events.Click) -> None:
        """Handle a click, as of the time when the button went down, on what was seen then."""
        _, kind, number = target
        if not self._stale:
            self.dispatch(kind(number, self._pressed_at))

    def under(self, event: events.MouseEvent) -> PanelTarget | None:
        found = self.form.under(event)
        return None if found is None or self._rests else (self.turn, *found)

    @on(TextArea.Changed)
    def _text_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self._take_text()

    def _completed(self) -> None:
        """Take the text of a row that was chosen, and draw the list and its keys."""
        self._take_text()
        self._draw()

    def _take_text(self) -> None:
        """Take the field's text into the state, before anything else happens to it."""
        if not self._field.is_mounted or self._field.has_class("-off") or not self._state.typing:
            return
        if self._field.text != self._state.text:
            self.dispatch(TextChanged(self._field.text))

    # -- drawing --------------------------------------------------------------------------------------------

    def on_resize(self) -> None:
        self._draw()

    def on_show(self) -> None:
        """Take the focus again after having been hidden."""
        self._draw()
        self._take_focus()

    def watch_has_focus(self, has_focus: bool) -> None:
        """Show the caret while the panel has the focus.

        Textual would look up all styles of the panel and its parts again: none of them depends on the focus.
        """
        if is_live(self):
            self._sync_field(focused=has_focus)

    def on_blur(self) -> None:
        """Take the focus back when no other widget got it: the previous owner may give it up late."""
        if self.app.app_focus and self.is_attached and self.screen.focused is None and self.display:
            self._take_focus()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        if is_live(self):
            soon(self, self._draw)

    def _laid_out(self, _screen: Screen[object]) -> None:
        """Redraw when the screen's height changed: the panel's own size may be the same."""
        if self._drawn_for != self.app.size:
            self._draw()

    def _draw(self) -> None:
        if self._rests or not self._ready or not self.is_attached:
            return
        self._drawn_for = self.app.size
        drawn = self.form.draw(self._state, self._look(), self._hints)
        self.styles.height = drawn.height
        self._put_field(drawn)
        if (completions := self._completer.shown) is not None:
            self._hints.show(completions.hints())
        elif self._stale:
            self._hints.show((("Enter", f"take over the draft {self._stale}"), ("Esc", "hide")))
        self._sync_field(focused=self.has_focus)

    def _put_field(self, drawn: Drawn) -> None:
        """Put the field where its text is typed: over the lines that the form left for it."""
        self._field.one_line = drawn.one_line
        if drawn.field is not None:
            self._field.styles.offset = drawn.field.offset
            self._field.styles.width, self._field.styles.height = drawn.field.size
            self._completer.view.keep_beside(drawn.field, self.region.y)

    def _sync_field(self, *, focused: bool) -> None:
        """Bring the text field in line with the state."""
        typing = self._state.typing
        opens = typing and self._field.has_class("-off")
        self._field.set_class(not typing, "-off")
        self._field.has_focus = typing and focused
        if typing:
            comes = opens or self._field.text != self._state.text
            self._field.put(self._state.text)
            self._field.placeholder = Content(self.form.hint(self._state))
            if comes and self.form.proposed(self._state):
                self._field.select_all()

    def _look(self) -> PanelLook:
        width = self.size.width or self.app.size.width  # the screen's before the panel was laid out
        palette, height = palette_of(self), self.app.size.height
        return PanelLook(width, height, palette, self.session, self.place, self.countdown)

    def _take_focus(self) -> None:
        """Take the focus and keep it, at once: the next key may be waiting already."""
        if not (self._rests or self._state.hidden) and self.is_attached and self.screen.focused is not self:
            self.screen.set_focus(self, scroll_visible=False)
