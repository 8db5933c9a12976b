"""Where things are in the panel: height, scrolling, wrapping, previews, small and wide screens."""

from __future__ import annotations

import re
from dataclasses import replace

from rich.cells import cell_len

from ccq_tui.questions import Option, Question
from ccq_tui.widgets.lines import LineView
from ccq_tui.widgets.question.pages import NO_PREVIEW, drawn
from tests.ui.asked import CITIES, DAYS, MULTI, NAME, PREVIEWED, RECOMMENDED, SINGLE
from tests.ui.host import PanelHost

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


async def test_the_height_is_the_same_for_all_tabs_and_at_most_sixty_percent() -> None:
    app = PanelHost(SINGLE, PREVIEWED, DAYS, CITIES, MULTI, NAME)
    async with app.run_test() as pilot:
        for size in ((80, 24), (40, 12), (160, 50), (60, 30)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            heights = set()
            for _ in range(7):
                heights.add(app.panel.region.height)
                await pilot.press("tab")
            assert len(heights) == 1, size
            assert heights.pop() <= -(-size[1] * 8 // 10), size
            assert app.panel.region.bottom == size[1], f"docked at the bottom of {size}"


async def test_the_height_grows_with_the_content_and_with_the_screen() -> None:
    app = PanelHost(SINGLE)
    async with app.run_test() as pilot:
        assert app.panel.region.height == 11
        await pilot.put(PREVIEWED)
        await pilot.press("p")
        assert app.panel.region.height == 14, "a large preview too leaves the page above readable"
        await pilot.put(CITIES)
        assert app.panel.region.height == 14
        await pilot.resize_terminal(80, 40)
        await pilot.pause()
        assert app.panel.region.height == 24, "another height of the screen, the same size of the panel"
        await pilot.press("o", "x", "p")
        assert app.panel.region.height == 24


async def test_a_long_list_scrolls_with_the_cursor_in_sight() -> None:
    app = PanelHost(CITIES)
    async with app.run_test() as pilot:
        for key, label in (("end", "Other…"), ("up", "City 40"), ("home", "City 1")):
            await pilot.press(key)
            assert label in app.cursor_line
        for number in range(4, 41, 3):
            app.burst("j", "j", "j")
            await pilot.pause()
            assert f"City {number} " in app.cursor_line
        await pilot.press("space")
        assert "● " in app.cursor_line
        await pilot.press("o")
        assert "being typed below" in app.cursor_line, "the list got smaller"
        await pilot.press("escape", "up")
        await pilot.resize_terminal(40, 12)
        await pilot.pause()
        assert "City 40" in app.cursor_line
        await pilot.resize_terminal(80, 24)
        await pilot.press("home", *["down"] * 8, "n")
        assert "City 9" in app.cursor_line, "a note opens and the list gets smaller"
        app.paste("a note\n" * 6)
        await pilot.pause()
        assert "City 9" in app.cursor_line


async def scrolled_words(app: PanelHost, pilot: object, presses: int) -> str:
    seen = []
    for key in (*["shift+up"] * presses, *["shift+down"] * presses):
        app.burst(key, key)
        await pilot.pause()
        seen.append(app.panel_words)
    return " ".join(seen)


async def test_everything_wraps_and_can_be_seen_by_keys() -> None:
    app = PanelHost(WORDY)
    async with app.run_test(size=(80, 24)) as pilot:
        assert "Shift+↑↓ scroll" in app.panel_text
        for size in ((80, 24), (40, 12), (30, 14)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            seen = await scrolled_words(app, pilot, 16)
            for text in (LONG_TEXT, WORDY.header, *(o.label for o in WORDY.options)):
                for word in set(text.split()):
                    assert word in seen, size


async def test_a_set_title_is_shown_also_where_there_is_no_title_line() -> None:
    title = "Moving the bookmarks service, all of it, to the new machines in the cellar"
    app = PanelHost(SINGLE, MULTI, title=title)
    async with app.run_test(size=(80, 24)) as pilot:
        for size in ((80, 24), (40, 12)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            seen = await scrolled_words(app, pilot, 5)
            assert title in seen or all(word in seen for word in title.split()), size


async def test_a_text_too_long_for_the_list_or_a_field_is_whole_in_the_large_view() -> None:
    tail = "and this is how it ends"
    question = Question("Which?", "W", (Option("x " * 400 + tail, "y " * 400 + "described"), Option("B")))
    app = PanelHost(question)
    async with app.run_test() as pilot:
        await pilot.press("down", "shift+down", "shift+down")
        assert "more characters · p shows all" in app.panel_words
        await pilot.press("up")
        assert tail not in app.panel_text
        await pilot.press("p")
        seen = []
        for _ in range(10):
            app.burst(*["shift+down"] * 4)
            await pilot.pause()
            seen.append(app.panel_words)
        assert any(tail in text for text in seen)
        assert any("described" in text for text in seen)
        await pilot.put(Question("word " * 300 + "the end?", "Name", kind=NAME.kind))
        assert "more characters" in app.panel_text or "word" in app.panel_text
        await pilot.press("escape", "p")
        app.burst(*["shift+down"] * 30)
        await pilot.pause()
        assert "the end?" in app.panel_text


async def test_preview_beside_from_a_hundred_columns_and_under_below_that() -> None:
    app = PanelHost(PREVIEWED)
    async with app.run_test(size=(100, 30)) as pilot:
        assert any(("Sidebar" in line and "╭" in line) or "│" in line for line in app.panel_lines)
        row = next(line for line in app.panel_lines if "Tabs" in line)
        assert row.endswith("│"), "beside the list"
        await pilot.resize_terminal(99, 30)
        await pilot.pause()
        lines = app.panel_lines
        first = next(y for y, line in enumerate(lines) if "|nav | body    |" in line)
        last_row = next(y for y, line in enumerate(lines) if "Other…" in line)
        assert first > last_row, "under the list"
        assert lines[first - 2].startswith("   ─ ○ Sidebar ─")


async def test_preview_is_verbatim_scrolls_and_is_folded_not_cut() -> None:
    app = PanelHost(PREVIEWED)
    async with app.run_test() as pilot:
        for line in PREVIEWED.options[0].preview.split("\n"):
            assert line in app.panel_text
        await pilot.press("down")
        assert " 1  line of tabs" in app.panel_text
        await pilot.press("shift+down", "shift+down", "shift+up")
        assert " 1  line of tabs" not in app.panel_text
        assert " 2  line of tabs" in app.panel_text
        await pilot.press("down", "up")
        assert " 1  line of tabs" in app.panel_text, "another preview begins at its top"
        await pilot.press("down")
        assert NO_PREVIEW in app.panel_text
        await pilot.press("end")
        assert "an answer in your own words" in app.panel_text
        await pilot.put(Question("Which?", "W", PREVIEWED.options, multi_select=True))
        assert "|nav | body    |" in app.panel_text
        await pilot.press("a", "p")
        assert "|nav | body    |" in app.panel_text
        long = "x" * 150 + "  end"
        await pilot.put(Question("Which?", "W", (Option("A", preview=long), Option("B"))))
        await pilot.press("p")
        assert "".join(app.panel_text.split()).count("x") >= 150
        assert "end" in app.panel_text


async def test_very_small_screens() -> None:
    questions = (MULTI, DAYS, PREVIEWED, CITIES)
    app = PanelHost(*questions)
    async with app.run_test() as pilot:
        for size in ((20, 8), (3, 2), (1, 1), (200, 6), (12, 60)):
            await pilot.resize_terminal(*size)
            await pilot.put(*questions)
            for _ in range(5):
                await pilot.press("down", "n", "x", "escape", "c", "y", "escape", "ctrl+d", "escape", "p")
                await pilot.press("tab")
            assert app.state.discussion.startswith("y"), size


async def test_questions_with_one_option_or_none_and_empty_texts() -> None:
    app = PanelHost(NAME)
    async with app.run_test() as pilot:
        for question in (Question("Any?", "Any"), Question("One?", "One", (Option("A"),))):
            await pilot.put(question)
            assert "Other…" in app.panel_text, question
            await pilot.press("end", "enter", "x", "enter", "enter")
            assert app.state.outcome is not None, question
        await pilot.put(Question("", "", (Option("", "a description"), Option("  "), Option("B"))), MULTI)
        assert "Question 1" in app.panel_text
        assert app.panel_text.count("(empty label)") == 2
        await pilot.press("2", "tab", "tab")
        assert "☒" in app.panel_text


async def test_twenty_questions_leave_room_for_their_options() -> None:
    app = PanelHost(*MANY)
    async with app.run_test() as pilot:
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


async def test_descriptions_stand_beside_short_labels_and_under_long_ones() -> None:
    app = PanelHost(SINGLE)
    async with app.run_test(size=(80, 24)) as pilot:
        assert "SQLite      Single file" in app.panel_text
        await pilot.resize_terminal(50, 24)
        await pilot.pause()
        lines = app.panel_lines
        row = next(y for y, line in enumerate(lines) if "SQLite" in line)
        assert lines[row + 1] == "        Single file, no server"


async def test_the_theme_can_change_while_the_panel_is_open() -> None:
    app = PanelHost(SINGLE)
    async with app.run_test() as pilot:
        view = app.panel.query_one("#list", LineView)
        before, place = app.panel_text, view.lines[0].text
        app.theme = "ccq-light"
        await pilot.pause()
        await pilot.pause()
        assert app.panel_text == before
        assert view.lines[0].text.spans != place.spans, "drawn in the colours of the other theme"


async def test_moving_on_any_row_keeps_the_height() -> None:
    app = PanelHost(SINGLE)
    async with app.run_test() as pilot:
        for size in ((80, 24), (56, 30), (40, 12)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            height = app.panel.region.height
            for _ in range(4):
                await pilot.press("down")
                assert app.panel.region.height == height, size


async def test_a_low_screen_keeps_what_is_asked_in_sight() -> None:
    app = PanelHost(CITIES, RECOMMENDED, WORDY)
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.press("end", "up")
        assert app.panel_lines[2] == f" {CITIES.text}"
        assert app.panel_text.count(CITIES.text) == 1, "not twice"
        await pilot.press("tab")
        assert app.panel_lines[2] == f" {RECOMMENDED.text}"
        await pilot.press("tab")
        assert app.panel_lines[2].endswith("…"), "a longer one is cut there and whole in the list"
        await pilot.press("tab")
        assert app.panel_lines[2] == " Review your answers"
        await pilot.put(RECOMMENDED, place=(1, 2))
        assert app.panel_lines[1] == " 1 of 2 · Which cache should stand befo…"
        assert app.panel_lines[2].strip() == "Cache", "beside the keys is no room for it"
        await pilot.resize_terminal(60, 12)
        await pilot.pause()
        assert app.panel_lines[-1].endswith("Cache")


LENGTHY = replace(SINGLE, text=LONG_TEXT)
LENGTHIEST = replace(SINGLE, text=f"Which {'of them ' * 90}then?")


async def test_a_panel_opens_on_its_question_and_names_it_while_it_is_scrolled_away() -> None:
    app = PanelHost(LENGTHIEST, LENGTHY)
    async with app.run_test(size=(80, 24)) as pilot:
        for size in ((80, 24), (160, 50), (40, 12), (100, 30)):
            await pilot.resize_terminal(*size)
            await pilot.put(LENGTHIEST, LENGTHY)
            assert "Which of them" in app.panel_text, size
            assert app.panel.query_one("#list", LineView).scroll_offset.y == 0, size
            await pilot.press("end")
            assert "Other…" in app.cursor_line
            assert any("Which of them" in line for line in app.panel_lines[:4]), size
            await pilot.press("tab")
            assert app.panel.query_one("#list", LineView).scroll_offset.y == 0, size


async def test_the_review_opens_on_the_row_under_its_cursor() -> None:
    app = PanelHost(*MANY[:6])
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(*["1", "tab"] * 6)
        assert "Submit answers" in app.cursor_line


async def test_a_row_under_a_long_question_is_taken_once_it_was_seen() -> None:
    app = PanelHost(LENGTHIEST)
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("enter")
        assert app.state.outcome is None
        assert "PostgreSQL" in app.cursor_line
        app.clock.skip_grace()
        await pilot.press("enter")
        assert app.state.outcome is not None


async def test_previews_that_are_not_on_the_screen_have_a_sign_and_their_key() -> None:
    app = PanelHost(PREVIEWED)
    async with app.run_test(size=(40, 12)) as pilot:
        assert "Sidebar ▤" in app.panel_text
        assert "p ▤ · Esc · F1" in app.panel_text
        await pilot.press("p")
        assert "─ ○ Sidebar ─" in app.panel_text
        assert "Esc small preview" in app.panel_text
        await pilot.press("space", "down")
        assert "─ ○ Tabs ─" in app.panel_text
        assert "● Sidebar" not in app.panel_text
        await pilot.press("pagedown")
        assert " 1  line of tabs" not in app.panel_text
        assert "  3  line of tabs" in app.panel_text
        await pilot.press("pageup", "up")
        assert "─ ● Sidebar ─" in app.panel_text
        await pilot.resize_terminal(80, 24)
        await pilot.press("escape")
        assert "▤" not in app.panel_text
        assert app.panel_text.count("Shift+↑↓") == 1


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


async def test_every_panel_names_f1_and_a_number_its_range() -> None:
    app = PanelHost(DAYS, SINGLE)
    async with app.run_test(size=(80, 24)) as pilot:
        for size in ((80, 24), (40, 12), (30, 14)):
            await pilot.resize_terminal(*size)
            await pilot.put(DAYS, SINGLE)
            assert "1 to 365 days" in app.panel_text, size
            for keys in ([], ["escape"], ["tab"], ["o"], ["escape", "n"], ["escape", "c"], ["escape", "tab"]):
                await pilot.press(*keys)
                assert "F1" in app.panel_text, (size, keys)


async def test_a_number_has_one_line() -> None:
    app = PanelHost(DAYS, SINGLE)
    async with app.run_test() as pilot:
        await pilot.press("4", "ctrl+j", "2", "shift+enter")
        assert app.state.text == "42"
        app.paste("\n7\n")
        await pilot.pause()
        assert app.state.text == "427"
        await pilot.press("escape")
        assert "Enter edit" in app.panel_text
        await pilot.press("enter")
        assert app.state.focus == "field"


async def test_labels_with_commas_stand_one_a_line_in_the_review() -> None:
    comma = Question("Which?", "W", (Option("a, b"), Option("c"), Option("")), multi_select=True)
    app = PanelHost(comma)
    async with app.run_test() as pilot:
        await pilot.press("a", "enter")
        lines = [line.strip() for line in app.panel_lines]
        at = lines.index("→ a, b")
        assert lines[at + 1 : at + 3] == ["c", "(empty label)"]


def test_a_large_text_hides_more_than_a_line_and_cuts_no_word() -> None:
    text = drawn("word " * 121)
    assert re.fullmatch(r"(word )+… 1\d\d more characters · p shows all", text)
    assert drawn("x" * 601) == f"{'x' * 500} … 101 more characters · p shows all"
    assert drawn("x" * 600) == "x" * 600
