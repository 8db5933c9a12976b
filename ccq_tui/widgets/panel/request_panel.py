"""The base of all panels: one queue of keys, the gate, the text field, focus and drawing.

A panel decides nothing: it sends a key to its machine, and draws the state that comes back. It is made once
and asks one request after the other: making its widgets and looking up their styles takes longer than
everything else between a request and the screen. Between two requests it rests: hidden, taking nothing.
Keys are on their way while one request replaces another: no key typed for one may decide the next.
"""

import time
from asyncio import TimerHandle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, cast

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Size
from textual.reactive import var
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import TextArea

from ccq_tui.compat.textual.behind import is_behind, written_at
from ccq_tui.config.keymap import key_of, keymap
from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.port import RequestChange
from ccq_tui.inbox.store.rows import StoredDraft
from ccq_tui.input.gate import Stroke, To
from ccq_tui.input.keys import KeyPlace, rows_at
from ccq_tui.questions.events import Clicked, Event, Pressed, TabClicked, TextChanged, Words
from ccq_tui.questions.keys import action_of, place_of
from ccq_tui.questions.machine import step
from ccq_tui.questions.state import Focus, PanelState, proposed, typable
from ccq_tui.widgets.completer import FILES, Completer
from ccq_tui.widgets.field import AnswerField
from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.keys import Clickable, Typed, copy_of, keyboard_of, read_at, text_of, typed_in
from ccq_tui.widgets.lifetime import after, after_refresh, is_live, soon
from ccq_tui.widgets.lines import READING
from ccq_tui.widgets.measures import PanelProps
from ccq_tui.widgets.palette import palette_of
from ccq_tui.widgets.panel.form import NOTHING, PanelForm
from ccq_tui.widgets.panel.host import PanelHost, draft_words
from ccq_tui.widgets.panel.keying import PanelKeys
from ccq_tui.widgets.question.parts import placeholder
from ccq_tui.widgets.search_bar import SEARCH_KEYS, SearchField

PanelTarget = tuple[int, type[Clicked | TabClicked], int]
"""What can be clicked in a panel: the number of the request, the event, and its row or tab."""

WHEEL_LINES = 3
TAKES_PROMPT = next(row.keys[0] for row in rows_at(KeyPlace.QUESTION) if row.action == "from_prompt")
"""The key that makes the text in the prompt the answer."""


class RequestPanel(Vertical, Clickable[PanelTarget]):
    """Draws the state of an open request, and turns keys, pastes and clicks into events.

    It rests until `begin`.
    """

    DEFAULT_CSS = """
    RequestPanel {
        height: 10;
        max-width: 101;
        background: $surface;
        &.-wide { max-width: 100%; }
        & > HintBar { dock: bottom; max-width: 101; }
        & > #bar { position: absolute; offset: 0 1; width: 1; height: 100%; border-left: wide $primary; }
        & > AnswerField { position: absolute; min-width: 4; max-height: 100%; }
        & > AnswerField, & > #list { scrollbar-size-vertical: 0; }
        & > #preview { position: absolute; background: $surface; }
        & > ChoiceList { overlay: screen; position: absolute; width: 100%; background: $panel; }
        & > .-off { display: none; }
    }
    """
    can_focus = True
    place: var[tuple[int, int]] = var((1, 1), init=False)
    """Position among the waiting requests, and their number."""
    countdown: var[str] = var("", init=False)
    """Words for what happens soon if nobody presses a key, or ""."""

    def __init__(self, host: PanelHost, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.host = host
        self.form = PanelForm()
        self.state = NOTHING
        self.opened: OpenRequest | None = None
        """The request that it asks, hidden or not, until that is settled."""
        self._request: Any = None
        """What it asks, or asked last; None before that."""
        self._unfollow: Callable[[], None] = lambda: None
        self.turn = 0
        """Number of the request: input meant for one is not for the next."""
        self._late: list[Typed] = []
        """Input that came after the request was settled here."""
        self.keys = PanelKeys(self, lambda: keyboard_of(self))
        """Judges each key, and takes it to where it goes."""
        self.touched: float | None = None
        """Time of the last key or click here, or None."""
        self._rests = True
        self._ready = False
        self._clock = clock
        # The parts are kept, not looked up: a panel may be settled before it was ever composed.
        self._field = AnswerField(self._take_key, id="field")
        # The panel keeps the focus and hands keys on: one queue, so that none overtakes another.
        self._field.can_focus = False
        self._field.add_class("-off")
        self._completer = Completer(self._field, clock)
        self._completer.changed = self._completed
        self._hints = HintBar(hides=host.hides)
        self._drawn_for = Size(0, 0)
        self._drawn: tuple[int, object, float] | None = None
        """The turn, what Enter decides, and the time of the drawing that showed it first."""
        self._pressed: Stroke = Stroke("click")
        self._intended: Mapping[str, tuple[str, ...]] = {}
        self.display = False

    def compose(self) -> ComposeResult:
        yield from self.form.compose()
        yield Widget(id="bar")
        yield self._field
        yield self._completer.view
        yield self._hints

    # -- one request after the other ------------------------------------------------------------------------

    def begin(self, opened: OpenRequest, *, place: tuple[int, int] = (1, 1), asked_for: bool = False) -> None:
        """Ask another request, and follow its draft; the panel must rest.

        One that a person ``asked_for`` has no grace: no key can have been meant for something else.
        """
        self.turn += 1
        self.opened, self._request = opened, opened.request
        opened.show()
        self.state, self._rests = self.as_asked(opened.shown), False
        self._unfollow = opened.changed.subscribe(self._follow)
        self.set_reactive(RequestPanel.place, place)
        self.keys.begin(by_itself=not asked_for)
        self.display = True
        if self._ready:
            self._open()
        else:
            self._take_focus()  # what is typed until it is mounted waits for it, not for a hidden prompt

    def leave(self) -> None:
        """Let the request go; the panel stays as it is until it is removed or rests."""
        self._unfollow()
        self.opened = None

    def rest(self) -> list[Typed]:
        """Stop asking; return the input typed after the request was settled, or for the prompt."""
        self.leave()
        self.turn += 1
        late, self._late = [*self.keys.undecided(), *self._late], []
        self.state, self._rests, self.touched = NOTHING, True, None
        self.display = False
        self._clear()
        return late

    def on_mount(self) -> None:
        """Watch the terminal's focus and size, and ask the first request."""
        if self.is_attached:  # otherwise settled in the moment in which it was asked
            self.screen.screen_layout_refresh_signal.subscribe(self, self._laid_out)
            self._ready = True
            if not self._rests:
                self._open()

    def _sets_aside(self, event: Typed) -> bool:
        """Set aside input that is too late for the current request; return whether it was."""
        types = typed_in(event)
        if self.state.outcome is not None:
            self._late.append(copy_of(event))
        elif not (self._rests or (self.state.hidden and types)):
            return False
        if types:  # another key has no use elsewhere
            keyboard_of(self).note(Stroke("", types, read_at(self, event, self._clock)))
        if types and self.state.outcome is None:
            self.host.type_late([copy_of(event)])
        event.stop()
        return True

    # -- state ----------------------------------------------------------------------------------------------

    @property
    def drafting(self) -> bool | None:
        """Whether the prompt under the panel holds text; None where there is no prompt."""
        return None if self.host.prompt is None else self.host.prompt.holds_text

    @property
    def _stale(self) -> str:
        """Where another process changed the draft, or "": no key decides until that is taken over."""
        return self.opened.stale.words if self.opened is not None and self.opened.stale is not None else ""

    def touch(self) -> None:
        """Note that a person is here, and stop the countdown."""
        self.touched = self._clock()
        self.countdown = ""

    @property
    def help_place(self) -> KeyPlace:
        """The section of keys that F1 lists first."""
        return place_of(self.state)

    def _open(self) -> None:
        self._intended = keymap().remapped(self.help_place)
        self.keys.come()
        self.redraw()
        self._take_focus()

    def uncover(self, *, again: bool = True) -> None:
        """Begin anew behind a cover: nothing of the panel is in sight yet.

        ``again``: this request was on the screen before.
        """
        if not self.state.hidden:
            self.keys.begin(by_itself=True, used=again and self.keys.seen(self._clock()))
            self.redraw()

    def as_asked(self, draft: PanelState) -> PanelState:
        """Return a draft without what belongs to the surface that it was typed on."""
        questions = replace(draft.questions, intro="") if self.host.alone else draft.questions
        return replace(draft, questions=questions, hidden=False, outcome=None)

    def _follow(self, change: RequestChange) -> None:
        """Show what another process changed in the draft; who shows the panel sees to the rest."""
        if not isinstance(change, StoredDraft):
            return
        if change.stale:
            self._take_text()
            self.redraw()
        else:
            self.refresh_draft()
        self.host.say(f"The draft was {change.words}", change.request.id)

    def refresh_draft(self) -> bool:
        """Show what another surface changed in the draft; return whether it did.

        The grace begins again, for nobody has seen it.
        """
        shown = self.as_asked(self.opened.shown if self.opened is not None else self.state)
        if shown == self.as_asked(self.state):
            return False
        self.state = replace(shown, hidden=self.state.hidden)
        self.redraw()  # first: the field still has the text that was here
        self.uncover(again=False)
        return True

    def _take_over(self) -> None:
        """Show the newer draft of another process, which the person wants."""
        if self.opened is not None:
            mine = self.opened.take_over() or self.state
            if not self.refresh_draft():
                self.redraw()
            if kept := self.host.keep(draft_words(mine)):
                self.host.say(f"The newer draft is here{kept}", self.opened.request.id)

    def change(self, how: Callable[[PanelState], PanelState]) -> PanelState:
        """Draw the state, with everything typed, as something else than a key changes it; return that."""
        self._take_text()
        self.state = how(self.state)
        self.redraw()
        return self.state

    def _clear(self) -> None:
        self.form.forget()
        self.countdown = ""
        self.keys.cancel()
        if self._ready:
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
        if self.is_mounted and isinstance(event, Pressed | Clicked):
            self.state = self._in_sight()
            self.form.seek()
        before, after = self.state, step(self.state, event)
        if after is not before and after != before:
            self._go_to(before, after)

    def _in_sight(self) -> PanelState:
        """Return the state with what is on the screen."""
        return step(self.state, self.form.sight(self.state, self.host.unseen_above))

    def _go_to(self, before: PanelState, after: PanelState) -> None:
        self.state = after
        if after.outcome is not None:
            if self.opened is not None:
                self.opened.draft = after
                self.host.settle(self.opened, after.outcome)
            return
        if before.hidden and not after.hidden:
            self.keys.begin(by_itself=False)
            self.keys.come()
        if is_live(self):
            self.redraw()
            self._take_focus()
        if self.opened is not None:
            self.opened.type(after, Actor.here(self.host.surface))
            self.host.typed(self.opened)
            if after.hidden != before.hidden:
                self.host.folded()

    def open_editor(self) -> None:
        """Ask for the person's editor, as its key in the panel does."""
        if not self._rests:
            self._take_text()
            self.obey(Pressed("ctrl+g"))

    def _put(self, turn: int, text: str) -> None:
        """Put a text from the editor into the request that it came from."""
        if self.opened is not None and self.turn == turn:
            self.put_text(text)
        elif kept := self.host.keep(text):
            self.host.say(f"The request was closed before your answer{kept}", "")

    def put_text(self, text: str) -> None:
        """Put a text back into the open field, such as one that came out of an editor."""
        text = typable(text)
        if not self.state.text.endswith("\n"):
            # Editors end a file with a newline that nobody typed.
            text = text.removesuffix("\n")
        self.dispatch(TextChanged(text))

    # -- keys and pastes ------------------------------------------------------------------------------------

    async def on_key(self, event: events.Key) -> None:
        """Handle a key: first as the panel's own, then as an edit of the open text."""
        self.keys.followed(Stroke(event.key, text_of(event)))
        if self._sets_aside(event):
            event.prevent_default()
            return
        self.touch()
        taken = self._completer.press(event.key) or self._take_key(event)
        if not taken and self.state.typing and not self.state.hidden:
            taken = await self._field.edits_with(event)
            self._take_text()
            self._completer.complete(FILES, opens=bool(event.character) and not self._field.one_line)
        if taken or event.key in ("tab", "shift+tab"):  # which would move the focus out of the panel
            event.stop()
            event.prevent_default()

    def _take_key(self, event: events.Key) -> bool:
        """Judge a key, and do what it means here; return whether it is done with."""
        self._take_text()
        if self._stale and not self.state.hidden and event.key not in ("escape", "f2"):
            if event.key == "enter":
                self._take_over()
            return True
        character = text_of(event)
        pressed = Pressed(event.key, character)
        typing = self.state.typing and not self.state.hidden
        key = Stroke(event.key, character, read_at(self, event, self._clock))
        if typing and event.key == "enter" and self._field.goes_on():
            keyboard_of(self).note(key, To.PANEL)
            return True
        if event.key == TAKES_PROMPT and self.host.prompt is not None and self.drafting and not typing:
            keyboard_of(self).note(key, To.PANEL)
            self.dispatch(Words(self.host.prompt.clear(), own=True))
            return True
        typed = copy_of(event)
        intended = None if typing or self.state.hidden else self._intended.get(event.key)
        if intended is None:
            return self.keys.take(key, typed, pressed)
        # A key that was given away is a character like any other, or nothing.
        known = [replace(pressed, key=one, character="") for one in intended]
        known[-1:] = [replace(last, given=character) for last in known[-1:]]  # it is typed once
        return self.keys.take(key, typed, *(known or [replace(pressed, key="")]))

    def to_prompt(self, typed: Sequence[Typed], *, sends: bool = False) -> None:
        """Give the prompt input that was meant for it; an Enter ``sends`` it before what is typed next."""
        if sends:
            self.host.prompt.send()
        else:
            self.host.type_late(typed)
        self.redraw()

    def later(self, seconds: float, call: Callable[[], object]) -> TimerHandle:
        """Call a function after some seconds."""
        return after(self, seconds, call)

    def obey(self, pressed: Pressed) -> bool:
        """Do what a key means here; return whether it meant anything."""
        action = action_of(self.state, pressed)
        if action is None:
            return False
        if action.scrolls:
            self.form.scroll(action.scrolls, pages=action.by_pages)
            self.redraw()
            return True
        self.dispatch(pressed)
        state = self.state
        if action.edits and (state.typing or state.edited or state.questions.editable):
            text = state.text if state.typing else state.edited or state.questions.editable
            self.host.edit(text, partial(self._put, self.turn))
        return True

    def on_paste(self, event: events.Paste) -> None:
        key = Stroke("paste", typable(event.text), read_at(self, event, self._clock))
        self.keys.followed(key)
        if self._sets_aside(event):
            return
        self.touch()
        event.stop()
        if not (self._stale or not key.text or self.keys.take(key, copy_of(event))):
            self._field.type(event.text)
            self._take_text()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self.touch()
        self._pressed = Stroke("click", "", read_at(self, event, self._clock))

    def clicked(self, target: PanelTarget, _event: events.Click) -> None:
        """Handle a click, as of the time when the button went down, on what was seen then."""
        _, kind, number = target
        if not self._stale:
            self.keys.click(self._pressed, kind(number))

    def under(self, event: events.MouseEvent) -> PanelTarget | None:
        found = self.form.under(event)
        return None if found is None or self._rests else (self.turn, *found)

    @on(events.MouseScrollUp)
    @on(events.MouseScrollDown)
    def _wheel(self, event: events.MouseEvent) -> None:
        if self.form.scroll(-WHEEL_LINES if isinstance(event, events.MouseScrollUp) else WHEEL_LINES):
            event.stop()
            self.redraw()

    @on(TextArea.Changed)
    def _text_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self._take_text()

    def _completed(self) -> None:
        """Take the text of a row that was chosen, and draw the list and its keys."""
        self._take_text()
        self.redraw()

    def _take_text(self) -> None:
        """Take the field's text into the state, before anything else happens to it."""
        if not self._field.is_mounted or self._field.has_class("-off") or not self.state.typing:
            return
        if self._field.text != self.state.text:
            self.dispatch(TextChanged(self._field.text))

    # -- drawing --------------------------------------------------------------------------------------------

    def on_show(self) -> None:
        """Take the focus again after having been hidden."""
        self.redraw()
        self._take_focus()

    def watch_has_focus(self, has_focus: bool) -> None:
        """Show the caret, and the panel's own keys, while the panel has the focus.

        Textual would look up all styles of the panel and its parts again: none of them depends on the focus.
        """
        if is_live(self):
            self._sync_field(focused=has_focus)
            self.redraw()

    def on_blur(self) -> None:
        """Take the focus back when no other widget got it: the previous owner may give it up late."""
        if self.app.app_focus and self.is_attached and self.screen.focused is None and self.display:
            self._take_focus()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        if is_live(self):
            soon(self, self.redraw)

    def _laid_out(self, _screen: Screen[object]) -> None:
        """Redraw when the screen's height changed: the panel's own size may be the same."""
        if self._drawn_for != self.app.size:
            self.redraw()

    def redraw(self) -> None:
        """Draw what it asks, if it asks."""
        self._draw_once()
        self.update_seen()

    watch_place = watch_countdown = on_resize = redraw

    def update_seen(self) -> None:
        """Update what was on the screen of what is agreed to, and the words about it."""
        state = self.state
        if not (self._rests or state.outcome is not None) and state.questions.is_guarded:
            self.state = now = self._in_sight()
            if (now.in_sight, now.unseen, now.at_least) != (state.in_sight, state.unseen, state.at_least):
                self._draw_once()

    def _draw_once(self) -> None:
        if self._rests or not self._ready or not self.is_attached:
            return
        self._drawn_for = self.app.size
        drawn = self.form.draw(self.state, self._props(), self._hints)
        if (decides := self.keys.drawn()) is not None:
            self._drawn = (self.turn, decides, self._clock())
            after_refresh(self, partial(self._written, *self._drawn))
        self.styles.height = drawn.height
        self._field.one_line, self._field.secret = self.state.one_line, self.state.page.question.secret
        if (place := drawn.field) is not None:  # over the lines that are left for it
            self._field.styles.offset = place.offset
            self._field.styles.width, self._field.styles.height = place.size
            self._completer.view.keep_beside(place, self.region.y)
        if (completions := self._completer.shown) is not None:
            self._hints.show(completions.hints())
        elif self.keys.enter_is_prompts:
            self._hints.show((("↓", "to the question"), (key_of("panel"), "hide it")))
        elif self._stale:
            self._hints.show((("Enter", f"take over the draft {self._stale}"), ("Esc", "hide")))
        if isinstance(self.screen.focused, SearchField):
            self._hints.show(SEARCH_KEYS)
        self._sync_field(focused=self.has_focus)

    def note_written(self) -> None:
        """Note that what was drawn last is on the terminal, unless that is behind."""
        if self._drawn is not None and not is_behind(self.screen):
            self._written(*self._drawn)

    def _written(self, turn: int, decides: object, since: float) -> None:
        """Note when the words of what Enter does are on the terminal, which may be behind."""
        if turn != self.turn:
            return
        if not self.screen.is_current:
            self.keys.begin(by_itself=True, used=self.keys.face.used)  # covered before it was drawn
        elif is_behind(self.screen):
            after_refresh(self, partial(self._written, turn, decides, since))
        else:
            self.keys.written(decides, written_at(self.screen, since, self._clock()))

    def _sync_field(self, *, focused: bool) -> None:
        """Bring the text field in line with the state."""
        typing = self.state.typing
        opens = typing and self._field.has_class("-off")
        self._field.set_class(not typing, "-off")
        # One caret: it stands in the prompt while what is typed goes there.
        self._field.has_focus = typing and focused and not self.keys.enter_is_prompts
        if typing:
            comes = opens or self._field.text != self.state.text
            self._field.put(self.state.text)
            self._field.placeholder = Content(placeholder(self.state))
            is_field = self.state.focus is Focus.FIELD
            if comes and is_field and self.state.text == proposed(self.state.page.question):
                self._field.select_all()

    def _props(self) -> PanelProps:
        width = cast("Widget", self.parent).size.width or self.app.size.width  # which is laid out first
        wide = any(option.preview for page in self.state.pages for option in page.question.options)
        self.set_class(wide, "-wide")  # a preview is no text to read: it is verbatim
        if not wide:
            width = min(width, READING + 1)
        palette, height = palette_of(self), self.app.size.height
        beside = (self.host.session, self.host.directory, self.place, self.countdown, self.host.alone)
        return PanelProps(width, height, palette, *beside, request=self._request)

    def _take_focus(self) -> None:
        """Take the focus and keep it, at once: the next key may be waiting already."""
        if not (self._rests or self.state.hidden) and self.is_attached and self.screen.focused is not self:
            self.screen.set_focus(self, scroll_visible=False)
