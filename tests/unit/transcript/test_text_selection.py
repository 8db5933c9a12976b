"""Drawn lines joined again: the text of the source, however it was wrapped, whatever of it is selected."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccq_tui.agent import events as ev
from ccq_tui.widgets.transcript import TranscriptModel
from ccq_tui.widgets.transcript.document import Document
from ccq_tui.widgets.transcript.layout import Layout
from ccq_tui.widgets.transcript.order import BlockChange
from ccq_tui.widgets.transcript.text_selection import source_of, unwrapped
from tests.unit.transcript.test_drawing import painter

PROSE = "The **store** reads `store.py` [twice](https://x.org/a), 日本語の文章もあります,\nand then it waits."
SHOWN = "The store reads store.py twice, 日本語の文章もあります,\nand then it waits."


def joined(text: str, width: int, *, prompt: bool = False) -> list[str]:
    """Draw a text in lines of a width, and join each part again."""
    model = TranscriptModel(lambda: 0.0)
    if prompt:
        model.add_prompt(text)
    else:
        model.apply(ev.BlockFinished(ev.BlockKey("m", 0), ev.BlockKind.TEXT, text))
    (block,) = model.blocks
    layout = Layout(model.blocks, painter().draw)
    layout.width = width
    while block.body is not None and isinstance(block.body, Document) and block.body.settle():
        pass
    layout.sync(BlockChange((0,)))
    parts = []
    for part in range(layout.parts(0)):
        lines = [strip.text[2:].rstrip() for strip in layout.strips(0, part)]
        parts.append(unwrapped(lines, source_of(block, part)).strip("\n"))
    return parts


@pytest.mark.parametrize("width", [12, 20, 33, 60, 200])
def test_prose_comes_out_as_it_was_written(width: int) -> None:
    assert joined(PROSE, width) == [SHOWN]
    assert joined("# A heading that is long enough\n\ntwo words", width) == [
        "A heading that is long enough",
        "two words",
    ]
    long = "x" * 70
    assert joined(f"{long} and {long}", width) == [f"{long} and {long}"], "a word that was broken is whole"


def test_a_prompt_keeps_its_own_line_breaks_alone() -> None:
    text = "one two three four five\n\n  six seven eight nine\nten"
    assert "\n".join(joined(text, 14, prompt=True)).endswith("six seven eight nine\nten")


@pytest.mark.parametrize(
    "text", ["- one two three\n- four five six", "| a | b |\n|---|---|\n| one two | three |"]
)
def test_what_is_more_than_prose_stays_as_it_was_drawn(text: str) -> None:
    assert any("\n" in part for part in joined(text, 14))


@given(st.lists(st.text("ab ", min_size=1, max_size=6), min_size=1, max_size=8), st.data())
def test_any_cut_of_a_text_is_joined_as_it_stands_there(words: list[str], data: st.DataObject) -> None:
    source = " ".join(" ".join(words).split())
    if not source:
        return
    ends = sorted(data.draw(st.sets(st.integers(1, max(1, len(source) - 1)), max_size=4)))
    lines = [source[start:end].strip() for start, end in zip([0, *ends], [*ends, len(source)], strict=True)]
    assert "".join(unwrapped(lines, source).split()) == "".join(source.split())
    assert "\n" not in unwrapped([line for line in lines if line], source)


def test_lines_of_another_text_are_left_as_they_are() -> None:
    assert unwrapped(["one", "two"], "something else") == "one\ntwo"
    assert unwrapped(["", "one", "two", ""], "one two") == "\none two\n"
    assert unwrapped(["one"], "") == "one"
