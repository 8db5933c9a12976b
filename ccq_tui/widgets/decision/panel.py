"""The decision panel: draws the acts of a permission or a plan, and what is decided."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from rich.cells import cell_len
from rich.text import Text
from textual import events, on
from textual.geometry import Region
from textual.widget import Widget

from ccq_tui import signs
from ccq_tui.config.keymap import keymap
from ccq_tui.inbox.choices import permission_asked
from ccq_tui.inbox.draft import Draft
from ccq_tui.inbox.file_diff import CONTEXT, hunks_of
from ccq_tui.inbox.requests import PermissionRequest, PlanRequest
from ccq_tui.input.keys import KeyPlace
from ccq_tui.questions import acts
from ccq_tui.questions.events import Clicked, Seen, TabClicked
from ccq_tui.questions.state import PanelState, opened
from ccq_tui.text import one_line
from ccq_tui.widgets.decision.details import FRAME, asides, detail_lines, flow_lines, headline, plan_above
from ccq_tui.widgets.hints import NARROW, HintBar
from ccq_tui.widgets.lifetime import after_refresh
from ccq_tui.widgets.lines import (
    DrawnLine,
    Flow,
    LineView,
    SightView,
    TextLines,
    more_line,
    row_lines,
    wrapped,
)
from ccq_tui.widgets.panel import RequestPanel, measures
from ccq_tui.widgets.panel.measures import Drawn, PanelLook
from ccq_tui.widgets.question import QuestionPanel
from ccq_tui.widgets.question.panel import QuestionForm
from ccq_tui.widgets.question.parts import unseen_words

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
NOBODY_ASKS = PermissionRequest("", "", "", {})
NOTHING = opened(permission_asked(NOBODY_ASKS).questions)
"""State of a panel that asks nothing."""


def stands_above(state: PanelState, look: PanelLook) -> bool:
    """Whether the transcript above shows what is decided: a plan as proposed, in room of its own."""
    return isinstance(look.request, PlanRequest) and not (state.edited or state.large)


class DecisionForm(QuestionForm):
    """The acts of a permission or a plan, under the details of that."""

    nothing = NOTHING

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

    def scroll(self, by: int, *, pages: bool = False) -> bool:
        by *= max(1, self._details.size.height - 1) if pages else 1
        self._details.scroll_relative(y=by, animate=False, force=True)
        return True

    def hint(self, state: PanelState) -> str:
        act = acts.under(state)
        return "what else Claude should know" if act is not None and act.allows else "what to do instead"

    def under(self, event: events.MouseEvent) -> tuple[type[Clicked | TabClicked], int] | None:
        row = self._choices.row_on_screen(event.screen_offset)
        return None if row is None else (Clicked, row)

    def sight(self, state: PanelState, unseen_above: Callable[[], tuple[int, bool]]) -> Seen:
        """Return the choices on the screen, and how much of the details was never seen."""
        above, more = unseen_above() if state.questions.editable and not state.large else (0, False)
        unseen, more = self._details.unseen + above, more or self._details.goes_on
        here = (state.questions.id, state.edited)
        if not (unseen or more) and self._details.lines:
            self._seen_whole = here
        rows = frozenset[int]() if state.large else self._choices.rows_in_sight
        return Seen(rows, unseen, more) if self._seen_whole != here else Seen(rows, 0)

    def seek(self) -> None:
        self._choices.keep_cursor_in_sight()

    def draw(self, state: PanelState, look: PanelLook, hints: HintBar) -> Drawn:
        width, screen, low = look.width, look.screen_height, measures.is_low(look.screen_height)
        above = stands_above(state, look)
        said = state.aside or unseen_words(state, short=low, counted=above)
        notice = measures.notice_lines(said, width, look.palette) if said else []
        most = measures.most_lines(screen, measures.SHARES[1]) - AROUND
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
        gap, lead, end = (int(spare > enough) for enough in range(3))
        self._cut = cut = rows < lines
        self._aside = aside if rows > 1 and cut else []
        says = bool(above or (cut and rows > 1))
        self._head.styles.height = 1 + lead
        self._details.styles.height = rows - says
        self._more.set_class(not says, "-off")
        self._details.show_flow(details)
        self._choices.set_class(not choices, "-off")
        self._choices.styles.height = gap + shown + end
        drawn = [DrawnLine(Text(""))] * gap + choices
        # Equal lines are the same ones: then a move draws two rows.
        drawn = self._choices.lines if drawn == self._choices.lines else drawn
        self._choices.show(drawn, state.page.cursor, look.palette.cursor)
        self._notice.show(notice)
        self.say_more(state, look)
        keys = acts.hints(state, pages=cut, chosen=keymap().keys)
        if width < NARROW:  # the row that says what is out of sight names the keys that show it
            keys = tuple(hint for hint in keys if hint[0] != "p" and (hint[0] in FEW or not state.large))
        said = aside[0].plain.strip() if aside and not self._aside else ""
        hints.show((("", said), *(hint for hint in keys if hint[0] == "Esc")) if said else keys)
        at = next((y for y, line in enumerate(choices) if line.row == state.page.cursor), 0)
        place = Region(LABEL_AT, 1 + lead + rows + gap + at, width - LABEL_AT - 1, field)
        height = AROUND + lead + rows + gap + shown + end + len(notice)
        return Drawn(height, place if state.typing else None)

    def _fitted_choices(self, state: PanelState, look: PanelLook, room: int) -> tuple[list[DrawnLine], int]:
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
        return [
            line for line in self._choice_lines(state, look, field) if line.row == state.page.cursor
        ], field

    def _fitted_details(self, state: PanelState, look: PanelLook, room: int) -> Flow:
        """Return the details with as much beside the call itself as there is room for."""
        enough = max(measures.most_lines(look.screen_height, measures.SHARES[1]), room) + 1
        for kept in FITS[:1] if state.large else FITS:
            details = self._detail_flow(state, look, *kept)
            details.reach(enough)
            if len(details.lines) <= room:
                break
        return details

    def say_more(self, state: PanelState, look: PanelLook) -> None:
        """Say what is out of sight: in a row under the details, and in the head of enlarged ones."""
        palette, view, narrow = look.palette, self._details, look.width < NARROW
        instead = look.countdown
        if self._aside:
            self._more.show(self._aside)
        elif stands_above(state, look):
            style = palette.warning if state.unseen else palette.muted
            self._more.show([Text(plan_above(look.request.plan, state.unseen, look.width), style)])
        elif self._cut:
            keys = ("Space page" if state.large or not narrow else "", "" if state.large else "p all")
            down = "Shift+PgDn" if state.typing else " · ".join(key for key in keys if key)
            more = more_line(view, look.width - FRAME, palette, down=down, up="Shift+PgUp")
            self._more.show([more])
            instead = instead or (more.plain if self._more.has_class("-off") else "")
        words = headline(look.request, look.width, look.directory, edited=bool(state.edited))
        if state.large:
            last = min(len(view.lines), view.above + max(1, view.size.height))
            words += f" · {view.above + 1}–{last} of {'over ' if view.goes_on else ''}{len(view.lines):,}"
        head = Text.assemble((f"{signs.WAITS} ", palette.warning), (words, palette.strong))
        if getattr(look.request, "danger", ""):
            head.highlight_regex("⚠.*", palette.warning)
        self._head.show([measures.head_line("", [head], 0, replace(look, countdown=instead))])

    def _detail_flow(self, state: PanelState, look: PanelLook, context: int, about: bool) -> Flow:
        change = hunks_of(getattr(look.request, "change", None))
        plan = isinstance(look.request, PlanRequest) and state.large and not state.edited
        drawn = (context if change else CONTEXT, about, plan)
        wanted = (state.questions.id, look.width, look.palette, state.edited, look.directory)
        if self._flows_for != wanted:
            self._flows_for, self._flows = wanted, {}
        if drawn not in self._flows:
            room = look.width - FRAME + (look.width < NARROW)
            self._flows[drawn] = Flow(
                flow_lines(state.questions.editable.rstrip(), look.palette.plain, room)
                if plan
                else detail_lines(look.request, room, look.palette, state.edited, look.directory, context),
                asides(look.request, room, look.palette, look.directory) if about else None,
            )
        return self._flows[drawn]

    def _choice_lines(self, state: PanelState, look: PanelLook, field: int) -> list[DrawnLine]:
        """Return the choices, an open text in ``field`` lines; no grant is ever cut."""
        lines: list[DrawnLine] = []
        palette, narrow = look.palette, look.width < NARROW
        room = look.width - LABEL_AT - (not narrow)
        draft, options = state.page.draft, state.page.question.options
        for index, choice in enumerate(state.page.question.acts):
            brief = choice.brief if narrow else ""
            label = Text(brief or options[index].label, palette.plain)
            if index == draft.text_row and draft.other:
                label.append(f"  “{one_line(draft.other, TEXT_SHOWN)}”", palette.note)
            texts = wrapped(label, room)
            if choice.where and not measures.is_low(look.screen_height):
                beside = label.cell_len + cell_len(choice.where) + 3 <= room
                where = Text(f" · {choice.where}" if beside else choice.where, palette.muted)
                texts = [label.append_text(where)] if beside else [*texts, *wrapped(where, room)]
            if state.typing and index == draft.text_row:
                texts = [Text("")] * field
            mark = Text(f"{choice.key if len(choice.key) == 1 else ' '}  ", palette.muted)
            lines += row_lines(texts, index, mark, LABEL_AT, palette.accent)
        return lines


class DecisionPanel(RequestPanel):
    """Asks for a permission, or for the approval of a plan."""

    DEFAULT_CSS = """
    DecisionPanel {
        & > #details { margin: 0 0 0 3; scrollbar-size-vertical: 0; }
        & > #more { height: 1; margin: 0 0 0 3; }
        & > #choices { width: 100%; scrollbar-size-vertical: 0; }
    }
    """
    FORM = DecisionForm
    NOBODY = NOBODY_ASKS
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
        if (unseen_words(self._state), acts.hints(self._state)) != (unseen_words(before), acts.hints(before)):
            self._draw()
        else:
            self.form.say_more(self._state, self._look())


Panel = QuestionPanel | DecisionPanel
PANELS: tuple[type[Panel], ...] = (QuestionPanel, DecisionPanel)


def panel_kind(draft: Draft) -> type[Panel]:
    """Return the panel that asks a request."""
    return DecisionPanel if draft.page.question.acts else QuestionPanel
