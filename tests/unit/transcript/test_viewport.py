"""Only what is seen is drawn, and the place that is read stays where it is; Markdown split at a low cost."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.style import Style
from textual.strip import Strip

from ccq_tui.agent import events as ev
from ccq_tui.transcript.blocks import Block
from ccq_tui.transcript.document import CODE_CHARACTERS, SLICE, Document
from ccq_tui.transcript.model import TranscriptModel
from ccq_tui.transcript.order import BlockChange
from ccq_tui.widgets.transcript.code import Colours
from ccq_tui.widgets.transcript.layout import Heights, Layout, Viewport
from ccq_tui.widgets.transcript.painter import Painter
from ccq_tui.widgets.transcript.pen import Pen
from tests.tables import each_row

HEIGHT = 20


class Pane:
    """A viewport with everything that it needs, without a screen."""

    def __init__(self, width: int = 60) -> None:
        self.model = TranscriptModel(lambda: 0.0)
        self.drawn = self.lines_drawn = self.parsed = self.reports = 0
        self.waiting: list[Callable[[], object]] = []
        self.found: list[tuple[int, int, bool]] = []
        self.painter = Painter(Pen(Colours(Style.null(), lambda _name: Style.null())))
        self.layout = Layout(self.model.blocks, self.draw)
        self.viewport = Viewport(self.layout)
        self.viewport.resize(width, HEIGHT)

    def draw(self, block: Block, part: int, gap: int, width: int) -> list[Strip]:
        """Draw a part, and count it: how the work grows is to be judged."""
        strips = self.painter.draw(block, part, gap, width)
        self.drawn, self.lines_drawn = self.drawn + 1, self.lines_drawn + len(strips)
        if isinstance(block.body, Document) and part >= block.head:
            self.parsed += len(block.body.part(part - block.head).source)
        return strips

    def say(self, text: str, index: int) -> None:
        self.apply(ev.BlockFinished(ev.BlockKey("m", index), ev.BlockKind.TEXT, text))

    def apply(self, event: ev.AgentEvent) -> None:
        self.sync(self.model.apply(event))

    def sync(self, change: BlockChange) -> None:
        for index in change.changed:
            document = getattr(self.model.blocks[index], "document", None)
            while document is not None and document.split():
                pass
        self.layout.sync(change)

    def show(self, index: int, part: int, offset: int, lines: int) -> None:
        self.viewport.show(index, part, offset, lines)

    def fold(self, block: Block, *, folded: bool) -> None:
        self.sync(self.model.set_fold(block, folded=folded))

    def later(self, call: Callable[[], object]) -> None:
        self.waiting.append(call)

    def plan_seen(self) -> None:
        self.reports += 1

    def mark_changed(self) -> None:
        """Show no mark."""

    def found_changed(self, place: int, count: int, *, more: bool) -> None:
        self.found.append((place, count, more))

    def update(self) -> None:
        self.viewport.measure()

    def refresh(self) -> None:
        """Draw nothing."""

    def lines(self) -> list[str]:
        shown = []
        for line in range(self.viewport.top, min(self.viewport.top + HEIGHT, self.layout.total)):
            index, part, offset = self.layout.find(line)
            shown.append(self.layout.strips(index, part)[offset].text.rstrip())
        return shown


def paragraphs(first: int, count: int) -> str:
    return "\n\n".join(f"p{number} " + "word " * (number % 40) for number in range(first, first + count))


@pytest.fixture
def pane() -> Pane:
    return Pane()


def test_ten_thousand_blocks_draw_a_screen(pane: Pane) -> None:
    for number in range(10_000):
        pane.say(f"block {number}", number)
    pane.viewport.measure()
    assert pane.lines()[-1] == "● block 9999"
    assert pane.drawn <= HEIGHT + 2
    pane.viewport.home()
    assert pane.lines()[0] == "● block 0"
    pane.viewport.move(pane.layout.total // 2)
    assert pane.drawn <= 3 * (HEIGHT + 2)
    assert pane.layout.total == 10_000 * 2 - 1


def test_following_shows_the_end_while_it_grows(pane: Pane) -> None:
    for number in range(50):
        pane.say(paragraphs(number * 10, 3), number)
        pane.viewport.measure()
        assert pane.lines()[-1].lstrip("● ").split()[0] in {f"p{number * 10 + 2}", "word"}
    assert pane.viewport.following


def test_what_is_read_stays_while_more_comes(pane: Pane) -> None:
    pane.say(paragraphs(0, 200), 0)
    pane.viewport.measure()
    pane.viewport.move(pane.viewport.top - 30)
    before, drawn = pane.lines(), pane.drawn
    assert not pane.viewport.following
    assert pane.viewport.unseen == 0
    for number in range(1, 40):
        pane.say(paragraphs(0, 20), number)
        pane.viewport.measure()
        assert pane.lines() == before
    assert pane.drawn == drawn
    assert pane.viewport.unseen > 500
    pane.viewport.follow()
    assert pane.viewport.unseen == 0
    assert pane.viewport.following


def test_scrolling_up_by_lines_shows_every_line_once(pane: Pane) -> None:
    pane.say(paragraphs(0, 120), 0)
    pane.viewport.measure()
    seen = [pane.lines()[0]]
    while pane.viewport.top > 0:
        pane.viewport.move(pane.viewport.top - 1)
        seen.append(pane.lines()[0])
    pane.viewport.home()
    whole = []
    while not pane.viewport.following:
        whole.append(pane.lines()[0])
        pane.viewport.move(pane.viewport.top + 1)
    assert whole == seen[::-1][: len(whole)]
    assert len(seen) - len(whole) <= 1


@pytest.mark.parametrize("width", [30, 40, 100, 160])
def test_another_width_keeps_the_place(pane: Pane, width: int) -> None:
    for number in range(100):
        pane.say(f"block{number} " + "word " * 60, number)
    pane.viewport.measure()
    pane.viewport.move(pane.viewport.top - 101)
    index = pane.layout.find(pane.viewport.top)[0]
    drawn = pane.drawn
    pane.viewport.resize(width, HEIGHT)
    assert pane.layout.find(pane.viewport.top)[0] == index
    assert pane.drawn - drawn < HEIGHT + 2
    pane.viewport.resize(60, HEIGHT)
    assert pane.layout.find(pane.viewport.top)[0] == index


def test_another_width_still_follows(pane: Pane) -> None:
    pane.say(paragraphs(0, 60) + "\n\nthe end", 0)
    pane.viewport.measure()
    pane.viewport.resize(30, HEIGHT)
    assert pane.viewport.following
    assert pane.lines()[-1] == "  the end"


def test_folds_and_dropped_blocks_keep_the_place(pane: Pane) -> None:
    for number in range(100):
        key = ev.BlockKey("t", number)
        pane.apply(ev.BlockFinished(key, ev.BlockKind.THINKING, paragraphs(0, 8)))
        pane.say(f"said {number}", number)
    pane.apply(ev.BlockGrew(ev.BlockKey("late", 0), ev.BlockKind.TEXT, "gone soon"))
    pane.viewport.measure()
    pane.viewport.move(pane.viewport.top - 60)
    first = pane.lines()[1]
    pane.apply(ev.BlockDropped(ev.BlockKey("late", 0)))
    pane.viewport.measure()
    assert pane.lines()[1] == first
    at = pane.layout.find(pane.viewport.top)[0]
    pane.sync(pane.model.set_folds(folded=False))
    pane.viewport.measure()
    assert pane.layout.find(pane.viewport.top)[0] == at
    pane.sync(pane.model.set_folds(folded=True))
    pane.viewport.measure()
    assert pane.layout.find(pane.viewport.top)[0] == at


def test_a_short_transcript_begins_at_the_top(pane: Pane) -> None:
    pane.viewport.measure()
    pane.viewport.home()
    pane.viewport.move(5)
    pane.say("only this", 0)
    pane.viewport.measure()
    assert (pane.viewport.top, pane.lines()) == (0, ["● only this"])
    pane.viewport.move(-3)
    assert pane.viewport.following


def test_a_finished_block_is_drawn_once(pane: Pane) -> None:
    pane.say(paragraphs(0, 5), 0)
    pane.viewport.measure()
    pane.lines()
    drawn = pane.drawn
    for number in range(5):
        pane.apply(ev.BlockGrew(ev.BlockKey("g", 0), ev.BlockKind.TEXT, f"word{number} "))
        pane.viewport.measure()
        pane.lines()
    assert pane.drawn == drawn + 5


def test_a_growing_block_draws_what_is_new(pane: Pane) -> None:
    text = paragraphs(0, 400)
    for start in range(0, len(text), 20):
        pane.apply(ev.BlockGrew(ev.BlockKey("g", 0), ev.BlockKind.TEXT, text[start : start + 20]))
        if start % 200 == 0:
            pane.viewport.measure()
            pane.lines()
    assert pane.parsed < 6 * len(text)


def test_lines_far_from_the_view_are_not_kept_drawn(pane: Pane) -> None:
    for number in range(400):
        pane.say(f"line {number}\n\nmore {number}", number)
    pane.viewport.measure()
    pane.viewport.home()
    drawn = pane.lines_drawn
    while pane.viewport.top < pane.viewport.bottom:
        pane.viewport.move(pane.viewport.top + HEIGHT)
    assert pane.lines_drawn - drawn > 4 * pane.layout.cached
    # What was seen last is there, what was seen first is not.
    pane.lines()
    drawn = pane.drawn
    pane.lines()
    assert pane.drawn == drawn
    parts = [(index, part) for index in range(400) for part in range(pane.layout.parts(index))]
    for place in reversed(parts):
        pane.layout.strips(*place)
    again = pane.drawn - drawn
    assert len(parts) - pane.layout.cached <= again < len(parts)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.integers(0, 9), st.just(0)),
        st.tuples(st.just("set"), st.integers(0, 9), st.integers(0, 30)),
        st.tuples(st.just("truncate"), st.integers(0, 30), st.just(0)),
    ),
    max_size=40,
)


@given(STEPS)
def test_sums_and_searches_follow_every_change(steps: list[tuple[str, int, int]]) -> None:
    heights, values = Heights(), list[int]()
    for step, (what, value, index) in enumerate(steps):
        if what == "append":
            heights.append(value)
            values.append(value)
        elif what == "truncate":
            heights.truncate(value)
            del values[value:]
        elif index < len(values):
            heights.set(index, value)
            values[index] = value
        if step % 3:  # what was added up before stays right
            assert heights.before(len(values) // 2) == sum(values[: len(values) // 2])
            assert heights.total == sum(values)
    assert [heights[index] for index in range(len(heights))] == values
    assert heights.total == sum(values)
    assert [heights.before(index) for index in range(len(values) + 1)] == [
        sum(values[:index]) for index in range(len(values) + 1)
    ]
    wanted = [(index, offset) for index, value in enumerate(values) for offset in range(value)]
    assert [heights.find(line) for line in range(sum(values))] == wanted


def test_beyond_the_ends_is_the_end() -> None:
    heights = Heights([2, 3])
    assert heights.find(-5) == (0, 0)
    assert heights.find(99) == (1, 2)
    assert Heights().find(3) == (0, 0)


MIXED = "".join(
    f"## Step {number}\n\nSome **words** with `code` "
    + "and more " * 30
    + "\n\n- one\n- two\n  - deeper\n\n1. x\n\n"
    f"2. y\n\n```python\ndef f(x):\n    return {number}\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> said\n\n"
    for number in range(420)
)
HUGE = {
    "mixed": MIXED,
    "paragraph": "word and more. " * 14_000,
    "one word": "x" * 200_000,
    "fence": "```py\n" + "".join(f"a = {n}\n" + "\n" * (n % 37 == 0) for n in range(18_000)) + "```\n\nafter",
    "unfinished fence": "```\n" + "line\n" * 30_000,
    "one line of code": "```\n" + "x" * 100_000 + "\n```\nafter",
    "list": "".join(f"- item {n} with words\n" for n in range(3_000)),
    "table": "|a|b|\n|--|--|\n" + "".join(f"|{n}|x|\n" for n in range(4_500)),
    "soft lines": "soft line\n" * 6_000,
}
markdown = st.lists(
    st.sampled_from(
        [
            "# h\n",
            "text ",
            "\n",
            "\n\n",
            "- item\n",
            "  - sub\n",
            "1. one\n",
            "```py\n",
            "```\n",
            "> q\n",
            "| a |\n",
            "|---|\n",
            "    code\n",
            "---\n",
            "[r]: http://x.y\n",
            "[r]\n",
            "**b",
            "\r\n",
            "\t",
            "\x1b[2J",
            "e\u0301",
        ]
    ),
    max_size=60,
).map("".join)


def settled(document: Document) -> Document:
    while document.split():
        pass
    return document


def fed(text: str, step: int) -> Document:
    document = Document()
    for start in range(0, len(text), step):
        document.feed(text[start : start + step])
        document.split()
    document.finish()
    return settled(document)


@each_row(*HUGE)
def test_parts_are_small(name: str) -> None:
    text = HUGE[name]
    document = fed(text, 20)
    assert max(len(part.source) for part in document.parts) < CODE_CHARACTERS
    assert document.parts == settled(Document(text, finished=True)).parts


@given(markdown, st.integers(1, 7))
def test_parts_do_not_depend_on_how_the_text_arrives(text: str, step: int) -> None:
    assert fed(text, step).parts == settled(Document(text, finished=True)).parts


@given(markdown)
def test_nothing_is_lost(text: str) -> None:
    document = fed(text, 5)
    shown = "".join(part.source for part in document.parts)
    for word in ("# h", "text", "item", "sub", "one", "code", "q"):
        assert shown.count(word) >= text.count(word)
    assert document.text == text


def test_finished_parts_stay_as_they_are() -> None:
    document = Document()
    kept: list[tuple[str, int]] = []
    for start in range(0, 20_000, 50):
        document.feed(MIXED[start : start + 50])
        document.split()
        assert document.parts[: len(kept)] == kept
        kept = list(document.parts)
    assert len(kept) > 100


def test_a_huge_text_is_split_in_slices() -> None:
    document = Document(MIXED, finished=True)
    assert document.split()
    assert sum(len(part.source) for part in document.parts) <= SLICE


def test_the_whole_text_replaces_what_was_streamed() -> None:
    document = Document("# one\n\ntw")
    assert document.completed("# one\n\ntwo") is document
    assert settled(document).parts[-1].source == "two"
    other = Document("# one").completed("else")
    assert [part.source for part in settled(other).parts] == ["else"]


def test_links_find_targets_that_come_later() -> None:
    document = Document("see [r]\n\n")
    document.split()
    before = document.key(0)
    document.feed("more\n\n[r]: http://x.y\n\nend\n\n")
    settled(document)
    assert document.key(0) != before
    assert "R" in document.env["references"]


def test_the_tail_is_safe_to_draw() -> None:
    document = Document("text \x1b[2J\u202e")
    document.split()
    assert document.tail.source == "text ␛[2J‹U+202E›"
