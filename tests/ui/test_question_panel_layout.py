"""Where things are in the question panel, what drawing it costs, and a picture of each of its states."""

import re
from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

import pytest
from rich.cells import cell_len
from rich.text import Text
from textual.screen import Screen
from textual.strip import Strip

from ccq_tui.questions import Option, Question
from ccq_tui.widgets.lines import FOLD_SIGN, Flow, LineView, flowing, verbatim
from ccq_tui.widgets.question.parts import shown
from tests.tables import each_row
from tests.ui.asked import CITIES, DAYS, MULTI, NAME, PREVIEWED, RECOMMENDED, SINGLE
from tests.ui.host import PanelHost, QuickPilot
from tests.ui.pictures import Pictures

LONG_TEXT = "How should the application handle authentication " + "given the constraints " * 12 + "at last?"
WORDY = Question(
    LONG_TEXT,
    "Authentication of the people who use it",
    (
        Option("Local accounts with hashed passwords and a second factor", "Needs a table of users " * 6),
        Option("Client certificates", "Every machine gets one from us " * 5),
    ),
)
MANY = tuple(Question(f"Question number {n}?", f"Topic {n}", SINGLE.options) for n in range(1, 21))


async def test_a_long_list_scrolls_with_the_cursor_in_sight() -> None:
    async with PanelHost(CITIES).shown() as (app, pilot):
        for key, label in (("end", "Other…"), ("up", "City 40"), ("home", "City 1")):
            await pilot.press(key)
            assert label in app.cursor_line
        for number in range(4, 41, 3):
            app.burst("j", "j", "j")
            await pilot.pause()
            assert re.search(rf"City {number}\b", app.cursor_line)
        await pilot.press("space")
        assert "● " in app.cursor_line
        await pilot.press("o")
        assert "41" not in app.cursor_line
        assert app.cursor_line, "typed in its row, at the end of the list"
        await pilot.press("escape", "up")
        await pilot.resize_terminal(40, 12)
        await pilot.pause()
        assert "City 40" in app.cursor_line
        await pilot.resize_terminal(80, 24)
        await pilot.press("home", *["down"] * 8, "n")
        assert "City 9" in app.cursor_line, "a note opens"
        app.paste("a note\n" * 6)
        await pilot.pause()
        assert "City 9" in app.cursor_line


async def test_own_words_are_whole_where_they_are_left() -> None:
    async with PanelHost(SINGLE).shown() as (app, pilot):
        await pilot.press("o", *"word " * 40, "end", "escape")
        assert "\n".join(app.panel_lines[:-1]).count("word") == 40


async def test_the_sign_of_a_preview_without_room_stands_apart() -> None:
    first = Option("In-process (Recommended)", "A dict", "x = {}\n" * 6)
    options = (first, Option("Redis", "A server"), Option("None", "No cache"))
    async with PanelHost(Question("Where?", "Cache", options)).shown(size=(80, 12)) as (app, _):
        assert "In-process ★ ▤ A dict" in app.panel_text


async def enlarged_words(app: PanelHost, pilot: QuickPilot) -> str:
    """Return all that `p` shows of the row under the cursor, page by page."""
    await pilot.press("p")
    seen = [app.panel_words]
    for _ in range(60):
        if not any(line.startswith("   ↓ ") for line in app.panel_lines):
            break
        await pilot.press("pagedown")
        seen.append(app.panel_words)
    await pilot.press("escape")
    return " ".join(seen)


async def test_all_that_is_cut_is_whole_where_it_is_enlarged() -> None:
    tail = "and this is how it ends"
    question = Question("Which?", "W", (Option("x " * 400 + tail, "y " * 400 + "described"), Option("B")))
    title = "Moving the bookmarks service, all of it, to the new machines in the cellar"
    async with PanelHost(WORDY).shown() as (app, pilot):
        for size in ((80, 24), (40, 12), (30, 14)):
            await pilot.resize_terminal(*size)
            await pilot.put(WORDY, title=title)
            seen = await enlarged_words(app, pilot)
            option = WORDY.options[0]
            for text in (LONG_TEXT, WORDY.header, option.label, option.description, title):
                assert all(word in seen for word in text.split()), size
            await pilot.put(question)
            assert tail not in app.panel_text
            seen = await enlarged_words(app, pilot)
            assert tail in seen
            assert "described" in seen
            await pilot.put(Question("word " * 300 + "the end?", "Name", kind=NAME.kind))
            await pilot.press("escape")
            assert "the end?" in await enlarged_words(app, pilot)


async def test_preview_scrolls_and_another_one_begins_at_its_top() -> None:
    async with PanelHost(PREVIEWED).shown() as (app, pilot):
        for line in PREVIEWED.options[0].preview.split("\n"):
            assert line in app.panel_text
        await pilot.press("down")
        assert " 1  line of tabs" in app.panel_text
        await pilot.press("shift+down", "shift+down", "shift+up")
        assert " 1  line of tabs" not in app.panel_text
        assert " 2  line of tabs" in app.panel_text
        assert "↑ 1 line above" in app.panel_text
        await pilot.press("shift+pagedown")
        assert "20  line of tabs" in app.panel_text
        await pilot.press("down", "up")
        assert " 1  line of tabs" in app.panel_text, "another preview begins at its top"
        await pilot.press("down")
        assert "line of tabs" not in app.panel_text


async def test_very_small_screens() -> None:
    questions = (MULTI, DAYS, PREVIEWED, CITIES)
    async with PanelHost(*questions).shown() as (app, pilot):
        for size in ((20, 8), (3, 2), (1, 1), (200, 6), (12, 60)):
            await pilot.resize_terminal(*size)
            await pilot.put(*questions)
            for _ in range(5):
                await pilot.press("down", "n", "x", "escape", "c", "y", "escape", "ctrl+d", "escape", "p")
                await pilot.press("tab")
            assert app.state.discussion.startswith("y"), size


async def test_questions_with_one_option_or_none_and_empty_texts() -> None:
    async with PanelHost(NAME).shown() as (app, pilot):
        for question in (Question("Any?", "Any"), Question("One?", "One", (Option("A"),))):
            await pilot.put(question)
            assert "Other…" in app.panel_text, question
            await pilot.press("end", "enter", "x", "enter", "enter")
            assert app.state.outcome is not None, question
        await pilot.put(Question("", "", (Option("", "a description"), Option("  "), Option("B"))), MULTI)
        assert "Question 1" in app.panel_text
        assert app.panel_text.count("(empty label)") == 3, "two rows, and what Enter takes"
        await pilot.press("2", "tab", "tab")
        assert "✔" in app.panel_text


async def test_twenty_questions_leave_room_for_their_options() -> None:
    async with PanelHost(*MANY).shown() as (app, pilot):
        for size in ((80, 24), (40, 12)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            for number in range(1, 21):
                assert re.search(rf"Topic {number}\b", app.panel_text), f"the tab shown is in sight at {size}"
                assert "PostgreSQL" in app.cursor_line, size
                await pilot.press("tab")
            assert "Review" in app.panel_text, size
            await pilot.press("tab")
            assert "Topic 1 " in app.panel_text, size


async def test_wide_characters_stay_aligned() -> None:
    options = (
        Option("データベース", "about one"),
        Option("👩‍💻 with emoji", "about two"),
        Option("e\u0301te\u0301", "about three"),
    )
    app = PanelHost(Question("どれにしますか?", "選択", options))
    async with app.run_test():
        rows = [line for line in app.panel_lines if "about" in line]
        assert len({cell_len(row[: row.index("about")]) for row in rows}) == 1
        assert all(cell_len(line) <= 80 for line in app.screen_lines)


async def test_what_goes_on_from_a_wide_line_of_a_preview_has_a_sign() -> None:
    wide = "".join(f"{n:05}" for n in range(1000))
    app = PanelHost(Question("Which?", "W", (Option("A", preview=f"{wide}\nshort"), Option("B"))))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("p")
        lines = [line.strip() for line in app.panel_lines]
        first = next(at for at, line in enumerate(lines) if line.startswith("0000000001"))
        assert all(line.startswith("↳ ") for line in lines[first + 1 : first + 6])
        seen = "".join(line.removeprefix("↳ ").rstrip("▇▆▅▄▃▂▁█▉ ") for line in lines[first : first + 6])
        assert wide.startswith(seen)


async def test_labels_with_commas_stand_one_a_line_in_the_review() -> None:
    comma = Question("Which?", "W", (Option("a, b"), Option("c"), Option("")), multi_select=True)
    async with PanelHost(comma).shown() as (app, pilot):
        await pilot.press("a", "enter")
        lines = [line.strip() for line in app.panel_lines]
        at = lines.index("→ a, b")
        assert lines[at + 1 : at + 3] == ["c", "(empty label)"]


def test_a_large_text_is_cut_between_words() -> None:
    assert shown("word " * 121) == "word " * 119 + "word …"
    assert shown("x" * 601) == f"{'x' * 600} …"
    assert shown("x" * 600) == "x" * 600


HUGE = 1_000_000


class Wraps:
    """Counts wrapping: how often, and how many characters."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.times = self.characters = 0
        wrap = Text.wrap

        def counted(text: Text, *args: object, **kwargs: object) -> object:
            self.times += 1
            self.characters += len(text)
            return wrap(text, *args, **kwargs)  # type: ignore[arg-type]

        patch.setattr(Text, "wrap", counted)

    def restart(self) -> None:
        self.times = self.characters = 0


@pytest.fixture
def wraps(monkeypatch: pytest.MonkeyPatch) -> Wraps:
    return Wraps(monkeypatch)


class Draws:
    """Counts what a screen does: layouts, pictures, and the lines made anew of one view."""

    def __init__(self, screen: Screen[object], view: LineView, patch: pytest.MonkeyPatch) -> None:
        self.layouts = self.pictures = self.lines = 0
        screen.screen_layout_refresh_signal.subscribe(view, self._laid_out, immediate=True)
        draw, picture = view.render_line, screen._compositor.render_update

        def drawn(y: int) -> Strip:
            self.lines += 1
            return draw(y)

        def pictured(*args: object, **kwargs: object) -> object:
            self.pictures += 1
            return picture(*args, **kwargs)  # type: ignore[arg-type]

        patch.setattr(view, "render_line", drawn)
        patch.setattr(screen._compositor, "render_update", pictured)

    def _laid_out(self, _: object) -> None:
        self.layouts += 1


async def test_a_move_draws_two_rows_and_lays_nothing_out(monkeypatch: pytest.MonkeyPatch) -> None:
    async with PanelHost(SINGLE).shown() as (app, pilot):
        draws = Draws(app.screen, app.panel.query_one("#list", LineView), monkeypatch)
        await pilot.press("down")
        assert (draws.layouts, draws.lines) == (0, 2)
        assert draws.pictures <= 2, "one, or two where the moment to draw comes between the parts of a panel"
        assert "SQLite" in app.cursor_line
        await pilot.put(CITIES)
        await pilot.press("end")
        assert "Other" in app.cursor_line, "scrolled: all rows are drawn"
        assert len([line for line in app.panel_lines if line.startswith(" ❯")]) == 1


async def test_moving_wraps_nothing_and_keeps_the_lines(wraps: Wraps) -> None:
    async with PanelHost(MULTI, SINGLE).shown() as (app, pilot):
        view = app.panel.query_one("#list", LineView)
        await pilot.pause()
        lines = view.lines
        wraps.restart()
        await pilot.press("down", "down", "up", "end", "home")
        assert wraps.times == 0
        assert view.lines is lines


async def test_a_huge_label_and_preview_cost_what_is_seen(wraps: Wraps) -> None:
    options = (Option("go on " * (HUGE // 6), "d" * HUGE, preview="line\n" * (HUGE // 5)), Option("B"))
    app = PanelHost(Question("why? " * (HUGE // 5), "h" * HUGE, options), title="t" * HUGE)
    async with app.run_test() as pilot:
        assert wraps.characters < 30_000
        wraps.restart()
        await pilot.press("p")
        await pilot.press("shift+down", "shift+down", "down", "up", "escape")
        assert wraps.characters < 30_000


def test_a_flow_makes_lines_as_they_are_asked_for(wraps: Wraps) -> None:
    flow = Flow(flowing("word and " * 100_000, "", 60))  # type: ignore[arg-type]
    assert flow.reach(50)
    assert wraps.characters <= 6_000
    assert not flow.reach(10)


def as_written(text: str, style: Any, width: int) -> Iterator[Text]:
    for line in text.split("\n"):
        yield from verbatim(line, Text(), style, width, style)


@each_row(
    *product(
        ["", "a\n\nb", "word " * 3_000, "x" * 9_000, "漢字" * 4_000, "a b\n" * 900], [flowing, as_written]
    )
)
def test_a_flow_loses_nothing(text: str, make: object) -> None:
    lines = [line.plain for line in make(text, "", 31)]  # type: ignore[operator]
    lines = [line.removeprefix(FOLD_SIGN) for line in lines]
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(Text(line).cell_len <= 31 for line in lines)
    assert lines


async def test_scrolling_a_huge_preview_makes_more_of_it() -> None:
    app = PanelHost(
        Question("W?", "W", (Option("A", preview="\n".join(map(str, range(1_000)))), Option("B")))
    )
    async with app.run_test() as pilot:
        await pilot.press("p")
        assert "↓ over 133 more lines · PgDn" in app.panel_text
        await pilot.press(*["pagedown"] * 80)
        assert "999" in app.panel_text
        assert "↓" not in app.panel_lines[-2]


ALL = (RECOMMENDED, MULTI, PREVIEWED, DAYS)
MANY_KEYS = ("2", "tab", "1", "3", "o", *"dark mode", "enter", "up", "n", *"keep it small", "enter")
ANSWER_ALL = (*MANY_KEYS, "tab", "1", "tab", "enter")
STATES: dict[str, tuple[tuple[Question, ...], tuple[str, ...]]] = {
    "single_selected": ((RECOMMENDED,), ("1",)),
    "elsewhere": ((SINGLE,), ("o", *"MySQL", "escape", "up")),
    "multi_selected": ((MULTI, SINGLE), ("1", "down", "down", "space", "o", *"dark mode", "enter", "up")),
    "filter_open": ((CITIES,), ("slash", *"city")),
    "preview_scrolled": ((PREVIEWED,), ("down", "shift+down", "shift+down")),
    "preview_large": ((PREVIEWED,), ("down", "p")),
    "discuss_open": ((SINGLE, MULTI), ("c", *"Neither: what about SQLite", "ctrl+j", *"and no cache?")),
    "decline_asked": ((SINGLE, MULTI), ("1", "ctrl+d")),
    "review_complete": (ALL, ANSWER_ALL),
    "review_gaps": ((SINGLE, RECOMMENDED, MULTI), ("1", "tab", "tab", "enter")),
    "text_answered": ((NAME, SINGLE), (*"tidy-bookmarks", "escape")),
    "number_error": ((DAYS, SINGLE), (*"400", "enter")),
}
LIGHT = ("elsewhere", "multi_selected", "review_gaps")


async def keep(pictures: Pictures, states: Iterable[str], theme: str) -> None:
    """Keep a picture of each state, all of one program."""
    app = PanelHost(NAME, theme=theme)
    async with app.run_test() as pilot:
        for state in states:
            questions, keys = STATES[state]
            await pilot.put(*questions, session="")
            await pilot.press(*("space" if key == " " else key for key in keys))
            await pilot.pause()
            pictures.compare(app.export_screenshot(simplify=True), state)


async def test_dark(pictures: Pictures) -> None:
    await keep(pictures, STATES, "ccq-dark")


async def test_light(pictures: Pictures) -> None:
    await keep(pictures, LIGHT, "ccq-light")
