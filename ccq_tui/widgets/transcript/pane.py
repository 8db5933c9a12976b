"""The pane: takes events, keeps to one frame a time, and draws the lines that are seen."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import ClassVar, Self, cast

from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from ccq_tui.agent.events import AgentEvent, BlockGrew, HistoryLoaded
from ccq_tui.compat.textual.nodes import restyle, restyles
from ccq_tui.widgets.lifetime import is_live, soon
from ccq_tui.widgets.transcript.blocks import Block
from ccq_tui.widgets.transcript.document import Document
from ccq_tui.widgets.transcript.layout import Layout
from ccq_tui.widgets.transcript.lexers import LaterLexers
from ccq_tui.widgets.transcript.model import TranscriptModel
from ccq_tui.widgets.transcript.order import Change
from ccq_tui.widgets.transcript.own_lines import more_line, welcome_line
from ccq_tui.widgets.transcript.pace import Pace
from ccq_tui.widgets.transcript.painter import Painter
from ccq_tui.widgets.transcript.palette import NAMES, PREFIX, Palette
from ccq_tui.widgets.transcript.past import Past
from ccq_tui.widgets.transcript.pen import Counters, Pen
from ccq_tui.widgets.transcript.styled import StyledLines
from ccq_tui.widgets.transcript.thumb import Thumb
from ccq_tui.widgets.transcript.viewport import Viewport


class Pane(ScrollView, can_focus=False):
    """Shows the blocks of one session; its parts, which extend it, add what a reader does with them.

    Attributes:
        counters: How much was drawn so far.
        frames: How often the view was brought up to date.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {PREFIX + name for name in NAMES}

    class FollowChanged(Message, namespace="transcript"):
        """The end of the transcript is kept in view now, or no longer is."""

        def __init__(self, transcript: Pane, *, following: bool) -> None:
            super().__init__()
            self.transcript = transcript
            self.following = following

        @property
        def control(self) -> Pane:
            """The transcript that sent it."""
            return self.transcript

    def __init__(
        self,
        model: TranscriptModel | None = None,
        *,
        welcome: str = "",
        name: str | None = None,
        id: str | None = None,  # noqa: A002 - Textual's own name for it
        classes: str | None = None,
    ) -> None:
        """Make a transcript.

        Args:
            model: The data to show, or None to begin empty.
            welcome: Plain text shown while there is nothing else.
            name: Textual's name of the widget.
            id: Textual's id of the widget.
            classes: Textual's classes of the widget.
        """
        super().__init__(name=name, id=id, classes=classes)
        self._model = model or TranscriptModel()
        self._past = Past(self._model.empty)
        self._growing: BlockGrew | None = None
        self._grown: list[str] = []
        self.counters = Counters()
        self.frames = 0
        self._columns = 0  # beside the scroll bar, which Textual's own size counts in
        self._widths = 0, 0  # without and with the scroll bar
        self._welcome = welcome
        self._painter: Painter | None = None
        self._layout = Layout(self.model.blocks, self._draw)
        self._viewport = Viewport(self._layout)
        self._styled = StyledLines()
        self._thumb = Thumb()
        self._lexers = LaterLexers(self._lexer_arrived)
        self._plain: list[tuple[Block, int]] = []  # what was drawn without a highlighter that is on its way
        self._unsettled: dict[Document, Block] = {}
        self._clock_timer: Timer | None = None
        self._pace = Pace(self, self._split, self._prepare, self._update)
        self._counting = False
        self._placing = False
        self._covered = False
        self._was_following = True
        self._layout.sync(Change(tuple(range(len(self.model.blocks)))))

    # -- what is shown ---------------------------------------------------------------------------------------

    @property
    def model(self) -> TranscriptModel:
        """The blocks as data."""
        self._take_grown()
        return self._model

    @property
    def block_count(self) -> int:
        """How many blocks there are."""
        return len(self.model.blocks)

    @property
    def following(self) -> bool:
        """Whether the end is kept in view."""
        return self._viewport.following

    @property
    def unseen(self) -> int:
        """Lines that came below the view since the end was left."""
        return self._viewport.unseen

    @property
    def welcome(self) -> str:
        """Plain text shown while there is nothing else."""
        return self._welcome

    @welcome.setter
    def welcome(self, text: str) -> None:
        self._welcome = text
        self.refresh()

    def apply(self, event: AgentEvent) -> None:
        """Take in one event of the session; it is drawn with the next frame."""
        if isinstance(event, BlockGrew):
            self._grow(event)
        elif isinstance(event, HistoryLoaded) and event.older:
            self._past.add(event)
            self._pace.schedule()
        else:
            self._changed(self.model.apply(event))

    def _grow(self, event: BlockGrew) -> None:
        self._pace.streamed += len(event.text)
        if self._growing is None or self._growing.key != event.key:
            self._take_grown()
            self._growing = event
            self._pace.schedule(streaming=True)
        self._grown.append(event.text)

    def _take_grown(self) -> None:
        """Let a block grow by all that has come for it since the last look."""
        growing, self._growing = self._growing, None
        if growing is not None:
            text, self._grown = "".join(self._grown), []
            self._follow(self._model.apply(replace(growing, text=text)))

    def add_prompt(self, text: str) -> None:
        """Show a prompt at once, and go to the end; its `PromptAccepted` is matched with it."""
        self._changed(self.model.add_prompt(text))
        self.action_end()

    def add_notice(self, text: str, level: str = "info") -> None:
        """Show a line of the program's own.

        Args:
            text: What to say.
            level: "info", "warning" or "error".
        """
        self._changed(self.model.add_notice(text, level))

    def offer(self, text: str) -> None:
        """Say on the newest error which key does something about it; "" for none."""
        self._changed(self.model.offer(text))

    # -- from change to frame --------------------------------------------------------------------------------

    def _changed(self, change: Change) -> None:
        """Follow a change of the blocks, and draw it."""
        self._follow(change)
        if change != Change():
            self._pace.schedule()

    def _follow(self, change: Change) -> None:
        """Bring everything in line with a change of the blocks; the parts extend this."""
        for index in change.changed:
            block = self.model.blocks[index]
            document = getattr(block, "document", None)
            if isinstance(document, Document) and not document.put_off:
                self._unsettled[document] = block
        self._layout.sync(change)
        self._watch_clock()

    def _split(self, until: float) -> bool:
        """Split Markdown that has arrived; return whether there is more."""
        self._take_grown()
        touched: set[int] = set()
        # What is not looked at did not change, and is not to be measured anew.
        while self._unsettled and not (touched and time.perf_counter() >= until):
            document, block = self._unsettled.popitem()  # the newest: it is what is read first
            more = True
            while more and time.perf_counter() < until:
                more = document.settle()
            touched.add(block.at)
            if more:
                self._unsettled[document] = block
        if touched:
            self._layout.sync(Change(tuple(index for index in touched if index >= 0)))
        while self._past and not self._unsettled and time.perf_counter() < until:
            if (earlier := self._past.step()) is not None:
                self._follow(self._model.put_first(earlier))
                self._viewport.settle()  # what is painted before the frame must not be other lines
                self._place()
        return bool(self._unsettled or self._past)

    def _prepare(self, until: float) -> bool:
        """Draw what will be seen, part by part; return whether there is more."""
        if self._painter is None or not self.size:
            return False
        return not self._viewport.prepare(lambda: time.perf_counter() >= until)

    def _update(self) -> None:
        """Bring view, scroll bar and screen in line with the data."""
        if self._painter is None or not self.size:
            return
        self.frames += 1
        top, following = self._viewport.top, self._was_following
        self._viewport.settle()
        covered, self._covered = self._covered, bool(self.unseen)
        if self._covered and not covered:
            self._keep_shown()  # the last line is taken now by what came below
        self._place()
        dirty = self._layout.take_dirty()
        if self._viewport.top != top or self._was_following != following:
            self.refresh()
        elif dirty is not None:
            self._refresh_from(self._layout.before(*dirty) - top)

    def _refresh_from(self, y: int) -> None:
        """Draw anew from a line of the view on; the lines above it did not change."""
        height = self.size.height
        y = max(0, min(y, height - (0 if self.following else 1)))  # the last line counts what came below
        if y < height:
            self.refresh(Region(0, y, self.outer_size.width, height - y))

    def _place(self) -> None:
        """Give the scroll bar what the viewport says; the layout of the screen does not depend on it."""
        self._placing = True
        try:
            view = self._viewport
            self.set_reactive(Widget.virtual_size, Size(self._columns, self._layout.total))
            self.scroll_target_y = self.scroll_y = view.top
            self._thumb.place(self.vertical_scrollbar, self._layout.total, view.height, view.top)
        finally:
            self._placing = False
        if self._viewport.following != self._was_following:
            self._was_following = self._viewport.following
            self.post_message(self.FollowChanged(self, following=self._was_following))

    def _watch_clock(self) -> None:
        """Count seconds only while a tool runs: an idle session does nothing."""
        running = self.model.ticking
        if self._clock_timer is not None and running != self._counting:
            self._counting = running
            (self._clock_timer.resume if running else self._clock_timer.pause)()

    def _tick(self) -> None:
        self._changed(self.model.tick())

    # -- Textual's side --------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        """Begin to draw."""
        self._clock_timer = self.set_interval(1.0, self._tick, pause=True)
        self._restyle()
        self._watch_clock()
        self._pace.schedule()

    def notify_style_update(self) -> None:
        """Draw everything anew: the theme may be another one."""
        super().notify_style_update()
        self._styled.forget()
        if is_live(self):
            # The component classes are given their styles only after this call.
            soon(self, self._restyle)

    def _restyle(self) -> None:
        palette = Palette(self.rich_style, self.get_component_rich_style)
        if self._painter is None or palette != self._painter.pen.palette:
            self._painter = Painter(Pen(palette, self.counters, self._lexers))
            self._layout.restyle()
            self.refresh()

    def _draw(self, block: Block, part: int, gap: int, width: int) -> list[Strip]:
        strips = self._pen_holder().draw(block, part, gap, width)
        if self._lexers.missed:
            self._lexers.missed = False
            self._plain.append((block, part))
        return strips

    def _lexer_arrived(self) -> None:
        plain, self._plain = self._plain, []
        self._layout.redraw(plain)
        self._pace.schedule()

    def _pen_holder(self) -> Painter:
        """Return the painter; the colours are known once the widget is mounted."""
        if self._painter is None:
            self._restyle()
        return cast("Painter", self._painter)

    def on_resize(self) -> None:
        """Wrap what is seen to the new width, keeping the place."""
        widths, self._columns = self._widths, self.scrollable_content_region.width
        self._widths = self._columns, self.outer_size.width
        if self._widths != widths:
            self._styled.forget()  # a panel that opens or closes changes the height alone
        self._viewport.resize(max(1, self._columns), self.size.height)
        self._keep_shown()
        self.refresh()
        self._update()

    def _keep_shown(self) -> None:
        """Bring what is being looked at back into a view of another size; the parts extend this."""

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Follow the wheel, the scroll bar and the keys."""
        if self._placing:
            return  # whoever places knows what is to be drawn
        # A new height clamps the offset before it is told: that is nobody's move.
        if self.size.height == self._viewport.height and self._painter is not None:
            self._viewport.move(round(new_value))
            self._place()
            new_value = self.scroll_y
        super().watch_scroll_y(old_value, new_value)
        self.refresh()

    def refresh(
        self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False
    ) -> Self:
        """Ask for the lines to be drawn anew."""
        self._styled.spoil()
        if not restyles(self):
            regions = ()
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw lines of the view as Textual styles them, those that were there before only once."""
        width = self.outer_size.width

        def style(start: int, end: int) -> list[Strip]:
            self.counters.styled += end - start
            rows = Region(0, start, width, end - start)
            restyle(self, rows)  # Textual may still have what stood there before
            return ScrollView.render_lines(self, rows)

        strips = self._styled.render(crop, self.render_line, style)
        return [strip.crop(crop.x, crop.right) for strip in strips] if crop.width < width else strips

    def render_line(self, y: int) -> Strip:
        """Draw one line of the view.

        Args:
            y: The line, counted from the top of the view.
        """
        width = self._columns
        if self._painter is None:
            return Strip.blank(width, self.rich_style)
        if not self._model.blocks:
            return welcome_line(self._painter.pen, self._welcome, y, self.size.height, width)
        if y == self.size.height - 1 and self.unseen:
            return more_line(self._painter.pen, self.unseen, width)
        line = self._viewport.top + y
        if line >= self._layout.total:
            return self._styled.blank(width, lambda: self.rich_style)
        index, part, offset = self._layout.find(line)
        strips = self._layout.strips(index, part)
        if offset >= len(strips):
            return Strip.blank(width, self.rich_style)
        return self.dressed(strips[offset], index, part, offset)

    def dressed(self, strip: Strip, index: int, part: int, offset: int) -> Strip:  # noqa: ARG002
        """Return a line with whatever lies on it, such as a selection; the parts extend this.

        Args:
            strip: The line as it was drawn.
            index: The block that it belongs to.
            part: The part of it.
            offset: Which line of the part.
        """
        return strip

    # -- keys ------------------------------------------------------------------------------------------------

    def action_end(self) -> None:
        """Go to the newest line and follow it."""
        self._viewport.follow()
        self._place()
        self.refresh()
