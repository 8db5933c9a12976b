"""The decision panel: draws a `DecisionState` and sends events to its machine; it decides nothing."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Static, TextArea

from ccq_tui.inbox import RequestOutcome
from ccq_tui.inbox.decision import DecisionState, decide, decision_hints, is_guarded, means_something
from ccq_tui.questions.events import Clicked, Event, Pasted, Pressed, Shown, TerminalFocused, TextChanged
from ccq_tui.questions.machine import GRACE
from ccq_tui.text import one_line
from ccq_tui.widgets.decision.details import detail_lines, headline
from ccq_tui.widgets.hints import HintBar, hint_text
from ccq_tui.widgets.lines import Line, LineView, indented, wrapped
from ccq_tui.widgets.palette import COMPONENT_CLASSES, PALETTE_CSS, Palette, palette_of
from ccq_tui.widgets.question.drawing import MOST_OF_SCREEN, is_low
from ccq_tui.widgets.question.field import AnswerField

FEWEST_DETAILS = 2
SCROLLS = {"shift+up": -1, "shift+down": 1}


class DecisionPanel(Vertical):
    """Draws an open permission or plan and turns keys and clicks into events.

    Args:
        state: The state to begin with, fresh or from a draft.
        session: The session's name.
        place: Which of how many waiting requests this is.
        clock: Returns seconds of a monotonic clock.
    """

    DEFAULT_CSS = f"""
    DecisionPanel {{
        height: 10;
        background: $surface;
        border-top: solid $ccq-rule;
        {PALETTE_CSS}
        & > #head {{ height: 1; }}
        & > #details {{ height: 1fr; margin: 0 2 0 3; }}
        & > #choices {{ width: 100%; }}
        & > .-off {{ display: none; }}
    }}
    """
    COMPONENT_CLASSES = COMPONENT_CLASSES
    can_focus = True
    BINDINGS: ClassVar = []

    class Changed(Message):
        """The state is another one: a draft to keep."""

        def __init__(self, panel: DecisionPanel, state: DecisionState) -> None:
            super().__init__()
            self.panel = panel
            self.state = state

        @property
        def control(self) -> DecisionPanel:
            """The panel."""
            return self.panel

    class Hidden(Changed):
        """The person folded the panel away; nothing is discarded."""

    class Ended(Message):
        """The person decided."""

        def __init__(self, panel: DecisionPanel, outcome: RequestOutcome) -> None:
            super().__init__()
            self.panel = panel
            self.outcome = outcome

        @property
        def control(self) -> DecisionPanel:
            """The panel."""
            return self.panel

    class EditorWanted(Message):
        """The person wants the open text in an editor of their own."""

        def __init__(self, panel: DecisionPanel, text: str) -> None:
            super().__init__()
            self.panel = panel
            self.text = text

        @property
        def control(self) -> DecisionPanel:
            """The panel."""
            return self.panel

    def __init__(
        self,
        state: DecisionState,
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
        self._details: tuple[object, list[Line]] = (None, [])

    @property
    def state(self) -> DecisionState:
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
        """Build the head, what is decided on, the choices, the text field and the keys."""
        yield Static(id="head", markup=False)
        yield LineView(id="details")
        yield LineView(id="choices")
        field = AnswerField(self._press_in_field, id="field")
        field.add_class("-off")
        yield field
        yield HintBar(asleep=True)

    def on_mount(self) -> None:
        """Begin the grace of a panel that nobody asked for, and draw."""
        if not self._state.hidden:
            self._state = decide(self._state, Shown(self._clock()))
            self.query_one(HintBar).sleep(GRACE)
        else:
            self.query_one(HintBar).wake()
        self._draw()
        self._focus_where_keys_go()

    def dispatch(self, event: Event) -> None:
        """Let the machine take an event, and draw what comes of it."""
        after = decide(self._state, event)
        if after == self._state:
            return
        self._state = after
        if after.outcome is not None:
            self.post_message(self.Ended(self, after.outcome))
            return
        if self.is_mounted:
            self._draw()
            self._focus_where_keys_go()
        self.post_message(self.Hidden(self, after) if after.hidden else self.Changed(self, after))

    def put_text(self, text: str) -> None:
        """Put a text, such as one edited elsewhere, into the open field."""
        self.dispatch(TextChanged(text))

    def on_key(self, event: events.Key) -> None:
        """Take a key pressed while no text field has the focus."""
        if self._state.typing and not means_something(self._state, event.key):
            if event.character and event.is_printable:
                self.query_one(AnswerField).insert(event.character)
                self._take_text()
                event.stop()
            return
        if self._press(event):
            event.stop()

    def _press_in_field(self, event: events.Key) -> bool:
        self._take_text()
        at = self._clock()
        if event.key == "ctrl+g":
            self.post_message(self.EditorWanted(self, self._state.text))
            return True
        if self._state.typing and not (
            is_guarded(self._state, event.key, at) or means_something(self._state, event.key)
        ):
            return False
        return self._press(event) or not self._state.typing

    def _press(self, event: events.Key) -> bool:
        character = event.character if event.character and event.is_printable else ""
        at = self._clock()
        if event.key in SCROLLS:
            self.query_one("#details", LineView).scroll_relative(y=SCROLLS[event.key], animate=False)
            return True
        if is_guarded(self._state, event.key, at):
            return True
        if not means_something(self._state, event.key, character):
            return False
        self.dispatch(Pressed(event.key, character, at))
        return True

    def on_paste(self, event: events.Paste) -> None:
        """Take a paste outside the text field, whole."""
        self.dispatch(Pasted(event.text))
        event.stop()

    def on_app_focus(self) -> None:
        """Remember when the terminal got the focus."""
        self.dispatch(TerminalFocused(self._clock()))

    def on_click(self, event: events.Click) -> None:
        """Take a click on a choice."""
        choices = self.query_one("#choices", LineView)
        if event.widget is choices:
            row = choices.row_at(event.y)
            if row is not None:
                self.dispatch(Clicked(row, self._clock()))

    @on(TextArea.Changed)
    def _text_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self._take_text()

    def _take_text(self) -> None:
        text = self.query_one(AnswerField).text
        if self._state.typing and text != self._state.text:
            self.dispatch(TextChanged(text))

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
        palette, width, screen = palette_of(self), self.size.width, self.app.size.height
        typing = self._state.typing
        field = self.query_one(AnswerField)
        field.set_class(not typing, "-off")
        if typing:
            field.put(self._state.text)
            field.placeholder = "what to do instead"
        self.query_one("#head", Static).update(self._head(palette, width))
        details = self._detail_lines(palette, width)
        self.query_one("#details", LineView).show(details)
        choices = self._choice_lines(palette, width)
        view = self.query_one("#choices", LineView)
        view.styles.height = len(choices)
        view.show(choices, self._state.cursor, palette.cursor)
        hints, most = decision_hints(self._state), 1 if is_low(screen) else 2
        self.query_one(HintBar).show(hints, "", most)
        keys = hint_text(hints, "", width, most, palette).plain.count("\n") + 1
        around = 2 + len(choices) + keys + (min(5, self._state.text.count("\n") + 1) if typing else 0)
        self.styles.height = max(
            around + FEWEST_DETAILS, min(around + len(details), int(screen * MOST_OF_SCREEN))
        )

    def _detail_lines(self, palette: Palette, width: int) -> list[Line]:
        key = (width, palette)
        if self._details[0] != key:
            self._details = (key, detail_lines(self._state.request, width - 6, palette))
        return self._details[1]

    def _head(self, palette: Palette, width: int) -> Text:
        text = Text.assemble(
            (" ◆ ", palette.accent), (headline(self._state.request), palette.strong), no_wrap=True
        )
        if self._place[1] > 1:
            text.append(f" · {self._place[0]} of {self._place[1]}", palette.muted)
        gap = width - text.cell_len - len(self._session) - 9
        if self._session and gap > 1:
            text.append(" " * gap + f"session {self._session}", palette.muted)
        text.truncate(width, overflow="ellipsis")
        return text

    def _choice_lines(self, palette: Palette, width: int) -> list[Line]:
        lines = [] if is_low(self.app.size.height) else [Line(Text(""))]
        for index, choice in enumerate(self._state.choices):
            label = Text(choice.label, palette.plain)
            if choice.takes_text and self._state.text and not self._state.typing:
                label.append(f"  “{one_line(self._state.text, 60)}”", palette.note)
            cursor = "❯" if index == self._state.cursor else " "
            lead = Text.assemble((f" {cursor} ", palette.accent), (f"{choice.key}  ", palette.muted))
            lines += [Line(text, index) for text in indented(wrapped(label, width - 7), lead, 6)]
        if self._state.notice:
            notice = wrapped(Text(self._state.notice, palette.warning), width - 6)
            lines += [Line(text) for text in indented(notice, Text("   ⚠ ", palette.warning), 5)]
        return lines

    def _focus_where_keys_go(self) -> None:
        if self._state.hidden or not self.is_attached:
            return
        wanted = self.query_one(AnswerField) if self._state.typing else self
        if self.screen.focused is not wanted:
            self.screen.set_focus(wanted, scroll_visible=False)
