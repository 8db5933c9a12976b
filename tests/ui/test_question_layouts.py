"""The layout of question panels: real sets drawn to the cell at three sizes, and the rules for any set."""

import json
from dataclasses import replace
from itertools import product
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from ccq_tui.heights import most_lines
from ccq_tui.input.keys import Does
from ccq_tui.questions import Answer, Option, Question, QuestionSet
from ccq_tui.questions.model import Recalled
from ccq_tui.questions.moves import KEPT
from ccq_tui.questions.parse import parse_question_set
from ccq_tui.questions.state import Arriving, PanelState, opened
from ccq_tui.widgets.hints import HintRow
from ccq_tui.widgets.measures import PanelProps
from ccq_tui.widgets.question.layout import PanelLayout, Scrolled
from ccq_tui.widgets.question.tab import Cache
from tests.steps import step
from tests.tables import each_row
from tests.ui.asked import PLAIN
from tests.ui.host import PanelHost, QuickPilot

HERE = Path(__file__).parent / "layouts"
SETS = json.loads((HERE / "sets.json").read_text(encoding="utf-8"))
SIZES = ((100, 30), (80, 24), (40, 12))
WIDER = ("160x50", "80x24", "40x12")
NOTE = "only if the bundle stays below 200 kB"
REVIEWED = ("1", "n", f"={NOTE}", "enter", "tab", "1", "2", "enter")
OWN = "Yes, but write the column to a file first, and only after 15:00 when the nightly job is done"
DRAWN: tuple[tuple[str, int, tuple[str, ...]], ...] = (
    *((f"set{at + 1}-{width}x{height}", at + 1, ()) for at in range(len(SETS)) for width, height in SIZES),
    *((f"set4-large-{size}", 4, ("p",)) for size in ("100x30", *WIDER)),
    ("selected-80x24", 8, ("1", "2", "down")),
    ("note-80x24", 2, ("1", "n", f"={NOTE}")),
    ("other-80x24", 5, ("o", f"={OWN}")),
    ("other-40x12", 2, ("o", "=Intl.DateTimeFormat alone")),
    ("elsewhere-80x24", 11, ("1", "n", "=the GPL part is only used in the tests", "enter", "down", "down")),
    ("review-80x24", 2, REVIEWED),
    ("review-40x12", 2, REVIEWED),
    *((f"none-{size}", 2, ("enter", "enter")) for size in WIDER),
    *((f"empty-{size}", 2, ("o",)) for size in WIDER),
    *((f"left-{size}", 2, ("o", "=mine", "escape")) for size in WIDER),
    ("arriving-80x24", 2, ()),
)
BEFORE = Recalled(
    Answer(("date-fns (Recommended)",)), "today 14:55", "Which library should we use for date formatting?"
)


def set_of(number: int) -> QuestionSet:
    return parse_question_set("toolu_1", {"questions": SETS[number - 1]})


async def test_a_panel_is_drawn_to_the_cell() -> None:
    async with PanelHost(*set_of(1).questions).shown() as (app, pilot):
        for name, number, pressed in DRAWN:
            with step(name):
                await pilot.resize_terminal(*map(int, name.rpartition("-")[2].split("x")))
                await assert_drawn(app, pilot, name, number, *pressed)


async def assert_drawn(app: PanelHost, pilot: QuickPilot, name: str, number: int, *pressed: str) -> None:
    questions = set_of(number).questions
    if name.startswith("arriving"):
        questions = (replace(questions[0], options=questions[0].options[:3]),)
    panel = app._made(*questions, session="")
    if name.startswith("arriving"):
        panel.state = replace(panel.state, arriving=Arriving(0))
    if name == "set2-80x24":
        panel.state = replace(panel.state, recalled=(BEFORE, None))
    await app.replace(panel)
    await pilot.pause()
    app.clock.skip_grace()
    for key in pressed:
        if key.startswith("="):
            app.paste(key[1:])
            await pilot.pause()
        else:
            await pilot.press(key)
    assert app.panel_text + "\n" == (HERE / f"{name}.txt").read_text(encoding="utf-8")


# -- the rules, for any set ----------------------------------------------------------------------------------


def layout(
    state: PanelState, size: tuple[int, int], cache: Cache | None = None, scrolled: Scrolled | None = None
) -> PanelLayout:
    look = PanelProps(*size, PLAIN, "", "", (1, 1), "")
    return PanelLayout(state, look, scrolled or Scrolled(), Cache() if cache is None else cache)


def text_of(drawn: PanelLayout) -> str:
    beside = drawn.preview[1] if drawn.preview else []
    return "\n".join(line.text.plain for line in (*drawn.lines, *beside))


def words(text: str) -> str:
    return "".join(text.split())


def test_a_preview_stands_beside_what_it_shows_on_a_wide_screen() -> None:
    asked = Question("Which?", "Which", (Option("First", preview="a line"), Option("Second")))
    drawn = layout(opened(QuestionSet("toolu_1", (asked,))), (200, 50))
    assert drawn.preview[0].x == 100


@each_row(*product(SIZES, range(1, len(SETS) + 1)))
def test_every_label_is_in_sight_and_what_is_cut_is_announced(size: tuple[int, int], number: int) -> None:
    state = opened(set_of(number))
    for tab, page in enumerate(state.pages):
        for row in page.rows:
            pages = list(state.pages)
            pages[tab] = replace(page, cursor=row)
            drawn = layout(replace(state, pages=tuple(pages), tab=tab), size)
            assert drawn.in_sight == frozenset(page.rows)
            seen = words(text_of(drawn))
            cut = [
                text
                for option in page.question.options
                for text in (option.title, option.description)
                if words(text) not in seen
            ]
            if size[0] > 40:
                assert cut == []
                assert words(page.question.text) in seen
            elif row < page.other_row:
                assert words(page.question.options[row].title) in seen
                assert not cut or "…" in seen


TEXTS = st.text(st.sampled_from("abc  \n漢é…"), max_size=40) | st.sampled_from(
    ["A label of some length", "word " * 60, "x" * 90, "long " * 400]
)
OPTIONS = st.builds(
    Option, TEXTS, st.just("") | TEXTS, st.none() | st.sampled_from(["a\nb", "wide " * 30, "line\n" * 40])
)
ASKED = st.builds(
    Question,
    TEXTS,
    st.text("abc", max_size=30),
    st.lists(OPTIONS, min_size=1, max_size=14).map(tuple),
    st.booleans(),
)
ANY_SIZE = st.tuples(st.integers(30, 130), st.integers(8, 50))


@given(st.lists(ASKED, min_size=1, max_size=3), ANY_SIZE, st.sampled_from(["", KEPT]), st.data())
def test_the_rules_hold_for_any_set_and_size(
    questions: list[Question], size: tuple[int, int], aside: str, data: st.DataObject
) -> None:
    state = replace(opened(QuestionSet("q", tuple(questions))), aside=aside)
    cache, heights = Cache(), set[int]()
    for tab in range(len(state.pages) + state.needs_review):
        rows = state.pages[tab].rows if tab < len(state.pages) else tuple(range(tab + 1))
        for row in {rows[0], rows[-1], data.draw(st.sampled_from(rows))}:
            pages = list(state.pages)
            if tab < len(pages):
                pages[tab] = replace(pages[tab], cursor=row)
            shown = replace(state, pages=tuple(pages), tab=tab, review_row=row)
            drawn = layout(shown, size, cache)
            heights.add(drawn.height)
            assert len(drawn.lines) == drawn.height - 1, "the head, the lines, and one line for the keys"
            assert drawn.height <= most_lines(size[1], 8)
            assert drawn.lines[0].text.plain.startswith("─ ")
            assert HintRow(drawn.keys, end=("F1", "keys")).text(size[0], PLAIN).plain.strip()
            wide = [line.text.plain for line in drawn.lines if cell_len(line.text.plain) > size[0]]
            assert wide == []
            assert_announced(drawn, shown, rows, row, size)
    assert aside or len(heights) == 1, "one height for all tabs and cursors; a notice has lines of its own"


@each_row((40, "Tab “only…"), (80, "Tab answer “only the A…"), (160, "Tab answer “only"))
def test_both_readings_of_a_letter_are_named_however_long_the_text(width: int, shown: str) -> None:
    readings = (
        ("Enter", Does("discuss", "“nly the API, and later the rest of it”")),
        ("Tab", Does("answer", "“only the API, and later the rest of it”")),
        ("Esc", "keep as draft"),
    )
    line = HintRow(readings, ("F1", "keys")).text(width, PLAIN).plain
    assert "Enter discuss “" in line
    assert shown in line
    assert cell_len(line) <= width


def assert_announced(
    drawn: PanelLayout, state: PanelState, rows: tuple[int, ...], row: int, size: tuple[int, int]
) -> None:
    """Check that the cursor's row is in sight, and that whatever is missing says so where it is missing."""
    assert row in drawn.in_sight
    text = text_of(drawn)
    missing = [each for each in rows if each not in drawn.in_sight]
    noun = "row" if state.in_review else "option"
    for sign, count in (
        ("↑", sum(rows.index(each) < rows.index(row) for each in missing)),
        ("↓", sum(rows.index(each) > rows.index(row) for each in missing)),
    ):
        assert (f"{sign} {count} " in text and noun in text) is bool(count) or not count
    if state.in_review or row >= len(state.page.question.options):
        return
    option = state.page.question.options[row]
    seen = words(text)
    whole = all(words(each) in seen for each in (state.page.question.text, option.title, option.description))
    if not whole and "漢" not in text:
        assert drawn.cut
        assert dict(drawn.keys)["p"]
