"""The transcript as a widget: takes events, makes one frame at a time, and draws the visible lines.

The tools of a reader are parts of their own, in this order wherever something concerns several of them: the
block mark, the search, the selection, the sight of a plan.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Offset, Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from ccq_tui.agent.events import AgentEvent, BlockGrew, HistoryLoaded, NoticeGiven
from ccq_tui.transcript.blocks import Block, ErrorBlock, NoticeBlock, RequestPlace
from ccq_tui.transcript.model import TranscriptModel
from ccq_tui.transcript.order import BlockChange
from ccq_tui.widgets.keys import Clickable
from ccq_tui.widgets.lifetime import after, is_live, soon
from ccq_tui.widgets.lines import READING
from ccq_tui.widgets.transcript.code import CSS, PREFIX, STYLES, Colours, Lexers
from ccq_tui.widgets.transcript.layout import Layout, Viewport
from ccq_tui.widgets.transcript.pace import FramePace, Intake
from ccq_tui.widgets.transcript.painter import Painter, more_line, plain_painter, plain_text, welcome_lines
from ccq_tui.widgets.transcript.pen import Pen, unmarked
from ccq_tui.widgets.transcript.reading import MARK, BlockMark, LinePlace, PlanSight, TextSelection
from ccq_tui.widgets.transcript.search import Search

ASIDES = (NoticeBlock, ErrorBlock)
"""Blocks that are no part of a conversation: the welcome stays beside them."""


UNCHANGED = BlockChange()
_blank = lru_cache(maxsize=8)(Strip.blank)


class Transcript(ScrollView, Clickable[tuple[LinePlace | None, int]], can_focus=False):
    """The transcript of one session: drawn where it is seen, marked, searched and copied as data.

    Attributes:
        block_mark: The current block.
        search: What is looked for, and where it is.
        plan: The plan that is decided on, and how much of it was seen.
    """

    DEFAULT_CSS = CSS
    COMPONENT_CLASSES: ClassVar[set[str]] = {PREFIX + name for name in STYLES}
    welcome: reactive[str] = reactive("")
    """Plain text shown until something is said; notices and errors are above it where both fit."""

    @dataclass
    class Pointed(Message):
        """A click that selects nothing.

        Attributes:
            block: The block.
            strips: The lines of the clicked part, as they were drawn.
            line: Index of the clicked line among them.
            cell: The cell in that line.
            chain: Number of the click in a row of several.
        """

        block: Block
        strips: list[Strip]
        line: int
        cell: int
        chain: int

    class PlanSeen(Message):
        """More of the plan being decided on was in view."""

    def __init__(self, model: TranscriptModel | None = None, *, welcome: str = "") -> None:
        super().__init__()
        self.model = model or TranscriptModel()
        self._intake = Intake(self.model)
        self.second = 1.0
        """Seconds after which the seconds of a running call are drawn again."""
        self.mark_changed: Callable[[], object] = lambda: None
        self.found_changed: Callable[..., object] = lambda *_, **_more: None
        self._columns = 0  # beside the scroll bar, which Textual's own size includes
        self.set_reactive(Transcript.welcome, welcome)
        self._painter = plain_painter()  # the colours are known once the widget is mounted
        self._kept: dict[int, tuple[Strip, Strip]] = {}
        """Lines of the last views as drawn and as styled, by the id of the first."""
        self._layout = Layout(self.model.blocks, self._painter.draw)
        self.viewport = Viewport(self._layout)
        self.block_mark, self.search = BlockMark(self), Search(self)
        self._selection, self.plan = TextSelection(self), PlanSight(self)
        self._lexers = Lexers(self._draw_anew)
        self._clock_timer: Timer | None = None
        self._pace = FramePace(self, self._split, self._prepare, self.update)
        self._covered = False
        self._streamed: BlockChange | None = None
        """The change before, if a text grew."""
        self._pressed = Offset(0, 0)
        self._layout.sync(BlockChange(tuple(range(len(self.model.blocks)))))

    # -- what is shown ---------------------------------------------------------------------------------------

    @property
    def greets(self) -> bool:
        """Whether there is a welcome, and nothing was said yet."""
        return bool(self.welcome) and all(isinstance(one, ASIDES) for one in self.model.blocks)

    def apply(self, event: AgentEvent) -> None:
        """Take in one event of the session; the next frame draws it."""
        if isinstance(event, HistoryLoaded) and event.older:
            self._intake.add_past(event)
            self._pace.schedule()
        else:
            self._changed(self.model.apply(event), streaming=isinstance(event, BlockGrew))

    def add_prompt(self, text: str) -> None:
        """Show a prompt at once, and go to the end; its `PromptAccepted` is matched with it later."""
        self._changed(self.model.add_prompt(text))
        self.action_end()

    def add_notice(self, text: str, level: str = "info") -> None:
        """Show a line of the program's own; its level is "info", "warning" or "error"."""
        self.apply(NoticeGiven(level, text))

    def stand(self, places: dict[str, RequestPlace]) -> None:
        """Show on waiting requests where they are answered now."""
        self._changed(self.model.stand(places))

    def offer(self, text: str) -> None:
        """Show on the newest error the key that does something about it; "" for none."""
        self._changed(self.model.offer(text))

    # -- from change to frame --------------------------------------------------------------------------------

    def _changed(self, change: BlockChange, *, streaming: bool = False) -> None:
        """Follow a change of the blocks, and draw it."""
        if streaming and change == self._streamed:
            self._intake.watch(change)  # as it grows, its frame splits and measures it
        else:
            self._follow(change)
        self._streamed = change if streaming else None
        if change != UNCHANGED:
            self._pace.schedule(streaming=streaming)

    def _follow(self, change: BlockChange) -> None:
        """Update everything to a change of the blocks."""
        self._intake.watch(change)
        self._layout.sync(change)
        self._watch_clock()
        self.block_mark.follow()
        self.search.update(self.model.blocks[index] for index in change.changed)
        self.plan.follow()

    def _split(self, until: float) -> bool:
        """Split new Markdown and take in the past; return whether there is more."""
        if touched := self._intake.split(until):
            self._layout.sync(BlockChange(tuple(block.at for block in touched)))
            self.search.update(touched)
        while (earlier := self._intake.take_past(until)) is not None:
            self._follow(self.model.put_first(earlier))
            self.viewport.measure()  # painting before the frame must not show other lines
            self._place()
        return self._intake.busy

    def _prepare(self, until: float) -> bool:
        """Draw the lines about to be seen, part by part; return whether there is more."""
        return bool(self.size) and not self.viewport.prepare(lambda: time.perf_counter() >= until)

    def update(self) -> None:
        """Update view, scroll bar and screen to the data."""
        if not self.size:
            return
        self.viewport.measure()
        covered, self._covered = self._covered, bool(self.viewport.unseen)
        if self._covered and not covered:
            self._keep_shown()  # the count of lines below now takes the last line
        self._scrolled()

    def _place(self) -> None:
        """Set the scroll bar from the viewport; the layout of the screen does not depend on it."""
        view, bar, lines = self.viewport, self.vertical_scrollbar, self._layout.total
        self.set_reactive(Widget.virtual_size, Size(self._columns, lines))
        self.set_reactive(Widget.scroll_target_y, float(view.top))
        self.set_reactive(Widget.scroll_y, float(view.top))
        bar.window_virtual_size, bar.window_size, bar.position = lines, view.height, view.top
        self.plan.update_seen()

    def _watch_clock(self) -> None:
        """Count seconds only while a tool runs: an idle session does nothing."""
        if self._clock_timer is not None:
            (self._clock_timer.resume if self.model.ticking else self._clock_timer.pause)()

    # -- Textual's side --------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        self._clock_timer = self.set_interval(
            self.second, lambda: self._changed(self.model.tick()), pause=True
        )
        self._restyle()
        self._watch_clock()
        self._pace.schedule()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        if is_live(self):
            # The component classes get their styles only after this call.
            soon(self, self._restyle)

    def _restyle(self) -> None:
        colours = Colours(self.rich_style, self.get_component_rich_style)
        self._painter = Painter(Pen(colours, self._lexers))
        self._draw_anew()

    def _draw_anew(self) -> None:
        """Draw all lines in view with colours that were not known before."""
        self._layout.restyle(self._painter.draw)
        self.refresh()

    def on_resize(self) -> None:
        """Wrap the visible lines to the new width, keeping the place."""
        self._columns = min(READING, self.scrollable_content_region.width)
        self.viewport.resize(max(1, self._columns), self.size.height)
        self._keep_shown()
        self.plan.resized()
        self.update()

    def _keep_shown(self) -> None:
        """Bring the marked block or the current match back into a view of another size."""
        self.block_mark.show()
        self.search.show()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Follow the wheel, the scroll bar and the keys."""
        # A new height clamps the offset before it is reported: that is nobody's move.
        if self.size.height == self.viewport.height:
            self.viewport.move(round(new_value))
            self._place()
            new_value = self.scroll_y
        super().watch_scroll_y(old_value, new_value)
        self.refresh()

    # -- drawing ---------------------------------------------------------------------------------------------

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw lines of the view behind their margin, which has the mark.

        Textual would keep them by their places in the view, and style nearly all of them again while text
        streams in. Here a line that only moved is styled once.
        """
        colours = self._painter.pen.colours
        marked = self.block_mark.rows(self.size.height - bool(self.viewport.unseen))
        lines = []
        for y in crop.line_range:
            line = self._styled(self._line(y))
            if y in marked:
                sign = Strip([Segment(MARK, colours.base + colours["accent"])], 1)
                line = Strip.join([sign, line.crop(1)])
            lines.append(line.crop(crop.x, crop.right))
        return lines

    def _styled(self, strip: Strip) -> Strip:
        """Return a line as it goes to the screen; one of the last views at once."""
        width, known = self.outer_size.width, self._kept.get(id(strip))
        if known is not None and known[1].cell_length == width:
            return known[1]
        ground = Style(bgcolor=self._painter.pen.colours.base.bgcolor)
        line = Strip.join([Strip.blank(1, ground), unmarked(strip)]).adjust_cell_length(width, ground)
        for one in self.get_line_filters():
            line = line.apply_filter(one, self.background_colors[1])
        if len(self._kept) > 120:  # several views
            self._kept.clear()
        # Keep the drawn line as well, so that no other object gets its id.
        self._kept[id(strip)] = strip, line
        return line

    def render_line(self, y: int) -> Strip:
        """Return a line with its place, for the mouse."""
        strip = self._line(y)
        return strip.apply_offsets(0, self._selection.place(y).code) if self.model.blocks else strip

    def _line(self, y: int) -> Strip:
        width = self._columns
        if y == self.size.height - 1 and self.viewport.unseen:
            return more_line(self._painter.pen, self.viewport.unseen, width)
        line = self.viewport.top + y
        if line >= self._layout.total:
            above = self._layout.total - self.viewport.top
            room, pen, y = self.size.height - above, self._painter.pen, y - above
            shown = welcome_lines(pen, self.welcome, room, width, whole=above > 0) if self.greets else ()
            return shown[y] if y < len(shown) else _blank(width, pen.colours.base)
        index, part, offset = self._layout.find(line)
        strips = self._layout.strips(index, part)
        if offset >= len(strips):
            return _blank(width, self._painter.pen.colours.base)
        strip = self.search.drawn(strips[offset], index, part, offset)
        selection = self.text_selection
        if selection is None:
            return strip
        colours = self.screen.get_component_rich_style("screen--selection")
        style = Style(color=colours.color, bgcolor=colours.bgcolor)
        return self._selection.drawn(strip, LinePlace(index, part, offset), selection, style)

    # -- scrolling -------------------------------------------------------------------------------------------

    def show(self, index: int, part: int = 0, offset: int = 0, lines: int = 1) -> None:
        """Scroll as little as needed to show lines of a part, the first if not all fit, and stay there."""
        self.viewport.show(index, part, offset, lines)
        self._scrolled()

    def later(self, call: Callable[[], object]) -> object:
        """Call a function behind all other waiting work."""
        return after(self, 0.001, call)

    def plan_seen(self) -> None:
        """Report that more of the plan being decided on was in view."""
        self.post_message(self.PlanSeen())

    def _scrolled(self) -> None:
        self._place()
        self.refresh()

    def go(self, *, lines: int = 0, pages: int = 0) -> None:
        """Scroll down, or up by negative numbers; a page keeps one line of the screen before."""
        self.viewport.move(self.viewport.top + lines + pages * max(1, self.viewport.height - 1))
        self._scrolled()

    def action_home(self) -> None:
        self.viewport.home()
        self._scrolled()

    def action_end(self) -> None:
        """Go to the newest line and follow it; remove the mark."""
        self.block_mark.leave()
        self.plan.leave()
        self.viewport.follow()
        self._scrolled()

    # -- the marked block ------------------------------------------------------------------------------------

    @property
    def mark(self) -> Block | None:
        """The current block, or None."""
        return self.block_mark.block

    def leave_mark(self) -> None:
        """Mark nothing; follow the end again if it is in view."""
        self.block_mark.leave()
        self.update()

    def fold(self, block: Block, *, folded: bool) -> None:
        """Fold a block, or unfold it."""
        if block.folded != folded:
            self._changed(self.model.set_fold(block, folded=folded))

    def toggle_folds(self) -> None:
        """Unfold all thinking, outputs and long prompts, or fold them again."""
        self._changed(self.model.set_folds(folded=not self.model.folded))

    # -- the search ------------------------------------------------------------------------------------------

    def begin_search(self) -> None:
        """Remember the place to search from, and keep the view there from now on."""
        self.leave_mark()
        self.search.begin()

    def end_search(self) -> None:
        """Forget the search, and stay at the place."""
        self.search.end()
        self.viewport.held = self.mark is not None
        self.update()

    # -- text and mouse --------------------------------------------------------------------------------------

    def text(self) -> str:
        """Return everything as plain text."""
        return plain_text(self.model.blocks)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """Return the text of a selection, without the margins of its lines."""
        if not self.model.blocks:
            return None
        text = self._selection.text(selection)
        return self.text() if text is None else text, "\n"

    def text_select_all(self) -> None:
        """Select the block that was clicked twice: selecting a whole session is rarely meant."""
        if (selection := self._selection.block_at(self._pressed.y)) is not None:
            self.screen.selections = {self: selection}

    def under(self, event: events.MouseEvent) -> tuple[LinePlace | None, int] | None:
        """Return the line and the cell under the pointer; no line on the count of lines below."""
        if self.viewport.unseen and event.y == self.size.height - 1:
            return None, 0
        offset = event.get_content_offset(self)
        return None if offset is None else (self._selection.place(offset.y), offset.x)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self._pressed = event.offset

    def clicked(self, target: tuple[LinePlace | None, int], event: events.Click) -> None:
        """Go to the end on a click on the count of lines below; elsewhere report the click."""
        line, cell = target
        if line is None:
            self.action_end()
        elif line.block < len(self.model.blocks):
            block, strips = self.model.blocks[line.block], self._layout.strips(line.block, line.part)
            self.post_message(self.Pointed(block, strips, line.offset, cell, event.chain))
