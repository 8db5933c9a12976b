"""The line of keys, drawn at every width; and the preview of a row that has none."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.app import App, ComposeResult

from ccq_tui import theming
from ccq_tui.questions import QuestionSet
from ccq_tui.questions.events import Pressed
from ccq_tui.questions.machine import step
from ccq_tui.questions.state import opened
from ccq_tui.widgets.hints import HintBar, HintLines
from ccq_tui.widgets.question.pages import NO_PREVIEW, preview_lines
from tests.ui.asked import PLAIN, PREVIEWED

KEYS = (("Space", "select"), ("Enter", "next"), ("Esc", "hide"), ("a", "all/none"))


@given(st.integers(1, 120), st.integers(1, 3))
@example(len(" Space select · Enter next · Esc hide 1/2 "), 1)
@example(len(" Space select · Enter next · Esc hide  1/2 "), 1)
def test_the_word_at_the_right_never_touches_the_keys(width: int, most: int) -> None:
    hints = HintLines(KEYS, "1/2", most)
    lines = hints.text(width, PLAIN).plain.split("\n")
    assert len(lines) == hints.height(width) <= most
    assert all(cell_len(line) <= width for line in lines)
    if lines[0].endswith("1/2"):
        assert lines[0].removesuffix("1/2").endswith("  ")
        assert cell_len(lines[0]) == width - 1


def test_where_there_is_little_room_the_key_that_hides_stands_without_words() -> None:
    f1 = (("F1", "all keys"),)
    hide = (("Esc", "hide"), ("o", "other"))
    for first, line in (
        ((("Space", "select"), ("Enter", "confirm")), " Space select · Enter confirm · Esc · F1"),
        ((("Space", "select"), ("Enter", "none of these")), " Space · Enter none of these · Esc · F1"),
        ((("Enter", "type"),), " Enter type · Esc hide · o other · F1"),
    ):
        assert HintLines((*first, *hide), last=f1).text(40, PLAIN).plain == line


def test_the_row_for_own_words_is_not_said_to_lack_a_preview() -> None:
    state = opened(QuestionSet("toolu_1", (PREVIEWED,)))

    def drawn() -> str:
        return "\n".join(line.plain for line in preview_lines(state, 40, PLAIN, large=False))

    state = step(state, Pressed("end"))
    assert drawn() == "an answer in your own words"
    state = step(state, Pressed("up"))
    assert drawn() == NO_PREVIEW


class Barred(App[None]):
    """A line of keys."""

    def compose(self) -> ComposeResult:
        bar = HintBar()
        bar.show(KEYS, "", 3)
        yield bar

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return theming.variable_defaults()


async def test_keys_take_as_many_lines_as_they_need_at_each_width() -> None:
    app = Barred()
    async with app.run_test(size=(80, 24)) as pilot:
        bar = app.query_one(HintBar)
        for width, lines in ((80, 1), (30, 2), (16, 3), (80, 1)):
            assert bar.get_content_height(app.size, app.size, width) == lines, "before it has that width"
            await pilot.resize_terminal(width, 24)
            await pilot.pause()
            assert bar.size.height == lines == len(bar.render().plain.split("\n")), width
