"""Where things are in the panel: height, scrolling, wrapping, previews, small and wide screens."""

from __future__ import annotations

import re

from rich.cells import cell_len

from ccq_tui.questions import Option, Question
from ccq_tui.widgets.question.parts import shown
from tests.ui.asked import CITIES, DAYS, MULTI, NAME, PREVIEWED, SINGLE
from tests.ui.host import PanelHost, QuickPilot

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
        assert "☒" in app.panel_text


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


async def test_the_review_opens_on_the_row_under_its_cursor() -> None:
    async with PanelHost(*MANY[:6]).shown() as (app, pilot):
        await pilot.press(*["1", "tab"] * 6)
        assert "Submit 6 answers" in app.cursor_line


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


async def test_a_number_has_one_line() -> None:
    async with PanelHost(DAYS, SINGLE).shown() as (app, pilot):
        await pilot.press("4", "ctrl+j", "2", "shift+enter")
        assert app.state.text == "42"
        app.paste("\n7\n")
        await pilot.pause()
        assert app.state.text == "427"
        await pilot.press("escape")
        assert "Enter change it" in app.panel_text
        await pilot.press("enter")
        assert app.state.focus == "field"


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
