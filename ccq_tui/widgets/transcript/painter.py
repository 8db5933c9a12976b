"""Draws any part of any block."""

from __future__ import annotations

from functools import singledispatchmethod

from rich.style import Style
from rich.text import Text
from textual.strip import Strip

from ccq_tui.widgets.transcript import blocks as bl
from ccq_tui.widgets.transcript import cards, heads, remedies
from ccq_tui.widgets.transcript.bodies import draw_checklist, draw_excerpt
from ccq_tui.widgets.transcript.checklist import Checklist
from ccq_tui.widgets.transcript.diff import Diff
from ccq_tui.widgets.transcript.diffpaint import draw_diff
from ccq_tui.widgets.transcript.document import Document
from ccq_tui.widgets.transcript.excerpt import Excerpt
from ccq_tui.widgets.transcript.pen import Pen
from ccq_tui.widgets.transcript.plaintext import PlainText

NARROWEST = 12
"""Columns left for a block, however deep it is nested."""
GUIDE = "│ "


class Painter:
    """Turns parts of blocks into strips."""

    def __init__(self, pen: Pen) -> None:
        self.pen = pen

    def draw(self, block: bl.Block, part: int, gap: int, width: int) -> list[Strip]:
        """Draw a part.

        Args:
            block: The block.
            part: Which of its parts; the head is the first where there is one.
            gap: Empty lines above it.
            width: Columns there are.

        Returns:
            The lines, each exactly as wide as asked.
        """
        depth = min(block.depth, max(0, (width - NARROWEST) // len(GUIDE)))
        inner = max(1, width - depth * len(GUIDE))
        if block.head and part == 0:
            strips = self._head(block, inner)
        else:
            strips = self._body(block, part - block.head, inner)
        strips = [*(self._blank(inner) for _ in range(gap)), *strips]
        if depth:
            strips = self.pen.indent(strips, GUIDE * depth, self.pen.palette["faint"])
        self.pen.counters.drawn += 1
        self.pen.counters.lines += len(strips)
        return strips

    def _blank(self, width: int) -> Strip:
        return Strip.blank(width, self.pen.palette.base)

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
        return self.pen.palette["error" if failed else "muted"]

    def _document(self, block: bl.Block, document: Document, index: int, width: int) -> list[Strip]:
        palette = self.pen.palette
        part = document.part(index)
        references = document.env.get("references")
        strips = self.pen.markdown(part.source, max(1, width - 2), references)
        gap = [self._blank(max(1, width - 2)) for _ in range(part.gap)]
        if isinstance(block, bl.ProseBlock):
            first = "● " if index == 0 else None
            return self.pen.indent([*gap, *strips], "  ", palette["muted"], first)
        return self.pen.indent([*gap, *strips], "│ ", palette["faint"])

    def _plain(self, block: bl.Block, body: PlainText, index: int, width: int) -> list[Strip]:
        palette = self.pen.palette
        if isinstance(block, bl.PromptBlock):
            lines = self.pen.hang(Text(), Text(body.part(index)), width - 2)
            return self._prompt(block, lines, width, first=index == 0)
        lines = self.pen.plain(body.part(index), width - 4, self._output_style(block))
        return self.pen.indent(self.pen.strips(lines, width - 4), "  │ ", palette["faint"])

    def _prompt(self, block: bl.PromptBlock, lines: list[Text], width: int, *, first: bool) -> list[Strip]:
        palette = self.pen.palette
        mark = Text("❯ ", palette["accent"]) if first else Text("  ")
        marked = [Text.assemble(Text("  ") if number else mark, line) for number, line in enumerate(lines)]
        if block.queued and first:
            marked[0].append("  queued", palette["muted"] + Style(bold=False, italic=True))
        return self.pen.strips(marked, width, palette["prompt"])

    def _head(self, block: bl.Block, width: int) -> list[Strip]:
        if isinstance(block, bl.PromptBlock):
            return self._prompt(block, heads.prompt_fold(self.pen, block, width - 2), width, first=True)
        return self.pen.strips(self._lines(block, width), width)

    @singledispatchmethod
    def _lines(self, block: bl.Block, _width: int) -> list[Text]:
        raise TypeError(f"nothing draws {type(block).__name__}")

    @_lines.register
    def _(self, block: bl.ToolBlock, width: int) -> list[Text]:
        return heads.tool_head(self.pen, block, width)

    @_lines.register
    def _(self, block: bl.ThinkingBlock, width: int) -> list[Text]:
        return heads.thinking_head(self.pen, block, width)

    @_lines.register
    def _(self, block: bl.QuestionBlock, width: int) -> list[Text]:
        return cards.question_card(self.pen, block, width)

    @_lines.register
    def _(self, block: bl.PermissionBlock, width: int) -> list[Text]:
        return cards.permission_line(self.pen, block, width)

    @_lines.register
    def _(self, block: bl.PlanBlock, width: int) -> list[Text]:
        return cards.plan_title(self.pen, block, width)

    @_lines.register
    def _(self, block: bl.NoticeBlock, width: int) -> list[Text]:
        return heads.notice(self.pen, block, width)

    @_lines.register
    def _(self, block: bl.ErrorBlock, width: int) -> list[Text]:
        return remedies.error(self.pen, block, width)

    @_lines.register
    def _(self, block: bl.RetryBlock, width: int) -> list[Text]:
        return heads.retry(self.pen, block, width)

    @_lines.register
    def _(self, block: bl.ResultBlock, width: int) -> list[Text]:
        return heads.result(self.pen, block, width)

    @_lines.register
    def _(self, block: bl.RuleBlock, width: int) -> list[Text]:
        return heads.rule(self.pen, block, width)
