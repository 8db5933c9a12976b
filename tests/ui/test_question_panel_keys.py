"""Every row of the key table, pressed on the panel: the state that comes of it and what the screen shows."""

from __future__ import annotations

import pytest

from ccq_tui.questions import Answer, Answered
from ccq_tui.questions.input_guard import TYPING_SECONDS
from ccq_tui.questions.state import Focus
from ccq_tui.widgets.question import QuestionPanel
from tests.ui.asked import CITIES, MULTI, NAME, PREVIEWED, RECOMMENDED, SINGLE
from tests.ui.host import PanelHost, type_text


def outcomes(app: PanelHost) -> list[object]:
    return [message.outcome for message in app.all_posted(QuestionPanel.Ended)]


@pytest.mark.parametrize("question", [SINGLE, MULTI], ids=["single", "multi"])
@pytest.mark.parametrize(("up", "down"), [("up", "down"), ("k", "j"), ("ctrl+p", "ctrl+n")])
async def test_move_wrapping(question: object, up: str, down: str) -> None:
    async with PanelHost(question).shown() as (app, pilot):
        first = question.options[0].label
        assert first in app.cursor_line
        await pilot.press(down)
        assert question.options[1].label in app.cursor_line
        await pilot.press(up, up)
        assert "Other…" in app.cursor_line, "up from the first row to the last"
        await pilot.press("down" if down == "j" else down)  # there a letter is text
        assert first in app.cursor_line
        assert not app.state.has_draft, "moving selects nothing"


@pytest.mark.parametrize("question", [SINGLE, MULTI], ids=["single", "multi"])
async def test_home_and_end(question: object) -> None:
    async with PanelHost(question).shown() as (app, pilot):
        await pilot.press("end")
        assert "Other…" in app.cursor_line
        await pilot.press("home")
        assert question.options[0].label in app.cursor_line


async def test_digit_moves_and_selects_in_a_single_select() -> None:
    async with PanelHost(SINGLE).shown() as (app, pilot):
        await pilot.press("2")
        assert " ❯ ● 2  SQLite" in app.panel_text
        await pilot.press("3")
        assert " ❯ ● 3  DuckDB" in app.panel_text
        assert "○ 2  SQLite" in app.panel_text
        assert not outcomes(app)


async def test_digit_moves_and_toggles_in_a_multi_select() -> None:
    async with PanelHost(MULTI).shown() as (app, pilot):
        await pilot.press("2", "1")
        assert " ❯ ◼ 1  Auth" in app.panel_text
        assert "◼ 2  Cache" in app.panel_text
        await pilot.press("2")
        assert " ❯ ◻ 2  Cache" in app.panel_text
        assert app.state.page.draft.selected == (0,)


async def test_space_selects_or_toggles_and_stays() -> None:
    async with PanelHost(SINGLE).shown() as (app, pilot):
        await pilot.press("down", "space")
        assert " ❯ ● 2  SQLite" in app.panel_text
        assert (app.state.outcome, app.state.tab) == (None, 0)
    app = PanelHost(MULTI)
    async with app.run_test() as pilot:
        await pilot.press("space", "down", "space")
        assert app.state.page.draft.selected == (0, 1)
        await pilot.press("space")
        assert " ❯ ◻ 2  Cache" in app.panel_text


async def test_enter_confirms_one_single_select_at_once() -> None:
    async with PanelHost(SINGLE).shown() as (app, pilot):
        assert "Enter send PostgreSQL" in app.panel_text
        await pilot.press("down", "enter")
        assert outcomes(app) == [Answered((Answer(selected=("SQLite",)),))]
        assert app.all_posted(QuestionPanel.Ended)[0].control is app.panel
        await pilot.press("enter", "1", "enter")
        assert len(outcomes(app)) == 1, "a set ends once"


async def test_enter_goes_to_the_next_unanswered_question_then_to_review() -> None:
    async with PanelHost(SINGLE, RECOMMENDED, PREVIEWED).shown() as (app, pilot):
        assert "Enter take PostgreSQL" in app.panel_text
        await pilot.press("tab", "1", "shift+tab", "enter")
        assert PREVIEWED.text in app.panel_text, "the second question has its answer"
        await pilot.press("enter")
        assert "Review your answers" in app.panel_text
        assert "✔    Submit" in app.cursor_line


async def test_enter_goes_on_in_a_multi_select_and_keeps_what_is_selected() -> None:
    async with PanelHost(MULTI).shown() as (app, pilot):
        await pilot.press("space", "down", "enter")
        assert "Review your answers" in app.panel_text
        assert "→ Auth" in app.panel_text
        assert app.state.page.draft.selected == (0,)


async def test_a_selects_all_and_none_and_is_hinted_in_a_multi_select_alone() -> None:
    async with PanelHost(MULTI).shown() as (app, pilot):
        assert "a all" in app.panel_text
        await pilot.press("a")
        assert app.panel_text.count("◼") == 3
        await pilot.press("a")
        assert app.panel_text.count("◼") == 0
    app = PanelHost(SINGLE)
    async with app.run_test() as pilot:
        assert "all/none" not in app.panel_text
        await pilot.press("a")
        assert (app.state.focus, app.state.text) == (Focus.OTHER, "a"), "it means nothing here: it is text"


@pytest.mark.parametrize(("on", "back"), [("tab", "shift+tab"), ("right", "left"), ("l", "h")])
async def test_turn_between_questions(on: str, back: str) -> None:
    async with PanelHost(SINGLE, MULTI).shown() as (app, pilot):
        await pilot.press(on)
        assert MULTI.text in app.panel_text
        assert "◆ Features" in app.panel_lines[0]
        await pilot.press(on)
        assert "Review your answers" in app.panel_text
        await pilot.press(on)
        assert SINGLE.text in app.panel_text, "from the review to the first"
        await pilot.press(back, back)
        assert MULTI.text in app.panel_text


@pytest.mark.parametrize("question", [SINGLE, MULTI], ids=["single", "multi"])
async def test_o_and_n(question: object) -> None:
    async with PanelHost(question).shown() as (app, pilot):
        await pilot.press("1", "n")
        assert "✎ note a note beside the answer" in app.panel_text
        await type_text(pilot, "keep it small")
        await pilot.press("enter")
        assert "✎ note keep it small" in app.panel_text
        assert app.state.page.draft.selected == (0,), "a note never drops the selection"
        await pilot.press("o")
        await type_text(pilot, "mine")
        assert app.cursor_line.endswith(" 4  mine"), "typed in its row"


async def test_slash_filters_ten_options_or_more() -> None:
    async with PanelHost(CITIES).shown() as (app, pilot):
        assert "/ filter" in app.panel_text
        height = app.panel.region.height
        await pilot.press("slash")
        await type_text(pilot, "city 3")
        assert "11 of 40 shown" in app.panel_text
        await pilot.press("down")
        assert "City 30" in app.cursor_line, "arrows move while the filter is typed"
        assert app.panel.region.height == height
        await pilot.press("enter")
        assert app.state.focus is Focus.LIST
        await pilot.press("2")
        assert "● 2  City 30" in app.panel_text, "digits count the rows that are shown"
        await pilot.press("escape")
        assert "shown" not in app.panel_text
        assert (app.state.page.draft.selected, app.state.hidden) == ((29,), False)
        assert "City 30" in app.cursor_line, "the cursor stays on its row"


async def test_enter_on_a_filtered_list_takes_the_row_that_is_seen() -> None:
    async with PanelHost(CITIES).shown() as (app, pilot):
        await pilot.press("slash")
        await type_text(pilot, "17")
        await pilot.press("enter", "enter")
        assert outcomes(app) == [Answered((Answer(selected=("City 17",)),))]


async def test_a_filter_without_a_match_leaves_other_and_selects_nothing() -> None:
    async with PanelHost(CITIES).shown() as (app, pilot):
        await pilot.press("slash")
        await type_text(pilot, "zz")
        assert "0 of 40 shown" in app.panel_text
        assert "Other…" in app.cursor_line
        await pilot.press("enter", "enter")
        assert (app.state.focus, app.state.outcome) == (Focus.OTHER, None)


async def test_slash_in_a_short_list_is_text() -> None:
    async with PanelHost(SINGLE).shown() as (app, pilot):
        assert "filter" not in app.panel_text
        await pilot.press("slash")
        assert (app.state.focus, app.state.text) == (Focus.OTHER, "/")


async def test_p_shows_the_preview_larger_and_back() -> None:
    async with PanelHost(PREVIEWED).shown() as (app, pilot):
        assert "p all" not in app.panel_text, "all of it is in sight"
        await pilot.press("down")
        assert "p all" in app.panel_text
        await pilot.press("p")
        assert "SQLite" not in app.panel_text
        assert "9  line of tabs" in app.panel_text
        assert "Esc small again" in app.panel_text
        await pilot.press("up")
        assert "|nav | body    |" in app.panel_text, "arrows show the other options' previews"
        await pilot.press("p")
        assert " ❯ ○ 1  Sidebar" in app.panel_text
        await pilot.press("p", "escape")
        assert (app.state.large, app.state.hidden) == (False, False)


@pytest.mark.parametrize("start", [(), ("tab",), ("tab", "tab")], ids=["single", "multi", "review"])
async def test_c_discusses_the_whole_set(start: tuple[str, ...]) -> None:
    async with PanelHost(SINGLE, MULTI).shown() as (app, pilot):
        await pilot.press(*start, "c")
        assert "✎ discuss goes to Claude instead of answers" in app.panel_text
        await pilot.press("enter")
        assert "nothing typed yet" in app.panel_text
        await type_text(pilot, "Why not both?")
        await pilot.press("escape")
        assert "✎ discuss Why not both?" in app.panel_text
        await pilot.press("c", "enter")
        assert [getattr(outcome, "text", None) for outcome in outcomes(app)] == ["Why not both?"]


async def test_escape_leaves_text_then_filter_then_hides() -> None:
    async with PanelHost(CITIES).shown() as (app, pilot):
        await pilot.press("slash", "4", "enter", "o", "x", "escape")
        assert (app.state.focus, app.state.page.filter) == (Focus.LIST, "4")
        await pilot.press("escape")
        assert (app.state.page.filter, app.state.hidden) == ("", False)
        await pilot.press("escape")
        assert app.state.hidden
        assert len(app.all_posted(QuestionPanel.Hidden)) == 1
        assert app.all_posted(QuestionPanel.Hidden)[0].control is app.panel
        assert app.state.page.draft.other == "x", "nothing is discarded"


@pytest.mark.parametrize("key", ["ctrl+d", "y"])
async def test_ctrl_d_declines_after_asking_once(key: str) -> None:
    async with PanelHost(SINGLE, MULTI).shown() as (app, pilot):
        await pilot.press("1", "ctrl+d")
        assert "Decline all 2 questions?" in app.panel_text
        assert "Nothing you selected or typed is sent" in app.panel_text
        await pilot.press("enter", "space", "2", "x")
        assert not outcomes(app), "only the keys shown answer"
        await pilot.press("escape")
        assert "Decline" not in app.panel_text
        assert app.state.page.draft.selected == (0,)
        await pilot.press("ctrl+d", key)
        assert not outcomes(app), "a key held down is no answer"
        app.clock.skip(TYPING_SECONDS)
        await pilot.press(key)
        assert [type(outcome).__name__ for outcome in outcomes(app)] == ["Declined"]


async def test_ctrl_g_wants_an_editor_and_the_text_comes_back() -> None:
    async with PanelHost(SINGLE).shown() as (app, pilot):
        await pilot.press("ctrl+d", "ctrl+g", "escape")
        assert not app.all_posted(QuestionPanel.EditorWanted), "there is no text to edit"
        await pilot.press("2", "ctrl+g")
        assert [wanted.text for wanted in app.all_posted(QuestionPanel.EditorWanted)] == [""]
        assert app.state.focus is Focus.OTHER, "on the list it is Other that is edited"
        await pilot.press("a", "b", "ctrl+g")
        wanted = app.all_posted(QuestionPanel.EditorWanted)[-1]
        assert (wanted.text, wanted.control) == ("ab", app.panel)
        app.panel.put_text("ab\r\nand more\x1b[2J\n")
        await pilot.pause()
        assert app.state.text == "ab\nand more[2J", "the editor's last newline and controls are left out"
        assert "and more" in app.panel_text
        await pilot.press("!")
        assert app.state.text.endswith("more[2J!"), "the caret is at the end"


async def test_keys_on_the_page_of_a_text_question() -> None:
    async with PanelHost(NAME, SINGLE).shown() as (app, pilot):
        assert app.state.focus is Focus.FIELD
        assert "for example tidy-bookmarks" in app.panel_text
        await type_text(pilot, "jk 12 aopnc")
        assert app.state.text == "jk 12 aopnc"
        await pilot.press("escape")
        assert " ❯ jk 12 aopnc" in app.panel_text
        await pilot.press("n", "y", "enter")
        assert "✎ note y" in app.panel_text
        await pilot.press("o", "home", "X", "enter")
        assert SINGLE.text in app.panel_text
        assert app.state.pages[0].answer() == Answer(other="Xjk 12 aopnc", note="y")
