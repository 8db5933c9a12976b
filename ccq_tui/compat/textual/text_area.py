"""A text area that looks its styles up only when they have changed, not with each picture and each focus."""

from textual.geometry import Region
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import TextArea

from ccq_tui.compat.private import require

require(TextArea, "_line_cache", "_theme")


class FrugalTextArea(TextArea):
    """Textual's text area; without this class it looks the same, at several times the cost of a picture."""

    _styled_for: object = None

    def watch_has_focus(self, _has_focus: bool) -> None:
        """Draw or hide the caret; no style depends on the focus, and Textual would look up all of them."""
        self._line_cache.clear()
        self.refresh()

    def notify_style_update(self) -> None:
        """Look the styles up again when the next lines are drawn."""
        self._styled_for = None
        super().notify_style_update()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw lines; look up the styles first only if they may have changed."""
        if self._styled_for is self._theme:
            return ScrollView.render_lines(self, crop)
        self._styled_for = self._theme
        return super().render_lines(crop)
