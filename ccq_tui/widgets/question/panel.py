"""The question panel: a docked place that draws a `PanelState` and sends events to the state machine.

It decides nothing: a key goes to the machine, and what comes back is drawn.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.message import Message
from textual.widgets import Static, TextArea

from ccq_tui.questions.events import (
    Clicked,
    Event,
    OpenEditor,
    Pasted,
    Pressed,
    ScrollPreview,
    Shown,
    TabClicked,
    TerminalFocused,
    TextChanged,
)
from ccq_tui.questions.keys import action_for, hints
from ccq_tui.questions.machine import is_guarded, step
from ccq_tui.questions.outcome import Outcome
from ccq_tui.questions.state import TEXT_FOCUSES, Focus, PanelState
from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.lines import LineView
from ccq_tui.widgets.palette import COMPONENT_CLASSES, PALETTE_CSS, palette_of
from ccq_tui.widgets.question.drawing import Cache, Drawing, is_low
from ccq_tui.widgets.question.field import AnswerField
from ccq_tui.widgets.question.header import TAB_META

FIELD_LABELS = {
    Focus.OTHER: "Other, in your own words",
    Focus.NOTE: "Note beside the answer",
    Focus.FILTER: "Filter the options",
    Focus.DISCUSS: "Discuss: goes back to Claude instead of answers",
}


class QuestionPanel(Vertical):
    """Draws an open question set and turns keys and clicks into events.

    Args:
        state: The state to begin with, fresh or from a draft.
        session: The session's name.
        place: Which of how many waiting requests this is.
        clock: Returns seconds of a monotonic clock.
    """

    DEFAULT_CSS = f"""
    QuestionPanel {{
        height: 10;
        background: $surface;
        border-top: solid $ccq-rule;
        {PALETTE_CSS}
        & > #head {{ height: auto; }}
        & > #middle {{ height: 1fr; width: 100%; layout: horizontal; }}
        & #middle.-under > #list {{ width: 100%; }}
        & > #middle.-under {{ layout: vertical; }}
        & #preview {{ display: none; width: 1fr; border: round $ccq-rule; border-title-color: $ccq-muted; }}
        & #middle.-beside > #preview {{ display: block; margin: 0 1; width: 55%; }}
        & #middle.-under > #preview {{ display: block; margin: 0 2 0 3; }}
        & #middle.-large > #preview {{ display: block; width: 1fr; height: 1fr; margin: 0 1; }}
        & #middle.-large > #list {{ display: none; }}
        & > #field-label {{ height: 1; padding: 0 3; color: $ccq-muted; }}
        & > .-off {{ display: none; }}
    }}
    """
    COMPONENT_CLASSES = COMPONENT_CLASSES
    can_focus = True
    BINDINGS: ClassVar = []

    class Changed(Message):
        """The state is another one: a draft to keep."""

        def __init__(self, panel: QuestionPanel, state: PanelState) -> None:
            super().__init__()
            self.panel = panel
            self.state = state

        @property
        def control(self) -> QuestionPanel:
            """The panel."""
            return self.panel

    class Hidden(Changed):
        """The person folded the panel away; nothing is discarded."""

    class Ended(Message):
        """The person confirmed, discussed or declined the set."""

        def __init__(self, panel: QuestionPanel, outcome: Outcome) -> None:
            super().__init__()
            self.panel = panel
            self.outcome = outcome

        @property
        def control(self) -> QuestionPanel:
            """The panel."""
            return self.panel

    class EditorWanted(Message):
        """The person wants the open text in an editor of their own."""

        def __init__(self, panel: QuestionPanel, text: str) -> None:
            super().__init__()
            self.panel = panel
            self.text = text

        @property
        def control(self) -> QuestionPanel:
            """The panel."""
            return self.panel

    def __init__(
        self,
        state: PanelState,
        *,
        session: str = "",
        place: tuple[int, int] = (1, 1),
        clock: Callable[[], float] = time.monotonic,
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        self._state = state
        self._session = session
        self._place = place
        self._clock = clock
        self._cache: Cache = {}
        self._cached_for: object = None

    @property
    def state(self) -> PanelState:
        """The state drawn."""
        return self._state

    @property
    def place(self) -> tuple[int, int]:
        """Which of how many waiting requests this is."""
        return self._place

    @place.setter
    def place(self, place: tuple[int, int]) -> None:
        self._place = place
        self._draw()

    def compose(self) -> ComposeResult:
        """Build the head, the list with its preview, the text field and the keys."""
        yield Static(id="head", markup=False)
        with Container(id="middle"):
            yield LineView(id="list")
            yield LineView(id="preview")
        yield Static(id="field-label", markup=False, classes="-off")
        field = AnswerField(self._press_in_field, id="field")
        field.add_class("-off")
        yield field
        yield HintBar()

    def on_mount(self) -> None:
        """Begin the grace of a panel that nobody asked for, and draw."""
        if not self._state.hidden:
            self._state = step(self._state, Shown(self._clock()))
        self._draw()
        self._focus_where_keys_go()

    def dispatch(self, event: Event) -> None:
        """Let the machine take an event, and draw what comes of it."""
        before, after = self._state, step(self._state, event)
        if after is before or after == before:
            return
        self._state = after
        if after.outcome is not None:
            self.post_message(self.Ended(self, after.outcome))
            return
        if self.is_mounted:
            self._draw()
            self._focus_where_keys_go()
        self.post_message(self.Hidden(self, after) if after.hidden else self.Changed(self, after))

    # -- keys, pastes, clicks ---------------------------------------------------------------------------

    def on_key(self, event: events.Key) -> None:
        """Take a key pressed while no text field has the focus."""
        if self._state.focus in TEXT_FOCUSES and not self._is_panels(event):
            # Typed in one burst with the key that opened the field.
            if event.character and event.is_printable:
                self.query_one(AnswerField).insert(event.character)
                self._take_text()
                event.stop()
            return
        if self._press(event):
            event.stop()

    def _press_in_field(self, event: events.Key) -> bool:
        self._take_text()
        if self._state.focus in TEXT_FOCUSES and not self._is_panels(event):
            return False
        self._press(event)
        return True

    def _is_panels(self, event: events.Key) -> bool:
        at = self._clock()
        return is_guarded(self._state, event.key, at) or action_for(self._state, event.key) is not None

    def _press(self, event: events.Key) -> bool:
        """Send a key to the machine; return whether it meant anything here."""
        character = event.character if event.character and event.is_printable else ""
        pressed = Pressed(event.key, character, self._clock())
        if is_guarded(self._state, event.key, pressed.at):
            return True
        action = action_for(self._state, event.key, character)
        if isinstance(action, OpenEditor):
            self.post_message(self.EditorWanted(self, self._state.text))
        elif isinstance(action, ScrollPreview):
            self.query_one("#preview", LineView).scroll_relative(y=action.by, animate=False)
        elif action is not None:
            self.dispatch(pressed)
        return action is not None

    def on_paste(self, event: events.Paste) -> None:
        """Take a paste outside a text field, whole."""
        if self._state.focus in TEXT_FOCUSES:
            self.query_one(AnswerField).insert(event.text)
            self._take_text()
        else:
            self.dispatch(Pasted(event.text))
        event.stop()

    def on_app_focus(self) -> None:
        """Remember when the terminal got the focus."""
        self.dispatch(TerminalFocused(self._clock()))

    def on_click(self, event: events.Click) -> None:
        """Take a click on a row or a tab."""
        tab = event.style.meta.get(TAB_META)
        if tab is not None:
            self.dispatch(TabClicked(tab, self._clock()))
            return
        if event.widget is self.query_one("#list"):
            row = self.query_one("#list", LineView).row_at(event.y)
            if row is not None:
                self.dispatch(Clicked(row, self._clock()))

    @on(TextArea.Changed)
    def _text_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self._take_text()

    def _take_text(self) -> None:
        """Bring the state up to date with the field, before anything else is done with it."""
        field = self.query_one(AnswerField)
        if self._state.focus in TEXT_FOCUSES and field.text != self._state.text:
            self.dispatch(TextChanged(field.text))

    # -- drawing ----------------------------------------------------------------------------------------

    def on_resize(self) -> None:
        """Wrap anew; the state is untouched."""
        self._draw()

    def notify_style_update(self) -> None:
        """Draw anew when the theme changed."""
        super().notify_style_update()
        if self.is_mounted:
            self.call_later(self._draw)

    def _draw(self) -> None:
        if not self.is_mounted or not self.size.width:
            return
        self._sync_field()
        drawn = self._drawing()
        self.query_one("#head", Static).update(Text("\n").join(drawn.head))
        middle = self.query_one("#middle")
        for name in ("beside", "under", "large"):
            middle.set_class(drawn.preview_at == name, f"-{name}")
        preview = self.query_one("#preview", LineView)
        preview.border_title = drawn.preview_title
        preview.styles.height = drawn.preview_height if drawn.preview_at == "under" else None
        preview.show(drawn.preview)
        self.query_one("#list", LineView).show(drawn.lines, drawn.cursor, drawn.palette.cursor)
        self.query_one(HintBar).show(hints(self._state), drawn.right, drawn.hint_lines)
        self.styles.height = drawn.height

    def _drawing(self) -> Drawing:
        palette = palette_of(self)
        if self._cached_for != (self.size.width, palette):
            self._cached_for, self._cache = (self.size.width, palette), {}
        size = self.app.size
        return Drawing(
            self._state, self.size.width, size.height, palette, self._session, self._place, self._cache
        )

    def _sync_field(self) -> None:
        typing = self._state.focus in TEXT_FOCUSES
        field, label = self.query_one(AnswerField), self.query_one("#field-label", Static)
        field.set_class(not typing, "-off")
        label.set_class(not typing or is_low(self.app.size.height), "-off")
        if not typing:
            return
        field.put(self._state.text)
        if self._state.focus is Focus.FIELD:
            question = self._state.page.question
            if question.default and field.text == question.default and not field.has_focus:
                # Typing replaces what was only proposed.
                field.select_all()
            unit = f" in {question.unit}" if question.unit else ""
            label.update(Text(f"Your answer{unit}"))
            field.placeholder = question.placeholder
        else:
            label.update(Text(FIELD_LABELS[self._state.focus]))
            field.placeholder = ""

    def _focus_where_keys_go(self) -> None:
        """Keep the focus inside the panel, at once: the next key may be waiting already."""
        if self._state.hidden or not self.is_attached:
            return
        wanted = self.query_one(AnswerField) if self._state.focus in TEXT_FOCUSES else self
        if self.screen.focused is not wanted:
            self.screen.set_focus(wanted, scroll_visible=False)
