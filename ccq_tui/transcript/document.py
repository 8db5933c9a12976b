"""Growing Markdown, cut into parts that can be read alone, so that finished parts are never read again.

Every cut depends only on the text before and shortly after it, never on how the text arrived: a document fed
letter by letter has the same parts as one fed whole.
"""

import re
from functools import lru_cache
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, reference

from ccq_tui.text import safe

CONTINUED, GOES_ON = "↑…", "↓…"
"""Signs after the language of code that continues another part, and of code that goes on in the next."""
CODE_LINES = 60
"""Lines of code in one part."""
CODE_CHARACTERS = 8_000
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
_FENCE = re.compile(r"([ \t]*)((?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(`{3,}|~{3,})(.*)")
_ITEM = re.compile(r"(?:[-*+]|(\d{1,9})[.)])(?:[ \t]+|$)", re.MULTILINE)
_HEADING = re.compile(r"#{1,6}(?:\s|$)")
_RULE = re.compile(r"([-*_])(?:[ \t]*\1)*\s*")
_DELIMITERS = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?\s*")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def _text_end(text: str) -> int:
    """Choose the end of a sentence, or at least of a word, near half of the limit."""
    low, high = TEXT_LIMIT // 4, TEXT_LIMIT // 2
    for mark in ("\n", ". ", " "):
        found = text.rfind(mark, low, high)
        if found >= 0:
            return found + len(mark)
    return high


def _code_end(content: str) -> int:
    """Choose where to cut code, 0 for nowhere: at an empty line if possible, as highlighting restarts."""
    end, best = 0, 0
    for number in range(1, CODE_LINES + 1):
        previous, end = end, content.find("\n", end) + 1
        if end == 0 or end > CODE_CHARACTERS:
            long = len(content) > CODE_CHARACTERS
            return (content.rfind("\n", 0, CODE_CHARACTERS) + 1 or CODE_CHARACTERS // 2) if long else 0
        if number > CODE_LINES // 2 and not content[previous:end].strip():
            best = end
    return (best or end) if len(content) > end else 0


SLICE = 4_000
"""Characters split in one go: a few milliseconds of work."""
SHORT = 16_000
"""Most characters of a complete text that can be split at the moment somebody looks at it."""
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
        self._fence = ""  # the marks of the open fence
        self._code_at = 0  # where its code begins in the tail; 0 within an item, with which it ends
        self._item = 0  # cell at which the text of the open item begins
        self._text = self._quote = False  # whether the line above is text that may go on, or in a quote
        self._blank = False  # whether it is empty
        self._table, self._rows = "", 0  # the head of the open table, and its rows in the tail
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
        if self._tail[-1:] in ("", "\n"):
            self._note_line(line)
        self._tail += line
        in_code = self._fence and self._code_at
        while in_code and (end := _code_end(self._tail[self._code_at :])):
            self._cut_code(end)
        while not (in_code or self._table) and len(self._tail) > TEXT_LIMIT:
            end = _text_end(self._tail)
            if not self._tail[end:].strip():
                break
            self._end_part(end, 0)

    def _note_line(self, line: str) -> None:
        """Note what a line begins, goes on with or ends; cut the tail above it where that ends a part."""
        bare, margin, fence = line.strip(), not line[0].isspace(), _FENCE.match(line)
        indent = len(line) - len(line.lstrip())
        if self._fence and (self._code_at or not bare or indent >= self._item):
            closes = fence and fence[3].startswith(self._fence) and not (fence[2] or fence[4].strip())
            if fence and closes and len(fence[1]) < 4 + (0 if self._code_at else self._item):
                self._fence, self._code_at, self._text, self._blank = "", 0, False, False
            return
        self._fence = ""
        if not bare:
            self._blank, self._text, self._quote, self._table = True, False, False, ""
            return
        rule = bool(_RULE.fullmatch(line)) and len(bare) > 2
        within = 0 < self._item <= indent
        item = None if rule or within or indent > 3 else _ITEM.match(line, indent)
        empty = item is not None and item.end() >= len(line.rstrip("\n"))
        if item and self._text and not (self._item or self._quote) and (empty or int(item[1] or 1) != 1):
            item = None  # neither that nor another number begins a list within a paragraph
        plain = indent < 4 + within * self._item  # else it is code by its blanks
        opens = fence is not None and plain and (fence[3][0] == "~" or "`" not in fence[4])
        heading = bool(_HEADING.match(line))
        starts = bool(item) or opens or heading
        goes_on = self._text and not (starts or rule or line[0] == ">")
        if margin and not goes_on:
            cut = self._blank or (len(self._tail) >= SECTION and (starts or not self._text))
            if cut and self._tail.strip():
                close = item and self._item and not self._blank
                self._end_part(len(self._tail), 1 - bool(close and not self._tail.rstrip().endswith(FENCES)))
        self._quote = line[0] == ">" or (self._quote and goes_on)
        if item or not (within or goes_on):
            self._item = item.end() if item else 0
        self._note_table(line, ends=starts or self._item > 0)
        self._text, self._blank = not (opens or heading or rule or (item and empty)), False
        if fence and opens:
            self._fence = fence[3]
            self._code_at = 0 if fence[2] or 0 < self._item <= indent else len(self._tail) + len(line)

    def _note_table(self, line: str, *, ends: bool) -> None:
        """Note the head of a table; cut one that is too long, and begin the rest with the head."""
        above = self._tail[self._tail.rfind("\n", 0, -1) + 1 :]
        if ends or "|" not in line:
            self._table = ""
        elif not self._table and self._text and "|" in above and _DELIMITERS.fullmatch(line):
            self._table, self._rows = above + line, -1
        if self._table:
            self._rows += 1
            if self._rows > 60 or (self._rows > 1 and len(self._tail) + len(line) > TEXT_LIMIT):
                self._end_part(len(self._tail), 0)
                self._tail, self._rows = self._table, 1

    def _cut_code(self, end: int) -> None:
        """Turn the tail up to an end of its code into a part, and open the fence again."""
        above, code = self._tail[: self._code_at], self._tail[self._code_at :]
        at = above.rfind("\n", 0, -1) + 1
        opening = above[at:].rstrip()
        indent = opening[: len(opening) - len(opening.lstrip())]
        language = [word for word in opening.lstrip()[len(self._fence) :].split()[:1] if word != CONTINUED]
        newline = "" if code[end - 1] == "\n" else "\n"
        part = f"{above[:at]}{opening} {GOES_ON}\n{code[:end]}{newline}{indent}{self._fence}\n"
        again = f"{indent}{self._fence}{' '.join([*language, CONTINUED])}\n"
        self._tail, self._code_at = part + again + code[end:], len(again)
        self._end_part(len(part), 0)

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
