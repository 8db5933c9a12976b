"""The contents that can be taken out of a block: its text, its code, its links and paths."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from textual.strip import Strip

from ccq_tui.transcript import blocks as bl
from ccq_tui.transcript.blocks import Block
from ccq_tui.transcript.cuts import is_safe_url, markdown_parser
from ccq_tui.widgets.transcript.highlights import drawn_pattern, spans_in
from ccq_tui.widgets.transcript.painter import plain_text

LOOKED_AT = 200_000
"""Most characters of a block that are searched for code, links and paths."""
MOST_TARGETS = 200

_ARGUMENTS = ("file_path", "notebook_path", "path", "url")
"""Arguments of tools that hold a target."""
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
    tokens = markdown_parser(inline=False).parse(text_of(block)[:LOOKED_AT])
    return [
        token.content.rstrip("\n")
        for token in tokens
        if token.type in {"fence", "code_block"} and token.content.strip()
    ]


def targets_in(block: bl.Block) -> list[str]:
    """Return the links and possible paths in a block, each once, in order.

    The caller must check whether a path exists.
    """
    found: dict[str, None] = {}
    for target in _targets(block):
        if len(found) >= MOST_TARGETS:
            break
        found.setdefault(target)
    return list(found)


def _targets(block: bl.Block) -> Iterator[str]:
    if isinstance(block, bl.ToolBlock):
        for name in _ARGUMENTS:
            value = block.input.get(name)
            if isinstance(value, str) and value.strip() and len(value) < 2_000:
                yield value.strip()
        command = block.input.get("command")
        if isinstance(command, str):
            yield from in_text(command[:LOOKED_AT])
    yield from in_text(text_of(block)[:LOOKED_AT])


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
    spans = {target: spans_in(strips, drawn_pattern([target])).get(line, ()) for target in drawn}
    covering = [one for one, found in spans.items() if any(span.start <= cell < span.end for span in found)]
    hit = sorted(covering, key=len, reverse=True)
    whole = [target for target in named if hit and target.endswith(f"/{hit[0]}")]
    return list(dict.fromkeys([*links, *hit[:1], *whole, *hit[1:]]))


def _links(strip: Strip, cell: int) -> Iterator[str]:
    """Yield the link drawn in a cell, whose words may differ from its address."""
    for segment in strip.crop(cell, cell + 1):
        link = segment.style.link if segment.style is not None else None
        if link and is_safe_url(link):
            yield link
