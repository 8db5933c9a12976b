"""Documents and tables of Markdown as sentences, which a screen reader reads in order."""

import re
from collections.abc import Iterable, Iterator

from ccq_tui.answering.document import Passage, PassageKind

_RULE = re.compile(r"\s*\|?(\s*:?-+:?\s*\|)+(\s*:?-+:?\s*)?\|?\s*")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")


def sentences(document: Iterable[Passage]) -> Iterator[str]:
    """Draw a document, signs as words."""
    for part, text, mark, name, _ in document:
        match part:
            case PassageKind.OPTION:
                yield f"{mark}. {name}{text}"
            case PassageKind.CHANGE:
                yield f"{mark} {name}: {text}"
            case _ if not text.strip():
                continue
            case PassageKind.FIELD:
                yield f"{name}: {text}".replace("\n", "\n    ")
            case PassageKind.VERBATIM if mark:
                yield f"Preview of {mark}:\n{text}"
            case _:
                yield as_sentences(text)


def as_sentences(markdown: str) -> str:
    """Return Markdown with each row of a table as one line of ``Header: value`` sentences."""
    return "\n".join(_lines(markdown.split("\n")))


def _lines(lines: list[str]) -> Iterator[str]:
    fence, heads, at = "", [""], 0
    while at < len(lines):
        line, at = lines[at], at + 1
        if found := _FENCE.match(line):
            # A fence ends with one that is at least as long.
            fence = "" if fence and found[1].startswith(fence) else fence or found[1]
        if fence or "|" not in line or at >= len(lines) or not _RULE.fullmatch(lines[at]):
            yield line
            continue
        heads, at = _cells(line), at + 1
        while at < len(lines) and "|" in lines[at]:
            row, at = _cells(lines[at]), at + 1
            cells = zip(heads, row, strict=False)
            named = [f"{head}: {cell}" if head else cell for head, cell in cells if cell]
            yield ". ".join(part.rstrip(".") for part in named) + "."


def _cells(row: str) -> list[str]:
    row = row.strip().removeprefix("|")
    row = row if row.endswith("\\|") else row.removesuffix("|")
    return [cell.replace("\\|", "|").strip() for cell in re.split(r"(?<!\\)\|", row)]
