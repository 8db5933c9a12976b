"""One line above the prompt: what waits, and for a moment what has just happened."""

from __future__ import annotations

from rich.text import Text
from textual.timer import Timer
from textual.widgets import Static

from ccq_tui.text import one_line
from ccq_tui.widgets.palette import COMPONENT_CLASSES, PALETTE_CSS, palette_of

PASSING_SECONDS = 4.0


class NoticeLine(Static):
    """Shows a standing text, and over it a passing one; takes no room while there is neither."""

    DEFAULT_CSS = f"""
    NoticeLine {{
        height: auto;
        padding: 0 1;
        background: $surface;
        {PALETTE_CSS}
        &.-empty {{ display: none; }}
    }}
    """
    COMPONENT_CLASSES = COMPONENT_CLASSES

    def __init__(self) -> None:
        super().__init__("", markup=False, classes="-empty")
        self._standing = ""
        self._passing = ""
        self._timer: Timer | None = None

    @property
    def text(self) -> str:
        """What is shown now."""
        return self._passing or self._standing

    def stand(self, text: str) -> None:
        """Show a text until another one comes; "" for none."""
        if text != self._standing:
            self._standing = text
            self._draw()

    def say(self, text: str, seconds: float = PASSING_SECONDS) -> None:
        """Show a text for some seconds over the standing one."""
        if self._timer:
            self._timer.stop()
        self._passing = text
        self._timer = self.set_timer(seconds, self.hush)
        self._draw()

    def hush(self) -> None:
        """Show the standing text again."""
        self._passing = ""
        self._draw()

    def _draw(self) -> None:
        self.set_class(not self.text, "-empty")
        palette = palette_of(self)
        sign = ("◆ ", palette.accent) if self._standing and not self._passing else ("", palette.plain)
        self.update(Text.assemble(sign, (one_line(self.text, 400), palette.badge)))
