"""The layout of a question panel, line by line: a function of its state, its size and what was scrolled."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

from rich.cells import cell_len
from rich.text import Text
from textual.geometry import Region

from ccq_tui.config.keymap import key_of, keymap
from ccq_tui.heights import SHARES, cap, is_low, most_lines
from ccq_tui.input.keys import Hints
from ccq_tui.questions.keys import hints, recalls
from ccq_tui.questions.merge_partial import GOOD_NEWS
from ccq_tui.questions.model import CLAUDE, Option, Recalled
from ccq_tui.questions.prose import before_words, length_notice
from ccq_tui.questions.state import Focus, PanelState
from ccq_tui.text import safe
from ccq_tui.widgets import measures
from ccq_tui.widgets.hints import NARROW, cut
from ccq_tui.widgets.lines import FOLD_SIGN, NOTHING, DrawnLine, Flow, row_lines
from ccq_tui.widgets.measures import PanelProps, field_height
from ccq_tui.widgets.question import parts
from ccq_tui.widgets.question.parts import AT_ASIDE, AT_MARK, AT_TEXT, MORE, Grid
from ccq_tui.widgets.question.tab import Cache, RowDetail, RowStyle, Tab, tab_of
from ccq_tui.words import plural

KEYS = 1
HEAD = 1
BLANKS = 3
"""Most blank lines: under the question first, then under the head, then above what follows the rows."""
LEADS = {Focus.NOTE: " ✎ note ", Focus.DISCUSS: " ✎ discuss "}
WRITING = "Claude is still writing. Select now; send when it is complete."


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
        props: Everything else to draw it with.
        scrolled: What was scrolled; brought back into its bounds.
        cache: Parts of earlier layouts of the same look.
    """

    state: PanelState
    props: PanelProps
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
        self.state = state = replace(self.state, large=self.state.large and not self.state.in_review)
        self.low, self.palette = is_low(self.props.screen_height), self.props.palette
        self.grid, self.tab = Grid(self.props.width, self.low), self._tab(state.tab)
        self._style = RowStyle(beside=self.tab.beside)
        if state.large:
            self.height = most_lines(self.props.screen_height, SHARES[-1])
            body = self._large(self.height - HEAD - KEYS)
        else:
            review = state.needs_review and (state.in_review or not self.props.alone)
            needed = max(map(self._needed, range(len(state.pages) + review)))
            spare = 0 if self.low else BLANKS
            self.height = min(cap(self.props.screen_height, needed), needed + spare)
            body = self._body(self.height - HEAD - KEYS)
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
        if self.tab.is_field:
            return 0 if self.state.focus is Focus.LIST else None
        return self._at

    @cached_property
    def keys(self) -> Hints:
        """The line of keys, with those that depend on what is in sight."""
        if self.state.in_review:
            return hints(self.state, chosen=keymap().keys)
        if self.state.large:
            return hints(self.state, "page" if self.scrolls_lines else "", keymap().keys)
        signed = self._option is not None and self._option.preview and self._style.signed
        return hints(self.state, parts.PREVIEW_SIGN if signed else "all" if self.cut else "", keymap().keys)

    @property
    def _at(self) -> int:
        return self.state.review_row if self.state.in_review else self.state.page.cursor

    @property
    def _option(self) -> Option | None:
        """The option under the cursor, or None on another row."""
        page = self.state.page
        return page.question.options[page.cursor] if page.cursor < page.other_row else None

    def _tab(self, number: int) -> Tab:
        return tab_of(self.state, self.props, number, self.cache)

    def _needed(self, number: int) -> int:
        """Return the lines of a tab without blank ones, with nothing cut: more than all are not counted."""
        tab = self._tab(number)
        recalled = self.state.before_on(number) is not None
        around = HEAD + KEYS + len(tab.question) + self._filters(number) + recalled
        # A filter makes no panel smaller: it would jump.
        rows = tab.count(RowStyle(beside=tab.beside), unfiltered=True)
        whole = max(rows, tab.preview) if tab.grid.beside else rows + tab.preview
        return around + len(self._asides(number)) + whole

    def _head(self) -> Text:
        state, props = self.state, self.props
        who = parts.who_asks(state) if props.width >= NARROW or state.asker != CLAUDE else ""
        tabs = parts.tabs(state, props.palette)
        front = state.all_tabs.index(state.tab) + (state.is_growing and state.in_review)
        needed = cell_len(who) + sum(tab.cell_len + 3 for tab in tabs)
        if state.questions.is_form and needed > props.width - 6:
            tabs, front = [parts.place(state, props.palette)], 0
        if state.large and self._option is not None:
            rows = [row for row in state.page.rows if row != state.page.other_row]
            at = rows.index(state.page.cursor) + 1 if state.page.cursor in rows else 0
            place = Text(f"{parts.PREVIEW_SIGN} {at} of {len(rows)}", props.palette.muted)
            tabs, front = [tabs[front], place], 0
        return measures.head_line(who, tabs, front, props, arriving=state.is_growing)

    def _filters(self, number: int) -> bool:
        """Whether the words that a list is filtered by have their line under the question."""
        here = number == self.state.tab and self.state.focus is Focus.FILTER
        return number < len(self.state.pages) and bool(self.state.pages[number].filter or here)

    def _filter_line(self) -> Text:
        page, width = self.state.page, self.props.width - 2
        found = f"{len(set(page.rows) - {page.other_row})} of {len(page.question.options)} shown"
        typed = "/ " + cut(page.filter, max(1, width - len(found) - 4))
        gap = max(2, width - cell_len(typed) - len(found))
        return Text(f"{typed}{'':{gap}}{found}", self.palette.note)

    # -- what gives way -------------------------------------------------------------------------------------

    def _plan(self, free: int) -> tuple[Sequence[Text], int, int, bool, int]:
        """Return what the tab shows in ``free`` lines, whatever its cursor.

        That is the lines of the question, those for the rows and for the preview under them, whether an
        earlier answer has its line, and the number of blank lines.
        """
        tab, question, on_side = self.tab, self.tab.question, self.tab.grid.beside
        preview, recalled = 0 if on_side else tab.preview, self.state.before is not None
        width = self.grid.room(AT_ASIDE)

        def over() -> int:
            return len(question) + tab.count(self._style) + preview + recalled - free

        def draw(**how: Any) -> None:
            self._style = self._style._replace(**how)

        recalled = recalled and over() <= 0
        if over() > 0 and not self._style.beside and tab.saves_beside:
            draw(beside=True)
        if preview and (by := over()) > 0:
            preview = preview - by if preview - by >= 5 else 0  # its title included
            draw(signed=not preview)
        if over() > 0 and self.state.questions.is_agreement:
            draw(detail=RowDetail.SHORT)  # what is agreed to gives way last
        if over() > 0 and not tab.is_review:
            first, last = (1, 2) if self.low else (2, 2)
            keep = max(first, len(question) - over() - last), last
            question = parts.folded(question, keep, width - self.low, self.palette)
        while over() > 0 and self._style.detail < RowDetail.SHORT:
            draw(detail=RowDetail(self._style.detail + 1))
        if over() > 0:
            question = parts.cut_lines(question, 1, width)
        if over() > 0:
            draw(detail=RowDetail.SCROLLED)
        left = free - len(question) - recalled - preview
        rows = max(tab.count(self._style), tab.preview if on_side else 0)
        blanks = 0 if self.low else max(0, min(BLANKS, left - rows))
        return question, left - blanks, preview, recalled, blanks

    # -- between the head and the keys ----------------------------------------------------------------------

    def _body(self, height: int) -> list[DrawnLine]:
        state, tab, blank = self.state, self.tab, DrawnLine(Text())
        asides, filters = self._asides(state.tab), self._filters(state.tab)
        question, room, preview, recalled, blanks = self._plan(height - len(asides) - filters)
        if state.questions.is_agreement:
            self.folded = len(tab.question) - len(question)
        if recalled and state.before is not None and recalls(state):
            asides.append(self._recalled(state.before))
        lines = [blank] * (blanks > 1)
        lines += [DrawnLine(Text.assemble(" ", text)) for text in question]
        if filters:
            self.field = Region(AT_MARK, HEAD + len(lines), self.props.width // 2, 1)
            lines.append(DrawnLine(Text.assemble(" ", self._filter_line())))
        lines += [blank] * (blanks > 0)
        above = HEAD + len(lines)
        lines += self._listed(room, above)
        self._put_own_field(lines)
        if preview:
            lines += self._preview_under(preview)
        lines += [blank] * (height - len(lines) - len(asides))
        if state.focus in LEADS:
            self._put_aside_field(HEAD + len(lines), asides)
        lines += map(DrawnLine, asides)
        if tab.preview and tab.grid.beside:
            self._preview_beside(room, above)
        self.cut = self.cut or len(question) < len(tab.question) or self._too_long
        return lines[:height]

    @property
    def _too_long(self) -> bool:
        """Whether a text is too long for any list."""
        if self.state.in_review:
            return False
        question, option = self.state.page.question, self._option
        texts = [question.text, question.description, *([option.label, option.description] if option else [])]
        long_head = len(question.header) > parts.LONGEST_HEADER
        long_title = len(self.state.questions.title) > parts.LONGEST_TITLE
        return long_head or long_title or any(len(text) > parts.LARGE_TEXT for text in texts)

    def _asides(self, number: int) -> list[Text]:
        """Return the lines between the rows and the keys of a tab, but for an earlier answer."""
        state, width, palette = self.state, self.props.width, self.palette
        here = number == state.tab
        lines: list[Text] = []
        if state.is_growing and not state.aside:
            lines.append(Text(f" {cut(f'{MORE} {WRITING}', width - 2)}", palette.muted))
        if here:
            lines += self._notices()
        if here and (lead := LEADS.get(state.focus)):
            height = field_height(state.text, self.grid.room(len(lead)))
            lines += [Text(lead, palette.note), *([Text()] * (height - 1))]
        note = state.pages[number].draft.note if number < len(state.pages) else ""
        for text, focus in ((note, Focus.NOTE), (state.discussion, Focus.DISCUSS)):
            if text and not (here and state.focus is focus):
                shown = cut(text, max(1, width - len(LEADS[focus]) - 1))
                lines.append(Text.assemble((LEADS[focus], palette.muted), (shown, palette.note)))
        return lines

    def _notices(self) -> list[Text]:
        state, width, palette = self.state, self.props.width, self.palette

        def warned(text: str) -> list[Text]:
            return measures.notice_lines(text, width, palette) if text else []

        found = warned(parts.decline_words(state, short=self.low)) if state.focus is Focus.DECLINE else []
        if state.aside in GOOD_NEWS:
            found.append(Text(f" ✔ {state.aside}", palette.on))
        else:
            found += warned(safe(state.aside) or parts.unseen_words(state, short=self.low))
        found += warned(safe((state.notice if state.typing else "") or length_notice(state)))
        # The question, the row under the cursor and the sign of those out of sight have their lines.
        room = most_lines(self.props.screen_height, SHARES[-1]) - HEAD - KEYS - 3
        return list(parts.cut_lines(found, max(1, min(3, room)), width - 1))

    def _put_aside_field(self, first: int, asides: Sequence[Text]) -> None:
        lead = LEADS[self.state.focus]
        at = next(index for index, text in enumerate(asides) if text.plain == lead)
        room, most = self.grid.room(len(lead)), self.height - KEYS - first - at
        lines = field_height(self.state.text, room, max(1, min(measures.FIELD_LINES, most)))
        self.field = Region(len(lead), first + at, room, lines)

    def _recalled(self, before: Recalled) -> Text:
        given, answer, when = before_words(before, self.state.page.question)
        ends = f" {when} · r takes it again" if self.props.width >= NARROW else f" {when} · r"
        room = self.props.width - 4 - cell_len(ends)
        lead = f"To “{cut(given, max(4, room // 2))}” you" if given else "You"
        begins = f"{lead} {answer[0]} "
        text = f"{begins}{cut(answer[1], max(4, room - cell_len(begins)))}{ends}"
        line = Text(f" ↺ {text}", self.palette.muted)
        line.truncate(self.props.width, overflow="ellipsis")
        return line

    def _listed(self, room: int, above: int) -> list[DrawnLine]:
        """Return the rows; their lines are made once where they do not depend on the cursor."""
        tab, style = self.tab, self._style
        if tab.is_field:
            self.in_sight = frozenset({0})
            return self._field_row(room, above)
        if style.detail is RowDetail.SCROLLED:
            return self._window(room)
        self.in_sight = frozenset(tab.rows)
        if style.detail is RowDetail.WHOLE or tab.is_review:
            return tab.lines(style)
        used = sum(len(tab.texts(row, style)) for row in tab.rows if row != self._at)
        spare = room - used - tab.growing
        return [line for row in tab.rows for line in self._drawn(row, style, spare)]

    def _put_own_field(self, lines: Sequence[DrawnLine]) -> None:
        """Put the open text over the row for own words."""
        own = self.state.page.other_row if self.state.focus is Focus.OTHER else None
        if places := [y for y, line in enumerate(lines, HEAD) if own is not None and line.row == own]:
            self.field = Region(AT_TEXT, places[0], self.tab.grid.text, len(places))

    def _drawn(self, row: int, style: RowStyle, spare: int) -> list[DrawnLine]:
        """Return the lines of a row that may be cut; one under the cursor may take ``spare`` lines."""
        whole = row == self._at and not self.tab.is_review
        texts = self._texts_here(row, style, spare) if whole else self.tab.texts(row, style)
        return self.tab.drawn(row, texts)

    def _texts_here(self, row: int, style: RowStyle, spare: int) -> Sequence[Text]:
        """Return the texts of the row under the cursor in ``spare`` lines; note whether anything is cut."""
        tab, width = self.tab, self.tab.grid.text
        if row == tab.page.other_row and tab.typing:
            return [Text()] * max(1, min(tab.own_height, spare))
        drawn = tab.row(row, signed=style.signed)
        label, about = drawn.named(width), tab.about(drawn)
        left = spare - len(label)
        self.cut = self.cut or (len(about) > max(0, left) if about else drawn.label.endswith(MORE))
        if about and left < 1:
            return drawn.brief(width, whole=True, muted=self.palette.muted)[: max(1, spare)]
        return [*label, *parts.cut_lines(about, left, width)]

    def _field_row(self, room: int, above: int) -> list[DrawnLine]:
        """Return the row of a text or number question: its value, or the place of its field."""
        palette, page, width = self.palette, self.state.page, self.tab.grid.room(AT_MARK)
        if self.state.focus is Focus.FIELD:
            lines = max(1, min(self.tab.own_height, room))
            self.field = Region(AT_MARK, above, width, lines)
            return [DrawnLine(Text(), 0, Text(" ❯", palette.accent)), *([DrawnLine(Text(), 0)] * (lines - 1))]
        typed = page.draft.other.strip()
        style = palette.warning if page.problem or page.unselected else palette.on if typed else palette.muted
        shown = parts.shown(page.question.seen(page.draft.other)) if typed else "nothing typed yet"
        whole = parts.wrapped_once(shown, style, width)
        texts = parts.cut_lines(whole, min(measures.FIELD_LINES, max(1, room - bool(page.problem))), width)
        self.cut = len(texts) < len(whole) or len(page.draft.other) > parts.LARGE_TEXT
        found = row_lines(texts, 0, Text(""), AT_MARK, palette.accent)
        if page.problem:
            found.append(DrawnLine(Text(f"   ⚠ {cut(page.problem, width - 2)}", palette.warning)))
        return found

    def _window(self, room: int) -> list[DrawnLine]:
        """Return the rows of a list that scrolls, with those out of sight counted at its ends."""
        rows, room, short = self.tab.rows, max(1, room), self._style._replace(detail=RowDetail.SHORT)
        last = len(rows) - 1
        if last < 0:
            return []
        lines_of = cache(lambda index: self._drawn(rows[index], short, max(1, room - 2)))

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
        noun = "row" if self.tab.is_review else "option"
        found = [self._counted(f"↑ {plural(top, noun)} above")] if top else []
        end = top
        while (end <= last and len(found) + len(lines_of(end)) + (end < last) <= room) or end == top:
            found += lines_of(end)
            end += 1
        self.in_sight, self.scrolls_rows = frozenset(rows[top:end]), True
        fits = max(1, room - (end <= last))
        self.cut = self.cut or len(found) > fits
        more = [self._counted(f"↓ {plural(last + 1 - end, f'more {noun}')}")] if end <= last else []
        return [*found[:fits], *more]

    def _counted(self, words: str) -> DrawnLine:
        """Return the row that says how much is out of sight where it stands, and by which keys it comes."""
        words = cut(words, max(1, self.props.width - AT_MARK))
        return DrawnLine(Text(f"{'':{AT_MARK}}{words}", self.palette.warning, no_wrap=True))

    # -- what scrolls ---------------------------------------------------------------------------------------

    def _flow(self, width: int) -> Flow:
        state = self.state
        source = parts.preview_lines(self._option, width, self.palette)
        if state.large:
            source = parts.large_lines(state, self.grid, self.palette)
        key = ("preview", state.tab, state.page.cursor, width, state.large)
        return self.cache.remember(key, lambda: Flow(source))

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
        found = [self._counted(f"↑ {plural(top, 'line')} above")] if top else []
        found += [DrawnLine(Text.assemble(lead, line.text)) for line in lines[top:end]]
        if down:
            flow.reach(150)  # most lines of a preview that are counted
            over = "" if flow.ended else "over "
            found.append(self._counted(f"↓ {over}{plural(len(lines) - end, 'more line')}{keys}"))
        self.scrolls_lines = scrolls
        self.cut = self.cut or scrolls
        return found

    def _preview_part(self, room: int, lead: str) -> list[DrawnLine]:
        keys = f" · Shift+PgDn · {key_of('preview')} all"
        found = self._part(self._flow(self.tab.preview_width), room, lead, keys)
        return [*found, *([DrawnLine(Text())] * (room - len(found)))]

    def _preview_under(self, lines: int) -> list[DrawnLine]:
        grid, option = self.tab.grid, self._option
        if option is None or not option.preview:
            return [DrawnLine(Text())] * lines
        label = cut(option.title, max(4, grid.room(AT_MARK) // 2))
        title = Text(f"   {parts.PREVIEW_SIGN} {label} ", self.palette.muted)
        title.append("╌" * max(0, grid.width - 1 - title.cell_len), self.palette.rule)
        return [DrawnLine(title), *self._preview_part(lines - 1, "   ")]

    def _preview_beside(self, room: int, y: int) -> None:
        tab, width = self.tab, self.tab.grid.width
        box = max(1, min(room, max(tab.count(self._style), tab.preview)))
        lines = self._preview_part(box, "")
        self.cut = self.cut or any(line.text.plain.startswith(FOLD_SIGN) for line in lines)
        drawn = [DrawnLine(Text.assemble(("│ ", self.palette.rule), line.text)) for line in lines]
        self.preview = Region(width, y, self.props.width - width, box), drawn

    def _large(self, room: int) -> list[DrawnLine]:
        """Return everything about the row under the cursor, in the panel's place."""
        self.in_sight = frozenset({self.state.page.cursor})
        lines = self._part(flow := self._flow(self.props.width), room, "", " · PgDn")
        if self.state.questions.is_agreement:
            flow.reach(parts.LARGE_TEXT * 100)
            top = self.scrolled.lines
            self.flow, self.shown, self.shown_at = flow, range(top, top + self.page_lines), HEAD + bool(top)
        return [*lines, *([DrawnLine(Text())] * (room - len(lines)))]
