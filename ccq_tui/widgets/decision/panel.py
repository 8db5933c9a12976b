"""The decision panel: draws a `DecisionState` and sends events to its machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from rich.cells import cell_len
from rich.text import Text
from textual import events, on
from textual.geometry import Region
from textual.widget import Widget

from ccq_tui.config.keymap import keymap
from ccq_tui.inbox.decision import (
    DECISION_ACTIONS,
    DecisionState,
    decide,
    decision_hints,
    enter_does,
    enter_lasts,
    kind_of,
    means_something,
    unseen_words,
)
from ccq_tui.inbox.file_diff import CONTEXT, hunks_of
from ccq_tui.inbox.kinds import permission
from ccq_tui.inbox.requests import PermissionRequest, PlanRequest
from ccq_tui.input.gate import KeyKind, Stroke
from ccq_tui.input.keys import Does, KeyPlace
from ccq_tui.questions.events import Clicked, Pressed, Seen, TabClicked
from ccq_tui.text import one_line
from ccq_tui.widgets.decision.details import FRAME, asides, detail_lines, flow_lines, headline, plan_above
from ccq_tui.widgets.hints import NARROW, HintBar
from ccq_tui.widgets.lifetime import after_refresh
from ccq_tui.widgets.lines import DrawnLine, Flow, LineView, TextLines, row_lines, wrapped
from ccq_tui.widgets.panel import RequestPanel, measures
from ccq_tui.widgets.panel.form import Drawn, Effect, name_of
from ccq_tui.widgets.panel.measures import PanelLook
from ccq_tui.widgets.sight import SightView, more_line

LABEL_AT = 6
"""Cells before the words of a choice, and before the text typed along with one."""
TEXT_SHOWN = 60
AROUND = 2
"""The lines of the head and of the keys."""
FEWEST_DETAILS = 2
"""Lines of details that do not fit: one of them, and the row that counts the others."""
FITS = ((CONTEXT, True), (1, True), (0, True), (0, False))
"""Lines around a change, and whether the words about the call are there: less where not all would fit."""
FEW = frozenset({"Enter", "Esc"})
SCROLLS = {"scroll_up": -1, "scroll_down": 1}
PAGES = {"page_up": -1, "page_down": 1}
PAGE_KEYS = {"pageup": -1, "pagedown": 1}
"""Keys that page enlarged details; else they scroll the transcript."""
NOBODY_ASKS = PermissionRequest("", "", "", {})
NOTHING = DecisionState(NOBODY_ASKS, permission.asked(NOBODY_ASKS).question)
"""State of a panel that asks nothing."""


def stands_above(state: DecisionState) -> bool:
    """Whether the transcript above shows what is decided: a plan as proposed, in room of its own."""
    return isinstance(state.request, PlanRequest) and not (state.plan or state.large)


class DecisionForm:
    """The machine of a decision, and the widgets that show it."""

    nothing = NOTHING
    step = staticmethod(decide)

    def __init__(self) -> None:
        self._head = TextLines(id="head")
        self._details = SightView(id="details")
        self._more = TextLines(id="more", classes="-off")
        self._choices = LineView(id="choices")
        self._notice = TextLines(id="field-label")
        self._cut = False
        """Whether the details have more lines than the panel shows."""
        self._aside: list[Text] = []
        self._flows: dict[object, Flow] = {}
        self._flows_for: object = None
        self._seen_whole: object = None
        """The request and its plan, once all of its details were on the screen."""

    def compose(self) -> Iterable[Widget]:
        return self._head, self._details, self._more, self._choices, self._notice

    def forget(self) -> None:
        self._flows, self._seen_whole = {}, None

    def kind(self, state: DecisionState, event: Pressed | Clicked | TabClicked) -> KeyKind:
        if isinstance(event, Pressed):
            return kind_of(state, event)
        return KeyKind.DECIDE if event == Clicked(state.cursor) else KeyKind.ACT

    def lasts(self, state: DecisionState, event: Pressed) -> bool:
        return event.key == "enter" and enter_lasts(state)

    def decides(self, state: DecisionState) -> object:
        return state.cursor, state.typing, enter_does(state), state.request.id, state.hidden

    def again(self, state: DecisionState, key: Stroke) -> str:
        return f"{name_of(key)} again {Does(enter_does(state)).again}"

    def takes_words(self, _state: DecisionState) -> bool:
        return True

    def effect(self, state: DecisionState, event: Pressed) -> Effect | None:
        """Return the effect of a key; a scroll is already done."""
        action = DECISION_ACTIONS.get(event.key, "")
        if action == "edit" and not state.hidden:
            return Effect.EDIT
        lines = SCROLLS.get(action, 0) if not state.typing else 0
        pages = PAGES.get(action, 0) if not (state.typing and event.character) else 0
        pages = pages or (PAGE_KEYS.get(event.key, 0) if state.large else 0)
        if (lines or pages) and not state.hidden:
            by = lines or pages * max(1, self._details.size.height - 1)
            self._details.scroll_relative(y=by, animate=False, force=True)
            return Effect.DONE
        return Effect.STEP if means_something(state, event.key, event.character) else None

    def text_to_edit(self, state: DecisionState) -> str:
        return state.text if state.typing else state.current_plan

    def hint(self, state: DecisionState) -> str:
        allows = state.acts[state.cursor].allows
        return "what else Claude should know" if allows else "what to do instead"

    def proposed(self, _state: DecisionState) -> bool:
        return False

    def under(self, event: events.MouseEvent) -> tuple[type[Clicked | TabClicked], int] | None:
        row = self._choices.row_on_screen(event.screen_offset)
        return None if row is None else (Clicked, row)

    def sight(self, state: DecisionState, unseen_above: Callable[[], tuple[int, bool]]) -> Seen:
        """Return the choices on the screen, and how much of the details was never seen."""
        plan = isinstance(state.request, PlanRequest)
        above, more = unseen_above() if plan and not state.large else (0, False)
        unseen, more = self._details.unseen + above, more or self._details.goes_on
        here = (state.request.id, state.plan)
        if not (unseen or more) and self._details.lines:
            self._seen_whole = here
        rows = frozenset[int]() if state.large else self._choices.rows_in_sight
        return Seen(rows, unseen, more) if self._seen_whole != here else Seen(rows, 0)

    def seek(self) -> None:
        self._choices.keep_cursor_in_sight()

    def draw(self, state: DecisionState, look: PanelLook, hints: HintBar) -> Drawn:
        width, screen, low = look.width, look.screen_height, measures.is_low(look.screen_height)
        warned = unseen_words(state, short=True) if state.warned is not None and low else ""
        notice = measures.notice_lines(warned or state.notice, width, look.palette) if state.notice else []
        most = measures.most_lines(screen, measures.SHARES[1]) - AROUND
        above = stands_above(state)
        shortest = self._detail_flow(state, look, *FITS[-1])
        shortest.reach(most)
        needs = len(shortest.lines) + above
        choices, field = self._fitted_choices(state, look, most - len(notice) - min(FEWEST_DETAILS, needs))
        free = max(0, most - len(choices) - needs)
        # A notice takes no line of what is allowed: without room of its own, it takes the place of the row
        # that counts what is out of sight, else of the keys.
        aside, notice = notice[: not free], notice[:free]
        details = self._fitted_details(state, look, most - len(choices) - len(notice))
        lines = len(details.lines) + above
        needed = AROUND + lines + len(choices) + len(notice)
        room = (most if state.large else measures.cap(screen, needed) - AROUND) - len(notice)
        rows = min(lines, max(1, room - len(choices)))
        shown = min(len(choices), room - rows)
        spare = 0 if low or state.large else room - rows - shown
        gap, end = (1 if spare > 0 else 0), (1 if spare > 1 else 0)
        self._cut = cut = rows < lines
        self._aside = aside if rows > 1 and cut else []
        says = bool(above or (cut and rows > 1))
        self._details.styles.height = rows - says
        self._more.set_class(not says, "-off")
        self._details.show_flow(details)
        self._choices.set_class(not choices, "-off")
        self._choices.styles.height = gap + shown + end
        drawn = [DrawnLine(Text(""))] * gap + choices
        # Equal lines are the same ones: then a move draws two rows.
        drawn = self._choices.lines if drawn == self._choices.lines else drawn
        self._choices.show(drawn, state.cursor, look.palette.cursor)
        self._notice.show(notice)
        self.say_more(state, look)
        keys = decision_hints(state, pages=cut, chosen=keymap().keys)
        if width < NARROW:  # the row that says what is out of sight names the keys that show it
            keys = tuple(hint for hint in keys if hint[0] != "p" and (hint[0] in FEW or not state.large))
        said = aside[0].plain.strip() if aside and not self._aside else ""
        hints.show((("", said), *(hint for hint in keys if hint[0] == "Esc")) if said else keys)
        at = next((y for y, line in enumerate(choices) if line.row == state.cursor), 0)
        place = Region(LABEL_AT, 1 + rows + gap + at, width - LABEL_AT - 1, field)
        return Drawn(AROUND + rows + gap + shown + end + len(notice), place if state.typing else None)

    def _fitted_choices(
        self, state: DecisionState, look: PanelLook, room: int
    ) -> tuple[list[DrawnLine], int]:
        """Return the lines of the choices, and how many of them are the open text's."""
        if state.large:
            return [], 0
        field = measures.field_height(state.text, look.width - LABEL_AT - 1) if state.typing else 0
        choices = self._choice_lines(state, look, field)
        if len(choices) <= room or not state.typing:
            return choices, field
        if (fewer := field - (len(choices) - room)) > 0:
            return self._choice_lines(state, look, fewer), fewer
        # Only the field is left: a person types in it.
        field = max(1, min(field, room))
        return [line for line in self._choice_lines(state, look, field) if line.row == state.cursor], field

    def _fitted_details(self, state: DecisionState, look: PanelLook, room: int) -> Flow:
        """Return the details with as much beside the call itself as there is room for."""
        enough = max(measures.most_lines(look.screen_height, measures.SHARES[1]), room) + 1
        for kept in FITS[:1] if state.large else FITS:
            details = self._detail_flow(state, look, *kept)
            details.reach(enough)
            if len(details.lines) <= room:
                break
        return details

    def say_more(self, state: DecisionState, look: PanelLook) -> None:
        """Say what is out of sight: in a row under the details, and in the head of enlarged ones."""
        palette, view, narrow = look.palette, self._details, look.width < NARROW
        instead = look.countdown
        if self._aside:
            self._more.show(self._aside)
        elif isinstance(state.request, PlanRequest) and stands_above(state):
            style = palette.warning if state.unseen else palette.muted
            self._more.show([Text(plan_above(state.request, state.unseen, look.width), style)])
        elif self._cut:
            keys = ("Space page" if state.large or not narrow else "", "" if state.large else "p all")
            down = "Shift+PgDn" if state.typing else " · ".join(key for key in keys if key)
            more = more_line(view, look.width - FRAME, palette, down=down, up="Shift+PgUp")
            self._more.show([more])
            instead = instead or (more.plain if self._more.has_class("-off") else "")
        words = headline(state.request, look.width, look.directory, edited=bool(state.plan))
        if state.large:
            last = min(len(view.lines), view.above + max(1, view.size.height))
            words += f" · {view.above + 1}–{last} of {'over ' if view.goes_on else ''}{len(view.lines):,}"
        head = Text.assemble(("◆ ", palette.accent), (words, palette.strong))
        if getattr(state.request, "danger", ""):
            head.highlight_regex("⚠.*", palette.warning)
        self._head.show([measures.head_line("", [head], 0, replace(look, countdown=instead))])

    def _detail_flow(self, state: DecisionState, look: PanelLook, context: int, about: bool) -> Flow:
        change = hunks_of(getattr(state.request, "change", None))
        plan = isinstance(state.request, PlanRequest) and state.large and not state.plan
        drawn = (context if change else CONTEXT, about, plan)
        wanted = (state.request.id, look.width, look.palette, state.plan, look.directory)
        if self._flows_for != wanted:
            self._flows_for, self._flows = wanted, {}
        if drawn not in self._flows:
            room = look.width - FRAME + (look.width < NARROW)
            self._flows[drawn] = Flow(
                flow_lines(state.current_plan.rstrip(), look.palette.plain, room)
                if plan
                else detail_lines(state.request, room, look.palette, state.plan, look.directory, context),
                asides(state.request, room, look.palette, look.directory) if about else None,
            )
        return self._flows[drawn]

    def _choice_lines(self, state: DecisionState, look: PanelLook, field: int) -> list[DrawnLine]:
        """Return the choices, an open text in ``field`` lines; no grant is ever cut."""
        lines: list[DrawnLine] = []
        palette, narrow = look.palette, look.width < NARROW
        room = look.width - LABEL_AT - (not narrow)
        for index, choice in enumerate(state.acts):
            whole = state.question.options[index].label
            label = Text(choice.brief if choice.brief and narrow else whole, palette.plain)
            if index == state.text_row and state.text:
                label.append(f"  “{one_line(state.text, TEXT_SHOWN)}”", palette.note)
            texts = wrapped(label, room)
            if choice.where and not measures.is_low(look.screen_height):
                beside = label.cell_len + cell_len(choice.where) + 3 <= room
                where = Text(f" · {choice.where}" if beside else choice.where, palette.muted)
                texts = [label.append_text(where)] if beside else [*texts, *wrapped(where, room)]
            if state.typing and index == state.text_row:
                texts = [Text("")] * field
            mark = Text(f"{choice.key if len(choice.key) == 1 else ' '}  ", palette.muted)
            lines += row_lines(texts, index, mark, LABEL_AT, palette.accent)
        return lines


class DecisionPanel(RequestPanel[DecisionState]):
    """Asks for a permission, or for the approval of a plan."""

    DEFAULT_CSS = """
    DecisionPanel {
        & > #head { height: 1; }
        & > #details { margin: 0 0 0 3; scrollbar-size-vertical: 0; }
        & > #more { height: 1; margin: 0 0 0 3; }
        & > #choices { width: 100%; scrollbar-size-vertical: 0; }
    }
    """
    FORM = DecisionForm
    form: DecisionForm
    help_place = KeyPlace.DECISION

    def _draw(self) -> None:
        super()._draw()
        after_refresh(self, self.look)  # only then it is known which choices are on the screen

    @on(SightView.Looked)
    def _looked(self, event: SightView.Looked) -> None:
        event.stop()
        self.look()

    def look(self) -> None:
        """Update how much of the details was seen."""
        if self._rests or self._state.outcome is not None or not self.is_mounted:
            return
        before, self._state = self._state, self._in_sight()
        if self._state.notice != before.notice or decision_hints(self._state) != decision_hints(before):
            self._draw()
        else:
            self.form.say_more(self._state, self._look())
