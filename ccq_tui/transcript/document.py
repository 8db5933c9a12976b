"""Growing Markdown, cut into parts that can be read alone, so that finished parts are never read again.

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

from ccq_tui.text import safe

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


SLICE = 4_000
"""Characters split in one go: a few milliseconds of work."""
SHORT = 16_000
"""Most characters of a complete text that can be split at the moment somebody looks at it."""
LABELLED = 80
"""Characters at the beginning in which code that was cut is marked."""
FENCES = ("```", "~~~")
LONG_LINE = 4_000
"""Length from which a line is taken in before it ends."""


class DocumentPart(NamedTuple):
    """A piece of Markdown that is rendered by itself.

    Attributes:
        source: The Markdown, safe to draw.
        gap: Empty lines above it.
    """

    source: str
    gap: int


class Document:
    """Markdown text that arrives piece by piece and is finished at some time.

    Attributes:
        parts: The parts that will not change any more.
        env: The link definitions found so far, in the parser's form.
    """

    def __init__(self, text: str = "", *, finished: bool = False) -> None:
        self.parts: list[DocumentPart] = []
        self.env: dict[str, Any] = {}
        self.finished = False
        self._fed: list[str] = []
        self._raw = ""  # text that arrived and is not in the tail yet
        self._tail = ""  # safe text whose blocks may still change
        self._tail_gap = 0
        self._by_blocks = False  # whether the tail begins within a section that is no part
        self._try_at = 0  # length of the tail at which to look for its blocks again
        self._version = 0
        self._epoch = 0
        if text:
            self.feed(text)
        if finished:
            self.finish()

    def feed(self, text: str) -> None:
        """Append text; nothing is parsed yet."""
        self._raw += text
        self._fed.append(text)

    def finish(self) -> None:
        """Note that no more text will come."""
        self.finished = True
        self._version += 1

    def completed(self, text: str) -> Document:
        """Return a finished document of exactly this text: this one, if it was fed a beginning of it."""
        fed = "".join(self._fed)
        if not text.startswith(fed):
            return Document(text, finished=True)
        if len(text) > len(fed):
            self.feed(text[len(fed) :])
        self._fed = [text]
        self.finish()
        return self

    @property
    def text(self) -> str:
        return "".join(self._fed)

    @property
    def tail(self) -> DocumentPart:
        """The text after the finished parts, as far as it was looked at; may still change; may be empty."""
        line = self._raw[:LONG_LINE]
        return DocumentPart(self._tail + safe(line) if "\n" not in line else self._tail, self._tail_gap)

    @property
    def put_off(self) -> bool:
        """Whether this is a short, complete text not looked at yet: the first look splits it."""
        return self.finished and not self.parts and not self._tail and 0 < len(self._raw) <= SHORT

    def look(self) -> None:
        if self.put_off:
            while self.settle():
                pass

    def __len__(self) -> int:
        """Return the number of parts, including the tail unless that is empty."""
        return len(self.parts) + bool(self._tail.strip() or self._raw)

    def part(self, index: int) -> DocumentPart:
        """Return a part; the last one may be the tail."""
        return self.parts[index] if index < len(self.parts) else self.tail

    def key(self, index: int) -> tuple[int, int]:
        """Return a key that changes whenever the part would be drawn differently."""
        return self._epoch, -1 if index < len(self.parts) else self._version

    def estimate(self, index: int, width: int) -> int:
        """Guess the number of lines of a part without rendering it."""
        if index >= len(self.parts):
            size = len(self._tail) + len(self._raw)
            breaks = (self._raw if self.put_off else self._tail).count("\n")
            return max(1, size // width + 1, breaks) + self._tail_gap
        source, gap = self.parts[index]
        breaks = source.rstrip().count("\n")
        if source[:1] in {"`", "~"}:
            edges = sum(sign not in source[:LABELLED] for sign in (CONTINUED, GOES_ON))
            return max(1, breaks - 1) + edges + gap
        return max(1, -(-len(source) // width), breaks + 1) + gap

    def settle(self, budget: int = SLICE) -> bool:
        """Split the text that arrived, at most ``budget`` characters; return whether there is more to do."""
        self._version += 1
        taken = self._take(budget)
        if taken:
            self._tail += safe(taken)
            self._split()
        if self.finished and not taken and self._tail:
            self._split(last=True)
        more = len(self._raw) > LONG_LINE or "\n" in self._raw
        return more or (self.finished and bool(self._raw or self._tail))

    def _take(self, budget: int) -> str:
        """Take complete lines, or a piece of a line that is too long to wait for its end."""
        raw = self._raw
        end = raw.rfind("\n", 0, budget) + 1
        if end == 0 and len(raw) > LONG_LINE:
            end = raw.rfind(" ", 1, LONG_LINE) + 1 or LONG_LINE
            end -= raw[end - 1] == "\r"  # its line feed may come next
        elif end == 0 and self.finished:
            end = len(raw)
        self._raw = raw[end:]
        return raw[:end]

    def _split(self, *, last: bool = False) -> None:
        """Turn what is complete of the tail into parts: sections, or the blocks where one is no part."""
        while self._tail:
            end = 0 if self._by_blocks else section_end(self._tail)
            section = self._tail[:end] if end else self._tail
            self._by_blocks = self._by_blocks or not is_part(section)
            if self._by_blocks:
                if not (last or len(self._tail) >= self._try_at) or not self._emit(last=last):
                    break
            elif end or last:
                self._add_section(section)
                self._tail, self._tail_gap = self._tail[len(section) :], 1
            else:
                break

    def _outline(self, text: str) -> list[BlockSpan]:
        """Find the blocks of a text, and the definitions of links in it."""
        known = len(self.env.get("references", ()))
        spans = outline(markdown_parser(inline=False), text, self.env)
        if len(self.env.get("references", ())) != known:
            self._epoch += 1  # a link further up may have found its target
        return spans

    def _add_section(self, section: str) -> None:
        if "]:" in section and not self._outline(section) and self.parts:
            # Definitions alone draw nothing: they belong to what is above them.
            above = self.parts[-1]
            self.parts[-1] = DocumentPart(above.source + section, above.gap)
        else:
            self._add(section, self._tail_gap)

    def _emit(self, *, last: bool) -> bool:
        """Turn blocks into parts, up to the next section; return whether the tail must be looked at again."""
        spans = self._outline(self._tail)
        lines = self._tail.splitlines(keepends=True)
        for number, span in enumerate(spans):
            final = number == len(spans) - 1
            start = span.start if number else 0  # text before the first block belongs to it
            text = "".join(lines[start : None if final else spans[number + 1].start])
            gap = self._gap(span) if number else self._tail_gap
            if number and is_boundary(lines[start - 1], lines[start]):
                self._by_blocks, self._try_at = False, 0
                self._tail, self._tail_gap = "".join(lines[start:]), gap
                return True
            while found := cut(span, text):
                self._add(found.part, gap)
                text, gap = found.rest, 0
                if found.span is None:
                    after = "" if final else "".join(lines[spans[number + 1].start :])
                    self._tail, self._tail_gap, self._try_at = text + after, gap, 0
                    return True
                span = found.span
            if final and not last:
                self._tail, self._tail_gap, self._try_at = text, gap, len(text) * 3 // 2
                return False
            self._add(text, gap)
        self._tail = "" if last else self._tail
        return False

    def _gap(self, span: BlockSpan) -> int:
        if span.follows and self.parts:
            before = self.parts[-1].source
            return int(before.endswith("\n\n") or before.rstrip().endswith(FENCES))
        return 1

    def _add(self, source: str, gap: int) -> None:
        self.parts.append(DocumentPart(source, gap if self.parts else 0))
