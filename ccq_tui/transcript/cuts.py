"""Places to cut Markdown into parts that can be read alone.

Every cut depends only on the text before and shortly after it, never on how the text arrived: a document fed
letter by letter has the same parts as one fed whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, reference
from markdown_it.token import Token

CONTINUED, GOES_ON = "↑…", "↓…"
"""Signs after the language of code that continues another part, and of code that goes on in the next."""
CODE_LINES = 60
"""Lines of code in one part."""
CODE_CHARACTERS = 8_000
TABLE_ROWS = 60
TEXT_LIMIT = 4_000
"""A paragraph or list item longer than this is cut near half of it."""


_SAFE_URL = re.compile(r"(?:https?|file)://[!-~]{1,2000}", re.IGNORECASE)


def is_safe_url(url: str) -> bool:
    """Return whether a URL may be given to the terminal as a link."""
    return _SAFE_URL.fullmatch(url) is not None


@lru_cache(maxsize=2)
def markdown_parser(*, inline: bool) -> MarkdownIt:
    """Return a parser for the Markdown of models, HTML as text; finding blocks alone takes half the time."""
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    # A rejected link stays text, so that its target can be read.
    parser.validateLink = is_safe_url  # type: ignore[method-assign]
    # A footnote stays text, even a single word, which would otherwise be read as the target of a link.
    parser.block.ruler.at("reference", _reference, {"alt": []})
    if not inline:
        parser.core.ruler.disable("inline")
    return parser


def _reference(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read the definition of a link's target."""
    at = state.bMarks[start] + state.tShift[start]
    return not state.src.startswith("[^", at) and reference(state, start, end, silent)


SECTION = 1_000
"""Most characters of a section that is one part; of a longer one each block is."""
_EMPTY_LINES = re.compile(r"\n(?:[ \t]*\n)+(?=\S)")
_FENCE = re.compile(r"^([ \t]*)(`{3,}|~{3,})(.*)$", re.MULTILINE)


def is_boundary(above: str, line: str) -> bool:
    """Whether a line begins a section: at the margin below an empty line, all blocks but a fence end."""
    return not above.strip() and not line[0].isspace()


def section_end(text: str) -> int:
    """Return where the first section of Markdown that begins with a block ends, 0 if it may go on."""
    ends = (found.end() for found in _EMPTY_LINES.finditer(text))
    return next((end for end in ends if text[:end].strip() and not _is_open(text[:end])), 0)


def _is_open(section: str) -> bool:
    fence = ""
    for _, marks, rest in _FENCE.findall(section):
        if not fence:
            fence = marks if marks[0] == "~" or "`" not in rest else ""
        elif marks.startswith(fence) and not rest.strip():
            fence = ""
    return bool(fence)


def is_part(section: str) -> bool:
    """Whether a section is one part: it is short, or code; an indented fence may end with a list's item."""
    fences = _FENCE.findall(section)
    if any(indent for indent, _, _ in fences):
        return False
    ends = [marks for _, marks, _ in fences]
    if len(ends) == 2 and section.startswith(ends[0]) and section.rstrip().endswith(ends[1]):
        return len(section) <= CODE_CHARACTERS and section.count("\n") <= CODE_LINES
    return len(section) <= SECTION


@dataclass(frozen=True, slots=True)
class BlockSpan:
    """One top-level block, or one item of a top-level list.

    Attributes:
        kind: "item", or the type of the parser's token.
        start: First line, counted from 0.
        follows: Whether it continues the list of the span before.
        content: The code of a fence, "" otherwise.
    """

    kind: str
    start: int
    follows: bool = False
    content: str = ""


def outline(parser: MarkdownIt, text: str, env: dict[str, Any]) -> list[BlockSpan]:
    """Find the top-level blocks of Markdown that begins with a block; a list counts as its items."""
    return list(_spans(parser.parse(text, env), text.split("\n")))


def _spans(tokens: list[Token], lines: list[str]) -> Iterator[BlockSpan]:
    first = True
    for token in tokens:
        if token.map is None or token.nesting < 0:
            continue
        start = token.map[0]
        if token.level == 0:
            first = True
            if not token.type.endswith("_list_open"):
                yield BlockSpan(token.type, start, content=token.content if token.type == "fence" else "")
        elif token.level == 1 and token.type == "list_item_open":
            # An item indented further would read as code by itself.
            if first or not lines[start].startswith("    "):
                yield BlockSpan("item", start, follows=not first)
            first = False


class FrontCut(NamedTuple):
    """A part cut off the front of a block, the rest of the block, and the span of that rest."""

    part: str
    rest: str
    span: BlockSpan | None
    """Span of the rest, or None when only the parser can tell."""


def cut(span: BlockSpan, text: str) -> FrontCut | None:
    """Cut the first part off a block that is too long for one; otherwise return None."""
    if span.kind == "fence":
        return _cut_fence(span, text)
    if span.kind == "table_open":
        return _cut_table(span, text)
    if len(text) <= TEXT_LIMIT:
        return None
    end = _text_end(text)
    return FrontCut(text[:end], text[end:], None) if text[end:].strip() else None


def _text_end(text: str) -> int:
    """Choose the end of a sentence, or at least of a word, near half of the limit."""
    low, high = TEXT_LIMIT // 4, TEXT_LIMIT // 2
    for mark in ("\n", ". ", " "):
        found = text.rfind(mark, low, high)
        if found >= 0:
            return found + len(mark)
    return high


def _cut_fence(span: BlockSpan, text: str) -> FrontCut | None:
    opening, _, body = text.partition("\n")
    end = _code_end(span.content)
    if end is None or not body.startswith(
        span.content
    ):  # the parser strips the indentation of an indented fence
        return None
    fence = opening.lstrip()
    marker = fence[: len(fence) - len(fence.lstrip(fence[:1]))]
    newline = "" if body[end - 1] == "\n" else "\n"
    part = f"{fence} {GOES_ON}\n{body[:end]}{newline}{marker}\n"
    language = [word for word in fence[len(marker) :].split()[:1] if word != CONTINUED]
    again = f"{marker}{' '.join([*language, CONTINUED])}"
    return FrontCut(part, f"{again}\n{body[end:]}", replace(span, content=span.content[end:]))


def _code_end(content: str) -> int | None:
    """Choose where to cut code: at an empty line if possible, since highlighting restarts after it."""
    end, best = 0, 0
    for number in range(1, CODE_LINES + 1):
        previous, end = end, content.find("\n", end) + 1
        if end == 0 or end > CODE_CHARACTERS:
            return _long_line_end(content)
        if number > CODE_LINES // 2 and not content[previous:end].strip():
            best = end
    return (best or end) if len(content) > end else None


def _long_line_end(content: str) -> int | None:
    if len(content) <= CODE_CHARACTERS:
        return None
    return content.rfind("\n", 0, CODE_CHARACTERS) + 1 or CODE_CHARACTERS // 2


def _cut_table(span: BlockSpan, text: str) -> FrontCut | None:
    lines = text.split("\n", TABLE_ROWS + 2)
    if len(lines) < TABLE_ROWS + 3 or not lines[-1].strip():
        return None
    head = "\n".join(lines[:2])
    return FrontCut("\n".join(lines[:-1]) + "\n", f"{head}\n{lines[-1]}", span)
