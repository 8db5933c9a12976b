"""The layout of a permission or a plan, line by line: its details, and under them the acts."""

from dataclasses import replace
from functools import cached_property

from rich.cells import cell_len
from rich.text import Text
from textual.geometry import Region

from ccq_tui import signs
from ccq_tui.config.keymap import keymap
from ccq_tui.heights import SHARES, cap, is_low, most_lines
from ccq_tui.inbox.file_diff import CONTEXT, hunks_of
from ccq_tui.inbox.requests import PlanRequest
from ccq_tui.input.keys import Hints
from ccq_tui.questions.keys import hints
from ccq_tui.text import one_line
from ccq_tui.widgets import measures
from ccq_tui.widgets.decision import details
from ccq_tui.widgets.decision.details import FRAME, flow_lines, headline, plan_above
from ccq_tui.widgets.hints import NARROW
from ccq_tui.widgets.lines import DrawnLine, Flow, more_line, row_lines, wrapped
from ccq_tui.widgets.question.layout import HEAD, KEYS, PanelLayout
from ccq_tui.widgets.question.parts import AT_MARK, unseen_words

LABEL_AT = 6
"""Cells before the words of a choice, and before the text typed along with one."""
FITS = ((CONTEXT, True), (1, True), (0, True), (0, False))
"""Lines around a change, and whether the words about the call are there: less where not all would fit."""
AHEAD = 100
"""Lines made below those that are shown."""
FEW = frozenset({"Enter", "Esc"})


class DecisionLayout(PanelLayout):
    """The acts of a permission or a plan, under the details of that."""

    def __post_init__(self) -> None:
        state, props = self.state, self.props
        low = is_low(props.screen_height)
        # The transcript above shows what is decided: a plan as proposed, in room of its own.
        self._is_above = isinstance(props.request, PlanRequest) and not (state.edited or state.large)
        words = state.aside or unseen_words(state, short=low, counted=self._is_above)
        notice = measures.notice_lines(words, props.width, props.palette) if words else []
        most = most_lines(props.screen_height, SHARES[1]) - HEAD - KEYS
        shortest = self._details(*FITS[-1])
        shortest.reach(most)
        needs = len(shortest.lines) + self._is_above
        # Of details that do not fit, one line stays, and the row that counts the others.
        choices, field = self._fitted_choices(most - len(notice) - min(2, needs))
        free = max(0, most - len(choices) - needs)
        # A notice takes no line of what is allowed: without room of its own, it takes the place of the row
        # that counts what is out of sight, else of the keys.
        one_row = AT_MARK + sum(line.cell_len for line in notice) <= props.width
        if not (one_row or free or state.aside):
            words = unseen_words(state, short=True, counted=self._is_above)
            notice = measures.notice_lines(words, props.width, props.palette)
        self._displaced, notice = notice[0] if notice and not free else None, notice[:free]
        self.flow = self._fitted_details(most - len(choices) - len(notice))
        lines = len(self.flow.lines) + self._is_above
        needed = HEAD + KEYS + lines + len(choices) + len(notice)
        room = (most if state.large else cap(props.screen_height, needed) - HEAD - KEYS) - len(notice)
        rows = min(lines, max(1, room - len(choices)))
        shown = min(len(choices), room - rows)
        spare = 0 if low or state.large else room - rows - shown
        gap, lead, end = (int(spare > enough) for enough in range(3))
        self.cut = self.scrolls_lines = rows < lines
        self._counts = self.cut and rows > 1
        self._has_row = self._is_above or self._counts
        seen = self._details_in_sight(HEAD + lead, rows - self._has_row)
        more = self._more()
        row = [DrawnLine(Text.assemble(" " * AT_MARK, more))] * self._has_row
        found, blank = self._choices_in_sight(choices, shown), [DrawnLine(Text())]
        self.lines = [DrawnLine(self._head(more.plain)), *blank * lead, *seen, *row, *blank * gap]
        if state.typing:
            at = next((y for y, line in enumerate(found) if line.row == state.page.cursor), 0)
            self.field = Region(LABEL_AT, len(self.lines) + at, props.width - LABEL_AT - 1, field)
        self.lines += [*found, *blank * end, *map(DrawnLine, notice)]
        self.height = len(self.lines) + KEYS

    @property
    def cursor(self) -> int | None:
        return None if self.state.large else self.state.page.cursor

    @cached_property
    def keys(self) -> Hints:
        keys = hints(self.state, chosen=keymap().keys, pages=self.cut)
        if self.props.width < NARROW:  # the row that says what is out of sight names the keys that show it
            large = self.state.large
            keys = tuple(hint for hint in keys if hint[0] != "p" and (hint[0] in FEW or not large))
        if self._displaced is not None and not self._counts:
            return (("", self._displaced.plain.strip()), *(hint for hint in keys if hint[0] == "Esc"))
        return keys

    def _head(self, more: str = "") -> Text:
        """Return the first line; it says what is out of sight where no row has room for that."""
        state, props = self.state, self.props
        words = headline(props.request, props.width, props.directory, edited=bool(state.edited))
        if state.large:
            over, count = "over " * self.flow.goes_on, len(self.flow.lines)
            words += f" · {self.shown.start + 1}–{min(count, max(1, self.shown.stop))} of {over}{count:,}"
        head = Text.assemble((f"{signs.WAITS} ", props.palette.warning), (words, props.palette.strong))
        if getattr(props.request, "danger", ""):
            head.highlight_regex("⚠.*", props.palette.warning)
        right = props.countdown or ("" if self._has_row or not self.cut else more)
        return measures.head_line("", [head], 0, replace(props, countdown=right))

    def _more(self) -> Text:
        """Return the row that says what is out of sight, or a notice that takes its place."""
        state, props = self.state, self.props
        if self._displaced is not None and self._counts:
            return self._displaced
        if self._is_above:
            style = props.palette.warning if state.unseen else props.palette.muted
            return Text(plan_above(props.request.plan, state.unseen, props.width), style)
        keys = ("Space page" if state.large or props.width >= NARROW else "", "" if state.large else "p all")
        down = "Shift+PgDn" if state.typing else " · ".join(key for key in keys if key)
        room = props.width - FRAME
        return more_line(self.flow, self.shown, room, props.palette, down=down, up="Shift+PgUp")

    # -- the details --------------------------------------------------------------------------------------

    def _details(self, context: int, about: bool) -> Flow:
        props, edited, palette = self.props, self.state.edited, self.props.palette
        request, room = props.request, props.width - FRAME + (props.width < NARROW)
        context = context if hunks_of(getattr(request, "change", None)) else CONTEXT
        whole = isinstance(request, PlanRequest) and self.state.large and not edited

        def made() -> Flow:
            if whole:
                return Flow(flow_lines(self.state.questions.editable.rstrip(), palette.plain, room))
            if isinstance(request, PlanRequest):
                return Flow(details.edited_lines(request, edited, room, palette))
            lines = details.detail_lines(request, room, palette, props.directory, context)
            return Flow(lines, details.asides(request, room, palette, props.directory) if about else None)

        return self.cache.remember((edited, props.directory, context, about, whole), made)

    def _fitted_details(self, room: int) -> Flow:
        """Return the details with as much beside the call itself as there is room for."""
        enough = max(most_lines(self.props.screen_height, SHARES[1]), room) + 1
        for kept in FITS[:1] if self.state.large else FITS:
            flow = self._details(*kept)
            flow.reach(enough)
            if len(flow.lines) <= room:
                break
        return flow

    def _details_in_sight(self, first: int, count: int) -> list[DrawnLine]:
        """Return the details that were scrolled to; ``first`` is the line of the panel where they begin."""
        self.flow.reach(max(0, self.scrolled.lines) + count + AHEAD)
        top = self.scrolled.lines = max(0, min(self.scrolled.lines, len(self.flow.lines) - count))
        self.shown, self.shown_at, self.page_lines = range(top, top + count), first, max(1, count - 1)
        lines = (self.flow.lines[at].text for at in self.shown)
        return [DrawnLine(Text.assemble(" " * AT_MARK, text)) for text in lines]

    # -- the acts -----------------------------------------------------------------------------------------

    def _fitted_choices(self, room: int) -> tuple[list[DrawnLine], int]:
        """Return the lines of the choices, and how many of them are the open text's."""
        state, width = self.state, self.props.width
        if state.large:
            return [], 0
        field = measures.field_height(state.text, width - LABEL_AT - 1) if state.typing else 0
        choices = self._choice_lines(field)
        if len(choices) <= room or not state.typing:
            return choices, field
        if (fewer := field - (len(choices) - room)) > 0:
            return self._choice_lines(fewer), fewer
        # Only the field is left: a person types in it.
        field = max(1, min(field, room))
        return [line for line in self._choice_lines(field) if line.row == state.page.cursor], field

    def _choice_lines(self, field: int) -> list[DrawnLine]:
        """Return the choices, an open text in ``field`` lines; no grant is ever cut."""
        state, props, lines = self.state, self.props, list[DrawnLine]()
        palette, narrow = props.palette, props.width < NARROW
        room = props.width - LABEL_AT - (not narrow)
        draft, options = state.page.draft, state.page.question.options
        for index, choice in enumerate(state.page.question.acts):
            brief = choice.brief if narrow else ""
            label = Text(brief or options[index].label, palette.plain)
            if index == draft.text_row and draft.other:
                label.append(f"  “{one_line(draft.other, 60)}”", palette.note)
            texts = wrapped(label, room)
            if choice.where and not is_low(props.screen_height):
                beside = label.cell_len + cell_len(choice.where) + 3 <= room
                where = Text(f" · {choice.where}" if beside else choice.where, palette.muted)
                texts = [label.append_text(where)] if beside else [*texts, *wrapped(where, room)]
            if state.typing and index == draft.text_row:
                texts = [Text("")] * field
            mark = Text(f"{choice.key if len(choice.key) == 1 else ' '}  ", palette.muted)
            lines += row_lines(texts, index, mark, LABEL_AT, palette.accent)
        return lines

    def _choices_in_sight(self, choices: list[DrawnLine], count: int) -> list[DrawnLine]:
        """Return the choices that have room, the one under the cursor among them: its first lines first."""
        here = [y for y, line in enumerate(choices) if line.row == self.state.page.cursor] or [0]
        end = here[0] + min(len(here), count)
        top = 0 if end <= count else min(max(self.scrolled.top, end - count), here[0])
        self.scrolled.top, shown = top, choices[top : top + count]
        rows = {line.row for line in shown if line.row is not None}
        cut = {line.row for line in (*choices[:top], *choices[top + count :])}
        self.in_sight = frozenset(rows if len(rows) == 1 else rows - cut)
        return shown
