"""Finding text among blocks, and the text that is selected in drawn lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Offset
from textual.selection import Selection
from textual.strip import Strip

from ccq_tui.agent import events as ev
from ccq_tui.transcript import blocks as bl
from ccq_tui.transcript.document import Document
from ccq_tui.transcript.order import BlockChange
from ccq_tui.widgets.transcript import search as search_module
from ccq_tui.widgets.transcript.reading import LinePlace, TextSelection, drawn_pattern, painted, spans_in
from ccq_tui.widgets.transcript.search import MOST_HITS, Search
from tests.tables import each_row, table
from tests.ui.host import counted
from tests.unit.transcript.test_viewport import Pane, settled


def prose(text: str) -> bl.ProseBlock:
    return bl.ProseBlock(settled(Document(text, finished=True)))


def searched(query: str, *blocks: bl.Block, start: int = 0) -> tuple[Pane, Search]:
    """Show blocks, from a line on, and look for a query."""
    pane = Pane()
    for at, block in enumerate(blocks):
        block.at = at
    pane.layout.blocks += blocks
    pane.layout.sync(BlockChange(tuple(range(len(blocks)))))
    if start:
        pane.viewport.resize(60, 1)
        pane.viewport.move(start)
    search = Search(pane)
    search.begin()
    search.find(query)
    return pane, search


def last(pane: Pane) -> tuple[int, int, bool]:
    """Finish the search, and return the last report: place, count, and whether there may be more."""
    while pane.waiting:
        pane.waiting.pop(0)()
    return pane.found[-1]


def count(query: str, *blocks: bl.Block) -> int:
    return last(searched(query, *blocks)[0])[1]


@each_row(*table(__file__, "search.json")["what_is_read_is_found_not_how_markdown_writes_it"])
def test_what_is_read_is_found_not_how_markdown_writes_it(query: str, times: int) -> None:
    text = "A **bold** [link](https://a.org) and\n`code`.\n\n```py\nx = 1\n```\n\n- item\n\na.b (c) axb"
    assert count(query, prose(text), prose("word Word"), prose("WORD")) == times


def test_folded_text_is_found_and_the_block_stays_folded() -> None:
    block = bl.ToolBlock("t", "Bash", {"command": "make"}, 0.0)
    block.state, block.output = bl.ToolState.OK, "\n".join(f"line {number}" for number in range(200))
    thought = bl.ThinkingBlock(prose("deep in thought").document)
    pane, search = searched("make", block, thought)
    assert last(pane) == (1, 1, False)
    assert block.folded, "its head shows the match"
    for query, times in (("line 17", 11), ("deep", 1)):
        search.find(query)
        assert last(pane) == (1, times, False)
        assert (block.folded, thought.folded) == (query == "deep", query != "deep")
    search.end()
    search.find("no more")
    assert last(pane) == (0, 0, False)
    assert not thought.folded, "what is looked at as the search ends stays"


def test_nothing_above_is_gone_to_before_everything_below_was_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(search_module, "SLICE", 0.0)
    monkeypatch.setattr(search_module, "BETWEEN", 0.0)
    pane, _ = searched("hit", prose("hit\n\nseen"), prose("none"), prose("hit"), start=2)
    assert last(pane) == (2, 2, False)
    assert {place for place, _, _ in pane.found} == {0, 2}


def test_a_growing_block_is_read_where_it_grew(monkeypatch: pytest.MonkeyPatch) -> None:
    block = bl.ProseBlock(settled(Document("one fish\n\n" * 400)))
    pane, search = searched("fish", block)
    assert last(pane) == (1, 400, False)
    read = counted(monkeypatch, search_module, "words_of")
    block.document.feed("two fish\n\nthree")
    settled(block.document)
    search.update([block])
    assert last(pane) == (1, 401, False)
    assert len(read) <= 2, "what was read before is not read again"


def test_a_block_that_grows_while_it_is_read_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_module, "SLICE", 0.0)
    block = bl.ProseBlock(settled(Document("one fish\n\n" * 3)))
    pane, search = searched("fish", block)
    for _ in range(len(block.document) - 1):
        pane.waiting.pop(0)()
    block.document.feed("two fish\n\n")
    settled(block.document)
    search.update([block])
    assert last(pane) == (1, 4, False)


def test_ten_thousand_blocks_are_read_once_in_steps_of_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    read = counted(monkeypatch, search_module, "words_of")
    pane, search = searched(
        "paragraph 9", *(prose(f"paragraph {number} with some words") for number in range(10_000))
    )
    assert last(pane)[1] == 1_111
    search.find("paragraph 99")
    assert last(pane)[1] == 111
    assert len(read) == 10_000


def test_more_hits_than_anybody_counts_end_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    read = counted(monkeypatch, search_module, "words_of")
    pane, _ = searched("e", *(prose("e " * 2_000) for _ in range(50)))
    place, found, more = last(pane)
    assert (place, more) == (1, True)
    assert found > MOST_HITS
    assert len(read) < 100


def errand(name: str, found: str) -> tuple[ev.AgentEvent, ...]:
    """The work of a subagent that is over, folded away under its card."""
    return (
        ev.ToolStarted(name, "Agent", {"description": name, "prompt": "look"}),
        ev.ToolStarted(f"{name}-in", "Bash", {"command": f"echo {found}"}, parent=name),
        ev.ToolFinished(f"{name}-in", "Bash", found, parent=name),
        ev.ToolFinished(name, "Agent", "Done."),
    )


def test_an_agents_work_is_folded_away_again_when_the_search_goes_on() -> None:
    pane = Pane()
    for event in (*errand("first", "a needle"), *errand("second", "another needle")):
        pane.apply(event)
    search = Search(pane)
    search.begin()
    search.find("needle")

    def unfolded() -> list[str]:
        return [getattr(block, "id", "") for block in pane.model.blocks if not block.folded]

    assert last(pane)[1] > 2
    assert "first" in unfolded()
    while "second" not in unfolded():
        search.next(1)
    assert "first" not in unfolded(), "it was unfolded only for what was found in it"
    search.find("xyz")
    assert (last(pane), unfolded()) == ((0, 0, False), [])


def spans(lines: list[str], query: str) -> list[tuple[int, int, int, int]]:
    width = max(len(line) for line in lines)
    strips = [Strip([Segment(line.ljust(width))]) for line in lines]
    return [tuple(span) for span in spans_in(strips, drawn_pattern(query.split()))]


def test_matches_are_found_across_the_ends_of_lines() -> None:
    assert spans(["● some words", "  wrap here"], "words wrap") == [(0, 7, 12, 0), (1, 2, 6, 0)]
    assert spans(["  │ longwo", "  │ rd end"], "longword") == [(0, 4, 10, 0), (1, 4, 6, 0)]
    assert spans(["  short", "  line here it is"], "shortline") == [], "these are two lines"


def test_wide_characters_count_in_cells() -> None:
    assert spans(["日本 ab ab"], "ab") == [(0, 5, 7, 0), (0, 8, 10, 1)]
    assert spans(["x日本"], "日") == [(0, 1, 3, 0)]


def test_painting_keeps_the_text() -> None:
    strip = Strip([Segment("hello "), Segment("world", Style(bold=True))])
    drawn = painted(strip, [(3, 8, Style(reverse=True))])
    assert drawn.text == strip.text
    reversed_text = "".join(segment.text for segment in drawn if segment.style and segment.style.reverse)
    assert reversed_text == "lo wo"
    assert any(segment.style and segment.style.reverse and segment.style.bold for segment in drawn)


PROSE = "The **store** reads `store.py` [twice](https://x.org/a), 日本語の文章もあります,\nand then it waits."
SHOWN = "The store reads store.py twice, 日本語の文章もあります,\nand then it waits."


def copied(text: str, width: int, *, prompt: bool = False) -> str | None:
    """Draw a text in lines of a width, and copy all of it."""
    pane = Pane(width)
    if prompt:
        pane.sync(pane.model.add_prompt(text))
    else:
        pane.say(text, 0)
    selection = TextSelection(pane)
    whole = selection.block_at(0)
    assert whole is not None
    return selection.text(whole)


@each_row(12, 20, 33, 60, 200)
def test_prose_comes_out_as_it_was_written(width: int) -> None:
    assert copied(PROSE, width) == SHOWN
    assert copied("# A heading that is long enough\n\ntwo words", width) == (
        "A heading that is long enough\n\ntwo words"
    )
    long = "x" * 70
    assert copied(f"{long} and {long}", width) == f"{long} and {long}", "a word that was broken is whole"


def test_a_prompt_keeps_its_own_line_breaks_alone() -> None:
    text = "one two three four five\n\n  six seven eight nine\nten"
    assert copied(text, 14, prompt=True) == text


def test_items_are_copied_in_a_line_each_and_a_table_as_it_is_drawn() -> None:
    items = ("one two three four five six", "seven eight nine ten")
    assert copied(f"- {items[0]}\n- {items[1]}", 26) == f"• {items[0]}\n• {items[1]}"
    assert "\n" in str(copied("| a | b |\n|---|---|\n| one two | three |", 14))


@given(st.lists(st.text("ab日", min_size=1, max_size=30), min_size=1, max_size=8), st.integers(12, 40))
def test_words_are_copied_as_they_stand_whatever_the_width(words: list[str], width: int) -> None:
    text = " ".join(words)
    assert copied(text, width) == text


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
    return TextSelection(pane).text(Selection.from_offsets(places[first], end))


KINDS = ["fence", "item", "output", "command", "diff"]
GAPS = st.sampled_from(["", "", "", " ", "   ", "\n    ", "\n"])


@given(st.sampled_from(KINDS), st.lists(GAPS, min_size=2, max_size=120), st.integers(14, 60), st.data())
def test_any_stretch_of_code_is_copied_as_it_was_written(
    kind: str, gaps: list[str], width: int, data: st.DataObject
) -> None:
    signs = [chr(0x3B1 + number) if number < 17 else chr(0x400 + number) for number in range(len(gaps))]
    code = "".join(sign + gap for sign, gap in zip(signs, gaps, strict=True)).rstrip()
    first, last = sorted(data.draw(st.tuples(st.integers(0, len(gaps) - 1), st.integers(0, len(gaps) - 1))))
    wanted = code[code.index(signs[first]) : code.index(signs[last]) + 1]
    assert selected(shown(kind, code, width), signs[first], signs[last]) == wanted


@each_row(*KINDS)
def test_the_rest_of_a_long_line_of_code_follows_a_mark(kind: str) -> None:
    pane = shown(kind, "x" * 50 + "\n  yes", 40)
    marked = [line.strip(" │") for line in pane.lines() if "↳" in line]
    assert len(marked) == 1
    assert marked[0].startswith("↳ xxx")


def test_prose_and_the_code_below_it_are_copied_without_the_name_of_its_language() -> None:
    pane = shown("fence", "α" + "x" * 50 + "\n\n  ω", 30)
    assert selected(pane, "●", "ω") == "before\n\nα" + "x" * 50 + "\n\n  ω"
