"""The question panel: a docked place that draws a `PanelState` and sends events to the state machine.

It decides nothing: a key goes to the machine, and what comes back is drawn.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ClassVar, TypeAlias

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.geometry import Size
from textual.screen import Screen
from textual.widgets import TextArea

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
from ccq_tui.questions.keys import action_for
from ccq_tui.questions.machine import GRACE, is_guarded, step
from ccq_tui.questions.state import TEXT_FOCUSES, PanelState, typable
from ccq_tui.widgets.palette import COMPONENT_CLASSES, palette_of
from ccq_tui.widgets.question import messages
from ccq_tui.widgets.question.drawing import Cache, Drawing
from ccq_tui.widgets.question.face import CSS, Face
from ccq_tui.widgets.question.header import TAB_META

KEPT_KEYS = frozenset({"tab", "shift+tab"})
"""Keys that would move the focus out of the panel where they mean nothing in it."""


class QuestionPanel(Vertical):
    """Draws an open question set and turns keys and clicks into events.

    Args:
        state: The state to begin with, fresh or from a draft.
        session: The session's name.
        place: Which of how many waiting requests this is.
        clock: Returns seconds of a monotonic clock.
    """

    DEFAULT_CSS = CSS
    COMPONENT_CLASSES = COMPONENT_CLASSES
    can_focus = True
    BINDINGS: ClassVar = []

    Changed: TypeAlias = messages.Changed
    Hidden: TypeAlias = messages.Hidden
    Ended: TypeAlias = messages.Ended
    EditorWanted: TypeAlias = messages.EditorWanted

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
        self._face = Face(self._take_key)
        self._cache: Cache = {}
        self._cached_for: object = None
        self._drawn_for = Size(0, 0)

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
        yield from self._face.compose()

    def on_mount(self) -> None:
        """Begin the grace of a panel that nobody asked for, and draw."""
        if not self._state.hidden:
            self._state = step(self._state, Shown(self._clock()))
            self._face.hints.sleep(GRACE)
        else:
            self._face.hints.wake()
        self._draw()
        self._take_focus()
        self.watch(self.app, "app_focus", self._terminal_focused, init=False)
        self.screen.screen_layout_refresh_signal.subscribe(self, self._laid_out)

    def dispatch(self, event: Event) -> None:
        """Let the machine take an event, and draw what comes of it."""
        if not isinstance(event, TextChanged):
            self._take_text()
        before, after = self._state, step(self._state, event)
        if after is before or after == before:
            return
        self._state = after
        if after.outcome is not None:
            self.post_message(self.Ended(self, after.outcome))
            return
        if self.is_mounted:
            self._draw()
            self._take_focus()
        self.post_message(self.Hidden(self, after) if after.hidden else self.Changed(self, after))

    def put_text(self, text: str) -> None:
        """Put a text back into the open field, such as one that came out of an editor."""
        text = typable(text)
        if not self._state.text.endswith("\n"):
            # Editors end a file with a newline that nobody typed.
            text = text.removesuffix("\n")
        self.dispatch(TextChanged(text))

    # -- keys, pastes, clicks -------------------------------------------------------------------------------

    async def on_key(self, event: events.Key) -> None:
        """Take a key: the panel's own first, then what edits the open text."""
        taken = self._take_key(event)
        if not taken and self._state.focus in TEXT_FOCUSES and not self._state.hidden:
            taken = await self._face.field.edits_with(event)
            self._take_text()
        if taken or event.key in KEPT_KEYS:
            event.stop()
            event.prevent_default()

    def _take_key(self, event: events.Key) -> bool:
        """Send a key to the machine; return whether it meant anything here."""
        self._take_text()
        state, at = self._state, self._clock()
        character = event.character if event.character and event.is_printable else ""
        if is_guarded(state, event.key, at):
            return True
        action = action_for(state, event.key, character)
        if isinstance(action, OpenEditor):
            self.post_message(self.EditorWanted(self, state.text))
        elif isinstance(action, ScrollPreview):
            self._face.scroll(action.by, self._drawing().preview_at)
        elif action is not None:
            self.dispatch(Pressed(event.key, character, at))
        return action is not None

    def on_paste(self, event: events.Paste) -> None:
        """Take a paste, whole."""
        event.stop()
        if self._state.focus in TEXT_FOCUSES and not self._state.hidden:
            self._face.field.type(event.text)
            self._take_text()
        else:
            self.dispatch(Pasted(event.text))

    def on_click(self, event: events.Click) -> None:
        """Take a click on a row or a tab."""
        tab = event.style.meta.get(TAB_META)
        if tab is not None:
            self.dispatch(TabClicked(tab, self._clock()))
        elif (row := self._face.row_at(event.screen_offset)) is not None:
            self.dispatch(Clicked(row, self._clock()))

    @on(TextArea.Changed)
    def _text_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self._take_text()

    def _take_text(self) -> None:
        """Bring the state up to date with the field, before anything else is done with it."""
        field = self._face.field
        if not field.is_mounted or field.has_class("-off") or self._state.focus not in TEXT_FOCUSES:
            return
        if field.text != self._state.text:
            self.dispatch(TextChanged(field.text))

    def _terminal_focused(self, focused: bool) -> None:
        if focused:
            self.dispatch(TerminalFocused(self._clock()))

    # -- drawing --------------------------------------------------------------------------------------------

    def on_resize(self) -> None:
        """Wrap anew; the state is untouched."""
        self._draw()

    def on_show(self) -> None:
        """Take the focus again after having been hidden."""
        self._draw()
        self._take_focus()

    def watch_has_focus(self, has_focus: bool) -> None:
        """Show the caret while the panel has the focus."""
        super().watch_has_focus(has_focus)
        if self.is_mounted:
            self._face.sync_field(self._state, focused=has_focus)

    def on_blur(self) -> None:
        """Take the focus back when nobody else got it: what had it before may give it up late."""
        if self.app.app_focus and self.is_attached and self.screen.focused is None and self.display:
            self._take_focus()

    def notify_style_update(self) -> None:
        """Draw anew when the theme changed."""
        super().notify_style_update()
        if self.is_mounted:
            self.call_later(self._draw)

    def _laid_out(self, _screen: Screen[object]) -> None:
        """Draw anew when the screen got another height: the panel's own size may be the same."""
        if self._drawn_for != self.app.size:
            self._draw()

    def _draw(self) -> None:
        if not self.is_mounted or not self.is_attached:
            return
        self._drawn_for = self.app.size
        self._face.sync_field(self._state, focused=self.has_focus)
        drawn = self._drawing()
        self._face.draw(drawn)
        self.styles.height = drawn.height

    def _drawing(self) -> Drawing:
        palette = palette_of(self)
        width = self.size.width or self.app.size.width
        if self._cached_for != (width, palette):
            self._cached_for, self._cache = (width, palette), {}
        height = self.app.size.height
        return Drawing(self._state, width, height, palette, self._session, self._place, self._cache)

    def _take_focus(self) -> None:
        """Take the focus and keep it, at once: the next key may be waiting already."""
        if not self._state.hidden and self.is_attached and self.screen.focused is not self:
            self.screen.set_focus(self, scroll_visible=False)
