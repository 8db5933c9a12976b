"""The decision panel: draws a `DecisionState` and sends events to its machine."""

from __future__ import annotations

import time
from collections.abc import Callable

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult

from ccq_tui.inbox import PermissionRequest, PlanRequest
from ccq_tui.inbox.decision import (
    DecisionState,
    decide,
    decision,
    decision_hints,
    meaning,
    means_something,
    unseen_words,
)
from ccq_tui.questions.events import Clicked, Event, Pasted, Pressed, Seen, TabClicked
from ccq_tui.questions.input_guard import Meaning
from ccq_tui.text import one_line
from ccq_tui.widgets.decision.details import detail_lines, headline
from ccq_tui.widgets.decision.measures import shares
from ccq_tui.widgets.hints import hint_height
from ccq_tui.widgets.lines import Flow, Line, LineView, row_lines, wrapped
from ccq_tui.widgets.palette import Palette, palette_of
from ccq_tui.widgets.panel import RequestPanel
from ccq_tui.widgets.panel.header import title_line
from ccq_tui.widgets.panel.measures import FIELD_LINES, field_height, is_low, key_lines, most_lines
from ccq_tui.widgets.panel.notice import notice_lines
from ccq_tui.widgets.sight import SightView, more_line
from ccq_tui.widgets.texts import TextLines

DETAILS_FRAME = 6
"""Cells beside what is decided on, its scrollbar included."""
LABEL_AT = 6
"""Cells before the words of a choice."""
TEXT_SHOWN = 60
FEWEST_CHOICES = 5
"""Lines of the choices that stay where what is decided on needs the others; the rest scrolls."""
SCARCE = 7
"""Lines beside the choices without which the empty one above them is left out."""
SCROLLS = {"shift+up": -1, "shift+down": 1}
NOTHING = decision(PermissionRequest("", "", "", {}))
"""What a panel shows that asks nothing."""


class DecisionPanel(RequestPanel[DecisionState]):
    """Draws an open permission or plan and turns keys and clicks into events.

    Args:
        state: The state to begin with, fresh or from a draft; None for a panel that rests.
        session: The session's name.
        place: Which of how many waiting requests this is.
        clock: Returns seconds of a monotonic clock.
        asked_for: Whether a person opened the panel.
    """

    DEFAULT_CSS = """
    DecisionPanel {
        & > #head { height: 1; }
        & > #details { height: 1fr; margin: 0 2 0 3; }
        & > #more { height: 1; margin: 0 2 0 3; }
        & > #choices { width: 100%; }
    }
    """

    def __init__(
        self,
        state: DecisionState | None,
        *,
        session: str = "",
        place: tuple[int, int] = (1, 1),
        clock: Callable[[], float] = time.monotonic,
        asked_for: bool = False,
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(state, session=session, place=place, clock=clock, asked_for=asked_for, id=id)
        self.unseen_above: Callable[[], tuple[int, bool]] = lambda: (0, False)
        """Returns how many lines of a plan above were never on the screen, and if there are more."""
        self._head = TextLines(id="head")
        self._details = SightView(id="details")
        self._more = TextLines(id="more", classes="-off")
        self._choices = LineView(id="choices")
        self._notice = TextLines(id="field-label", classes="-off")
        self._flow = Flow(iter(()))
        self._flow_for: object = None
        self._cut = False
        """Whether what is decided on has more lines than the panel."""
        self._choices_drawn: tuple[list[Line], list[Line]] = [], []
        self._choices_for: object = None

    def compose(self) -> ComposeResult:
        """Build the head, what is decided on, the choices, the text field and the keys."""
        yield self._head
        yield self._details
        yield self._more
        yield self._choices
        yield self._notice
        yield self._field
        yield self._hints

    def _nothing(self) -> DecisionState:
        return NOTHING

    def _forget(self) -> None:
        super()._forget()
        self._flow, self._flow_for = Flow(iter(())), None

    @property
    def _typing(self) -> bool:
        return self._state.typing

    def _step(self, event: Event) -> DecisionState:
        return decide(self._state, event)

    def _meaning(self, event: Pressed | Pasted) -> Meaning:
        return meaning(self._state, event)

    def _takes(self, event: Pressed) -> bool:
        if event.key == "ctrl+g" and not self._state.hidden:
            self.dispatch(event)
            text = self._state.text if self._state.typing else self._state.current_plan
            self.post_message(self.EditorWanted(self, text))
        elif event.key in SCROLLS and not self._state.typing:
            self._details.scroll_relative(y=SCROLLS[event.key], animate=False, force=True)
        elif means_something(self._state, event.key, event.character):
            self.dispatch(event)
        else:
            return False
        return True

    def _clickable(self, event: events.MouseEvent) -> tuple[type[Clicked | TabClicked], int] | None:
        row = self._choices.row_on_screen(event.screen_offset)
        return None if row is None else (Clicked, row)

    def _sight(self) -> Seen:
        details = self._details
        plan = isinstance(self._state.request, PlanRequest)
        above, more = self.unseen_above() if plan else (0, False)
        return Seen(self._choices.rows_in_sight, details.unseen + above, details.goes_on or more)

    def _seek(self) -> None:
        self._choices.keep_cursor_in_sight()

    @on(SightView.Looked)
    def _looked(self, event: SightView.Looked) -> None:
        event.stop()
        self.look()

    def look(self) -> None:
        """Say what is true now of how much was seen."""
        if self._rests or self._state.outcome is not None or not self.is_mounted:
            return
        before, self._state = self._state, self._step(self._sight())
        if self._state.notice != before.notice:
            self._draw()
        else:
            self._say_more()

    # -- drawing --------------------------------------------------------------------------------------------

    def _field_hint(self) -> str:
        choice = self._state.choices[self._state.cursor]
        return "what Claude should know besides" if choice.allows else "what to do instead"

    def _draw_parts(self) -> int:
        palette, width, screen, state = palette_of(self), self._width, self.app.size.height, self._state
        details = self._detail_flow(palette, width)
        details.reach(most_lines(screen) + 1)
        warned = unseen_words(state, short=True) if state.warned is not None and is_low(screen) else ""
        notice = notice_lines(warned or state.notice, width, palette) if state.notice else []
        hints = decision_hints(state)
        tight, airy = self._choice_lines(palette, width)
        field = field_height(state.text, width, FIELD_LINES) if state.typing else 0
        for roomy in (True, False):
            choices = airy if roomy and len(tight) < most_lines(screen) - SCARCE else tight
            # Where not all fits, what is decided on needs the lines more than what can be read elsewhere.
            most_keys = key_lines(screen) if roomy else 1
            share = shares(
                screen,
                keys=hint_height(hints, "", width, most_keys),
                details=len(details.lines),
                choices=len(choices),
                fewest_choices=len(choices) if roomy else min(FEWEST_CHOICES, len(state.choices)),
                notice=len(notice),
                field=field,
            )
            if not share.more:
                break
        # A part that shares the rest of the height takes a line even where none is left.
        self._details.set_class(share.details <= share.more, "-off")
        self._more.set_class(not share.more, "-off")
        self._cut = share.details < len(details.lines)
        self._details.show_flow(details)
        self._say_more()
        self._choices.styles.height = share.choices
        self._choices.show(choices, state.cursor, palette.cursor)
        self._notice.set_class(not share.notice, "-off")
        self._notice.show(notice[: share.notice])
        self._field.styles.max_height = max(1, share.field)
        self._hints.show(hints, "", most_keys)
        return share.height

    def _say_more(self) -> None:
        """Say how much more there is of what is decided on: in a row under it, or else in the head."""
        palette, state, row = palette_of(self), self._state, not self._more.has_class("-off")
        instead = self.countdown
        if self._cut:
            down = ("Esc, then Shift+↓" if row else "Esc, Shift+↓") if state.typing else "Shift+↓"
            more = more_line(self._details, self._width - DETAILS_FRAME, palette, down=down, up="Shift+↑")
            self._more.show([more])
            instead = instead or ("" if row else more.plain)
        head = headline(state.request, edited=bool(state.plan))
        self._head.show([title_line(head, "", self._width, self._session, self._place, palette, instead)])

    def _detail_flow(self, palette: Palette, width: int) -> Flow:
        wanted = (width, palette, self._state.plan)
        if self._flow_for != wanted:
            self._flow_for = wanted
            source = detail_lines(self._state.request, width - DETAILS_FRAME, palette, self._state.plan)
            self._flow = Flow(source)
        return self._flow

    def _choice_lines(self, palette: Palette, width: int) -> tuple[list[Line], list[Line]]:
        """Return the choices, without and with a blank line above; the same while only the cursor moves."""
        state = self._state
        wanted = (width, palette, state.choices, state.text_row, state.text, state.typing)
        if self._choices_for != wanted:
            self._choices_for = wanted
            lines = self._made_choices(palette, width)
            self._choices_drawn = lines, [Line(Text("")), *lines]
        return self._choices_drawn

    def _made_choices(self, palette: Palette, width: int) -> list[Line]:
        lines: list[Line] = []
        for index, choice in enumerate(self._state.choices):
            label = Text(choice.label, palette.plain)
            if choice.where:
                label.append(f" · {choice.where}", palette.muted)
            if index == self._state.text_row and self._state.text and not self._state.typing:
                label.append(f"  “{one_line(self._state.text, TEXT_SHOWN)}”", palette.note)
            mark = Text(f"{choice.key or ' '}  ", palette.muted)
            lines += row_lines(wrapped(label, width - LABEL_AT - 1), index, mark, LABEL_AT, palette.accent)
        return lines
