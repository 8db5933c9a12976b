"""Undoes the wrapping of drawn lines: what is copied has the line breaks of its source, not of the screen."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markdown_it.token import Token

from ccq_tui.widgets.transcript import blocks as bl
from ccq_tui.widgets.transcript.document import Document
from ccq_tui.widgets.transcript.markdown import tokens_of
from ccq_tui.widgets.transcript.plaintext import PlainText

_SHOWN_AS_WRITTEN = frozenset({"paragraph_open", "heading_open"})
_BREAKS = frozenset({"softbreak", "hardbreak"})
_WITHOUT_TEXT = frozenset({"em", "strong", "s", "link"})


def source_of(block: bl.Block, part: int) -> str:
    """Return the text of a part as it would be drawn on endless lines.

    Args:
        block: A block.
        part: Which part of it, its head counted.

    Returns:
        The text, or "" for what is more than prose: a list, a table, code, a tool's card.
    """
    body, index = block.body, part - int(block.head)
    if index < 0:
        return ""
    if isinstance(body, PlainText):
        return body.part(index) if index < len(body) else ""
    if not isinstance(body, Document):
        return ""
    tokens = tokens_of(body.part(index).source, body.env.get("references"))
    inline = [token for token in tokens if token.type == "inline"]
    if len(inline) != 1 or tokens[0].type not in _SHOWN_AS_WRITTEN:
        return ""
    return "".join(_text(token) for token in inline[0].children or ())


def _text(token: Token) -> str:
    if token.type in _BREAKS:
        return "\n"
    return "" if token.type.removesuffix("_open").removesuffix("_close") in _WITHOUT_TEXT else token.content


def unwrapped(lines: Sequence[str], source: str) -> str:
    """Join drawn lines as they stand in their source.

    Args:
        lines: Some lines in a row, the first and the last perhaps in part, without margins.
        source: What `source_of` says of them, or "".

    Returns:
        The text; with the lines' own breaks where the source is another text.
    """
    drawn = "\n".join(lines)
    pieces = [line.strip() for line in lines if line.strip()]
    if not source or len(pieces) < 2:
        return drawn
    match = re.search(r"(\s*)".join(re.escape(piece) for piece in pieces), source)
    if match is None:
        return drawn
    above = drawn[: len(drawn) - len(drawn.lstrip("\n"))]
    below = drawn[len(drawn.rstrip("\n")) :]
    return above + match[0] + below
