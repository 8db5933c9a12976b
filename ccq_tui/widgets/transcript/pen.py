"""Draws text and Markdown into strips of a given width."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any

from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.strip import Strip

from ccq_tui.widgets.transcript.code import FILL, LEAD, Lexers, folded, wrapped
from ccq_tui.widgets.transcript.colours import Colours
from ccq_tui.widgets.transcript.markdown import Markdown


def unmarked(strip: Strip) -> Strip:
    """Return a line without what its stretches are to their source: adjoining ones may become one."""
    segments = [Segment(text, s.clear_meta_and_links() if s and s.meta else s) for text, s, _ in strip]
    return Strip(segments, strip.cell_length).simplify()


class Pen:
    """Holds the tools for drawing: colours, and a console that is never written to."""

    def __init__(self, colours: Colours, lexers: Lexers | None = None) -> None:
        self.colours = colours
        self.lexers = lexers or Lexers()
        self.console = Console(
            file=io.StringIO(),
            force_terminal=True,
            color_system="truecolor",
            legacy_windows=False,
            highlight=False,
            markup=False,
            emoji=False,
            theme=colours.rich_theme(),
            _environ={},
        )

    def markdown(self, source: str, width: int, references: dict[str, Any] | None = None) -> list[Strip]:
        options = self.console.options.update(width=width, height=None)
        lines = self.console.render_lines(
            Markdown(source, self.colours, self.lexers, references),
            options,
            style=self.colours.base,
            pad=True,
        )
        # Rich begins a list, a quote or a table with an empty line; the edge of code is none.
        while lines and not any(text.strip() or (style and style.meta) for text, style, _ in lines[0]):
            del lines[0]
        return [Strip(line, width) for line in lines]

    def strip(self, text: Text, width: int, style: Style | None = None) -> Strip:
        """Draw one line, cut or filled to the width."""
        base = self.colours.base if style is None else self.colours.base + style
        if text.style:
            text = Text.assemble(text)  # Rich ignores the style of a text without spans
        segments = Segment.apply_style(text.render(self.console), base)
        return Strip(Segment.adjust_line_length(list(segments), width, base + FILL), width)

    def strips(self, lines: Iterable[Text], width: int, style: Style | None = None) -> list[Strip]:
        """Draw lines, each cut or filled to the width."""
        return [self.strip(line, width, style) for line in lines]

    def hang(self, prefix: Text, body: Text, width: int, *, code: bool = False) -> list[Text]:
        """Wrap text at words, with a prefix before its first line and as much space before the others.

        ``code``: keep every space, and put a sign before the rest of a long line.
        """
        if prefix.cell_len > max(0, width - 8):
            prefix, body = Text(), Text.assemble(prefix, body)
        rest = Text(" " * prefix.cell_len, LEAD if code else "")
        room = max(1, width - prefix.cell_len)
        lines = folded(body, room, self.colours["muted"]) if code else wrapped(body, self.console, room)
        return [Text.assemble(rest if number else prefix, line) for number, line in enumerate(lines)]

    def indent(self, strips: list[Strip], prefix: str, style: Style, first: str | None = None) -> list[Strip]:
        """Put a prefix before every strip."""
        style = self.colours.base + style + LEAD
        rest = [Segment(prefix, style)]
        head = rest if first is None else [Segment(first, style)]
        return [
            Strip([*(rest if number else head), *strip], strip.cell_length + len(prefix))
            for number, strip in enumerate(strips)
        ]
