"""A view of a text to decide on, which knows how much of it was ever on the screen."""

from __future__ import annotations

from rich.text import Text
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from ccq_tui.widgets.lines import Flow, LineView
from ccq_tui.widgets.palette import Palette
from ccq_tui.words import plural


class SightView(LineView):
    """Draws a flow, which makes more lines when its end is near, and remembers which of them were drawn."""

    AHEAD = 100
    """Lines kept ready below the visible part."""

    class Looked(Message):
        """The lines on the screen changed."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._flow: Flow | None = None
        self._painted: set[int] = set()

    def show_flow(self, flow: Flow) -> None:
        """Draw another flow from its beginning; the same flow keeps its scroll position."""
        if flow is not self._flow:
            self._flow, self._painted = flow, set()
            self.scroll_to(y=0, animate=False, force=True)
        self._make_more()
        self.show(flow.lines)

    def _make_more(self) -> None:
        if self._flow and self._flow.reach(self.above + self.size.height + self.AHEAD):
            self.measure()
            self.refresh()

    @property
    def unseen(self) -> int:
        """Number of lines that were never on the screen, of those made and counted."""
        counted = range(len(self.lines))[: self._flow.counted if self._flow else 0]
        return sum(y not in self._painted for y in counted)

    @property
    def goes_on(self) -> bool:
        """Whether there are more lines to make and count."""
        return self._flow is not None and self._flow.counted is None

    @property
    def above(self) -> int:
        return int(self.scroll_offset.y)

    @property
    def below(self) -> int:
        """Lines below the view, of those that are made."""
        return max(0, len(self.lines) - self.above - self.size.height)

    def on_resize(self) -> None:
        """Report that more or fewer lines are on the screen, even if none of them is new."""
        self.post_message(self.Looked())

    def look_anew(self) -> None:
        """Start over: only lines drawn from now on count as seen."""
        self._painted = set()
        self.refresh()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw lines for the screen, and count them as seen."""
        before, top = len(self._painted), self.above
        # A border takes lines of the crop, but shows none of the text.
        first, last = crop.y - self.gutter.top, min(crop.bottom - self.gutter.top, self.size.height)
        self._painted.update(range(top + max(0, first), min(top + last, len(self.lines))))
        if len(self._painted) != before:
            self.post_message(self.Looked())
        return super().render_lines(crop)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Report that other lines are on the screen, and make more when the end comes near."""
        super().watch_scroll_y(old_value, new_value)
        self._make_more()
        self.post_message(self.Looked())


def more_line(view: SightView, width: int, palette: Palette, *, down: str, up: str) -> Text:
    """Return the row under a view that does not show all: how much more there is, and the key for it."""
    if view.below or view.goes_on:
        least = "over " if view.goes_on else ""
        more = f"↓ {least}{view.below:,} more {'line' if view.below == 1 and not least else 'lines'}"
        text, key = Text(more, palette.warning), down
    else:
        text, key = Text(f"↑ {plural(view.above, 'line')} above", palette.muted), up
    text.append(f" · {key}", palette.muted)
    text.truncate(max(1, width), overflow="ellipsis")
    return text
