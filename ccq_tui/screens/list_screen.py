"""Screens with a filtered list: its keys, its field, its rows and the clicks on them."""

import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Generic, TypeVar

from textual import events, on
from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen, Screen
from textual.widgets import TextArea

from ccq_tui.config.keymap import keymap
from ccq_tui.filtered_list import FilteredList
from ccq_tui.input.gate import PAUSE, QUIET, Face, KeyKind, Sign, Stroke, To
from ccq_tui.input.keynames import shown_key
from ccq_tui.input.keys import Hints, KeyPlace, actions_at
from ccq_tui.widgets.field import AnswerField
from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.keys import Clickable, Keyboard, copy_of, keyboard_of, read_at, text_of
from ccq_tui.widgets.lifetime import after, after_refresh, is_live, soon, start_work
from ccq_tui.widgets.lines import DrawnLine, LineView

Result = TypeVar("Result")
State = TypeVar("State", bound=FilteredList[Any])


class ListField(AnswerField):
    """The filter field, which passes keys to its list first.

    It calls ``press`` with each key and ``hands_on`` with each paste; they return whether that was for them.
    """

    def __init__(self, press: Callable[[events.Key], bool], hands_on: Callable[[events.Paste], bool]) -> None:
        super().__init__(press)
        self._hands_on, self.one_line = hands_on, True

    def on_paste(self, event: events.Paste) -> None:
        """Offer a paste to ``hands_on`` before the field takes it."""
        if self._hands_on(event):
            event.stop()
            event.prevent_default()


class ListScreen(ModalScreen[Result], Clickable[Hashable], Generic[Result, State]):
    """A screen with a filtered list: a field finds rows; keys and clicks act on the one under the cursor.

    Attributes:
        state: State of the list.
        finds: Whether letters go to the field, and none is a key of the list.
        field: The filter field, which passes keys to the list first.
        view: What draws the rows.
        key_line: The line of keys.
        hands: The hand at the list: the program may know of later keys by now.
        face: What the gate knows of the list.
    """

    PLACE: ClassVar[KeyPlace]
    """Place in the table of keys, with actions of `FilteredList.after`, of `act` and of `ON_ROW`."""
    ON_ROW: ClassVar[tuple[str, ...]]
    """The actions on the row under the cursor; a click on that does the first."""
    SHOWS: ClassVar[frozenset[str]] = frozenset()
    """Those of them that only show or ask something."""
    CARET: ClassVar[frozenset[str]] = frozenset({"home", "end"})
    """Keys that move the caret in what is typed."""
    LETTERS: ClassVar[bool] = False
    """Whether a person may have chosen letters as keys of the list."""

    makes_way = False
    """Whether it closes when another session opens in front."""
    _types_on = False
    """Whether it has passed on text, to which keys such as Enter belong then."""

    def __init__(self, state: State) -> None:
        super().__init__()
        self.state = state
        self.finds = False
        self.field = ListField(self._take_key, self.hands_on)
        self.view = LineView()
        self.key_line = HintBar()
        self.hands = Keyboard()
        self.face = Face(by_itself=False, prompts=False)
        self.signed: Hints = ()
        """What the line of keys says instead, if the last key came too early."""
        self._covered = False
        self._made_for: tuple[object, ...] = ()
        self._lines: list[DrawnLine] = []

    def on_mount(self) -> None:
        """Give the field the keys."""
        self.set_focus(self.field, scroll_visible=False)
        self.hands.hand = keyboard_of(self).hand
        # Immediate: a key may come before the event that says that another screen has gone.
        self.app.screen_change_signal.subscribe(self, self._screen_changed, immediate=True)
        self.draw()

    def _screen_changed(self, screen: Screen[Any]) -> None:
        covered, self._covered = self._covered, screen is not self
        if covered and screen is self:
            self.came_up()

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Leave the screen.

        Textual dismisses whatever screen is on top, even one that another key of the same burst has opened.
        """
        return super().dismiss(result) if self.is_active else AwaitComplete()

    def passes_on(self, event: events.Key | events.Paste) -> bool:
        """Pass on an event if this screen is not the active one; return whether this screen must ignore it.

        It came in one burst with the key that left this screen, or that opened another one over it. Once this
        screen has gone, text and the keys behind it go to the widget that has the focus; a key before any
        text was meant for this screen, unless it means the same everywhere.
        """
        if self.is_active:
            return False
        if self not in self.app.screen_stack:
            screen = self.app.screen
            bound = screen.active_bindings.get(event.key) if isinstance(event, events.Key) else None
            self._types_on |= isinstance(event, events.Paste) or bool(text_of(event))
            if bound is not None and bound.binding.priority:
                action = partial(self.app.run_action, bound.binding.action, bound.node)
                start_work(self.app, action, name="key")
            elif self._types_on and screen.focused is not None:
                screen.focused.post_message(copy_of(event))
        return True

    # -- keys and clicks ----------------------------------------------------------------------------------

    def clock(self) -> float:
        """Return now, by the program's clock."""
        clock: Callable[[], float] = getattr(self.app, "clock", time.monotonic)
        return clock()

    def came_up(self, *, letters: bool = False) -> None:
        """Come under the hands by itself; ``letters`` under way go to the field."""
        self.hands.hand = keyboard_of(self).hand
        self.begin(Face(shown_at=None, prompts=letters, quiet=PAUSE if letters else QUIET))

    def begin(self, face: Face) -> None:
        """Begin anew: what is on the list now has not been drawn yet."""
        self.face = face
        after_refresh(self, partial(self._drawn, face))

    def _drawn(self, face: Face) -> None:
        if self.face is face:
            shown_at = self.clock() if face.shown_at is None else face.shown_at
            self.face = replace(face, shown_at=shown_at, words_at=self.clock())

    def judged(self, key: Stroke, call: Callable[[], object], does: str) -> None:
        """Decide with a key once it is known to be meant; else say what the next one does."""
        verdict = self.hands.judge(key, replace(self.face, kind=KeyKind.DECIDE))
        if verdict.to is To.PROMPT or verdict.sign is Sign.NOT_SENT:
            self.field.type("\n")  # it ends a line of what is typed for the prompt
        elif verdict.sign is not None:
            self.sign(((shown_key(key.name), f"again {does}"),))
        elif verdict.to is To.PANEL:
            self.hands.wait(key, verdict.after, call, partial(after, self))

    def sign(self, hints: Hints) -> None:
        """Say in the line of keys what the next key does; nothing, once there was one."""
        if hints != self.signed:
            self.signed = hints
            self.draw()

    def does(self, action: str) -> str:
        """Return what an action does, for `sign`."""
        return "clears it" if action == "empty" else f"{action}s it"

    def decides(self, action: str) -> bool:
        """Whether an action does more to the row under the cursor than to show something."""
        return action in self.ON_ROW and action not in self.SHOWS

    def _take_key(self, event: events.Key) -> bool:
        """Do what a key means to the list; return whether it meant anything. All others edit the field."""
        key = Stroke(event.key, text_of(event), read_at(self, event, self.clock))
        self.hands.followed(key)  # the key before it may leave the list only now
        if self.hands_on(event):
            return True
        self.take_text()
        self.sign(())
        if self.confirms(key):
            return True
        if self.is_late(key) or self.edits(key):
            self.hands.note(key)
            return False
        letters = self.LETTERS and not self.finds
        intended = keymap().remapped(self.PLACE, letters=letters).get(event.key, (event.key,))
        return self.do(replace(key, text=""), intended)

    def confirms(self, key: Stroke) -> bool:  # noqa: ARG002
        """Take a key that answers a question of the list; return whether it did only that."""
        return False

    def edits(self, key: Stroke) -> bool:
        """Whether a key edits the text in the field, whatever else it means."""
        return self.finds and bool(key.text or (self.field.text and key.name in self.CARET))

    def is_late(self, key: Stroke) -> bool:
        """Whether a letter was meant for what was here before; it goes to the field."""
        if not (key.text and self.face.by_itself and self.face.prompts):
            return False
        self.face = self.face.typed_on(key.at)
        self.find(self.finds or self.face.by_itself)
        return self.face.by_itself

    def do(self, key: Stroke, intended: Sequence[str]) -> bool:
        """Do what a key means; return whether it means anything."""
        action = next((one for each in intended if (one := actions_at(self.PLACE).get(each, ""))), "")
        late = self.face.prompts and action in ("empty", "leave")
        if late or self.decides(action):
            self.judged(key, partial(self.take_all, intended), self.does(action))
            return True
        self.hands.note(key, To.PANEL)
        return self.take_all(intended)

    def take_all(self, intended: Sequence[str]) -> bool:
        """Do what keys mean, one after the other; return whether any means something."""
        taken = [self.act(actions_at(self.PLACE).get(key, "")) for key in intended]
        return any(taken)

    @property
    def help_place(self) -> KeyPlace:
        """The keys that F1 lists first here."""
        return self.PLACE

    def hands_on(self, event: events.Key | events.Paste) -> bool:
        """Pass on what was typed for something else; return whether it was."""
        return self.passes_on(event)

    def act(self, action: str) -> bool:
        """Do an action of the table of keys; return whether there is one."""
        moved = self.state.after(action, max(1, self.view.size.height - 1))
        if moved is not None:
            self.show(moved)
        elif action in self.ON_ROW:
            self._act_in_sight(action)
        elif action == "find":
            self.find(True)
        elif action == "empty" and (self.finds or self.state.filter):
            self.field.put("")
            self.show(self.state.filtered(""))
            self.find(False)
        elif action in ("empty", "leave"):
            self.dismiss(None)
        else:
            return False
        return True

    def _act_in_sight(self, action: str) -> None:
        """Do an action on the row under the cursor, or bring it back into sight."""
        if self.state.under is None:
            return
        if self.view.cursor in self.view.rows_in_sight:
            self.act_on(action, self.state.under)
        else:
            self.view.keep_cursor_in_sight()

    def act_on(self, action: str, row: Any) -> None:
        """Do an action of `ON_ROW` on a row."""
        raise NotImplementedError

    def find(self, on: bool) -> None:
        """Send letters to the field, or treat them as keys again."""
        self.finds = on
        self.draw()

    def take_text(self) -> None:
        """Filter by what is typed."""
        text = self.field.text.replace("\n", " ")
        if text != self.state.filter:
            self.finds = True
            self.show(self.state.filtered(text))

    @on(TextArea.Changed)
    def _text_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self.take_text()

    def under(self, event: events.MouseEvent) -> Hashable | None:
        """Return the key of the row under the pointer, or None."""
        row, shown = self.view.row_on_screen(event.screen_offset), self.state.shown
        return shown[row].key if row is not None and row < len(shown) else None

    def clicked(self, key: Hashable, _event: events.Click) -> None:
        """Put the cursor on the row with a key, and act on the one that has it."""
        if (under := self.state.under) is not None and key == under.key:
            act = partial(self.act_on, self.ON_ROW[0], under)
            self.judged(Stroke("click", at=self.clock()), act, self.does(self.ON_ROW[0]))
        else:
            self.hands.note(Stroke("click", at=self.clock()), To.PANEL)
            self.show(self.state.put([row.key for row in self.state.shown].index(key)))

    # -- drawing ------------------------------------------------------------------------------------------

    @property
    def has_parts(self) -> bool:
        """Whether its widgets exist: it may be left at the moment when it opens."""
        return self.is_attached and self.query_one_optional(HintBar) is not None

    def draw(self) -> None:
        """Draw what changes."""

    def notify_style_update(self) -> None:
        super().notify_style_update()
        if is_live(self):
            soon(self, self.draw)

    def show(self, state: State) -> None:
        """Show another state of the list."""
        if state != self.state:
            self.state = state
            self.draw()
