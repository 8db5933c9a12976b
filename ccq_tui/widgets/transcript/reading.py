"""What a reader does with drawn text: marks a block, sees a plan, selects, and takes out what is in it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, cast

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Offset
from textual.selection import Selection
from textual.strip import Strip

from ccq_tui.transcript import blocks as bl
from ccq_tui.transcript.blocks import Block, PlanBlock
from ccq_tui.transcript.document import is_safe_url, markdown_parser
from ccq_tui.widgets.transcript.code import ORIGIN
from ccq_tui.widgets.transcript.layout import Viewport
from ccq_tui.widgets.transcript.painter import plain_text

_MARGIN = " │↳"
"""Characters that may stand before the text of a drawn line."""
_BREAK = rf"(?: ?\n[{_MARGIN}]*)?"
"""Break of a long word, at the end of a full line."""
_SPACE = rf"[\s{_MARGIN}]+"
"""Space between words, or the end of a line with the margin of the next."""


class MatchSpan(NamedTuple):
    """A stretch of one line, from one cell to another, and the number of its match."""

    line: int
    start: int
    end: int
    number: int


def drawn_pattern(words: Sequence[str], flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that finds words in drawn lines, across the ends of lines."""
    broken = (_BREAK.join(re.escape(character) for character in word) for word in words)
    return re.compile(_SPACE.join(broken), flags)


def spans_in(strips: Sequence[Strip], pattern: re.Pattern[str]) -> list[MatchSpan]:
    """Return the stretches of drawn lines that a `drawn_pattern` matches, in order."""
    lines = [strip.text for strip in strips]
    found: list[MatchSpan] = []
    line, start = 0, 0
    for number, match in enumerate(pattern.finditer("\n".join(lines))):
        at = match.start()
        while at < match.end():
            while at > start + len(lines[line]):
                start += len(lines[line]) + 1
                line += 1
            end = min(match.end(), start + len(lines[line]))
            piece = lines[line][at - start : end - start]
            if shown := piece.strip(_MARGIN):  # the margin of a line is no part of the text continued in it
                first = cell_len(lines[line][: at - start + piece.index(shown)])
                found.append(MatchSpan(line, first, first + cell_len(shown), number))
            at = end + 1
    return found


def painted(strip: Strip, stretches: Iterable[tuple[int, int, Style]]) -> Strip:
    """Lay styles over stretches of a line, given by start and end in cells, in order and apart."""
    pieces: list[Strip] = []
    at = 0
    for start, end, style in stretches:
        if end <= start or start < at:
            continue
        laid = [
            Segment(segment.text, (segment.style or Style.null()) + style)
            for segment in strip.crop(start, end)
        ]
        pieces += [strip.crop(at, start), Strip(laid)]
        at = end
    return Strip.join([*pieces, strip.crop(at)]) if pieces else strip


MARK = "▌"
"""Sign in the margin beside the current block."""


class ReadingTool:
    """A tool of a reader of a pane."""

    def __init__(self, pane: Any) -> None:
        self._pane, self._viewport = pane, cast("Viewport", pane.viewport)
        self._layout = self._viewport.layout


class BlockMark(ReadingTool):
    """Keeps track of the current block."""

    _block: bl.Block | None = None

    @property
    def block(self) -> bl.Block | None:
        """The current block, or None."""
        return self._block if self._block is not None and self._block.at >= 0 else None

    def move(self, direction: int, kind: type[bl.Block] = bl.Block) -> bool:
        """Mark the next block of a kind, the first time a visible one; return whether there was one."""
        block, blocks = self.block, self._layout.blocks
        if not blocks:
            return False
        start = block.at + direction if block is not None else self._seen(direction)
        found = neighbour(blocks, start, direction, kind)
        if found is None:
            return False
        self.put(blocks[found])
        return True

    def _seen(self, direction: int) -> int:
        """Return the first block completely in view, or the last block in view, by the mark's direction."""
        layout, top, height = self._layout, self._viewport.top, self._viewport.height
        if direction < 0:
            return layout.find(top + height - 1)[0]
        index = layout.find(top)[0]
        return index + (layout.before(index) < top and index + 1 < len(layout.blocks))

    def put(self, block: bl.Block) -> None:
        """Make a block the current one and show it."""
        self._block = block
        self._viewport.held = True
        self.show()
        self._pane.mark_changed()

    def show(self) -> None:
        """Scroll to the current block, if there is one."""
        if (block := self.block) is not None:
            lines = self._layout.before(block.at + 1) - self._layout.before(block.at)
            self._pane.show(block.at, 0, 0, lines)

    def leave(self) -> bool:
        """Mark nothing; return whether a block was marked."""
        if self._block is None:
            return False
        self._block = None
        self._viewport.held = False
        self._pane.mark_changed()
        return True

    def toggle(self) -> bool:
        """Unfold the current block, or fold it again; return whether it has a longer form."""
        block = self.block
        if block is None or not block.foldable:
            return False
        self._pane.fold(block, folded=not block.folded)
        self.put(block)
        return True

    def follow(self) -> None:
        """Update the mark after a change of the blocks."""
        if self._block is not None:
            if self._block.at < 0:
                self.leave()
                self._pane.update()
            self._pane.mark_changed()

    def rows(self, bottom: int) -> range:
        """Return the rows of the view that the current block has above one row."""
        block, layout, top = self.block, self._layout, self._viewport.top
        if block is None:
            return range(0)
        first = layout.before(block.at) + layout.gap(block.at) - top
        return range(first, min(layout.before(block.at + 1) - top, bottom))


def neighbour(
    blocks: Sequence[bl.Block], start: int, direction: int, kind: type[bl.Block] = bl.Block
) -> int | None:
    """Return the index of the next block of a kind, from an index on, or None; skip the ends of turns."""
    for index in range(start, len(blocks) if direction > 0 else -1, direction):
        if isinstance(blocks[index], kind) and not isinstance(blocks[index], bl.ResultBlock):
            return index
    return None


class PlanSight(ReadingTool):
    """Brings the head of a plan into view, and remembers which of its lines were in view since."""

    _request = ""
    _plan: PlanBlock | None = None
    """The block of the request; None before the transcript has it, which may be behind the panel."""
    _opens = False
    """Whether the panel may still take lines from the view that shows the head."""
    _in_view: frozenset[tuple[int, int]] = frozenset()
    _width = 0

    def show(self, request_id: str) -> None:
        """Bring the head of a request's plan into view, and watch it."""
        self._request, self._plan = request_id, None
        self._in_view, self._opens = frozenset(), self._viewport.following
        self.follow()

    def follow(self) -> None:
        """Bring the head into view once the transcript has the plan."""
        layout, view = self._layout, self._viewport
        if self._plan is not None or not self._request:
            return
        plans = (block for block in reversed(layout.blocks) if isinstance(block, PlanBlock))
        plan = next((block for block in plans if block.request.id == self._request), None)
        if plan is None:
            return
        self._pane.update()  # the view may be behind the blocks, and not at the end that it follows
        self._plan, head = plan, layout.before(plan.at)
        if not view.top <= head < view.top + view.height:
            self._pane.show(plan.at, 0, 0, layout.before(plan.at + 1) - head)
        self.update_seen()

    def resized(self) -> None:
        """Bring the head back into view if the opening panel has just covered its lines."""
        opens, self._opens = self._opens, False
        if opens and self._viewport.following and self._plan is not None and self._plan.at >= 0:
            self.show(self._plan.request.id)
            self._opens = False

    def leave(self) -> None:
        """Stop keeping the head in view: the person goes to the end."""
        self._opens = False

    @property
    def unseen(self) -> int:
        """Number of lines of the plan that were never in view."""
        block, layout = self._plan, self._layout
        if block is None and self._request:
            return 1  # at least
        if block is None or block.at < 0:
            return 0
        return max(0, layout.before(block.at + 1) - layout.before(block.at) - len(self._in_view))

    def update_seen(self) -> None:
        block, layout, view = self._plan, self._layout, self._viewport
        if block is None or block.at < 0:
            return
        if layout.width != self._width:
            self._in_view, self._width = frozenset(), layout.width  # wrapped again
        first, last = layout.before(block.at), layout.before(block.at + 1)
        bottom = view.top + view.height - bool(view.unseen)  # the last line counts the lines below
        lines = range(max(first, view.top), min(last, bottom))
        seen = self._in_view | {layout.find(line)[1:] for line in lines}
        if seen != self._in_view:
            self._in_view = seen
            self._pane.plan_seen()


MOST_LINES = 10_000
"""Most lines that one selection yields."""
_BITS = 20
_FIRST = 1 << _BITS


class LinePlace(NamedTuple):
    """A line by its block and part: lines above may come, go and be measured without changing it."""

    block: int
    part: int
    offset: int

    @property
    def code(self) -> int:
        """The line as one number, ordered as the lines are; greater than any row of a screen."""
        return (((self.block + 1) << _BITS | self.part) << _BITS) | self.offset

    @classmethod
    def of(cls, code: int) -> "LinePlace":
        """Return the line with a number."""
        rest, offset = divmod(code, _FIRST)
        block, part = divmod(rest, _FIRST)
        return cls(block - 1, part, offset)


class TextSelection(ReadingTool):
    """Textual's selection within the blocks of a viewport: its offsets are numbers of lines, not of rows."""

    def place(self, y: int) -> LinePlace:
        """Return the line drawn in a row of the view; below all blocks, one after the last."""
        line = self._viewport.top + y
        if line >= self._layout.total:
            return LinePlace(len(self._layout.blocks), 0, 0)
        return LinePlace(*self._layout.find(line))

    def drawn(self, strip: Strip, place: LinePlace, selection: Selection, style: Style) -> Strip:
        """Return a line with its selected stretch marked."""
        span = self._placed(selection).get_span(place.code)
        if span is None:
            return strip
        text = strip.text
        start, end = span[0], len(text) if span[1] < 0 else span[1]
        return painted(strip, [(cell_len(text[:start]), cell_len(text[:end]), style)])

    def _placed(self, selection: Selection) -> Selection:
        """Return a selection whose ends are lines; in the margin Textual gives rows of the screen."""
        if selection.start is None or selection.end is None:
            return selection
        ends = [
            Offset(end.x, end.y if end.y >= _FIRST else self.place(end.y).code)
            for end in (selection.start, selection.end)
        ]
        return Selection.from_offsets(*ends)

    def text(self, selection: Selection) -> str | None:
        """Return the text of a selection, without the margins of its lines; None when all is selected."""
        selection = self._placed(selection)
        if selection.start is None or selection.end is None:
            return None
        return "\n".join(self._texts(selection, selection.start.y, selection.end.y)).strip("\n")

    def _texts(self, selection: Selection, first: int, last: int) -> Iterator[str]:
        """Yield the selected text of each part, with the line breaks of its source."""
        layout = self._layout
        count = 0
        for index, part in layout.parts_from(*LinePlace.of(first)[:2]):
            if LinePlace(index, part, 0).code > last or count >= MOST_LINES:
                return
            lines: list[str] = []
            whole = ""
            for offset, strip in enumerate(layout.strips(index, part)):
                span = selection.get_span(LinePlace(index, part, offset).code)
                if span is None:
                    continue
                text, begins, exact = copied(strip, *span)
                if begins == "lead" or not lines:
                    whole = text
                    lines.append(text)
                elif begins == "fold":
                    whole += text
                else:
                    whole = f"{lines[-1].rstrip()}{' ' if begins == 'wrap' and lines[-1] else ''}{text}"
                lines[-1] = whole if exact else whole.rstrip()
            if lines:
                count += len(lines)
                yield "\n".join(lines)

    def block_at(self, y: int) -> Selection | None:
        """Return the selection of the whole block in a row of the view, or None."""
        block = self.place(y).block
        if block >= len(self._layout.blocks):
            return None
        first, last = LinePlace(block, 0, 0), LinePlace(block, _FIRST - 1, _FIRST - 1)
        return Selection(Offset(0, first.code), Offset(0, last.code))


def copied(strip: Strip, start: int, end: int) -> tuple[str, str, bool]:
    """Return the selected text of a line, its beginning, and whether it is exact.

    The beginning is "lead" unless it continues the line above. Text that is not exact may end in blanks that
    only fill the line.
    """
    text, at, begins = "", 0, "lead"
    for piece, style, _ in strip:
        origin = style.meta.get(ORIGIN, "") if style else ""
        if origin == "fill":
            return text, begins, bool(text)
        if origin:
            text, begins = "", origin
        if origin not in ("lead", "fold"):
            text += piece[max(0, start - at) : None if end < 0 else max(0, end - at)]
        at += len(piece)
    return text, begins, False


MOST_SEARCHED = 200_000
"""Most characters of a block that are searched for code, links and paths."""
MOST_TARGETS = 200

_URL = re.compile(r"(?:https?|file)://[!-;=?-Z^-~\[\]]{1,2000}", re.IGNORECASE)
_PATH = re.compile(r"(?<![\w/:.])(?:~/|\.{1,2}/|/)?(?:[\w@+-][\w.@+-]*/)*[\w@+.-]*[\w](?::\d+)?(?![\w/])")
_LIKE_A_PATH = re.compile(r"/|\.[A-Za-z][A-Za-z0-9]{0,7}(?::\d+)?$|^(?:Makefile|Dockerfile|LICENSE|README)$")


def text_of(block: bl.Block) -> str:
    """Return the text to copy of a block: the source of Markdown, the output of a tool, or the drawn text."""
    if isinstance(block, bl.PromptBlock):
        return block.text
    if isinstance(block, bl.ProseBlock | bl.ThinkingBlock | bl.PlanBlock):
        return block.document.text.strip("\n")
    if isinstance(block, bl.ToolBlock) and block.output.strip():
        return bl.uncoloured(block).rstrip()
    return plain_text([block])


def code_in(block: bl.Block) -> list[str]:
    """Return the pieces of code in a block: those of its Markdown, or a tool's command."""
    if isinstance(block, bl.ToolBlock):
        command = block.input.get("command")
        return [command] if isinstance(command, str) and command.strip() else []
    if not isinstance(block, bl.ProseBlock | bl.ThinkingBlock | bl.PlanBlock | bl.PromptBlock):
        return []
    tokens = markdown_parser(inline=False).parse(text_of(block)[:MOST_SEARCHED])
    return [
        token.content.rstrip("\n")
        for token in tokens
        if token.type in {"fence", "code_block"} and token.content.strip()
    ]


def targets_in(block: bl.Block) -> list[str]:
    """Return the links and possible paths in a block, each once, in order.

    The caller must check whether a path exists.
    """
    return [*dict.fromkeys(_targets(block))][:MOST_TARGETS]


def _targets(block: bl.Block) -> Iterator[str]:
    if isinstance(block, bl.ToolBlock):
        for name in ("file_path", "notebook_path", "path", "url"):  # arguments of tools that hold a target
            value = block.input.get(name)
            if isinstance(value, str) and value.strip() and len(value) < 2_000:
                yield value.strip()
        command = block.input.get("command")
        if isinstance(command, str):
            yield from in_text(command[:MOST_SEARCHED])
    yield from in_text(text_of(block)[:MOST_SEARCHED])


def in_text(text: str) -> Iterable[str]:
    """Yield the links and possible paths in a text, in order."""
    at = 0
    for match in _URL.finditer(text):
        yield from _paths(text[at : match.start()])
        url = match[0].rstrip(".,;:!?\"'*_`")
        while url.endswith((")", "]")) and url.count("(") + url.count("[") < url.count(")") + url.count("]"):
            url = url[:-1]
        if is_safe_url(url):
            yield url
        at = match.end()
    yield from _paths(text[at:])


def _paths(text: str) -> Iterator[str]:
    for match in _PATH.finditer(text):
        if _LIKE_A_PATH.search(match[0]) and len(match[0]) < 1_000:
            yield match[0]


def targets_at(block: Block, strips: Sequence[Strip], line: int, cell: int) -> list[str]:
    """Return the targets under the pointer, the likeliest first; slow enough for a thread in long blocks.

    The caller must check whether a path exists.
    """
    if not 0 <= line < len(strips):
        return []
    named = targets_in(block)
    links = list(_links(strips[line], cell))
    drawn = dict.fromkeys([*named, *in_text(strips[line].text)])
    covering = [
        target
        for target in drawn
        for span in spans_in(strips, drawn_pattern([target]))
        if span.line == line and span.start <= cell < span.end
    ]
    hit = sorted(covering, key=len, reverse=True)
    whole = [target for target in named if hit and target.endswith(f"/{hit[0]}")]
    return list(dict.fromkeys([*links, *hit[:1], *whole, *hit[1:]]))


def _links(strip: Strip, cell: int) -> Iterator[str]:
    """Yield the link drawn in a cell, whose words may differ from its address."""
    for segment in strip.crop(cell, cell + 1):
        link = segment.style.link if segment.style is not None else None
        if link and is_safe_url(link):
            yield link
