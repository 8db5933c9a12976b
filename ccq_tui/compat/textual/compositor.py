"""The compositor of Textual, made to ask only for lines that are drawn."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from textual._compositor import Compositor, CompositorMap, ReflowResult
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from ccq_tui.compat.private import require

require(Compositor, "_render_chops", "_get_renders", "_dirty_regions", "_full_map", "_visible_map")
require(Compositor, "reflow", "reflow_visible", "visible_widgets", "update_widgets", "root", "size")
require(Widget, "_repaint_regions")


class FrugalCompositor(Compositor):
    """A compositor that asks each widget only for lines that must be drawn and that no other widget hides.

    Textual's own asks all widgets on the screen for all of their lines at each update, even for one key: it
    uses the clip of a widget where it means the place of the widget (`Compositor._get_renders`, Textual
    8.2.8), and draws hidden widgets only to discard them.
    """

    _lines: Sequence[int] = ()

    def __init__(self) -> None:
        super().__init__()
        self._drawn: CompositorMap = {}
        """The places at which widgets were drawn."""

    def render_update(self, full: bool = False, screen_stack: Any = None, simplify: bool = False) -> Any:
        """Return a frame of what the terminal does not show yet, or none while it is behind."""
        app: Any = self.root and self.root.app
        driver: Any = getattr(app, "_driver", None)
        if full or not hasattr(driver, "frames"):
            return super().render_update(full, screen_stack, simplify)  # a picture
        if not self._dirty_regions or driver.lent or app._batch_count or driver.frames.must_wait():
            return None  # what changed stays marked
        if driver.frames.size != self.size:
            self._dirty_regions.add(self.size.region)
        update: Any = super().render_update(full, screen_stack, simplify)
        whole = hasattr(update, "strips")
        pieces = [{0: Strip.join(line)} for line in update.strips] if whole else pieces_of(update)
        return driver.frames.of(pieces, self.size)

    def reflow(self, parent: Widget, size: Size) -> ReflowResult:
        """Lay the screen out, and have everything drawn again that is elsewhere than it was drawn.

        Textual compares with its last map, but that is the new one already if a place was asked for after a
        scroll (`Compositor.full_map`, Textual 8.2.8): what was hidden would stay on the screen.
        """
        if self.size != size and (frames := getattr(parent.app._driver, "frames", None)) is not None:
            frames.size = None  # a terminal that gets another size may lose what it shows
        before, changes = self._drawn, super().reflow(parent, size)
        self._drawn = dict(self._full_map)
        places = (place.clip.intersection(place.region) for _, place in before.items() ^ self._drawn.items())
        self._dirty_regions.update(filter(None, places))
        return changes

    def reflow_visible(self, parent: Widget, size: Size) -> set[Widget]:
        """Do so for what a scroll may have moved."""
        exposed = super().reflow_visible(parent, size)
        self._drawn |= self._visible_map or {}
        return exposed

    def update_widgets(self, widgets: set[Widget]) -> None:
        """Have widgets drawn again, and with the screen all that wait for it.

        Textual forgets them when parts of the screen itself are to be drawn, as those above a screen that
        changes are (`Screen._on_timer_update`, Textual 8.2.8).
        """
        if self.root in widgets:
            widgets = widgets | {one for one in self.visible_widgets if one._repaint_regions}
        super().update_widgets(widgets)

    def _render_chops(
        self, crop: Region, is_rendered_line: Callable[[int], bool]
    ) -> Sequence[Mapping[int, Strip]]:
        self._lines = [y for y in crop.line_range if is_rendered_line(y)]
        return super()._render_chops(crop, is_rendered_line)

    def _get_renders(self, crop: Region | None = None) -> Iterable[tuple[Region, Region, list[Strip]]]:
        # The cells of each line that no widget has drawn yet, as bits.
        left = dict.fromkeys(self._lines, _cells(crop or self.size.region))
        for widget, (region, clip) in self.visible_widgets.items():
            seen = region.intersection(clip)
            cells = _cells(seen)
            lines = [y for y in seen.line_range if left.get(y, 0) & cells]
            if not lines:
                continue
            part = Region(seen.x, lines[0], seen.width, lines[-1] + 1 - lines[0])
            strips = widget.render_lines(part.translate(-region.offset))
            for y, strip in zip(part.line_range, strips, strict=False):
                # A widget that does not know its new size yet shows the widgets behind it.
                if y in left and strip.cell_length >= seen.width:
                    left[y] &= ~cells
            yield region, part, strips


def pieces_of(update: Any) -> list[dict[int, Strip]]:
    """Return the pieces that an update changes: beside them, not everything in front was asked."""
    pieces: list[dict[int, Strip]] = [{} for _ in update.chops]
    for y, left, right in update.spans:
        found = ((x, strip) for x, strip in update.chops[y].items() if strip is not None)
        pieces[y] |= {x: strip for x, strip in found if x < right and x + strip.cell_length > left}
    return pieces


def _cells(region: Region) -> int:
    return (1 << max(0, region.right)) - (1 << max(0, region.x))
