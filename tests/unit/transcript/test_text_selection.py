"""Drawn lines joined again: the text of the source, however it was wrapped, whatever of it is selected."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual.geometry import Offset
from textual.selection import Selection

from ccq_tui.agent import events as ev
from ccq_tui.transcript.document import Document
from ccq_tui.transcript.model import TranscriptModel
from ccq_tui.transcript.order import BlockChange
from ccq_tui.widgets.transcript.layout import Layout
from ccq_tui.widgets.transcript.text_selection import LinePlace, TextSelection, source_of, unwrapped
from tests.unit.transcript.test_drawing import painter
from tests.unit.transcript.test_viewport import Pane

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


def shown(kind: str, code: str, width: int) -> Pane:
    """A pane that shows code, in prose or in a tool call."""
    pane = Pane()
    fenced = f"```sh\n{code}\n```"
    texts = {"fence": f"before\n\n{fenced}\n\nafter", "item": "- item\n\n" + indented(fenced)}
    if kind in texts:
        pane.apply(ev.BlockFinished(ev.BlockKey("m", 0), ev.BlockKind.TEXT, texts[kind]))
    elif kind == "diff":
        change = {"file_path": "/a.txt", "old_string": "", "new_string": code}
        pane.apply(ev.ToolStarted("t", "Edit", change))
        pane.apply(ev.ToolFinished("t", "Edit", "done"))
    else:
        pane.apply(ev.ToolStarted("t", "Bash", {"command": code if kind == "command" else "x"}))
        pane.apply(ev.ToolFinished("t", "Bash", "y" if kind == "command" else code))
    pane.sync(pane.model.set_folds(folded=False))
    pane.viewport.resize(width, 500)
    return pane


def indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.split("\n"))


def selected(pane: Pane, first: str, last: str) -> str | None:
    """Select from one character, which stands once on the screen, to another, and return what is copied."""
    layout = pane.layout
    places = {}
    for block in range(len(layout.blocks)):
        for part in range(layout.parts(block)):
            for offset, strip in enumerate(layout.strips(block, part)):
                places |= {
                    sign: Offset(x, LinePlace(block, part, offset).code) for x, sign in enumerate(strip.text)
                }
    end = places[last] + Offset(1, 0)
    return TextSelection(pane.viewport).text(Selection.from_offsets(places[first], end))


KINDS = ["fence", "item", "output", "command", "diff"]
GAPS = st.sampled_from(["", "", "", " ", "   ", "\n    ", "\n"])


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(KINDS), st.lists(GAPS, min_size=2, max_size=120), st.integers(14, 60), st.data())
def test_any_stretch_of_code_is_copied_as_it_was_written(
    kind: str, gaps: list[str], width: int, data: st.DataObject
) -> None:
    signs = [chr(0x3B1 + number) if number < 17 else chr(0x400 + number) for number in range(len(gaps))]
    code = "".join(sign + gap for sign, gap in zip(signs, gaps, strict=True)).rstrip()
    first, last = sorted(data.draw(st.tuples(st.integers(0, len(gaps) - 1), st.integers(0, len(gaps) - 1))))
    wanted = code[code.index(signs[first]) : code.index(signs[last]) + 1]
    assert selected(shown(kind, code, width), signs[first], signs[last]) == wanted


@pytest.mark.parametrize("kind", KINDS)
def test_the_rest_of_a_long_line_of_code_follows_a_mark(kind: str) -> None:
    pane = shown(kind, "x" * 50 + "\n  yes", 40)
    marked = [line.strip(" │") for line in pane.lines() if "↳" in line]
    assert len(marked) == 1
    assert marked[0].startswith("↳ xxx")


def test_prose_and_the_code_below_it_are_copied_without_the_name_of_its_language() -> None:
    pane = shown("fence", "α" + "x" * 50 + "\n\n  ω", 30)
    assert selected(pane, "●", "ω") == "before\n\nα" + "x" * 50 + "\n\n  ω"
