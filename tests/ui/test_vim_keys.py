"""Vim's keys in the prompt, where somebody wants them."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot

from ccq_tui.agent.events import PromptAccepted, PromptReturned, SessionState, StateChanged
from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from ccq_tui.screens.session import status
from ccq_tui.screens.session.dock import Dock
from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.prompt.field import PromptField
from tests.ui.host import Clock, press_later
from tests.ui.pictures import Pictures
from tests.ui.session import Driven, asked, panel_drawn, until
from tests.ui.test_commands import say


@pytest.fixture
def run(tmp_path: Path) -> Driven:
    return Driven(Launch(settings=Settings(cwd=tmp_path, vim_prompt=True)))


@pytest.fixture
def still(tmp_path: Path) -> Driven:
    """The same, with a clock that stands still: a fresh panel stays fresh on a busy machine, too."""
    return Driven(Launch(settings=Settings(cwd=tmp_path, vim_prompt=True)), clock=Clock())


def field(run: Driven) -> PromptField:
    return run.screen.dock.prompt.field


def standing(run: Driven) -> tuple[str, int, str]:
    """Return text, caret and mode of the prompt."""
    text = field(run)
    return text.text, text.caret, text.vim.mode


async def test_commands_edit_what_was_typed_and_undo_takes_each_back(run: Driven, pilot: Pilot[int]) -> None:
    await pilot.press(*"fix the login")
    assert standing(run) == ("fix the login", 13, "INSERT")
    await pilot.press("escape", "b", "c", "w", *"logout", "escape")
    assert standing(run) == ("fix the logout", 13, "NORMAL")
    await pilot.press("0", "x", ".", "u")
    assert standing(run)[:2] == ("ix the logout", 0)
    await pilot.press("u", "d", "d")
    assert standing(run) == ("", 0, "NORMAL")
    await pilot.press("u", "A", *" now", "enter")
    await until(pilot, lambda: run.told.sent)
    assert run.told.sent == ["fix the logout now"]
    assert standing(run) == ("", 0, "INSERT"), "the next prompt is typed"


async def test_escape_leaves_typing_then_a_command_and_then_means_what_it_means(
    run: Driven, pilot: Pilot[int]
) -> None:
    run.told.tell(StateChanged(SessionState.WORKING))
    await until(pilot, lambda: run.screen.view.state is SessionState.WORKING)
    await pilot.press(*"one", "escape", "2", "d", "escape")
    assert not run.told.interrupts
    await press_later(pilot, "w", "escape", seconds=5.0)
    await until(pilot, lambda: run.told.interrupts)
    assert standing(run)[0] == "one"


async def test_j_and_k_go_to_other_prompts_where_there_is_no_other_line(
    run: Driven, pilot: Pilot[int]
) -> None:
    await pilot.press(*"first", "enter", *"second", "ctrl+j", *"line", "escape")
    await pilot.press("k")
    assert standing(run)[0] == "second\nline"
    await pilot.press("k")
    assert standing(run) == ("first", 4, "NORMAL")
    await pilot.press("j")
    assert standing(run)[0] == "second\nline"


async def test_a_folded_paste_is_one_piece_for_commands_too(run: Driven, pilot: Pilot[int]) -> None:
    await pilot.press(*"see ")
    run.app.post_message(events.Paste("line\n" * 40))
    await until(pilot, lambda: "pasted 4" in field(run).text)
    await pilot.press(*" now", "escape", "0", "w", "x")
    assert field(run).text == "see  now"
    await pilot.press("u")
    assert run.screen.dock.prompt.text == "see " + "line\n" * 40 + " now"


async def test_a_search_and_a_list_are_typed_into(run: Driven, pilot: Pilot[int]) -> None:
    await pilot.press(*"fix it", "enter", *"x", "escape", "ctrl+r", *"fix")
    prompt = run.screen.dock.prompt
    assert prompt.searching
    assert field(run).text == "fix"
    await pilot.press("escape")
    assert not prompt.searching
    assert field(run).text == "x"


async def test_commands_meant_for_the_prompt_are_commands_when_a_panel_opened(still: Driven) -> None:
    async with still.app.run_test() as pilot:
        await pilot.press(*"one two", "escape")
        still.told.tell(asked())
        still.clock.skip(5.0)
        await until(pilot, lambda: panel_drawn(still.screen))
        await pilot.press("d")
        await until(pilot, lambda: still.screen.dock.panel is None or field(still).has_focus)
        await pilot.press("b")
        assert standing(still) == ("one o", 4, "NORMAL")


async def test_what_comes_back_leaves_the_mode_as_it_is(run: Driven, pilot: Pilot[int]) -> None:
    await pilot.press(*"one", "escape")
    run.told.tell(PromptReturned("old", "the session ended"))
    await until(pilot, lambda: field(run).text == "old\none")
    assert standing(run) == ("old\none", 7, "NORMAL"), "commands stay commands under the hands"


async def test_the_command_turns_them_on_and_off(run: Driven, pilot: Pilot[int]) -> None:
    await say(pilot, run, "/vim")
    await until(pilot, lambda: "Vim's keys are off" in run.screen.dock.notices.text)
    await pilot.press("x", "escape", "i")
    assert standing(run) == ("xi", 2, "")
    await pilot.press("ctrl+u")
    await say(pilot, run, "/vim")
    await until(pilot, lambda: "Vim's keys are on" in run.screen.dock.notices.text)
    assert standing(run)[2] == "INSERT"


def pasted(run: Driven, word: str) -> None:
    run.app.post_message(events.Paste(f"{word}\n" * 40))


async def two_pastes(pilot: Pilot[int], driven: Driven) -> None:
    """Put two pastes in the prompt, whose names begin alike, one below the other."""
    pasted(driven, "one")
    await until(pilot, lambda: field(driven).text == "[pasted 40 lines]")
    await pilot.press("ctrl+j")
    pasted(driven, "two")
    await until(pilot, lambda: field(driven).text.endswith("· 2]"))
    await pilot.press("escape")


ONE, TWO = "one\n" * 40, "two\n" * 40


async def test_a_command_on_a_paste_leaves_the_others_whole(run: Driven, pilot: Pilot[int]) -> None:
    await two_pastes(pilot, run)
    prompt = run.screen.dock.prompt
    await pilot.press("g", "g", "d", "d")
    assert prompt.text == TWO
    await pilot.press("u")
    assert prompt.text == f"{ONE}\n{TWO}"
    await pilot.press("g", "g", "y", "y", "j", "P")
    assert prompt.text == f"{ONE}\n{ONE}\n{TWO}"
    await pilot.press("u", "g", "g", "~", "x", "j", "p")
    assert prompt.text == f"\n{TWO}{ONE}", "it is moved whole, and has no capitals"
    await pilot.press("0", "2", "r", "-")
    assert prompt.text == "\n--"


async def test_a_paste_that_was_sent_or_deleted_is_put_whole(run: Driven, pilot: Pilot[int]) -> None:
    prompt = run.screen.dock.prompt
    pasted(run, "one")
    await until(pilot, lambda: "[pasted" in field(run).text)
    await pilot.press("escape", "d", "d", "i", *"hello", "enter")
    pasted(run, "two")
    await until(pilot, lambda: "[pasted" in field(run).text)
    await pilot.press("escape", "p")
    assert prompt.text == f"{TWO}\n{ONE}"
    await pilot.press("enter")
    assert run.told.sent == ["hello", f"{TWO}\n{ONE}".rstrip()]


async def test_a_paste_of_one_character_is_no_command_when_a_panel_gives_it_back(still: Driven) -> None:
    async with still.app.run_test() as pilot:
        await pilot.press(*"one two", "escape")
        still.told.tell(asked())
        still.clock.skip(5.0)
        await until(pilot, lambda: panel_drawn(still.screen))
        still.app.post_message(events.Paste("x"))
        await until(pilot, lambda: field(still).has_focus and "x" in field(still).text)
        assert field(still).text == "one twxo"


@pytest.mark.parametrize("between", ["left", "ctrl+j", "f1", "ctrl+n"])
async def test_a_command_that_is_not_whole_does_not_outlive_what_comes_between(
    between: str, run: Driven, pilot: Pilot[int]
) -> None:
    await pilot.press(*"one two", "escape", "0", "w", "d", between)
    if between in ("f1", "ctrl+n"):
        session = run.session_screen
        await until(pilot, lambda: run.app.screen is not session)
        await pilot.press("escape")
        await until(pilot, lambda: run.app.screen is session)
    await pilot.press("w")
    assert field(run).text.replace("\n", "") == "one two"


async def test_k_goes_to_an_earlier_prompt_from_anywhere_in_a_long_line_and_keeps_the_mode(
    run: Driven,
) -> None:
    async with run.app.run_test(size=(60, 24)) as pilot:
        await pilot.press(*"first", "enter")
        run.told.tell(PromptAccepted("later", queued=True, prompt_id="p1"))
        await until(pilot, lambda: run.screen.dock.prompt.has_queued)
        await pilot.press("escape", "k")
        assert standing(run) == ("first", 4, "NORMAL")
        assert not run.told.withdrawn, "only the arrow takes back what is queued"
        await pilot.press("j", "i", *"word " * 30, "escape", "k")
        assert standing(run) == ("first", 4, "NORMAL")


async def test_picture_of_a_prompt_that_takes_commands(
    pictures: Pictures, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(status, "today", lambda: 0)  # else the tip is another one tomorrow
    driven = Driven(Launch(settings=Settings(cwd=Path("/usr"), vim_prompt=True)))
    async with driven.app.run_test(size=(60, 20)) as pilot:
        await pilot.press(*"fix the login", "escape", "b")
        driven.screen.query_one(Dock).query_one(HintBar).wake()
        await pictures.keep(pilot, "normal")
