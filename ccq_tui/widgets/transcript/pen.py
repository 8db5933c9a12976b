"""Draws text and Markdown into strips of a given width, in the theme's colours, with checked links."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, ClassVar

from markdown_it.token import Token
from rich import box
from rich import markdown as rm
from rich.console import Console, ConsoleOptions, RenderResult
from rich.containers import Renderables
from rich.segment import Segment
from rich.style import Style
from rich.table import Table
from rich.text import Text
from textual.strip import Strip

from ccq_tui.text import one_line
from ccq_tui.transcript.document import CONTINUED, GOES_ON, markdown_parser
from ccq_tui.widgets.palette import Palette
from ccq_tui.widgets.transcript.code import (
    FILL,
    FOLD,
    LEAD,
    PREFIX,
    Colours,
    Lexers,
    folded,
    highlighted,
    wrapped,
)

TASKS = {"[ ] ": "☐ ", "[x] ": "✔ "}
"""Signs for the boxes of tasks."""
LANGUAGE = 40
"""Most characters of a language's name shown over its code."""
NARROW = 20
"""Width in columns below which nothing is indented any further."""


def tokens_of(source: str, references: dict[str, Any] | None = None) -> list[Token]:
    """Parse Markdown for drawing."""
    env = {"references": dict(references)} if references else {}
    tokens = markdown_parser(inline=True).parse(source, env)
    _mark_tasks(tokens)
    return tokens


def _mark_tasks(tokens: list[Token]) -> None:
    """Move the box of a task from its text to its item."""
    for item, paragraph, inline in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if item.type != "list_item_open" or paragraph.type != "paragraph_open" or not inline.children:
            continue
        first = inline.children[0]
        if first.type == "text" and (sign := TASKS.get(first.content[:4].lower())):
            first.content = first.content[4:]
            item.meta["task"] = sign


class _WithImages:
    """Keeps an image's name inside the text that it is in."""

    text: Text

    def on_child_close(self, _context: rm.MarkdownContext, child: rm.MarkdownElement) -> bool:
        if isinstance(child, Image):
            self.text.append_text(Text.assemble("[image: ", child.text, f"] ({child.destination})"))
        return not isinstance(child, Image)


class Image(rm.ImageItem):
    """An image's name and address: a terminal cannot show the rest."""


class _Prose(_WithImages):
    """Says of its lines which are lines of the source."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in wrapped(self.text, console, options.max_width):
            line.no_wrap, line.overflow = True, "ignore"
            yield line


class Paragraph(_Prose, rm.Paragraph):
    """A paragraph; ``tight`` in an item of a list without empty lines."""

    tight = False

    @classmethod
    def create(cls, markdown: rm.Markdown, token: Token) -> Paragraph:
        paragraph = cls(justify=markdown.justify or "left")
        paragraph.tight = token.hidden
        return paragraph


def _spaced(elements: Any) -> Renderables:
    """Put empty lines between the blocks of an item or a quote, unless its list has none."""
    spaced: list[Any] = []
    for element in elements:
        if spaced and not (_is_tight(spaced[-1]) or _is_tight(element)):
            spaced.append(Text())
        spaced.append(element)
    return Renderables(spaced or [Text()])  # an item may be empty


def _is_tight(element: Any) -> bool:
    return isinstance(element, Paragraph) and element.tight


class Heading(_Prose, rm.Heading):
    """A heading at the left margin."""


class TableCell(_WithImages, rm.TableDataElement):
    """A cell of a table."""

    @property
    def text(self) -> Text:  # type: ignore[override]
        return self.content


class CodeBlock(rm.CodeBlock):
    """Code on a background of its own, highlighted in the theme's colours."""

    colours: Colours
    lexers: Lexers
    words: Sequence[str] = ()
    """What stands behind the fence."""

    @classmethod
    def create(cls, markdown: rm.Markdown, token: Token) -> CodeBlock:
        """Make the element for a fence or indented code."""
        words = (token.info or "").split()
        block = cls("" if {*words[:1]} <= {CONTINUED, GOES_ON} else words[0], "")
        block.words = words
        if isinstance(markdown, Markdown):
            block.colours, block.lexers = markdown.colours, markdown.lexers
        return block

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        style = self.colours["code-block"]
        width = max(4, options.max_width)
        plain = self.text.plain.rstrip("\n")
        code = highlighted(plain, self.lexers.get(self.lexer_name, plain), self.colours)
        lines = folded(code, width - 2, self.colours["muted"])
        # The edges are no lines of the source; code that was cut has them at its ends alone.
        label = Text(one_line(self.lexer_name, min(LANGUAGE, width - 2)), self.colours["muted"] + FOLD)
        label.pad_left(width - 2 - label.cell_len)
        lines[:0] = [label] if CONTINUED not in self.words else []
        lines += [Text(" ", FOLD)] if GOES_ON not in self.words else []
        for line in lines:
            fill = (" " * (width - 1 - line.cell_len), FILL)
            yield Text.assemble((" ", LEAD), line, fill, style=style, no_wrap=True, overflow="ignore")


def _hung(
    console: Console, options: ConsoleOptions, content: Any, first: Segment, rest: Segment, style: Style
) -> RenderResult:
    """Render something indented, with a sign before its first line; without indentation at a narrow width."""
    indent = first.cell_length if options.max_width >= NARROW else 0
    lines = console.render_lines(content, options.update(width=options.max_width - indent), style=style)
    for number, line in enumerate(lines):
        if indent:
            yield rest if number else first
        yield from line
        yield Segment.line()


class BlockQuote(rm.BlockQuote):
    """A quote with a thin bar."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        bar = Segment("│ ", console.get_style("markdown.hr"))
        yield from _hung(console, options, _spaced(self.elements), bar, bar, self.style)


class ListElement(rm.ListElement):
    """A list, with the empty lines between its items kept."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        number = 1 if self.list_start is None else self.list_start
        items: list[Any] = self.items
        for index, item in enumerate(items):
            parts = item.elements
            loose = any(isinstance(part, Paragraph) and not part.tight for part in parts)
            if index and (loose or _ends_in_code(self.items[index - 1])):
                yield Segment.line()
            if self.list_type == "bullet_list_open":
                yield from item.drawn(console, options, item.task or "• ", "markdown.item.bullet")
            else:
                sign = f"{number + index}. {item.task}"
                yield from item.drawn(console, options, sign, "markdown.item.number")


def _ends_in_code(item: Any) -> bool:
    """Whether the last line of an item is code, even in a nested list."""
    last = next(reversed(list(item.elements)), None)
    if isinstance(last, ListElement):
        return bool(last.items) and _ends_in_code(last.items[-1])
    return isinstance(last, CodeBlock)


class ListItem(rm.ListItem):
    """An item whose number, bullet or box is at the margin."""

    task = ""

    @classmethod
    def create(cls, _markdown: rm.Markdown, token: Token) -> ListItem:
        item = cls()
        item.task = str(token.meta.get("task", ""))
        return item

    def drawn(self, console: Console, options: ConsoleOptions, sign: str, style: str) -> RenderResult:
        first = Segment(sign, console.get_style(style))
        content = _spaced(self.elements)
        yield from _hung(console, options, content, first, Segment(" " * first.cell_length), self.style)


class HorizontalRule(rm.HorizontalRule):
    """A thin line."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text("─" * options.max_width, style=console.get_style("markdown.hr"), no_wrap=True)


class TableElement(rm.TableElement):
    """A table with a line under its head and none around it."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        table = Table(
            box=box.SIMPLE_HEAD,
            show_edge=False,
            pad_edge=False,
            border_style="markdown.table.border",
            header_style="markdown.table.header",
        )
        head = self.header.row.cells if self.header and self.header.row else []
        for cell in head:
            table.add_column(cell.content, justify="left" if cell.justify == "default" else cell.justify)
        for row in self.body.rows if self.body else ():
            table.add_row(*(cell.content for cell in row.cells))
        yield table


class Markdown(rm.Markdown):
    """Markdown of a model, drawn as data: HTML and unsafe links are text."""

    elements: ClassVar[dict[str, type[rm.MarkdownElement]]] = {
        **rm.Markdown.elements,
        "paragraph_open": Paragraph,
        "heading_open": Heading,
        "fence": CodeBlock,
        "code_block": CodeBlock,
        "blockquote_open": BlockQuote,
        "hr": HorizontalRule,
        "bullet_list_open": ListElement,
        "ordered_list_open": ListElement,
        "list_item_open": ListItem,
        "image": Image,
        "table_open": TableElement,
        "td_open": TableCell,
        "th_open": TableCell,
    }

    def __init__(
        self, source: str, colours: Colours, lexers: Lexers, references: dict[str, Any] | None = None
    ) -> None:
        self.markup = source
        self.colours = colours
        self.lexers = lexers
        self.parsed = tokens_of(source, references)
        self.code_theme = self.inline_code_theme = ""
        self.justify = None
        self.style = "none"
        self.hyperlinks = True
        self.inline_code_lexer = None
        for token in self.parsed:
            for child in token.children or ():
                if child.type == "softbreak":
                    child.type = "hardbreak"  # models do not wrap their lines: a line break is meant


def unmarked(strip: Strip) -> Strip:
    """Return a line without what its stretches are to their source: adjoining ones may become one."""
    segments = [Segment(text, s.clear_meta_and_links() if s and s.meta else s) for text, s, _ in strip]
    return Strip(segments, strip.cell_length).simplify()


def markdown_lines(source: str, width: int, palette: Palette) -> Iterator[Text]:
    """Yield Markdown, safe to draw, as lines in the colours of panels."""
    for strip in _pen_of(palette).markdown(source, max(1, width)):
        line = Text.assemble(*((text, style or Style.null()) for text, style, _ in strip), no_wrap=True)
        line.rstrip()
        yield line


@lru_cache(maxsize=2)
def _pen_of(palette: Palette) -> Pen:
    styles = {"faint": palette.muted, "code": palette.strong, "link": Style(underline=True)}
    styles |= {"strong": palette.strong, "muted": palette.muted}
    return Pen(Colours(palette.plain, lambda name: styles.get(name.removeprefix(PREFIX), Style.null())))


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
