"""Draws text and Markdown into strips of a given width, in the theme's colours, with checked links."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from markdown_it.token import Token
from rich import box
from rich.segment import Segment
from rich.style import Style
from rich.table import Table
from rich.text import Text
from textual.strip import Strip

from ccq_tui.text import one_line
from ccq_tui.transcript.document import CONTINUED, GOES_ON, markdown_parser
from ccq_tui.widgets.palette import Palette
from ccq_tui.widgets.transcript.code import (
    CONSOLE,
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
NARROW = 20
"""Width in columns below which nothing is indented any further."""
Line = list[Segment]
Drawn = tuple[str, list[Line]]
"""A block of Markdown: its kind, and its lines."""
_CODE = ("code", "code list")
"""The kinds of blocks whose last line is code."""


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


def words_of(source: str, references: dict[str, Any] | None = None) -> str:
    """Return the words of Markdown as they are drawn, without the signs around them."""
    words: list[str] = []
    for token in tokens_of(source, references):
        for one in token.children or [token]:
            image = one.type == "image" and f"[image: {one.content}] ({one.attrs.get('src', '')})"
            words.append("\n" if one.type in {"softbreak", "hardbreak"} else image or one.content)
        words.append("\n")
    return "".join(words)


def _row(text: Text, width: int, style: Style, fill: Style) -> Line:
    """Return a line, cut or filled to the width."""
    if text.style:
        text = Text.assemble(text)  # Rich ignores the style of a text without spans
    return Segment.adjust_line_length([*Segment.apply_style(text.render(CONSOLE), style)], width, fill)


def _blank(width: int, style: Style) -> Line:
    return [Segment(" " * width, style)]


def _stacked(blocks: Iterable[Drawn], width: int, style: Style, *, top: bool = False) -> list[Line]:
    """Return the lines of blocks, with empty lines between them unless their list has none."""
    lines: list[Line] = []
    before = ""
    for kind, some in blocks:
        under_rule = top and before == "hr" and kind in ("p", "head", "code", "hr")
        if before and not under_rule and "tight" not in (before, kind):
            lines.append(_blank(width, style))
        lines += some
        before = kind
    return lines


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
def _pen_of(palette: Palette) -> "Pen":
    styles = {"faint": palette.muted, "code": palette.strong, "link": Style(underline=True)}
    styles |= {"strong": palette.strong, "muted": palette.muted}
    return Pen(Colours(palette.plain, lambda name: styles.get(name.removeprefix(PREFIX), Style.null())))


class Pen:
    """Holds the tools for drawing."""

    def __init__(self, colours: Colours, lexers: Lexers | None = None) -> None:
        self.colours = colours
        self.lexers = lexers or Lexers()
        self._emphasis = {"em": Style(italic=True), "strong": colours["strong"], "s": Style(strike=True)}

    def markdown(self, source: str, width: int, references: dict[str, Any] | None = None) -> list[Strip]:
        """Draw Markdown of a model as data: HTML and unsafe links are text."""
        blocks = self._blocks(iter(tokens_of(source, references)), width, Style.null())
        lines = _stacked(blocks, width, Style.null(), top=True)
        # An empty heading draws nothing at the top; the edge of code is no empty line.
        while lines and not any(text.strip() or (style and style.meta) for text, style, _ in lines[0]):
            del lines[0]
        return [Strip(Segment.apply_style(line, self.colours.base), width) for line in lines]

    def _blocks(self, tokens: Iterator[Token], width: int, style: Style) -> Iterator[Drawn]:
        """Yield blocks up to the end of the one that they are in; it gives its style to what it holds."""
        for token in tokens:
            match token.type:
                case "paragraph_open" | "heading_open":
                    prose = token.tag == "p"
                    text_style = style if prose else style + self.colours["strong"]
                    texts = wrapped(self._inline(next(tokens), text_style), width)
                    next(tokens)
                    kind = "head" if not prose else "tight" if token.hidden else "p"
                    yield kind, [_row(text, width, style, style) for text in texts]
                case "fence" | "code_block":
                    ground = style + self.colours["code-block"]
                    code = self._code(token, max(4, width) - 2)
                    yield "code", [_row(text, width, ground, ground + FILL) for text in code]
                case "hr":
                    yield "hr", [[Segment("─" * width, style + self.colours["faint"])]]
                case "blockquote_open":
                    bar = Segment("│ ", style + self.colours["faint"])
                    yield "quote", self._hung(tokens, bar, bar, width, style + self.colours["muted"])[1]
                case "bullet_list_open" | "ordered_list_open":
                    yield self._list(token, tokens, width, style)
                case "table_open":
                    yield "table", self._table(tokens, width, style)
                case _:
                    return

    def _inline(self, token: Token, style: Style) -> Text:
        """Return the words of a paragraph, a heading or a cell; an image is its name and address."""
        text, styles = Text(), [style]
        for child in token.children or ():
            now = styles[-1]
            match child.type:
                case "softbreak" | "hardbreak":  # models do not wrap their lines: a line break is meant
                    text.append("\n", now)
                case "code_inline":
                    text.append(child.content, now + self.colours["code"])
                case "image":
                    text.append("[image: ").append(child.content, now)
                    text.append(f"] ({child.attrs.get('src', '')})")
                case "link_open":
                    link = Style(link=str(child.attrs.get("href", "")))
                    styles.append(now + self.colours["link"] + link)
                case _ if child.nesting > 0:
                    styles.append(now + self._emphasis[child.tag])
                case _ if child.nesting < 0:
                    styles.pop()
                case _:
                    text.append(child.content, now)
        return text

    def _code(self, token: Token, width: int) -> list[Text]:
        """Return lines of code with edges that are none of the source; where code was cut, there is none."""
        muted, words = self.colours["muted"], token.info.split()
        language = "" if {*words[:1]} <= {CONTINUED, GOES_ON} else words[0]
        plain = token.content.rstrip("\n")
        lines = folded(highlighted(plain, self.lexers.get(language, plain), self.colours), width, muted)
        label = Text(one_line(language, min(40, width)), muted + FOLD)
        label.pad_left(width - label.cell_len)
        lines[:0] = [label] if CONTINUED not in words else []
        lines += [Text(" ", FOLD)] if GOES_ON not in words else []
        return [Text.assemble((" ", LEAD), line) for line in lines]

    def _hung(
        self, tokens: Iterator[Token], first: Segment, rest: Segment, width: int, style: Style
    ) -> tuple[list[Drawn], list[Line]]:
        """Return the blocks of an item or a quote, and their lines, behind signs if there is room."""
        room = width - first.cell_length if width >= NARROW else width
        blocks = [*self._blocks(tokens, room, style)]
        lines = _stacked(blocks, room, style) or [_blank(room, style)]
        if room < width:
            lines = [[rest if number else first, *line] for number, line in enumerate(lines)]
        return blocks, lines

    def _list(self, opening: Token, tokens: Iterator[Token], width: int, style: Style) -> Drawn:
        """Return a list; items of several paragraphs, and those behind code, have an empty line above."""
        lines: list[Line] = []
        last, number = "", int(opening.attrs.get("start", 1))
        while (item := next(tokens)).type == "list_item_open":
            task = str(item.meta.get("task", ""))
            sign = task or "• " if opening.tag == "ul" else f"{number}. {task}"
            first = Segment(sign, style + self.colours["muted"])
            blocks, some = self._hung(tokens, first, Segment(" " * first.cell_length, style), width, style)
            if lines and (last in _CODE or any(kind == "p" for kind, _ in blocks)):
                lines.append(_blank(width, style))
            lines += some
            last, number = blocks[-1][0] if blocks else "", number + 1
        return "code list" if last in _CODE else "list", lines

    def _table(self, tokens: Iterator[Token], width: int, style: Style) -> list[Line]:
        """Return a table with a line under its head and none around it."""
        table = Table(
            box=box.SIMPLE_HEAD,
            show_edge=False,
            pad_edge=False,
            border_style=self.colours["faint"],
            header_style=self.colours["strong"],
        )
        rows: list[list[Text]] = []
        while (token := next(tokens)).type != "table_close":
            if token.type == "tr_open":
                rows.append([])
            elif token.type in ("th_open", "td_open"):
                cell = self._inline(next(tokens), style)
                side: Any = str(token.attrs.get("style", "")).partition(":")[2]  # "text-align:right"
                cell.justify = side or "default"
                rows[-1].append(cell)
                if token.type == "th_open":
                    table.add_column(cell, justify=side or "left")
        for row in rows[1:]:
            table.add_row(*row)
        return CONSOLE.render_lines(table, CONSOLE.options.update(width=width), style=style)

    def strip(self, text: Text, width: int, style: Style | None = None) -> Strip:
        """Draw one line, cut or filled to the width."""
        base = self.colours.base if style is None else self.colours.base + style
        return Strip(_row(text, width, base, base + FILL), width)

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
        lines = folded(body, room, self.colours["muted"]) if code else wrapped(body, room)
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
