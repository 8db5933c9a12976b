"""Screens with a filtered list: its keys, its field, its rows and the clicks on them."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, ClassVar, Generic, TypeVar

from textual import events, on
from textual.widgets import TextArea

from ccq_tui.config.keymap import keymap
from ccq_tui.filtered_list import FilteredList
from ccq_tui.input.keys import KeyPlace, actions_at
from ccq_tui.screens.overlay import Overlay, Result
from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.keys import text_of
from ccq_tui.widgets.lines import DrawnLine, LineView
from ccq_tui.widgets.palette import Palette, palette_of
from ccq_tui.widgets.panel.field import AnswerField
from ccq_tui.widgets.pointer import Clickable

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


class ListScreen(Overlay[Result], Clickable[Hashable], Generic[Result, State]):
    """A screen with a filtered list: a field finds rows; keys and clicks act on the one under the cursor.

    Attributes:
        state: State of the list.
        finds: Whether letters go to the field, and none is a key of the list.
        field: The filter field, which passes keys to the list first.
        view: What draws the rows.
        key_line: The line of keys.
    """

    PLACE: ClassVar[KeyPlace]
    """Place in the table of keys, with actions of `FilteredList.after`, of `act` and of `ON_ROW`."""
    ON_ROW: ClassVar[tuple[str, ...]]
    """The actions on the row under the cursor; a click on that does the first."""
    CARET: ClassVar[frozenset[str]] = frozenset({"home", "end"})
    """Keys that move the caret in what is typed."""
    LETTERS: ClassVar[bool] = False
    """Whether a person may have chosen letters as keys of the list."""

    def __init__(self, state: State) -> None:
        super().__init__()
        self.state = state
        self.finds = False
        self.field = ListField(self._take_key, self.hands_on)
        self.view = LineView()
        self.key_line = HintBar()
        self._made_for: tuple[object, ...] = ()
        self._lines: list[DrawnLine] = []

    def on_mount(self) -> None:
        """Give the field the keys."""
        self.set_focus(self.field, scroll_visible=False)
        self.draw()

    # -- keys and clicks ----------------------------------------------------------------------------------

    def _take_key(self, event: events.Key) -> bool:
        """Do what a key means to the list; return whether it meant anything. All others edit the field."""
        if self.hands_on(event) or self.passes_over(event):
            return True
        self.take_text()
        if self.finds and (text_of(event) or (self.field.text and event.key in self.CARET)):
            return False
        meant = (
            keymap().meant(self.PLACE, letters=self.LETTERS and not self.finds).get(event.key, (event.key,))
        )
        taken = [self.take(key) for key in meant]
        return any(taken)

    @property
    def help_place(self) -> KeyPlace:
        """The keys that F1 lists first here."""
        return self.PLACE

    def hands_on(self, event: events.Key | events.Paste) -> bool:
        """Pass on what was typed for something else; return whether it was."""
        return self.passes_on(event)

    def passes_over(self, event: events.Key) -> bool:  # noqa: ARG002
        """Whether a key was not meant for the list as it is now."""
        return False

    def take(self, key: str) -> bool:
        """Do what a key means, as Textual spells it; return whether it means anything."""
        return self.act(actions_at(self.PLACE).get(key, ""))

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
            self.act_on(self.ON_ROW[0], under)
        else:
            self.show(self.state.put([row.key for row in self.state.shown].index(key)))

    # -- drawing ------------------------------------------------------------------------------------------

    def show(self, state: State) -> None:
        """Show another state of the list."""
        if state != self.state:
            self.state = state
            self.draw()

    def make_lines(self, width: int, palette: Palette) -> list[DrawnLine]:
        """Return the lines of the rows."""
        raise NotImplementedError

    def draw_list(self, *made_for: object, field: bool) -> list[DrawnLine]:
        """Draw the rows, whose lines depend on ``made_for``, too, and perhaps the field; return the lines."""
        palette, width = palette_of(self), self.app.size.width
        made_for = (self.state.shown, self.state.filter, width, palette, *made_for)
        if made_for != self._made_for:
            self._made_for, self._lines = made_for, self.make_lines(width - 1, palette)
        # Not hidden but of no height: it keeps the focus.
        self.field.styles.height = self.field.styles.min_height = int(field)
        self.view.show(self._lines, self.state.cursor if self.state.shown else None, palette.cursor)
        return self._lines
