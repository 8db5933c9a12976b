"""Growing Markdown, split into parts once, so that finished parts are never read again."""

from __future__ import annotations

from typing import Any, NamedTuple

from ccq_tui.text import safe
from ccq_tui.transcript.cuts import (
    CONTINUED,
    GOES_ON,
    BlockSpan,
    cut,
    is_boundary,
    is_part,
    markdown_parser,
    outline,
    section_end,
)

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
