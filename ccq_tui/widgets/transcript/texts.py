"""The plain text of blocks, part by part, as a search reads it: what is drawn if nothing is folded."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field

from rich.style import Style

from ccq_tui.widgets.transcript import blocks as bl
from ccq_tui.widgets.transcript.document import Document
from ccq_tui.widgets.transcript.lexers import NoLexers
from ccq_tui.widgets.transcript.markdown import tokens_of
from ccq_tui.widgets.transcript.painter import Painter
from ccq_tui.widgets.transcript.palette import Palette
from ccq_tui.widgets.transcript.pen import Counters, Pen
from ccq_tui.widgets.transcript.plaintext import PlainText

WIDTH = 2_000
"""Wide enough that little is wrapped or cut."""
BODY_WIDTH = 120
"""For what has columns of its own and would be laid out in another way on a wide screen."""


def unfolded(block: bl.Block) -> bl.Block:
    """Return a block as it is when unfolded; the block itself is not changed."""
    if not block.folded:
        return block
    whole = copy.copy(block)
    whole.folded = False
    return whole


@dataclass(slots=True)
class _Known:
    """What was read of a block."""

    document: Document | None
    key: object
    parts: list[str] = field(default_factory=list)


class Texts:
    """Reads blocks, each part once.

    Attributes:
        read: Characters of parts read so far.
    """

    def __init__(self) -> None:
        self.read = 0
        self._known: dict[bl.Block, _Known] = {}
        palette = Palette(Style.null(), lambda _name: Style.null())
        self._painter = Painter(Pen(palette, Counters(), NoLexers()))

    def parts(self, block: bl.Block) -> Iterator[str]:
        """Yield the text of each part of a block; one part costs a millisecond or two at most."""
        whole = unfolded(block)
        body = whole.body
        document = body if isinstance(body, Document) else None
        if document is not None:
            document.look()
        key = document.key(0)[0] if document is not None else block.version
        known = self._known.get(block)
        if known is None or known.document is not document or known.key != key:
            known = self._known[block] = _Known(document, key)
        head = int(whole.head)
        count = head + (len(body) if body is not None else 0)
        for number in range(count):
            if number < len(known.parts):
                yield known.parts[number]
                continue
            text = self._head(whole) if number < head else self._part(whole, number - head)
            self.read += len(text)
            # What may still change, a head that tells of its growing body included, is read again.
            lasting = document is None or head <= number < head + len(document.parts)
            if lasting and number == len(known.parts):
                known.parts.append(text)
            yield text

    def _head(self, block: bl.Block) -> str:
        return "\n".join(strip.text.rstrip() for strip in self._painter.draw(block, 0, 0, WIDTH))

    def _part(self, block: bl.Block, number: int) -> str:
        body = block.body
        if isinstance(body, Document):
            return markdown_text(body, number)
        if isinstance(body, PlainText):
            return body.part(number)
        drawn = self._painter.draw(block, number + int(block.head), 0, BODY_WIDTH)
        return "\n".join(strip.text.rstrip() for strip in drawn)


def markdown_text(document: Document, number: int) -> str:
    """Return a part of a document without its Markdown signs, as it is drawn."""
    pieces: list[str] = []
    for token in tokens_of(document.part(number).source, document.env.get("references")):
        if token.type in {"fence", "code_block"}:
            pieces.append(token.content.rstrip("\n"))
        for child in token.children or ():
            if child.type in {"softbreak", "hardbreak"}:
                pieces.append("\n")
            elif child.type == "image":
                pieces.append(f"[image: {child.content}] ({child.attrs.get('src', '')})")
            else:
                pieces.append(child.content)
        if token.type == "inline" or token.content:
            pieces.append("\n")
    return "".join(pieces)
