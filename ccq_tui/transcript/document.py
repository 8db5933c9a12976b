"""Growing Markdown, cut into parts that can be read alone, so that finished parts are never read again.

Every cut depends only on the text before and shortly after it, never on how the text arrived: a document fed
letter by letter has the same parts as one fed whole.
"""

import re
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
"""Characters of a part from which on it ends before the next block, even without an empty line."""
_START = re.compile(r"(?:[-*+]|\d{1,9}[.)]|#{1,6})\s|```|~~~")
"""What may begin a block without an empty line above it."""
_LONG = re.compile(r"```|~~~|\|")
"""Signs of code and of tables, of which parts have a number of lines."""
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def _blocks(source: str) -> list[Token]:
    """Return what begins the blocks of Markdown that are in no other one, and the items of such lists."""
    tokens = markdown_parser(inline=False).parse(source)
    return [one for one in tokens if one.map and (not one.level or (one.level, one.type) == ITEM)]


def _text_end(text: str) -> int:
    """Choose the end of a sentence, or at least of a word, near half of the limit."""
    low, high = TEXT_LIMIT // 4, TEXT_LIMIT // 2
    for mark in ("\n", ". ", " "):
        found = text.rfind(mark, low, high)
        if found >= 0:
            return found + len(mark)
    return high


def _code_end(lines: list[str]) -> int:
    """Choose where to cut code, 0 for nowhere: at an empty line if possible, as highlighting restarts."""
    content = "".join(lines[:CODE_LINES])
    if len(content) > CODE_CHARACTERS:
        return content.rfind("\n", 0, CODE_CHARACTERS) + 1 or CODE_CHARACTERS // 2
    if len(lines) <= CODE_LINES:
        return 0
    ends = range(CODE_LINES, CODE_LINES // 2, -1)
    return len("".join(lines[: next((end for end in ends if not lines[end - 1].strip()), CODE_LINES)]))


def _cut_code(fence: Token, lines: list[str]) -> tuple[str, str]:
    """Cut the code at the end of some lines, if it is long and open; its fence is opened again."""
    first = fence.map[0] if fence.map else 0
    opening, code = lines[first].rstrip(), "".join(lines[first + 1 :])
    end = 0 if code.rstrip().endswith(FENCES) else _code_end(lines[first + 1 :])
    indent = opening[: len(opening) - len(opening.lstrip())]
    language = [word for word in fence.info.split()[:1] if word != CONTINUED]
    newline = "" if code[end - 1 : end] == "\n" else "\n"
    part = f"{''.join(lines[:first])}{opening} {GOES_ON}\n{code[:end]}{newline}{indent}{fence.markup}\n"
    again = f"{indent}{fence.markup}{' '.join([*language, CONTINUED])}\n"
    return part if end else "", again + code[end:]


def _cut_table(table: Token, lines: list[str]) -> tuple[str, str]:
    """Cut the table at the end of some lines, if it is long; the rest begins with its head."""
    first, behind = table.map or (0, 0)
    end = min(first + 2 + TABLE_ROWS, behind - 1)
    is_long = end > first + 2 and (behind - 1 > end or sum(map(len, lines)) > TEXT_LIMIT)
    head = lines[first : first + 2]
    return "".join(lines[:end]) if is_long else "", "".join([*head, *lines[end:]])


_CUTS = {"fence": _cut_code, "table_open": _cut_table}
"""How a block at the end of a text is cut if it is long: what is complete, and the rest."""
SLICE = 4_000
"""Characters split in one go: a few milliseconds of work."""
SHORT = 16_000
"""Most characters of a complete text that can be split at the moment a person looks at it."""
FENCES = ("```", "~~~")
ITEM = (1, "list_item_open")
"""The level and the type of an item of a list that is in no other block."""
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
        length: Number of characters of the text so far.
    """

    def __init__(self, text: str = "", *, finished: bool = False) -> None:
        self.parts: list[DocumentPart] = []
        self.env: dict[str, Any] = {}
        self.finished = False
        self.length = 0
        self._fed: list[str] = []
        self._raw = ""  # text that arrived and is not in the tail yet
        self._tail = ""  # safe text whose blocks may still change
        self._tail_gap = 0
        self._version = 0
        self._epoch = 0
        if text:
            self.feed(text)
        if finished:
            self.finish()

    def feed(self, text: str) -> None:
        """Append text; nothing is parsed yet."""
        self._raw += text
        self.length += len(text)
        self._fed.append(text)

    def finish(self) -> None:
        """Note that no more text will come."""
        self.finished = True
        self._version += 1

    def completed(self, text: str) -> "Document":
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

    def split_whole(self) -> None:
        if self.put_off:
            while self.split():
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
        tail = DocumentPart(self._tail + self._raw, self._tail_gap)
        source, gap = self.parts[index] if index < len(self.parts) else tail
        return max(-(-len(source) // width), source.rstrip().count("\n") + 1) + gap

    def split(self, budget: int = SLICE) -> bool:
        """Split the text that arrived, at most ``budget`` characters; return whether there is more to do."""
        self._version += 1
        taken = self._take(budget)
        for line in _LINE.findall(safe(taken)):
            self._add_line(line)
        if self.finished and not taken and self._tail:
            self._end_part(len(self._tail), 1)
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

    def _add_line(self, line: str) -> None:
        """Take a line, or a piece of a long one, into the tail, and cut off what is complete."""
        tail = self._tail
        if tail.strip() and tail[-1] == "\n" and not line[0].isspace():
            blank = not tail[tail.rfind("\n", 0, -1) + 1 :].strip()
            if blank and not any(mark in tail for mark in FENCES):
                self._end_part(len(tail), 1)  # only code goes on at the margin behind an empty line
            elif blank or (len(tail) >= SECTION and _START.match(line)):
                at = tail.count("\n")
                begun = [one.type for one in _blocks(tail + line) if one.map and one.map[0] == at]
                goes_on = begun[:1] == [ITEM[1]] and not (blank or tail.rstrip().endswith(FENCES))
                if begun:
                    self._end_part(len(tail), 1 - goes_on)
        self._tail += line
        while self._cut_long():
            pass

    def _cut_long(self) -> bool:
        """Turn the beginning of what has become long into a part; return whether there was enough of it."""
        tail, lines = self._tail, self._tail.count("\n")
        if len(tail) <= TEXT_LIMIT and (lines <= CODE_LINES or lines % 10):
            return False
        outer = [one for one in _blocks(tail) if not one.level] if _LONG.search(tail) else []
        cut = _CUTS.get(outer[-1].type) if outer else None
        if cut is not None:
            part, rest = cut(outer[-1], _LINE.findall(tail))
        else:
            end = _text_end(tail) if len(tail) > TEXT_LIMIT else 0
            part, rest = tail[:end], tail[end:]
        if not (part and rest.strip()):
            return False
        self._tail = part + rest
        self._end_part(len(part), 0)
        return True

    def _end_part(self, end: int, gap: int) -> None:
        """Turn the tail up to an end into a part; ``gap`` empty lines follow."""
        source, self._tail = self._tail[:end], self._tail[end:]
        part = DocumentPart(source, self._tail_gap if self.parts else 0)
        self._tail_gap = gap
        if "]:" in source:
            known = len(self.env.get("references", ()))
            tokens = markdown_parser(inline=False).parse(source, self.env)
            if len(self.env.get("references", ())) != known:
                self._epoch += 1  # a link further up may have found its target
            if not tokens and self.parts:
                # Definitions alone draw nothing: they belong to what is above them.
                above = self.parts.pop()
                part = DocumentPart(above.source + source, above.gap)
        self.parts.append(part)
