"""The question panel: a docked place that draws a `PanelState` and sends events to the state machine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from textual import events
from textual.app import ComposeResult

from ccq_tui.config.actions import Place
from ccq_tui.questions import Option, Question, QuestionSet
from ccq_tui.questions.events import (
    Clicked,
    Event,
    OpenEditor,
    Pasted,
    Pressed,
    ScrollPreview,
    Seen,
    TabClicked,
)
from ccq_tui.questions.growth import grown
from ccq_tui.questions.input_guard import GRACE, Meaning
from ccq_tui.questions.keys import action_for
from ccq_tui.questions.machine import meaning, step
from ccq_tui.questions.state import TEXT_FOCUSES, Arriving, Focus, Page, PanelState, opened, proposed
from ccq_tui.widgets.palette import palette_of
from ccq_tui.widgets.panel import RequestPanel
from ccq_tui.widgets.question.asking import field_hint
from ccq_tui.widgets.question.drawing import Cache, Drawing
from ccq_tui.widgets.question.face import CSS, Face
from ccq_tui.widgets.question.header import TAB_META

NOTHING = opened(QuestionSet("", (Question("", "", (Option(""),)),)))
"""What a panel shows that asks nothing."""


class QuestionPanel(RequestPanel[PanelState]):
    """Draws an open question set and turns keys and clicks into events.

    Args:
        state: The state to begin with, fresh or from a draft; None for a panel that rests.
        session: The session's name.
        place: Which of how many waiting requests this is.
        clock: Returns seconds of a monotonic clock.
        asked_for: Whether a person opened the panel.
    """

    DEFAULT_CSS = CSS
    PLACES = (Place.LIST, Place.QUESTION)

    def __init__(
        self,
        state: PanelState | None,
        *,
        session: str = "",
        place: tuple[int, int] = (1, 1),
        clock: Callable[[], float] = time.monotonic,
        asked_for: bool = False,
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(state, session=session, place=place, clock=clock, asked_for=asked_for, id=id)
        self._face = Face(self._field, self._hints)
        self._cache: Cache = {}
        self._cached_for: object = None

    def compose(self) -> ComposeResult:
        """Build the head, the list with its preview, the text field and the keys."""
        yield from self._face.compose()

    def _nothing(self) -> PanelState:
        return NOTHING

    def _forget(self) -> None:
        super()._forget()
        self._cache, self._cached_for = {}, None

    @property
    def _typing(self) -> bool:
        return self._state.focus in TEXT_FOCUSES

    def _step(self, event: Event) -> PanelState:
        return step(self._state, event)

    def _meaning(self, event: Pressed | Pasted) -> Meaning:
        return meaning(self._state, event)

    def _takes(self, event: Pressed) -> bool:
        action = action_for(self._state, event.key, event.character)
        if isinstance(action, OpenEditor):
            self.dispatch(event)
            if self._typing:
                self.post_message(self.EditorWanted(self, self._state.text))
        elif isinstance(action, ScrollPreview):
            self._face.scroll(action.by, self._drawing().preview_at)
        elif action is not None:
            self.dispatch(event)
        return action is not None

    def grow(
        self, questions: QuestionSet, arriving: Arriving | None, *, earlier: Iterable[Page] = ()
    ) -> PanelState:
        """Show more of a set that is still being written.

        Args:
            questions: The set as far as it is here.
            arriving: How much that is; None when it is asked.
            earlier: Pages of sets that were closed, whose drafts come back.

        Returns:
            The state, with all that was selected and typed.
        """
        self._take_text()
        before = self._state
        self._state = grown(self._state, questions, arriving, self._clock(), seen=True, earlier=earlier)
        self._forget_changed(before)
        if arriving is None and self._state.grown_at is not None:
            self._hints.sleep(GRACE)
        self._draw()
        return self._state

    def _forget_changed(self, before: PanelState) -> None:
        """Lay out anew what grew: lines are remembered by everything but their question."""
        kept = {
            tab
            for tab, (old, new) in enumerate(zip(before.pages, self._state.pages, strict=False))
            if old.question is new.question
        }
        self._cache = {
            key: lines for key, lines in self._cache.items() if isinstance(key, tuple) and key[0] in kept
        }

    def _clickable(self, event: events.MouseEvent) -> tuple[type[Clicked | TabClicked], int] | None:
        tab = event.style.meta.get(TAB_META)
        if tab is not None:
            return TabClicked, tab
        row = self._face.list.row_on_screen(event.screen_offset)
        return None if row is None else (Clicked, row)

    def _sight(self) -> Seen:
        return Seen(self._face.rows_in_sight(self._state.page.cursor))

    def _seek(self) -> None:
        self._face.list.keep_cursor_in_sight()

    def _field_hint(self) -> str:
        return field_hint(self._state)

    def _text_came(self) -> None:
        if self._state.focus is Focus.FIELD and self._state.text == proposed(self._state.page.question):
            # Typing replaces what was only proposed.
            self._field.select_all()

    def _draw_parts(self) -> int:
        drawn = self._drawing()
        self._face.draw(drawn)
        return drawn.height

    def _drawing(self) -> Drawing:
        palette, width = palette_of(self), self._width
        if self._cached_for != (width, palette):
            self._cached_for, self._cache = (width, palette), {}
        height = self.app.size.height
        return Drawing(
            self._state, width, height, palette, self._session, self._place, self._cache, self.countdown
        )
