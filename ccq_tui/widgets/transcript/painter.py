"""Draws any part of any block, and the pane's own lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.strip import Strip

from ccq_tui.text import one_line, safe
from ccq_tui.widgets.lines import wrapped
from ccq_tui.widgets.transcript import blocks as bl
from ccq_tui.widgets.transcript import heads
from ccq_tui.widgets.transcript.checklist import Checklist, Todo, TodoState
from ccq_tui.widgets.transcript.code import LEAD, folded
from ccq_tui.widgets.transcript.diff import Diff
from ccq_tui.widgets.transcript.diff_painter import draw_diff, more
from ccq_tui.widgets.transcript.document import Document
from ccq_tui.widgets.transcript.pen import Pen
from ccq_tui.widgets.transcript.sgr import coloured
from ccq_tui.widgets.transcript.text_bodies import Excerpt, PlainText

BAR = "  │ "
ENTRY_LIMIT = 500
SIGNS = {TodoState.PENDING: ("☐", "muted"), TodoState.NOW: ("▸", "warning"), TodoState.DONE: ("✔", "success")}
"""Signs and colours of entries to do, in progress and done."""


def draw_excerpt(pen: Pen, excerpt: Excerpt, width: int, style: Style) -> list[Strip]:
    """Draw an excerpt, each line cut at the width."""
    room = max(1, width - len(BAR))
    lines = [
        coloured(line.replace("\n", " "), start, excerpt.marks, style, pen.colours.__getitem__)
        for line, start in zip(excerpt.lines, excerpt.starts, strict=True)
    ]
    for line in lines:
        line.truncate(room, overflow="ellipsis")
    if excerpt.hidden:
        lines.insert(0 if excerpt.tail else len(lines), more(pen, excerpt.hidden))
    return pen.indent(pen.strips(lines, room), BAR, pen.colours["faint"])


def draw_checklist(pen: Pen, checklist: Checklist, width: int) -> list[Strip]:
    room = max(1, width - 2)
    lines = [line for entry in checklist.entries for line in _entry(pen, entry, room)]
    if checklist.hidden:
        lines.append(more(pen, checklist.hidden))
    return pen.indent(
        pen.strips(lines or [Text("nothing to do", pen.colours["muted"])], room), "  ", Style.null()
    )


def _entry(pen: Pen, entry: Todo, width: int) -> list[Text]:
    sign, colour = SIGNS[entry.doing]
    styles = {TodoState.NOW: pen.colours["strong"], TodoState.DONE: pen.colours["muted"]}
    text = Text(one_line(entry.text, ENTRY_LIMIT), styles.get(entry.doing, Style.null()))
    return pen.hang(Text(f"{sign} ", pen.colours[colour]), text, width)


def welcome_line(pen: Pen, welcome: str, y: int, height: int, width: int, *, whole: bool = False) -> Strip:
    """Draw a line of the empty pane; leave out a welcome that must be whole where it does not fit."""
    lines = _welcome_lines(welcome, max(1, width - 2), height)
    if whole and len(lines) > height:
        lines = ()
    first = max(0, (height - len(lines)) // 3)
    if not first <= y < first + len(lines):
        return Strip.blank(width, pen.colours.base)
    text = Text(lines[y - first], pen.colours["muted"])
    text.pad_left(max(0, (width - max(map(cell_len, lines))) // 2))
    return pen.strip(text, width)


@lru_cache(maxsize=4)
def _welcome_lines(welcome: str, width: int, height: int) -> tuple[str, ...]:
    """Wrap the words of the empty pane, without empty lines where there is no room for them."""
    if not welcome:
        return ()
    lines = tuple(row.plain for line in safe(welcome).split("\n") for row in wrapped(Text(line), width))
    return lines if len(lines) <= height else tuple(line for line in lines if line)


def more_line(pen: Pen, count: int, width: int) -> Strip:
    """Draw the number of lines that came below."""
    text = Text(f" ↓ {count:,} new line{'s' * (count != 1)} below · Ctrl+End ")
    return pen.strip(text, width, pen.colours["more"])


NARROWEST = 12
"""Fewest columns left for a block, however deep it is nested."""
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
        depth = min(block.depth, max(0, (width - NARROWEST) // len(GUIDE)))
        inner = max(1, width - depth * len(GUIDE))
        if block.head and part == 0:
            strips = self._head(block, inner)
        else:
            strips = self._body(block, part - block.head, inner)
        strips = [*(self._blank(inner) for _ in range(gap)), *strips]
        if depth:
            strips = self.pen.indent(strips, GUIDE * depth, self.pen.colours["faint"])
        self.pen.counters.drawn += 1
        self.pen.counters.lines += len(strips)
        return strips

    def _blank(self, width: int) -> Strip:
        return Strip.blank(width, self.pen.colours.base)

    def _body(self, block: bl.Block, index: int, width: int) -> list[Strip]:
        body = block.body
        if isinstance(body, Document):
            return self._document(block, body, index, width)
        if isinstance(body, PlainText):
            return self._plain(block, body, index, width)
        if isinstance(body, Excerpt):
            return draw_excerpt(self.pen, body, width, self._output_style(block))
        if isinstance(body, Diff):
            return draw_diff(self.pen, body, index, width)
        if isinstance(body, Checklist):
            return draw_checklist(self.pen, body, width)
        return []

    def _output_style(self, block: bl.Block) -> Style:
        failed = isinstance(block, bl.ToolBlock) and block.state is bl.ToolState.FAILED
        return self.pen.colours["error" if failed else "muted"]

    def _document(self, block: bl.Block, document: Document, index: int, width: int) -> list[Strip]:
        colours = self.pen.colours
        part = document.part(index)
        references = document.env.get("references")
        strips = self.pen.markdown(part.source, max(1, width - 2), references)
        gap = [self._blank(max(1, width - 2)) for _ in range(part.gap)]
        if isinstance(block, bl.ProseBlock):
            first = "● " if index == 0 else None
            return self.pen.indent([*gap, *strips], "  ", colours["muted"], first)
        return self.pen.indent([*gap, *strips], "│ ", colours["faint"])

    def _plain(self, block: bl.Block, body: PlainText, index: int, width: int) -> list[Strip]:
        colours = self.pen.colours
        if isinstance(block, bl.PromptBlock):
            lines = self.pen.hang(Text(), Text(body.part(index)), width - 2)
            return self._prompt(block, lines, width, first=index == 0)
        source, start = body.source(index)
        text = coloured(source, start, body.marks, self._output_style(block), colours.__getitem__)
        lines = folded(text, max(1, width - 4), colours["muted"])
        return self.pen.indent(self.pen.strips(lines, width - 4), "  │ ", colours["faint"])

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
