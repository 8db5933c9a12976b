"""Draws changed lines: one under the other, or old beside new where there is room."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.style import Style
from rich.text import Text
from textual.strip import Strip

from ccq_tui.inbox.file_diff import BREAK, DiffLine
from ccq_tui.text import safe
from ccq_tui.widgets.lines import FOLD_SIGN
from ccq_tui.widgets.transcript.code import FOLD, LEAD, folded, highlighted
from ccq_tui.widgets.transcript.diff import LINE_LIMIT, Diff
from ccq_tui.widgets.transcript.pen import Pen, unmarked

SIDE_BY_SIDE = 130
"""Columns of a block from which old and new are side by side: a screen of 140, and some nesting."""
INDENT = "  "
_GROUND = {"+": "added", "-": "removed"}
_LEAST_ALIKE = 0.4
"""Least share of two lines that must be alike for their difference to be marked."""

MOST_CODE = 8_000
"""Most characters of one side of a piece that are coloured by their language."""

Pair = tuple[DiffLine | None, DiffLine | None]
Code = Mapping[int, Text]
"""Coloured lines, by the `id` of the line."""
Span = tuple[int, int]


def draw_diff(pen: Pen, diff: Diff, index: int, width: int) -> list[Strip]:
    lines = diff.part(index)
    room = max(8, width - len(INDENT))
    pairs = list(_paired(lines))
    code = _highlighted(pen, diff.language, lines)
    strips: list[Strip] = []
    if room >= SIDE_BY_SIDE and any(line.sign == "-" for line in lines):
        for pair in pairs:
            strips.extend(_beside(pen, pair, diff.digits, room, code))
    else:
        marks = {id(line): _differing(pair)[side] for pair in pairs for side, line in enumerate(pair) if line}
        for line in lines:
            strips.extend(_rows(pen, line, line.new or line.old, diff.digits, room, code, marks[id(line)]))
    if diff.hidden and index == len(diff) - 1:
        strips.append(pen.strip(more(pen, diff.hidden), room))
    return pen.indent(strips, INDENT, pen.colours["faint"])


def more(pen: Pen, hidden: int) -> Text:
    """Return a line with the number of folded lines, and the key that shows them."""
    return Text(f"… {hidden:,} more line{'s' * (hidden != 1)} · Ctrl+O", pen.colours["muted"])


def _paired(lines: Sequence[DiffLine]) -> Iterator[Pair]:
    """Pair removed lines with the added lines that replace them."""
    at = 0
    while at < len(lines):
        if lines[at].sign not in _GROUND:
            yield lines[at], lines[at]
            at += 1
            continue
        gone, come = [], []
        while at < len(lines) and lines[at].sign == "-":
            gone.append(lines[at])
            at += 1
        while at < len(lines) and lines[at].sign == "+":
            come.append(lines[at])
            at += 1
        for number in range(max(len(gone), len(come))):
            yield (
                gone[number] if number < len(gone) else None,
                come[number] if number < len(come) else None,
            )


def _differing(pair: Pair) -> tuple[Span, Span]:
    """Find where two similar lines differ; return empty spans if they are not similar."""
    old, new = pair
    if old is None or new is None or old is new:
        return (0, 0), (0, 0)
    before, after = old.text[:LINE_LIMIT], new.text[:LINE_LIMIT]
    first = _alike(before, after)
    last = _alike(before[first:][::-1], after[first:][::-1])
    if first + last < _LEAST_ALIKE * max(len(before), len(after)):
        return (0, 0), (0, 0)
    return (first, len(before) - last), (first, len(after) - last)


def _alike(one: str, other: str) -> int:
    """Return the number of characters that both have in common at their beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _rows(
    pen: Pen,
    line: DiffLine,
    number: int | None,
    digits: int,
    width: int,
    code: Code,
    mark: Span = (0, 0),
) -> list[Strip]:
    """Draw one line, wrapped under itself, on a background that shows whether it was added or removed."""
    colours = pen.colours
    if line.sign == BREAK:
        return [pen.strip(Text(BREAK.rjust(digits), colours["muted"]), width)]
    ground = colours[_GROUND[line.sign]] if line.sign in _GROUND else Style.null()
    beside = colours["strong"] if line.sign in _GROUND else colours["muted"]
    gutter = Text.assemble((f"{'' if number is None else number:>{digits}} {line.sign} ", beside + LEAD))
    fold = Text(FOLD_SIGN.rjust(digits + 3), colours["muted"] + FOLD)
    rows = folded(_marked(pen, line, mark, code), max(1, width - digits - 3))
    return pen.strips(
        [Text.assemble(fold if row else gutter, text) for row, text in enumerate(rows)], width, ground
    )


def _highlighted(pen: Pen, language: str, lines: Sequence[DiffLine]) -> Code:
    """Colour the old and the new lines of a piece by their language; a side that is too long stays plain."""
    found: dict[int, Text] = {}
    for gone in ("+", "-") if language else ():
        side = [line for line in lines if line.sign not in (gone, BREAK)]
        texts = [safe(line.text, keep_newlines=False) for line in side if len(line.text) <= LINE_LIMIT]
        if len(texts) < len(side) or sum(map(len, texts)) > MOST_CODE:
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
    source, (start, end) = line.text[:LINE_LIMIT], mark
    pieces = (source[:start], source[start:end], source[end:])
    before, differing, after = (safe(piece, keep_newlines=False) for piece in pieces)
    if end <= start or before + differing + after != safe(source, keep_newlines=False):
        # A suspect sequence may span the parts.
        known = code.get(id(line))
        return known.copy() if known else Text(safe(line.text, keep_newlines=False, limit=LINE_LIMIT))
    known = code.get(id(line))
    text = known.copy() if known else Text(before + differing + after)
    text.stylize(pen.colours["changed"], len(before), len(before) + len(differing))
    return text


def _beside(pen: Pen, pair: Pair, digits: int, width: int, code: Code) -> Iterator[Strip]:
    half = (width - 3) // 2
    marks = _differing(pair)
    sides = [
        []
        if line is None
        else _rows(pen, line, line.new if side else line.old, digits, half, code, marks[side])
        for side, line in enumerate(pair)
    ]
    blank = pen.strip(Text(), half)
    rule = pen.strip(Text(" │ ", pen.colours["faint"]), 3)
    rest = pen.strip(Text(), width - 2 * half - 3)
    for row in range(max(map(len, sides))):
        left, right = (side[row] if row < len(side) else blank for side in sides)
        yield unmarked(Strip.join([left, rule, right, rest]))  # it holds text of two sources
