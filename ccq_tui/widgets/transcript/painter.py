"""Draws any part of any block, and the pane's own lines."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import lru_cache
from itertools import takewhile, zip_longest
from typing import Any

from rich.style import Style
from rich.text import Text
from textual.strip import Strip

from ccq_tui import signs
from ccq_tui.config.keymap import key_of
from ccq_tui.inbox.file_diff import BREAK, DiffLine
from ccq_tui.text import common_start, one_line, safe
from ccq_tui.transcript import blocks as bl
from ccq_tui.transcript.bodies import CHANGE_LIMIT, Checklist, Diff, Excerpt, PlainText, Todo, TodoState
from ccq_tui.transcript.document import Document
from ccq_tui.transcript.tools import READING
from ccq_tui.widgets.lines import FOLD_SIGN, wrapped
from ccq_tui.widgets.transcript import heads
from ccq_tui.widgets.transcript.code import FOLD, LEAD, Colours, coloured, folded, highlighted
from ccq_tui.widgets.transcript.pen import Pen
from ccq_tui.words import plural

INDENT = "  "
_GROUND = {"+": "added", "-": "removed"}


Pair = tuple[DiffLine | None, DiffLine | None]
Code = Mapping[int, Text]
"""Coloured lines, by the `id` of the line."""
Span = tuple[int, int]


def draw_diff(pen: Pen, diff: Diff, index: int, width: int) -> list[Strip]:
    lines = diff.part(index)
    room = max(8, width - len(INDENT))
    code = _highlighted(pen, diff.language, lines)
    pairs = _paired(lines)
    marks = {id(line): _differing(pair)[side] for pair in pairs for side, line in enumerate(pair) if line}
    strips: list[Strip] = []
    for line in lines:
        strips.extend(_rows(pen, line, diff.digits, room, code, marks[id(line)]))
    if diff.hidden and index == len(diff) - 1:
        strips.append(pen.strip(more(pen, diff.hidden), room))
    return pen.indent(strips, INDENT, pen.colours["faint"])


def more(pen: Pen, hidden: int) -> Text:
    """Return a line with the number of folded lines, and the key that shows them."""
    return Text(f"… {plural(hidden, 'more line')} · {key_of('unfold')}", pen.colours["muted"])


def _paired(lines: Sequence[DiffLine]) -> Iterator[Pair]:
    """Pair removed lines with the added lines that replace them."""
    at = 0
    while at < len(lines):
        if lines[at].sign not in _GROUND:
            yield lines[at], lines[at]
            at += 1
            continue
        removed = [*takewhile(lambda line: line.sign == "-", lines[at:])]
        added = [*takewhile(lambda line: line.sign == "+", lines[at + len(removed) :])]
        yield from zip_longest(removed, added)
        at += len(removed) + len(added)


def _differing(pair: Pair) -> tuple[Span, Span]:
    """Find where two similar lines differ; return empty spans if they are not similar."""
    old, new = pair
    if old is None or new is None or old is new:
        return (0, 0), (0, 0)
    before, after = old.text[:CHANGE_LIMIT], new.text[:CHANGE_LIMIT]
    first = common_start(before, after)
    last = common_start(before[first:][::-1], after[first:][::-1])
    if first + last < 0.4 * max(len(before), len(after)):  # else their difference is not worth marking
        return (0, 0), (0, 0)
    return (first, len(before) - last), (first, len(after) - last)


def _rows(pen: Pen, line: DiffLine, digits: int, width: int, code: Code, mark: Span) -> list[Strip]:
    """Draw one line, wrapped under itself, on a background that shows whether it was added or removed."""
    colours = pen.colours
    if line.sign == BREAK:
        return [pen.strip(Text(BREAK.rjust(digits), colours["muted"]), width)]
    ground = colours[_GROUND[line.sign]] if line.sign in _GROUND else Style.null()
    beside = colours["strong"] if line.sign in _GROUND else colours["muted"]
    number = line.new or line.old
    gutter = Text.assemble((f"{'' if number is None else number:>{digits}} {line.sign} ", beside + LEAD))
    fold = Text(FOLD_SIGN.rjust(digits + 3), colours["muted"] + FOLD)
    rows = folded(_marked(pen, line, mark, code), max(1, width - digits - 3))
    return pen.strips(
        [Text.assemble(fold if row else gutter, text) for row, text in enumerate(rows)], width, ground
    )


def _highlighted(pen: Pen, language: str, lines: Sequence[DiffLine]) -> Code:
    """Colour the old and the new lines of a piece by their language; a side that is too long stays plain."""
    found: dict[int, Text] = {}
    for left_out in ("+", "-") if language else ():
        side = [line for line in lines if line.sign not in (left_out, BREAK)]
        texts = [safe(line.text, keep_newlines=False) for line in side if len(line.text) <= CHANGE_LIMIT]
        if len(texts) < len(side) or sum(map(len, texts)) > 8_000:  # longer code is not coloured
            continue
        source = "\n".join(texts)
        lexer = pen.lexers.get(language, source)
        if lexer is None:
            break
        pieces = highlighted(source, lexer, pen.colours).split("\n", allow_blank=True)
        if len(pieces) == len(side):
            found |= {id(line): piece for line, piece in zip(side, pieces, strict=True)}
    return found


def _marked(pen: Pen, line: DiffLine, mark: Span, code: Code) -> Text:
    known, source, (start, end) = code.get(id(line)), line.text[:CHANGE_LIMIT], mark
    text = known.copy() if known else Text(safe(line.text, keep_newlines=False, limit=CHANGE_LIMIT))
    pieces = (source[:start], source[start:end], source[end:])
    before, differing, after = (safe(piece, keep_newlines=False) for piece in pieces)
    # A suspect sequence may span the parts.
    if start < end and text.plain.startswith(before + differing + after):
        text.stylize(pen.colours["changed"], len(before), len(before) + len(differing))
    return text


BAR = "  │ "
SIGNS = {
    TodoState.PENDING: ("☐", "muted"),
    TodoState.NOW: (signs.WORKS, "success"),
    TodoState.DONE: (signs.DONE, "success"),
}
"""Signs and colours of entries to do, in progress and done."""


def _output(text: str, colours: bool, base: Style, pen: Pen) -> Text:
    return coloured(text, base, pen.colours.__getitem__) if colours else Text(safe(text), base)


def _excerpt(pen: Pen, excerpt: Excerpt, room: int, style: Style) -> list[Text]:
    """Draw an excerpt, each line cut at the width."""
    lines = [_output(line, excerpt.colours, style, pen) for line in excerpt.lines]
    for line in lines:
        line.truncate(room, overflow="ellipsis")
    if excerpt.hidden:
        lines.insert(0 if excerpt.tail else len(lines), more(pen, excerpt.hidden))
    return lines


def _checklist(pen: Pen, checklist: Checklist, room: int) -> list[Text]:
    lines = [line for entry in checklist.entries for line in _entry(pen, entry, room)]
    lines += [more(pen, checklist.hidden)] if checklist.hidden else []
    return lines or [Text("nothing to do", pen.colours["muted"])]


def _entry(pen: Pen, entry: Todo, width: int) -> list[Text]:
    sign, colour = SIGNS[entry.doing]
    styles = {TodoState.NOW: pen.colours["strong"], TodoState.DONE: pen.colours["muted"]}
    text = Text(one_line(entry.text, 500), styles.get(entry.doing, Style.null()))
    return pen.hang(Text(f"{sign} ", pen.colours[colour]), text, width)


@lru_cache(maxsize=4)
def welcome_lines(pen: Pen, welcome: str, height: int, width: int, *, whole: bool) -> list[Strip]:
    """Draw the words of the empty pane, without empty lines where there is no room for them.

    ``whole``: leave out words that do not fit.
    """
    room = max(1, width - 2)
    lines = [row.plain for line in safe(welcome).split("\n") for row in wrapped(Text(line), room)]
    if len(lines) > height:
        lines = [line for line in lines if line]
    if whole and len(lines) > height:
        return []
    strips = [Strip.blank(width, pen.colours.base)] * max(0, (height - len(lines)) // 3)
    for number, line in enumerate(lines):
        text = Text(line, pen.colours["muted" if number else "strong"])
        text.highlight_regex(r"^\S+(?=  )", pen.colours["accent"])  # the key of a way to begin
        strips.append(pen.strip(Text.assemble(INDENT, text), width))
    return strips


def more_line(pen: Pen, count: int, width: int) -> Strip:
    """Draw the number of lines that came below."""
    text = Text(f" ↓ {plural(count, 'new line')} below · {key_of('bottom')} ")
    return pen.strip(text, width, pen.colours["more"])


GUIDE = "│ "
HEADS: Mapping[type[bl.Block], Callable[[Pen, Any, int], list[Text]]] = {
    bl.ToolBlock: heads.tool_head,
    bl.ThinkingBlock: heads.thinking_head,
    bl.QuestionBlock: heads.question_card,
    bl.FormBlock: heads.form_card,
    bl.PermissionBlock: heads.permission_line,
    bl.PlanBlock: heads.plan_title,
    bl.NoticeBlock: heads.notice,
    bl.ErrorBlock: heads.error,
    bl.RetryBlock: heads.retry,
    bl.ResultBlock: heads.result,
    bl.RuleBlock: heads.rule,
}
"""Functions that draw the head of a block, in as many lines as it takes at a width."""


class Painter:
    """Turns parts of blocks into strips."""

    def __init__(self, pen: Pen) -> None:
        self.pen = pen

    def draw(self, block: bl.Block, part: int, gap: int, width: int) -> list[Strip]:
        """Draw a part of a block (the head is the first) below ``gap`` empty lines, ``width`` cells wide."""
        # A block keeps twelve columns, however deep it is nested.
        depth = min(block.depth, max(0, (width - 12) // len(GUIDE)))
        inner = max(1, width - depth * len(GUIDE))
        if block.head and part == 0:
            strips = self._head(block, inner)
        else:
            strips = self._body(block, part - block.head, inner)
        strips = [self._blank(inner)] * gap + strips
        if depth:
            strips = self.pen.indent(strips, GUIDE * depth, self.pen.colours["faint"])
        return strips

    def _blank(self, width: int) -> Strip:
        return Strip.blank(width, self.pen.colours.base)

    def _body(self, block: bl.Block, index: int, width: int) -> list[Strip]:
        pen, bar, room = self.pen, BAR, max(1, width - len(BAR))
        edge = pen.colours["faint"]
        failed = isinstance(block, bl.ToolBlock) and block.state is bl.ToolState.FAILED
        style = pen.colours["error" if failed else "muted"]
        match block.body:
            case Document() as document:
                return self._document(block, document, index, width)
            case Diff() as diff:
                return draw_diff(pen, diff, index, width)
            case PlainText() as body if isinstance(block, bl.PromptBlock):
                lines = pen.hang(Text(), Text(body.part(index)), width - 2)
                return self._prompt(block, lines, width, first=index == 0)
            case PlainText() as body:
                text = _output(body.pieces[index], body.colours, style, pen)
                lines = folded(text, room, pen.colours["muted"])
            case Excerpt() as excerpt:
                lines = _excerpt(pen, excerpt, room, style)
            case Checklist() as checklist:
                bar, edge, room = INDENT, Style.null(), max(1, width - len(INDENT))
                lines = _checklist(pen, checklist, room)
            case None:
                return []
        return pen.indent(pen.strips(lines, room), bar, edge)

    def _document(self, block: bl.Block, document: Document, index: int, width: int) -> list[Strip]:
        colours = self.pen.colours
        part = document.part(index)
        prose = isinstance(block, bl.ProseBlock)
        bar = "  " if prose else BAR if isinstance(block, bl.PlanBlock) else "│ "
        room, first = max(1, width - len(bar)), "● " if prose and index == 0 else None
        gap = [self._blank(room)] * part.gap
        strips = self.pen.markdown(part.source, room, document.env.get("references"))
        return self.pen.indent([*gap, *strips], bar, colours["muted" if prose else "faint"], first)

    def _prompt(self, block: bl.PromptBlock, lines: list[Text], width: int, *, first: bool) -> list[Strip]:
        colours = self.pen.colours
        lead = Text("  ", LEAD)
        mark = Text("❯ ", colours["accent"] + LEAD) if first else lead
        marked = [Text.assemble(lead if number else mark, line) for number, line in enumerate(lines)]
        if block.queued and first:
            marked[0].append("  queued", colours["muted"] + Style(bold=False, italic=True))
        return self.pen.strips(marked, width, colours["prompt"])

    def _head(self, block: bl.Block, width: int) -> list[Strip]:
        if isinstance(block, bl.PromptBlock):
            return self._prompt(block, heads.prompt_fold(self.pen, block, width - 2), width, first=True)
        return self.pen.strips(HEADS[type(block)](self.pen, block, width), width)


WIDTH = 10_000
"""Width at which nothing is wrapped or cut."""


def plain_text(blocks: Iterable[bl.Block]) -> str:
    """Return blocks as plain text: Markdown as its source, everything else as drawn, nothing folded away."""
    return "\n\n".join("\n".join(_lines(plain_painter(), block)) for block in bl.with_inner(blocks))


@lru_cache(maxsize=1)
def plain_painter() -> Painter:
    """Return a painter without colours."""
    return Painter(Pen(Colours(Style.null(), lambda _name: Style.null())))


def _lines(painter: Painter, block: bl.Block) -> Iterator[str]:
    indent = "  " * block.depth
    if isinstance(block, bl.PromptBlock):
        yield f"{indent}❯ {safe(block.text)}{'  queued' if block.queued else ''}"
        return
    if block.head:
        if isinstance(block, bl.ToolBlock) and block.card in READING and block.inner:
            block = copy(block)
            block.inner = []  # they follow it here
        if isinstance(block, bl.QuestionBlock):
            block = copy(block)
            block.folded = False
        width = WIDTH if not isinstance(block, bl.RuleBlock) else 60
        for strip in painter.draw(block, 0, 0, width):
            yield strip.text.rstrip()
    if isinstance(block, bl.ProseBlock | bl.ThinkingBlock | bl.PlanBlock):
        text = safe(block.document.text.strip("\n"))
    elif isinstance(block, bl.ToolBlock):
        text = safe(bl.uncoloured(block).rstrip())
    else:
        return
    yield from (f"{indent}{line}" for line in text.split("\n"))
