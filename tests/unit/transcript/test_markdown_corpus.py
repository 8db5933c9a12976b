"""Sixty documents as models write them, drawn at three widths, and in any pieces in which they may arrive."""

import re
from functools import cache
from itertools import cycle
from pathlib import Path
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st
from markdown_it.token import Token
from rich.cells import cell_len
from rich.style import Style
from textual.strip import Strip

from ccq_tui.transcript import document as documents
from ccq_tui.transcript.document import Document
from ccq_tui.widgets.transcript.code import Colours
from ccq_tui.widgets.transcript.pen import Pen, tokens_of
from tests.tables import each_row

CORPUS = sorted((Path(__file__).parent / "markdown").glob("*.md"))
WIDTHS = (40, 80, 160)
PIECES = (1, 7, 60)
SPACE = re.compile(r"\s+")
FRAME = re.compile(r"[│─━┃↳]")
"""What is drawn around quotes and between the columns of a table."""


@cache
def pen() -> Pen:
    white = Style.parse("white on black")
    return Pen(Colours(white, lambda _name: white))


def document(text: str, size: int | None = None) -> Document:
    """Make a document of a text, fed whole or in pieces of so many characters."""
    made = Document()
    for start in range(0, len(text), size or len(text)):
        made.feed(text[start : start + (size or len(text))])
        if size:
            made.split()
    made.finish()
    while made.split():
        pass
    return made


def strips(made: Document, width: int) -> list[Strip]:
    references = made.env.get("references")
    drawn: list[Strip] = []
    for part in made.parts:
        drawn += [Strip.blank(width)] * part.gap
        drawn += pen().markdown(part.source, width, references)
    return drawn


def words(tokens: list[Token]) -> list[str]:
    """The words that the parser finds in a document, without those of its syntax."""
    found: list[str] = []
    for token in tokens:
        if token.children is not None:
            text = "".join(" " if child.type.endswith("break") else child.content for child in token.children)
            found += text.split()
        elif token.type in {"fence", "code_block"}:
            found += token.content.split()
    return found


def squeezed(text: str) -> str:
    """Text without its spaces, frames and line breaks: a long word may be broken anywhere."""
    return SPACE.sub("", FRAME.sub("", text))


def test_there_are_sixty_of_them() -> None:
    assert len(CORPUS) == 60


@each_row(*CORPUS)
def test_it_fits_and_loses_nothing(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    made = document(source)
    wanted = [squeezed(word) for word in words(tokens_of(source))]
    for width in WIDTHS:
        drawn = strips(made, width)
        for strip in drawn:
            assert strip.cell_length == width
            assert cell_len(strip.text) == width
        text = squeezed("".join(strip.text for strip in drawn))
        if "table" not in path.stem and "model" not in path.stem:
            at = 0  # in its order
            for word in wanted:
                at = text.find(word, at)
                assert at >= 0, f"{word!r} at {width} columns"
                at += len(word)
        assert not [word for word in wanted if not set(word) <= set(text)], "in a cell, a word may be broken"
        edges = [any(one.style and one.style.meta for one in strip) for strip in drawn]
        blanks = [not (strip.text.strip() or edge) for strip, edge in zip(drawn, edges, strict=True)]
        if "empty" not in path.stem and "broken" not in path.stem:  # an empty heading is an empty line
            assert (blanks[0], blanks[-1]) == (False, False), "no empty lines around a document"


@each_row(*CORPUS)
def test_it_looks_the_same_however_it_arrives(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    whole = document(source)
    for size in PIECES:
        streamed = document(source, size)
        assert streamed.parts == whole.parts
        assert [strip.text for strip in strips(streamed, 80)] == [strip.text for strip in strips(whole, 80)]


LINES = (
    *("", "", "", "text", "- item", "  more", "    four", "1. one", "2. two", "> quote", "# head"),
    *("```", "```py", "  ```", "- ```", "~~~", "~~~~", "```x`y", "| a | b |", "|---|---|"),
    *("---", "===", "[a]: http://x.y/z", "[^1]: note", "long " * 30, "see [a]"),
    *("   ```", "1) x", "* * *", "- ", "   - deep", "10. ten", "  text"),
)


@given(
    st.lists(st.sampled_from(LINES), min_size=1, max_size=40),
    st.lists(st.integers(1, 90), min_size=1, max_size=9),
)
def test_parts_are_cut_as_they_arrive_and_code_stays_whole(lines: list[str], sizes: list[int]) -> None:
    source, made = "\n".join(lines) + "\n", Document()
    with patch.object(documents, "SECTION", 120):
        whole, at, size = document(source).parts, 0, cycle(sizes)
        while at < len(source):
            made.feed(source[at : at + (taken := next(size))])
            made.split()
            at += taken
        made.finish()
        while made.split():
            pass
    assert made.parts == whole
    code = [code_in(part.source) for part in whole]
    assert [text for texts in code for text in texts] == code_in(source)


def code_in(source: str) -> list[str]:
    return [token.content for token in tokens_of(source) if token.type == "fence"]


@each_row(*CORPUS)
def test_each_state_of_a_stream_can_be_drawn(path: Path) -> None:
    source = path.read_text(encoding="utf-8")[:1_500]
    made = Document()
    for start in range(0, len(source), 41):
        made.feed(source[start : start + 41])
        made.split()
        for part in [*made.parts[-1:], made.tail]:
            for strip in pen().markdown(part.source, 40, made.env.get("references")):
                assert strip.cell_length == 40


def test_code_at_the_end_of_an_item_is_apart_from_the_next_one() -> None:
    made = document("1. first\n   - again\n\n     ```sh\n     ls\n     ```\n2. second\n3. third\n")
    lines = [strip.text.strip() for strip in strips(made, 40)]
    at = lines.index("2. second")
    assert lines[at - 3 : at + 2] == ["ls", "", "", "2. second", "3. third"], "its edge, and a gap"
