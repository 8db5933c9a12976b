"""The last line of the prompt while a panel is above it."""

from rich.cells import cell_len
from rich.text import Text
from textual.reactive import reactive
from textual.widgets import Static

from ccq_tui.input.keynames import shown_key
from ccq_tui.text import safe
from ccq_tui.widgets.hints import NARROW
from ccq_tui.widgets.palette import palette_of
from ccq_tui.widgets.panel.request_panel import TAKES_PROMPT
from ccq_tui.widgets.prompt.prompt import SIGN


class PromptLine(Static):
    """The last line of the prompt while a panel is above it: what was typed there stays in sight."""

    DEFAULT_CSS = "PromptLine { height: 1; background: $background; }"
    shown: reactive[tuple[str, bool, bool]] = reactive(("", False, False))
    """The text, or "" for nothing; whether the caret is in it, and whether a key makes it the answer."""

    def watch_shown(self) -> None:
        self.display = bool(self.shown[0])

    def render(self) -> Text:
        palette, key = palette_of(self), shown_key(TAKES_PROMPT)
        text, caret, answers = self.shown
        keys = f"  {key} answers with it " if self.size.width >= NARROW else f" {key} "
        keys = keys if answers else ""
        last = safe(text.splitlines()[-1]) if text else ""
        room = self.size.width - len(SIGN) - 1 - len(keys)
        while cell_len(last) > room:
            last = f"…{last[2:]}"
        pad = " " * max(0, room - cell_len(last))
        return Text.assemble(
            (SIGN, palette.accent), f"{last}{'▏' if caret else ' '}", pad, (keys, palette.muted), no_wrap=True
        )
