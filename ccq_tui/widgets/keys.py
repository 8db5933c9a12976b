"""Keys and clicks, for widgets that take them themselves."""

import time
from asyncio import TimerHandle
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar, cast

from textual import events
from textual.binding import Binding
from textual.dom import DOMNode
from textual.widget import Widget

from ccq_tui.config.keymap import keymap
from ccq_tui.input import gate
from ccq_tui.input.gate import FOCUS, NEVER, Face, Hand, To, Verdict
from ccq_tui.input.keynames import typed_by
from ccq_tui.input.keys import SETTINGS, TABLE, KeyPlace, KeyRow
from ccq_tui.questions.state import is_text


def bindings_for(*names: str) -> list[Binding]:
    """Return the bindings of actions in the table of keys; each runs ``do`` with its name."""
    return [_binding(SETTINGS[name]) for name in names]


def bindings_at(place: KeyPlace) -> list[Binding]:
    """Return the bindings of the fixed keys of a place."""
    return [_binding(row) for row in TABLE if row.place is place and row.does and not row.setting]


def _binding(row: KeyRow) -> Binding:
    keys, action = ",".join(row.keys), f"do('{row.action}')"
    return Binding(keys, action, row.does, priority=row.first, show=False, id=row.setting or None)


def intended_keys(key: str) -> tuple[str, ...]:
    """Return the keys that a key means to a list with a text field above it, in which letters are text.

    There may be several, to take one after the other, and none for a key that now means something else.
    """
    return keymap().remapped(KeyPlace.PICKER, letters=False).get(key, (key,))


def text_of(event: events.Key) -> str:
    """Return the text that a key types, or ""; Textual's own check leaves out joiners and no-break spaces."""
    character = event.character or ""
    return character if is_text(character) else ""


def typed_in(event: events.Key | events.Paste) -> str:
    """Return the text of a key or a paste, or ""."""
    return event.text if isinstance(event, events.Paste) else text_of(event)


class Key(events.Key):  # Textual calls handlers by this name
    """A key for one widget: if that ignores it, the program does not send it to the focused one."""

    @property
    def is_forwarded(self) -> bool:
        """Whether it has found its widget: always."""
        return True


Typed = events.Key | events.Paste


def copy_of(event: Typed) -> Typed:
    """Copy a key or paste for another widget; the original is stopped where it came to."""
    if isinstance(event, events.Paste):
        return events.Paste(event.text)
    return Key(event.key, event.character)


Later = Callable[[float, Callable[[], object]], TimerHandle]
"""Calls a function after some seconds."""


@dataclass(frozen=True, slots=True)
class PutOff:
    """What a key does after a while, unless another one follows; ``alone``: any other one.

    A letter ``decides``, or is a command that was not known to be one yet.
    """

    key: gate.Stroke
    call: Callable[[], object]
    timer: TimerHandle
    alone: bool
    decides: bool


class Waiting:
    """Keeps what a key does once it is known that no other one follows."""

    def __init__(self) -> None:
        self._due: PutOff | None = None

    def wait(
        self,
        key: gate.Stroke,
        seconds: float,
        call: Callable[[], object],
        later: Later,
        *,
        alone: bool = False,
        decides: bool = True,
    ) -> None:
        """Do something at once, or after some seconds unless another key shows that it was not meant."""
        self.cancel()
        if seconds:
            self._due = PutOff(key, call, later(seconds, self.run_due), alone, decides)
        else:
            call()

    def run_due(self) -> None:
        """Do what waits."""
        if (due := self._due) is not None:
            self.cancel()
            due.call()

    def cancel(self) -> None:
        """Drop what waits."""
        if self._due is not None:
            self._due.timer.cancel()
        self._due = None

    def followed(self, key: gate.Stroke) -> gate.Stroke | None:
        """Do or drop what waits, now that another key has come; return a letter that no longer decides."""
        if (due := self._due) is None:
            return None
        intended = key.name != due.key.name and not due.alone
        if due.key.text:  # a letter: with another key behind it, only Enter says that it was meant
            intended = key.name == "enter" or (not key.text and not due.decides)
        if intended:
            self.run_due()
            return None
        self.cancel()
        return due.key if due.decides and due.key.text else None


class Keyboard(Waiting):
    """The hand of the person at the program, for all of its surfaces.

    Attributes:
        hand: What the keys came to.
        key: The key that came last, wherever it went.
    """

    def __init__(self, hand: Hand | None = None) -> None:
        super().__init__()
        self.hand = self._before = hand or Hand()
        self.key = gate.Stroke("")

    def judge(self, key: gate.Stroke, face: Face) -> Verdict:
        """Judge a key for the surface in front."""
        verdict, self.hand = gate.judge(key, face, self.hand)
        return verdict

    def judge_last(self, face: Face) -> Verdict:
        """Judge the key that came last, which has been noted, and which types nothing here."""
        verdict, self.hand = gate.judge(replace(self.key, text=""), face, self._before)
        return verdict

    def come(self, key: gate.Stroke, to: To | None) -> None:
        """Take a key before it reaches its target; note it, unless that judges it itself."""
        self.followed(key)
        self.key, self._before = key, self.hand
        if to is not None:
            self.note(key, to)

    @property
    def again(self) -> bool:
        """Whether the last key came again, with no other between."""
        return self._before.again(self.key)

    def note(self, key: gate.Stroke, to: To = To.PROMPT) -> None:
        """Note a key that nothing had to judge."""
        self.hand = self.hand.noted(key, to)

    def note_command(self) -> None:
        """Note the last key as a command of the screen, unless a panel judged it."""
        if self.hand is self._before:
            self.note(self.key, self.hand.to)

    def at_panel(self) -> None:
        """Note that the last key opened a panel: what it was in the prompt does not count there."""
        self.hand = replace(self.hand, to=To.PANEL)

    def forget_keys(self) -> None:
        """Begin no word with keys that were another surface's, and repeat none of them."""
        self.hand = replace(self.hand, word=(), opened_at=NEVER, signed="")


def keyboard_of(widget: DOMNode) -> Keyboard:
    """Return the hand of the program that a widget is in."""
    app: Any = widget.app
    if not hasattr(app, "hands"):
        app.hands = Keyboard()
    return cast("Keyboard", app.hands)


def read_at(widget: DOMNode, event: events.Event, clock: Callable[[], float]) -> float:
    """Return when input was read from the terminal; without one, it comes as it is handled."""
    return clock() if widget.app.is_headless else event.time


def press_key(widget: Widget, key: str) -> None:
    """Act as if a key had been pressed now."""
    widget.app.post_message(events.Key(key, typed_by(key) or None))


Target = TypeVar("Target")
LEFT = 1
"""The button that clicks."""


class Clickable(Generic[Target]):
    """A widget or screen that takes clicks, as distinct from everything else that a mouse does.

    A click is a press of the left button that began and ended on one target, by equality. Textual also
    reports one when another button was pressed, and when the pointer was dragged from one row of a widget to
    another. The press that gives the terminal the focus begins none.
    """

    _pressed_on: Target | None = None

    def under(self, event: events.MouseEvent) -> Target | None:
        """Return the target under the pointer, or None."""
        raise NotImplementedError

    def clicked(self, target: Target, event: events.Click) -> None:
        """Take a click on a target."""
        raise NotImplementedError

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Note where a button went down."""
        app: Any = cast("DOMNode", self).app
        now, focused_at = getattr(app, "clock", time.monotonic)(), getattr(app, "focused_at", float("-inf"))
        intended = event.button == LEFT and now - focused_at >= FOCUS
        self._pressed_on = self.under(event) if intended else None

    def on_click(self, event: events.Click) -> None:
        """Take the click if it was one on one target."""
        pressed, self._pressed_on = self._pressed_on, None
        if event.button == LEFT and pressed is not None and self.under(event) == pressed:
            self.clicked(pressed, event)
