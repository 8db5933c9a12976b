"""The layout of a question panel, line by line: a function of its state, its size and what was scrolled."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from rich.cells import cell_len
from rich.text import Text
from textual.geometry import Region

from ccq_tui.config.keymap import key_of, keymap
from ccq_tui.input.keys import Hints
from ccq_tui.questions.keys import hints, recalls
from ccq_tui.questions.model import CLAUDE, Option, Recalled
from ccq_tui.questions.prose import before_words
from ccq_tui.questions.state import Focus, PanelState
from ccq_tui.widgets.hints import NARROW, cut
from ccq_tui.widgets.lines import FOLD_SIGN, DrawnLine, Flow, row_lines
from ccq_tui.widgets.measures import FIELD_LINES, SHARES, PanelLook, field_height, head_line, most_lines
from ccq_tui.widgets.question import parts
from ccq_tui.widgets.question.parts import AT_MARK, AT_TEXT, MORE, Grid
from ccq_tui.widgets.question.tabs import DISCUSS_LEAD, HEAD, KEYS, NOTE_LEAD, Cache, RowDetail, TabPlan, Tabs
from ccq_tui.words import plural

LONGEST_COUNT = 150
"""Most lines of a preview that are counted."""
NOTHING = Flow(iter(()))
NOTHING.reach(1)


@dataclass(slots=True)
class Scrolled:
    """What the person scrolled, kept between layouts.

    Attributes:
        top: First row of a list that scrolls.
        loose: Whether the list stays where it was scrolled to, wherever the cursor is.
        lines: First line of the preview, or of what is enlarged.
    """

    top: int = 0
    loose: bool = False
    lines: int = 0


@dataclass
class PanelLayout:
    """A panel, line by line.

    Attributes:
        state: The state to draw.
        look: Everything else to draw it with.
        scrolled: What was scrolled; brought back into its bounds.
        cache: Parts of earlier layouts of the same look.
    """

    state: PanelState
    look: PanelLook
    scrolled: Scrolled
    cache: Cache
    field: Region | None = None
    """Place of the open text."""
    in_sight: frozenset[int] = frozenset()
    """The rows on the screen."""
    preview: tuple[Region, list[DrawnLine]] | None = None
    """A preview beside the list, with its place."""
    cut: bool = False
    """Whether `p` shows more of the row under the cursor, or of the question."""
    flow: Flow = NOTHING
    """What a person agrees to, where its lines are drawn one by one."""
    shown: range = range(0)
    """The lines of it that are on the screen."""
    shown_at: int = 0
    """The line of the panel with the first of them."""
    folded: int = 0
    """Other lines of what a person agrees to that are not on the screen."""
    height: int = 0
    page_lines: int = 1
    """Lines that a page of what scrolls has."""
    scrolls_lines: bool = False
    scrolls_rows: bool = False

    def __post_init__(self) -> None:
        self.state = replace(self.state, large=self.state.large and not self.state.in_review)
        self.tabs = Tabs(self.state, self.look, self.cache)
        most = most_lines(self.look.screen_height, SHARES[-1])
        if self.state.large:
            self.height = most
            body = self._large(most - HEAD - KEYS)
        else:
            self.height = self.tabs.height
            body = self._body(self.height)
        self.lines: list[DrawnLine] = [DrawnLine(self._head()), *body]

    @property
    def unseen(self) -> int:
        """Lines of what a person agrees to that are not on the screen, nor ever were."""
        return self.folded + self.flow.unseen(self.shown)

    def paint(self, lines: range) -> None:
        """Note which lines of the panel are drawn for the screen."""
        drawn = (self.shown.start + y - self.shown_at for y in lines)
        self.flow.seen.update(line for line in drawn if line in self.shown)

    @property
    def cursor(self) -> int | None:
        """The row under the cursor, or None where keys do not act on rows."""
        if self.state.focus is Focus.DECLINE or self.state.large:
            return None
        if not self.state.in_review and self.state.page.is_field:
            return 0 if self.state.focus is Focus.LIST else None
        return self._at

    @cached_property
    def keys(self) -> Hints:
        """The line of keys, with those that depend on what is in sight."""
        if self.state.in_review:
            return hints(self.state, chosen=keymap().keys)
        if self.state.large:
            return hints(self.state, "page" if self.scrolls_lines else "", keymap().keys)
        option = _option(self.state)
        signed = option is not None and option.preview and self.state.tab in self.tabs.signs
        return hints(self.state, parts.PREVIEW_SIGN if signed else "all" if self.cut else "", keymap().keys)

    def _head(self) -> Text:
        state, look = self.state, self.look
        who = parts.who_asks(state) if look.width >= NARROW or state.asker != CLAUDE else ""
        tabs = parts.tabs(state, look.palette)
        front = state.all_tabs.index(state.tab) + (state.is_growing and state.in_review)
        if state.questions.is_form and cell_len(who) + sum(tab.cell_len + 3 for tab in tabs) > look.width - 6:
            tabs, front = [parts.place(state, look.palette)], 0
        if state.large and _option(state) is not None:
            rows = [row for row in state.page.rows if row != state.page.other_row]
            at = rows.index(state.page.cursor) + 1 if state.page.cursor in rows else 0
            place = Text(f"{parts.PREVIEW_SIGN} {at} of {len(rows)}", look.palette.muted)
            tabs, front = [tabs[front], place], 0
        return head_line(who, tabs, front, look, arriving=state.is_growing)

    def _filter_line(self, tab: int) -> Text:
        page, width = self.state.pages[tab], self.look.width - 2
        matching = len(set(page.rows) - {page.other_row})
        found = f"{matching} of {len(page.question.options)} shown"
        typed = "/ " + cut(page.filter, max(1, width - len(found) - 4))
        gap = max(2, width - cell_len(typed) - len(found))
        return Text(f"{typed}{'':{gap}}{found}", self.tabs.palette.note)

    def _body(self, height: int) -> list[DrawnLine]:
        state, tab = self.state, self.state.tab
        plan, asides = self.tabs.plan(tab), self.tabs.asides(tab)
        if state.questions.is_agreement:
            self.folded = len(self.tabs.facts(tab).question) - len(plan.question)
        if plan.recalled and (before := state.before_on(tab)) is not None and recalls(state):
            asides = [*asides, self._recalled(before)]
        lines = [DrawnLine(Text())] * (plan.blanks > 1)
        lines += [DrawnLine(Text.assemble(" ", text)) for text in plan.question]
        if self.tabs.filters(tab):
            self.field = Region(AT_MARK, HEAD + len(lines), self.look.width // 2, 1)
            lines.append(DrawnLine(Text.assemble(" ", self._filter_line(tab))))
        lines += [DrawnLine(Text())] * (plan.blanks > 0)
        above = HEAD + len(lines)
        lines += self._listed(plan, above)
        self._put_own_field(lines)
        if plan.preview:
            lines += self._preview_under(plan)
        free = height - HEAD - KEYS - len(lines) - len(asides)
        lines += [DrawnLine(Text())] * max(0, free)
        if state.focus in (Focus.NOTE, Focus.DISCUSS):
            self._put_aside_field(HEAD + len(lines), asides)
        lines += [DrawnLine(text) for text in asides]
        if self.tabs.facts(tab).tallest and self.tabs.facts(tab).grid.beside:
            self._preview_beside(plan, above)
        self.cut = self.cut or plan.cut or self._too_long
        return lines[: height - HEAD - KEYS]

    @property
    def _too_long(self) -> bool:
        """Whether a text is too long for any list."""
        if self.state.in_review:
            return False
        question, option = self.state.page.question, _option(self.state)
        texts = [question.text, question.description, *([option.label, option.description] if option else [])]
        long_head = len(question.header) > parts.LONGEST_HEADER
        long_title = len(self.state.questions.title) > parts.LONGEST_TITLE
        return long_head or long_title or any(len(text) > parts.LARGE_TEXT for text in texts)

    def _put_aside_field(self, first: int, asides: Sequence[Text]) -> None:
        lead = NOTE_LEAD if self.state.focus is Focus.NOTE else DISCUSS_LEAD
        at = next(index for index, text in enumerate(asides) if text.plain == lead)
        room = Grid(self.look.width, self.tabs.low).room(len(lead))
        most = self.height - KEYS - first - at
        lines = field_height(self.state.text, room, max(1, min(FIELD_LINES, most)))
        self.field = Region(len(lead), first + at, room, lines)

    def _recalled(self, before: Recalled) -> Text:
        given, answer, when = before_words(before, self.state.page.question)
        ends = f" {when} · r takes it again" if self.look.width >= NARROW else f" {when} · r"
        room = self.look.width - 4 - cell_len(ends)
        lead = f"To “{cut(given, max(4, room // 2))}” you" if given else "You"
        begins = f"{lead} {answer[0]} "
        text = f"{begins}{cut(answer[1], max(4, room - cell_len(begins)))}{ends}"
        line = Text(f" ↺ {text}", self.tabs.palette.muted)
        line.truncate(self.look.width, overflow="ellipsis")
        return line

    def _listed(self, plan: TabPlan, above: int) -> list[DrawnLine]:
        """Return the rows; their lines are made once where they do not depend on the cursor."""
        state, tab = self.state, self.state.tab
        if not state.in_review and state.page.is_field:
            self.in_sight = frozenset({0})
            return self._field_row(plan, above)
        if plan.shown is RowDetail.SCROLLED:
            return self._window(plan)
        rows = self.tabs.rows(tab)
        self.in_sight = frozenset(rows)
        if plan.shown is RowDetail.WHOLE or state.in_review:
            key = (tab, "lines", plan.shown, plan.beside, tab in self.tabs.signs, self.tabs.draft_key(tab))
            return self.cache.remember(key, lambda: self._rows(plan, rows))
        others = (row for row in rows if row != self._at)
        used = sum(len(self.tabs.texts(tab, row, plan.shown, beside=plan.beside)) for row in others)
        return self._rows(plan, rows, self._at, plan.room - used - self.tabs.growing(tab))

    def _rows(
        self, plan: TabPlan, rows: Iterable[int], at: int | None = None, spare: int = 0
    ) -> list[DrawnLine]:
        return [line for row in rows for line in self._drawn(plan, row, here=row == at, spare=spare)]

    @property
    def _at(self) -> int:
        return self.state.review_row if self.state.in_review else self.state.page.cursor

    def _put_own_field(self, lines: Sequence[DrawnLine]) -> None:
        """Put the open text over the row for own words."""
        own = self.state.page.other_row if self.state.focus is Focus.OTHER else None
        if places := [y for y, line in enumerate(lines, HEAD) if own is not None and line.row == own]:
            self.field = Region(AT_TEXT, places[0], self.tabs.facts(self.state.tab).grid.text, len(places))

    def _drawn(self, plan: TabPlan, row: int, *, here: bool, spare: int) -> list[DrawnLine]:
        """Return the lines of a row; one under the cursor may take ``spare`` lines where rows are cut."""
        state, tab, palette = self.state, self.state.tab, self.tabs.palette
        if state.in_review:
            answered = state.pages[row] if row < len(state.pages) else None
            texts = self.tabs.texts(tab, row, plan.shown, beside=False)
            mark = parts.review_mark(answered, self.tabs.review_rows.index(row), palette)
            return row_lines(texts, row, mark, AT_TEXT, palette.accent)
        page = self.tabs.drafted.pages[tab]
        if here and plan.shown is not RowDetail.WHOLE:
            texts = self._texts_here(row, spare)
        else:
            texts = self.tabs.texts(tab, row, plan.shown, beside=plan.beside)
        on = row in page.draft.selected or (row == page.other_row and page.draft.other_on)
        growing = row == page.other_row and self.tabs.growing(tab)
        mark = parts.mark(page, page.rows.index(row), on=on, numbered=not growing, palette=palette)
        lead = [DrawnLine(Text(f"{'':{AT_TEXT}}{MORE}", palette.muted))] if growing else []
        return [*lead, *row_lines(texts, row, mark, AT_TEXT, palette.accent)]

    def _texts_here(self, row: int, spare: int) -> Sequence[Text]:
        """Return the texts of the row under the cursor in ``spare`` lines; note whether anything is cut."""
        tab = self.state.tab
        if row == self.state.page.other_row and self.tabs.typing_on(tab):
            return [Text()] * max(1, min(self.tabs.own_height(tab), spare))
        grid, drawn = self.tabs.facts(tab).grid, self.tabs.row(tab, row)
        label, about = drawn.named(grid.text), self.tabs.about(drawn, grid)
        left = spare - len(label)
        self.cut = self.cut or (len(about) > max(0, left) if about else drawn.label.endswith(MORE))
        if about and left < 1:
            return drawn.brief(grid.text, whole=True, muted=self.tabs.palette.muted)[: max(1, spare)]
        return [*label, *parts.cut_lines(about, left, grid.text)]

    def _field_row(self, plan: TabPlan, above: int) -> list[DrawnLine]:
        """Return the row of a text or number question: its value, or the place of its field."""
        state, palette, page = self.state, self.tabs.palette, self.state.page
        width = self.tabs.facts(state.tab).grid.room(AT_MARK)
        if state.focus is Focus.FIELD:
            lines = max(1, min(self.tabs.own_height(state.tab), plan.room))
            self.field = Region(AT_MARK, above, width, lines)
            return [DrawnLine(Text(), 0, Text(" ❯", palette.accent)), *([DrawnLine(Text(), 0)] * (lines - 1))]
        typed = page.draft.other.strip()
        style = palette.warning if page.problem or page.unselected else palette.on if typed else palette.muted
        texts = parts.wrapped_once(
            parts.shown(page.question.seen(page.draft.other)) if typed else "nothing typed yet", style, width
        )
        lines_ = parts.cut_lines(texts, min(FIELD_LINES, max(1, plan.room - bool(page.problem))), width)
        self.cut = len(lines_) < len(texts) or len(page.draft.other) > parts.LARGE_TEXT
        found = row_lines(lines_, 0, Text(""), AT_MARK, palette.accent)
        if page.problem:
            words = cut(page.problem, width - 2)
            found.append(DrawnLine(Text.assemble(("   ⚠ ", palette.warning), (words, palette.warning))))
        return found

    def _window(self, plan: TabPlan) -> list[DrawnLine]:
        """Return the rows of a list that scrolls, with those out of sight counted at its ends."""
        rows, room = self.tabs.rows(self.state.tab), max(1, plan.room)
        short, made = replace(plan, shown=RowDetail.SHORT), dict[int, list[DrawnLine]]()
        last = len(rows) - 1
        if last < 0:
            return []

        def lines_of(index: int) -> list[DrawnLine]:
            if index not in made:
                row = rows[index]
                made[index] = self._drawn(short, row, here=row == self._at, spare=max(1, room - 2))
            return made[index]

        def first_before(index: int) -> int:
            """Return the first row with which a row is in sight, at the lower end."""
            used = len(lines_of(index)) + (index < last)
            while index and used + len(lines_of(index - 1)) + (index > 1) <= room:
                index -= 1
                used += len(lines_of(index))
            return index

        here = rows.index(self._at) if self._at in rows else 0
        top = min(max(0, self.scrolled.top), first_before(last))
        if not self.scrolled.loose:
            top = min(max(top, first_before(here)), here)
        self.scrolled.top = top
        noun = "row" if self.state.in_review else "option"
        found = [self._counted("↑", top, noun, "above")] if top else []
        end = top
        while (end <= last and len(found) + len(lines_of(end)) + (end < last) <= room) or end == top:
            found += lines_of(end)
            end += 1
        self.in_sight, self.scrolls_rows = frozenset(rows[top:end]), True
        fits = max(1, room - (end <= last))
        self.cut = self.cut or len(found) > fits
        found = found[:fits]
        if end <= last:
            found.append(self._counted("↓", last + 1 - end, noun, ""))
        return found

    def _counted(
        self, sign: str, count: int, noun: str, where: str, keys: str = "", *, over: bool = False
    ) -> DrawnLine:
        """Return the row that says how much is out of sight where it stands, and by which keys it comes."""
        more = "" if where else "more "
        counted = plural(count, f"{more}{noun}")
        words = f"{sign} {'over ' if over else ''}{counted}{where and f' {where}'}{keys}"
        words = cut(words, max(1, self.look.width - AT_MARK))
        return DrawnLine(Text(f"{'':{AT_MARK}}{words}", self.tabs.palette.warning, no_wrap=True))

    def _flow(self, width: int) -> Flow:
        state = self.state
        key = ("preview", state.tab, state.page.cursor, width, state.large)

        def made() -> Flow:
            if state.large:
                return Flow(parts.large_lines(state, Grid(self.look.width, self.tabs.low), self.tabs.palette))
            return Flow(parts.preview_lines(_option(state), width, self.tabs.palette))

        return self.cache.remember(key, made)

    def _part(self, flow: Flow, room: int, lead: str, keys: str) -> list[DrawnLine]:
        """Return the part of a flow that was scrolled to, with the lines out of sight counted at its ends."""
        flow.reach(max(0, self.scrolled.lines) + 2 * room + 1)
        lines, room = flow.lines, max(1, room)
        scrolls = len(lines) > room
        top = self.scrolled.lines = min(max(0, self.scrolled.lines), len(lines) - room + 1) if scrolls else 0
        end = top + room - (top > 0)
        down = end < len(lines) or not flow.ended
        end -= down
        self.page_lines = max(1, end - top)
        found = [self._counted("↑", top, "line", "above")] if top else []
        found += [DrawnLine(Text.assemble(lead, line.text)) for line in lines[top:end]]
        if down:
            flow.reach(LONGEST_COUNT)
            found.append(self._counted("↓", len(lines) - end, "line", "", keys, over=not flow.ended))
        self.scrolls_lines = scrolls
        self.cut = self.cut or scrolls
        return found

    def _preview_under(self, plan: TabPlan) -> list[DrawnLine]:
        grid, option = self.tabs.facts(self.state.tab).grid, _option(self.state)
        if option is None or not option.preview:
            return [DrawnLine(Text())] * plan.preview
        label = cut(option.title, max(4, grid.room(AT_MARK) // 2))
        title = Text(f"   {parts.PREVIEW_SIGN} {label} ", self.tabs.palette.muted)
        title.append("╌" * max(0, grid.width - 1 - title.cell_len), self.tabs.palette.rule)
        found = self._part(self._flow(self.tabs.preview_width(grid)), plan.preview - 1, "   ", self._ways)
        return [DrawnLine(title), *found, *([DrawnLine(Text())] * (plan.preview - 1 - len(found)))]

    def _preview_beside(self, plan: TabPlan, y: int) -> None:
        facts = self.tabs.facts(self.state.tab)
        grid = facts.grid
        tall = self.tabs.middle(self.state.tab, plan.shown, beside=plan.beside, preview=facts.preview)
        box = max(1, min(plan.room, tall))
        lines = self._part(self._flow(self.tabs.preview_width(grid)), box, "", self._ways)
        self.cut = self.cut or any(line.text.plain.startswith(FOLD_SIGN) for line in lines)
        lines += [DrawnLine(Text())] * (box - len(lines))
        rule = ("│ ", self.tabs.palette.rule)
        drawn = [DrawnLine(Text.assemble(rule, line.text)) for line in lines]
        self.preview = Region(grid.width, y, self.look.width - grid.width, box), drawn

    @property
    def _ways(self) -> str:
        return f" · Shift+PgDn · {key_of('preview')} all"

    def _large(self, room: int) -> list[DrawnLine]:
        """Return everything about the row under the cursor, in the panel's place."""
        self.in_sight = frozenset({self.state.page.cursor})
        lines = self._part(flow := self._flow(self.look.width), room, "", " · PgDn")
        if self.state.questions.is_agreement:
            flow.reach(parts.LARGE_TEXT * 100)
            top = self.scrolled.lines
            self.flow, self.shown, self.shown_at = flow, range(top, top + self.page_lines), HEAD + bool(top)
        return [*lines, *([DrawnLine(Text())] * (room - len(lines)))]


def _option(state: PanelState) -> Option | None:
    """Return the option under the cursor, or None on another row."""
    page = state.page
    options = () if page.is_field else page.question.options
    return options[page.cursor] if page.cursor < len(options) else None
