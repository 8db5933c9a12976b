"""The question panel: a docked place that draws a `PanelState` and sends events to the state machine."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from rich.text import Text
from textual import events
from textual.containers import Container
from textual.content import Content
from textual.geometry import Region
from textual.widget import Widget

from ccq_tui.config.actions import KeyPlace
from ccq_tui.questions import Kind, Option, Question, QuestionSet
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
from ccq_tui.questions.input_guard import GRACE, Meaning
from ccq_tui.questions.keys import action_for
from ccq_tui.questions.machine import meaning, step
from ccq_tui.questions.merge_partial import grown
from ccq_tui.questions.recalled import Recalled
from ccq_tui.questions.state import TEXT_FOCUSES, Arriving, Focus, Page, PanelState, opened, proposed
from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.lines import FlowView, LineView, TextLines
from ccq_tui.widgets.panel import RequestPanel
from ccq_tui.widgets.panel.form import Drawn, Effect
from ccq_tui.widgets.panel.measures import PanelLook, field_height
from ccq_tui.widgets.question.captions import TAB_META, field_hint
from ccq_tui.widgets.question.pages import forget_lines
from ccq_tui.widgets.question.picture import FIELD_AT, Cache, Picture

NOTHING = opened(QuestionSet("", (Question("", "", (Option(""),)),)))
"""State of a panel that asks nothing."""


PREVIEW_CLASSES = ("-beside", "-under", "-large")
"""Classes of the middle, by the place of the preview."""


class QuestionForm:
    """The machine of a question set, and the widgets that show it."""

    nothing = NOTHING
    places = (KeyPlace.LIST, KeyPlace.QUESTION)

    def __init__(self) -> None:
        self.head = TextLines(id="head")
        self.list = LineView(id="list")
        self.preview = FlowView(id="preview")
        self._preview_frame: tuple[Text, int | None] = (Text(), None)
        self.middle = Container(self.list, self.preview, id="middle")
        self.label = TextLines(id="field-label", classes="-off")
        self._cache: Cache = {}
        self._cached_for: object = None
        self._drawn: Picture | None = None
        self._tab: int | None = None

    def compose(self) -> Iterable[Widget]:
        return self.head, self.middle, self.label

    def forget(self) -> None:
        self._cache, self._cached_for = {}, None
        self._drawn = self._tab = None
        forget_lines()

    def keep_questions(self, before: PanelState, after: PanelState) -> None:
        """Drop the cached lines of pages that grew: the cache's keys hold everything but the question."""
        kept = {
            tab
            for tab, (old, new) in enumerate(zip(before.pages, after.pages, strict=False))
            if old.question is new.question
        }
        self._cache = {
            key: lines for key, lines in self._cache.items() if isinstance(key, tuple) and key[0] in kept
        }

    def step(self, state: PanelState, event: Event) -> PanelState:
        return step(state, event)

    def meaning(self, state: PanelState, event: Pressed | Pasted) -> Meaning:
        return meaning(state, event)

    def effect(self, state: PanelState, event: Pressed) -> Effect | None:
        """Return the effect of a key; a scroll is already done."""
        action = action_for(state, event.key, event.character)
        if isinstance(action, OpenEditor):
            return Effect.EDIT
        if isinstance(action, ScrollPreview):
            # Scroll the list where no preview is shown.
            view = self.preview if any(map(self.middle.has_class, PREVIEW_CLASSES)) else self.list
            by = action.by * max(1, view.size.height - 1) if action.pages else action.by
            view.scroll_relative(y=by, animate=False, force=True)
            return Effect.DONE
        return None if action is None else Effect.STEP

    def typing(self, state: PanelState) -> bool:
        return state.focus in TEXT_FOCUSES

    def text_to_edit(self, state: PanelState) -> str | None:
        return state.text if self.typing(state) else None

    def hint(self, state: PanelState) -> str:
        return field_hint(state)

    def proposed(self, state: PanelState) -> bool:
        return state.focus is Focus.FIELD and state.text == proposed(state.page.question)

    def under(self, event: events.MouseEvent) -> tuple[type[Clicked | TabClicked], int] | None:
        tab = event.style.meta.get(TAB_META)
        if tab is not None:
            return TabClicked, tab
        row = self.list.row_on_screen(event.screen_offset)
        return None if row is None else (Clicked, row)

    def sight(self, state: PanelState) -> Seen:
        """Return the rows on the screen; a large preview shows the one under the cursor."""
        large = self.middle.has_class("-large")
        return Seen(frozenset({state.page.cursor}) if large else self.list.rows_in_sight)

    def seek(self) -> None:
        self.list.seek_cursor()

    def draw(self, state: PanelState, look: PanelLook, hints: HintBar) -> Drawn:
        if self._cached_for != (look.width, look.palette):
            self._cached_for, self._cache = (look.width, look.palette), {}
        self._drawn = drawn = Picture(state, look, self._cache)
        for name in PREVIEW_CLASSES:
            self.middle.set_class(name == f"-{drawn.preview_at}", name)
        if drawn.preview is not None:
            self._frame_preview(
                drawn.preview_title, drawn.preview_height if drawn.preview_at == "under" else None
            )
            self.preview.show_flow(drawn.preview)
        other, self._tab = state.tab != self._tab, state.tab
        self.list.show(drawn.lines, drawn.cursor, look.palette.cursor, from_top=other and not state.in_review)
        self.head.show(drawn.head)
        typing = self.typing(state)
        self.middle.styles.height = drawn.middle if typing else "1fr"
        self.label.set_class(not drawn.label, "-off")
        self.label.show(drawn.label)
        # The blank line is above the lowest part that is not the list's.
        self.label.set_class(drawn.airy, "-airy")
        hints.set_class(drawn.airy and not drawn.label, "-airy")
        hints.show(drawn.keys)
        lines = field_height(state.text, look.width - FIELD_AT - 1, drawn.field_most)
        place = Region(FIELD_AT, drawn.height - 1 - lines, look.width - FIELD_AT - 1, lines)
        number = state.focus is Focus.FIELD and state.page.question.kind is Kind.NUMBER
        return Drawn(drawn.height, place if typing else None, number)

    def _frame_preview(self, title: Text, height: int | None) -> None:
        """Set the preview's title and height if they changed: setting either redraws, even to the same."""
        if (title, height) != self._preview_frame:
            self._preview_frame = (title, height)
            self.preview.border_title = Content.from_rich_text(Text.assemble(" ", title, " "))
            self.preview.styles.height = height


class QuestionPanel(RequestPanel[PanelState]):
    """Asks a question set."""

    DEFAULT_CSS = """
    QuestionPanel {
        & > #head { height: 1; }
        & > #field-label { height: auto; padding: 0 3; color: $ccq-muted; }
        & > #middle { height: 1fr; width: 100%; layout: horizontal; }
        & > #middle.-under { layout: vertical; }
        & #middle.-under > #list { width: 100%; }
        & #preview { display: none; width: 1fr; border: round $ccq-rule; border-title-color: $ccq-muted; }
        & #middle.-beside > #preview { display: block; margin: 0 1; width: 55%; }
        & #middle.-under > #preview, & #middle.-large > #preview {
            display: block; border: none; border-top: solid $ccq-rule; margin: 0 2 0 3;
        }
        & #middle.-large > #list { display: none; }
        & > .-airy { margin-top: 1; }
    }
    """
    FORM = QuestionForm
    form: QuestionForm
    help_place = KeyPlace.QUESTION.value

    def grow(
        self,
        questions: QuestionSet,
        arriving: Arriving | None,
        *,
        earlier: Iterable[Page] = (),
        recalled: tuple[Recalled | None, ...] = (),
    ) -> PanelState:
        """Show more of a set that is being written, or all of it once it is asked.

        Return the state, with everything typed.
        """
        self._take_text()
        before = self._state
        self._state = grown(self._state, questions, arriving, self._clock(), seen=True, earlier=earlier)
        self._state = replace(self._state, recalled=recalled)
        self.form.keep_questions(before, self._state)
        if arriving is None and self._state.grown_at is not None:
            self._hints.sleep(GRACE)
        self._draw()
        return self._state
