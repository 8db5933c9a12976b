"""The help screen: all keys, filtered by typing."""

from __future__ import annotations

import textwrap

from rich.cells import cell_len
from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Static, TextArea

from ccq_tui.screens.keylist import Section, found
from ccq_tui.screens.overlay import ListField, Overlay
from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.keys import keys_meant
from ccq_tui.widgets.palette import Palette, palette_of

NO_KEY = "No key matches · Esc clears the filter"
KEY_WIDTH = 20
"""Width of the column of keys, in cells."""
NARROW = 60
"""Screen width in cells below which a key's description goes below the key."""
SCROLLS = {"up": -1, "ctrl+p": -1, "shift+up": -1, "down": 1, "ctrl+n": 1, "shift+down": 1}


class HelpBody(Vertical):
    """The part of the screen above the notices and the keys."""


class HelpScreen(Overlay[None]):
    """All keys by place. The screen under it keeps its focus and its drafts."""

    DEFAULT_CSS = """
    HelpScreen {
        background: $background;
        & > HelpBody {
            background: $surface;
            & > #help-title { height: 1; }
            & > ListField { max-height: 1; margin: 0; padding: 0 1 0 3; border: none; }
            & > ListField:focus { border: none; }
            & > VerticalScroll { height: 1fr; scrollbar-size-vertical: 1; }
            & > VerticalScroll > Static { height: auto; padding: 0 1; }
        }
    }
    """

    def __init__(self, sections: tuple[Section, ...]) -> None:
        super().__init__()
        self._sections = sections
        self._field = ListField(self._take_key, self.passes_on, id="help-field")
        self._field.placeholder = "Type to find a key"
        self._drawn_for: object = None

    def compose(self) -> ComposeResult:
        with HelpBody():
            yield Static("", id="help-title", markup=False)
            yield self._field
            with VerticalScroll(can_focus=False):
                yield Static("", id="help-keys", markup=False)
            yield HintBar()

    def on_mount(self) -> None:
        """Show all keys, with the focus in the filter."""
        if self._field.is_attached:
            self.set_focus(self._field, scroll_visible=False)
        self.draw()

    def on_resize(self) -> None:
        self.draw()

    @property
    def _list(self) -> VerticalScroll:
        return self.query_one(VerticalScroll)

    # -- keys ---------------------------------------------------------------------------------------------

    def _take_key(self, event: events.Key) -> bool:
        """Scroll or leave; every other key edits the filter."""
        if self.passes_on(event):
            return True
        if event.key == "escape":
            self.dismiss(None)
            return True
        if event.key in ("enter", "tab", "shift+tab"):
            return True
        scrolled = [self._scrolls(key) for key in keys_meant(event.key)]
        return any(scrolled)

    def _scrolls(self, key: str) -> bool:
        page = max(1, self._list.size.height - 1)
        steps = SCROLLS | {"pageup": -page, "pagedown": page}
        if key in steps:
            self._list.scroll_relative(y=steps[key], animate=False, force=True)
        elif key in ("ctrl+home", "home") and not self._field.text:
            self._list.scroll_home(animate=False, force=True)
        elif key in ("ctrl+end", "end") and not self._field.text:
            self._list.scroll_end(animate=False, force=True)
        else:
            return False
        return True

    @on(TextArea.Changed)
    def _text_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self._list.scroll_home(animate=False, force=True)
        self.draw()

    # -- drawing ------------------------------------------------------------------------------------------

    def draw(self) -> None:
        """Draw the keys that match the filter."""
        if not self.has_parts:
            return
        body, width = self.query_one(HelpBody), self.app.size.width
        palette, words = palette_of(body), self._field.text
        if self._drawn_for == (width, palette, words):
            return
        self._drawn_for = (width, palette, words)
        kept = found(self._sections, words)
        self.query_one("#help-title", Static).update(
            Text.assemble((" ◆ ", palette.accent), ("Keys", palette.strong))
        )
        self.query_one("#help-keys", Static).update(drawn(kept, width - 3, palette))
        count = sum(len(section.rows) for section in kept)
        found_words = f"{count} found" if words.strip() else ""
        self.query_one(HintBar).show(
            (("Esc", "close"), ("↑↓ PgUp PgDn", "scroll"), ("letters", "find")), found_words
        )


def drawn(sections: tuple[Section, ...], width: int, palette: Palette) -> Text:
    """Return the keys as drawn in ``width`` cells."""
    lines: list[Text] = []
    for section in sections:
        if lines:
            lines.append(Text())
        lines.append(Text(section.title, palette.accent))
        for row in section.rows:
            lines += _row(row.keys, row.does, width, palette)
    return Text("\n").join(lines or [Text(NO_KEY, palette.muted)])


def _row(keys: str, does: str, width: int, palette: Palette) -> list[Text]:
    beside = width >= NARROW and cell_len(keys) < KEY_WIDTH
    indent = KEY_WIDTH + 2 if width >= NARROW else 4
    words = textwrap.wrap(does, max(8, width - indent)) or [""]
    head = Text.assemble("  ", (keys, palette.strong))
    if not beside and width < NARROW and cell_len(keys) + cell_len(does) + 4 <= width:
        return [head.append(f"  {does}", palette.plain)]
    if not beside:
        return [head, *(Text.assemble(" " * indent, (line, palette.plain)) for line in words)]
    head.append(" " * (indent - head.cell_len))
    return [head.append(words[0], palette.plain)] + [
        Text.assemble(" " * indent, (line, palette.plain)) for line in words[1:]
    ]
