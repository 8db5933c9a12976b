"""Vim's keys in the prompt, where somebody wants them."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events

from ccq_tui.agent.events import PromptReturned, SessionState, StateChanged
from ccq_tui.config import Launch, Settings
from ccq_tui.screens.session.dock import Dock
from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.prompt.field import PromptField
from tests.ui.pictures import Pictures
from tests.ui.session import Driven, asked, panel_drawn, until
from tests.ui.test_commands import say


@pytest.fixture
def driven(tmp_path: Path) -> Driven:
    return Driven(Launch(settings=Settings(cwd=tmp_path, vim_prompt=True)))


def field(run: Driven) -> PromptField:
    return run.screen.dock.prompt.field


def standing(run: Driven) -> tuple[str, int, str]:
    """Return text, caret and mode of the prompt."""
    text = field(run)
    return text.text, text.caret, text.vim.mode


async def test_commands_edit_what_was_typed_and_undo_takes_each_back(driven: Driven) -> None:
    async with driven.app.run_test() as pilot:
        await pilot.press(*"fix the login")
        assert standing(driven) == ("fix the login", 13, "INSERT")
        await pilot.press("escape", "b", "c", "w", *"logout", "escape")
        assert standing(driven) == ("fix the logout", 13, "NORMAL")
        await pilot.press("0", "x", ".", "u")
        assert standing(driven)[:2] == ("ix the logout", 0)
        await pilot.press("u", "d", "d")
        assert standing(driven) == ("", 0, "NORMAL")
        await pilot.press("u", "A", *" now", "enter")
        await until(pilot, lambda: driven.told.sent)
        assert driven.told.sent == ["fix the logout now"]
        assert standing(driven) == ("", 0, "INSERT"), "the next prompt is typed"


async def test_a_letter_that_is_no_command_is_not_typed(driven: Driven) -> None:
    async with driven.app.run_test() as pilot:
        await pilot.press(*"one", "escape", "q", "Q", "z", "!", "question_mark")
        assert standing(driven) == ("one", 2, "NORMAL")
        await pilot.press("i", "q")
        assert standing(driven) == ("onqe", 3, "INSERT")


async def test_escape_leaves_typing_then_a_command_and_then_means_what_it_means(driven: Driven) -> None:
    async with driven.app.run_test() as pilot:
        driven.told.tell(StateChanged(SessionState.WORKING))
        await until(pilot, lambda: driven.screen.view.state is SessionState.WORKING)
        await pilot.press(*"one", "escape", "2", "d", "escape")
        assert not driven.told.interrupts
        driven.clock.skip(5.0)
        await pilot.press("w", "escape")
        await until(pilot, lambda: driven.told.interrupts)
        assert standing(driven)[0] == "one"


async def test_j_and_k_go_to_other_prompts_where_there_is_no_other_line(driven: Driven) -> None:
    async with driven.app.run_test() as pilot:
        await pilot.press(*"first", "enter", *"second", "ctrl+j", *"line", "escape")
        await pilot.press("k")
        assert standing(driven)[0] == "second\nline"
        await pilot.press("k")
        assert standing(driven) == ("first", 5, "NORMAL")
        await pilot.press("j")
        assert standing(driven)[0] == "second\nline"


async def test_a_folded_paste_is_one_piece_for_commands_too(driven: Driven) -> None:
    async with driven.app.run_test() as pilot:
        await pilot.press(*"see ")
        driven.app.post_message(events.Paste("line\n" * 40))
        await until(pilot, lambda: "pasted 4" in field(driven).text)
        await pilot.press(*" now", "escape", "0", "w", "x")
        assert field(driven).text == "see  now"
        await pilot.press("u")
        assert driven.screen.dock.prompt.text == "see " + "line\n" * 40 + " now"


async def test_a_search_and_a_list_are_typed_into(driven: Driven) -> None:
    async with driven.app.run_test() as pilot:
        await pilot.press(*"fix it", "enter", *"x", "escape", "ctrl+r", *"fix")
        prompt = driven.screen.dock.prompt
        assert prompt.searching
        assert field(driven).text == "fix"
        await pilot.press("escape")
        assert not prompt.searching
        assert field(driven).text == "x"


async def test_commands_meant_for_the_prompt_are_commands_when_a_panel_opened(driven: Driven) -> None:
    async with driven.app.run_test() as pilot:
        await pilot.press(*"one two", "escape")
        driven.told.tell(asked())
        driven.clock.skip(5.0)
        await until(pilot, lambda: panel_drawn(driven.screen))
        await pilot.press("d")
        await until(pilot, lambda: driven.screen.dock.panel is None or field(driven).has_focus)
        await pilot.press("b")
        assert standing(driven) == ("one o", 4, "NORMAL")


async def test_what_comes_back_is_typed_on(driven: Driven) -> None:
    async with driven.app.run_test() as pilot:
        await pilot.press(*"one", "escape")
        driven.told.tell(PromptReturned("old", "the session ended"))
        await until(pilot, lambda: field(driven).text == "old\none")
        assert standing(driven) == ("old\none", 7, "INSERT")


async def test_the_command_turns_them_on_and_off(driven: Driven) -> None:
    async with driven.app.run_test() as pilot:
        await say(pilot, driven, "/vim")
        await until(pilot, lambda: "Vim's keys are off" in driven.screen.dock.notices.text)
        await pilot.press("x", "escape", "i")
        assert standing(driven) == ("xi", 2, "")
        await pilot.press("ctrl+u")
        await say(pilot, driven, "/vim")
        await until(pilot, lambda: "Vim's keys hold" in driven.screen.dock.notices.text)
        assert standing(driven)[2] == "INSERT"


async def test_picture_of_a_prompt_that_takes_commands(pictures: Pictures) -> None:
    driven = Driven(Launch(settings=Settings(cwd=Path("/usr"), vim_prompt=True)))
    async with driven.app.run_test(size=(60, 20)) as pilot:
        await pilot.press(*"fix the login", "escape", "b")
        driven.screen.query_one(Dock).query_one(HintBar).wake()
        await pictures.keep(pilot, "normal")
