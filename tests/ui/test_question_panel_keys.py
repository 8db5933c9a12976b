"""The keys of the key table on the panel: each reaches the state, and the screen shows what comes of it."""

from __future__ import annotations

from ccq_tui.questions import Answer, Discussed
from ccq_tui.questions.input_guard import TYPING_SECONDS
from ccq_tui.questions.state import Focus
from ccq_tui.widgets.question import QuestionPanel
from tests.ui.asked import CITIES, MULTI, NAME, PREVIEWED, SINGLE
from tests.ui.host import PanelHost, press_later, type_text


async def test_keys_that_move_and_turn() -> None:
    async with PanelHost(SINGLE, MULTI).shown() as (app, pilot):
        for down, up in (("down", "up"), ("j", "k"), ("ctrl+n", "ctrl+p"), ("end", "home")):
            await pilot.press(down)
            assert ("Other…" if down == "end" else "SQLite") in app.cursor_line
            await pilot.press(up)
            assert "PostgreSQL" in app.cursor_line
        for on, back in (("tab", "shift+tab"), ("right", "left"), ("l", "h")):
            await pilot.press(on)
            assert MULTI.text in app.panel_text
            assert "◆ Features" in app.panel_lines[0]
            await pilot.press(on)
            assert "Review your answers" in app.panel_text
            await pilot.press(back, back)
            assert SINGLE.text in app.panel_text
        assert not app.state.has_draft, "moving selects nothing"


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
        await pilot.press("enter", "2")
        assert "● 2  City 30" in app.panel_text, "digits count the rows that are shown"
        await pilot.press("escape")
        assert "shown" not in app.panel_text
        assert "City 30" in app.cursor_line, "the cursor stays on its row"
        await pilot.press("slash", "z", "z")
        assert "0 of 40 shown" in app.panel_text
        assert "Other…" in app.cursor_line


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


async def test_c_discusses_the_whole_set() -> None:
    async with PanelHost(SINGLE, MULTI).shown() as (app, pilot):
        await pilot.press("tab", "c")
        assert "✎ discuss goes to Claude instead of answers" in app.panel_text
        await pilot.press("enter")
        assert "nothing typed yet" in app.panel_text
        await type_text(pilot, "Why not both?")
        await pilot.press("escape")
        assert "✎ discuss Why not both?" in app.panel_text
        await pilot.press("c", "enter")
        assert app.outcomes == [Discussed("Why not both?")]


async def test_ctrl_d_declines_after_asking_once() -> None:
    async with PanelHost(SINGLE, MULTI).shown() as (app, pilot):
        await pilot.press("1", "ctrl+d")
        assert "Decline all 2 questions?" in app.panel_text
        assert "Nothing you selected or typed is sent" in app.panel_text
        await pilot.press("escape")
        assert "Decline" not in app.panel_text
        await pilot.press("ctrl+d")
        await press_later(pilot, "ctrl+d", seconds=TYPING_SECONDS)
        assert [type(outcome).__name__ for outcome in app.outcomes] == ["Declined"]


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
        assert "for example tidy-bookmarks" in app.panel_text
        await type_text(pilot, "jk 12 aopnc")
        await pilot.press("escape")
        assert " ❯ jk 12 aopnc" in app.panel_text
        await pilot.press("n", "y", "enter")
        assert "✎ note y" in app.panel_text
        await pilot.press("o", "home", "X", "enter")
        assert SINGLE.text in app.panel_text
        assert app.state.pages[0].answer() == Answer(other="Xjk 12 aopnc", note="y")
