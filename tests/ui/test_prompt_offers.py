"""The list above the prompt: its keys, and what comes while it is open."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from ccq_tui.agent.events import CommandsListed, SlashCommand
from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from ccq_tui.prompts.completion_context import WantedCompletion
from ccq_tui.prompts.completion_list import Completion
from ccq_tui.screens.session import status
from ccq_tui.widgets.hints import HintBar
from ccq_tui.widgets.prompt import Prompt
from tests.ui.host import Clock
from tests.ui.pictures import Pictures
from tests.ui.running import running
from tests.ui.session import Driven, until

COMMANDS = CommandsListed((SlashCommand("moderate", "x"), SlashCommand("more", "x")))


def driven(preset: str = "default", directory: str = "/") -> Driven:
    return Driven(Launch(settings=Settings(cwd=Path(directory), keys={"preset": preset})))


def prompt_of(run: Driven) -> Prompt:
    return run.screen.dock.prompt


def offered(run: Driven) -> list[str]:
    choices = prompt_of(run).choices
    return [row.value for row in choices.rows] if choices and choices.ready else []


def chosen(run: Driven) -> str:
    choices = prompt_of(run).choices
    return choices.chosen.value if choices and choices.chosen else ""


async def typed(run: Driven, pilot: Pilot[int], *keys: str) -> None:
    await pilot.press("slash", *keys)
    await until(pilot, lambda: offered(run))


async def test_commands_told_while_the_list_is_open_come_into_it() -> None:
    async with running(driven()) as (run, pilot):
        await typed(run, pilot, "m", "o")
        await pilot.press("down")
        assert chosen(run) == "mode"
        run.told.tell(COMMANDS)
        await until(pilot, lambda: "more" in offered(run))
        assert {"model", "mode", "moderate", "more"} <= set(offered(run))
        assert chosen(run) == "mode", "the row under the cursor stays"
        await pilot.press("ctrl+u", "slash", *"morex")
        await until(pilot, lambda: prompt_of(run).choices is None)
        run.told.tell(CommandsListed((SlashCommand("morex", "x"),)))
        await until(pilot, lambda: offered(run) == ["morex"])


async def test_ctrl_n_and_ctrl_p_move_in_the_list_and_call_the_palette_outside_it() -> None:
    async with running(driven()) as (run, pilot):
        await typed(run, pilot)
        rows = offered(run)
        await pilot.press("ctrl+n", "ctrl+n", "ctrl+p")
        assert chosen(run) == rows[1]
        assert pilot.app.screen is run.session_screen
        keys = run.screen.query_one("Dock > HintBar", HintBar)
        await until(pilot, lambda: "Enter take · ↑ ↓ choose · Esc close" in str(keys.render()))
        await pilot.press("escape")
        await until(pilot, lambda: "Enter send" in str(keys.render()))


async def test_keys_of_a_preset_move_in_the_list_and_letters_stay_letters() -> None:
    async with running(driven("vim")) as (run, pilot):
        await typed(run, pilot)
        rows = offered(run)
        await pilot.press("ctrl+d")
        assert chosen(run) == rows[8]
        await pilot.press("ctrl+u")
        assert chosen(run) == rows[0]
        await pilot.press("j", "g")
        await until(pilot, lambda: prompt_of(run).text == "/jg")
    run = driven("emacs", "/usr")
    async with run.app.run_test() as pilot:
        await typed(run, pilot)
        rows = offered(run)
        await pilot.press("alt+greater_than_sign")
        assert chosen(run) == rows[-1]
        await pilot.press("alt+less_than_sign")
        assert chosen(run) == rows[0]
        assert prompt_of(run).text == "/"


async def test_tab_waits_for_the_rows_of_what_is_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "app.py").touch()
    async with running(driven(directory=str(tmp_path))) as (run, pilot):
        await pilot.press("@")
        await until(pilot, lambda: offered(run)[:1] == ["src/"])
        found: list[WantedCompletion] = []
        with monkeypatch.context() as late:
            late.setattr(prompt_of(run).completer, "offer", lambda wanted, *_, **__: found.append(wanted))
            await pilot.press("a", "p", "p", "tab")
            await until(pilot, lambda: any(one.query == "app" for one in found))
        assert prompt_of(run).text == "@app", "the row above is one of the text before"
        prompt_of(run).completer.offer(found[-1], (Completion("src/app.py", "src/app.py"),))
        assert prompt_of(run).text == "@src/app.py "


async def test_picture_of_what_is_offered(pictures: Pictures, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(status, "today", lambda: 0)  # else the tip is another one tomorrow
    run = Driven(Launch(settings=Settings(cwd=Path("/usr"))), clock=Clock())
    async with run.app.run_test(size=(80, 24)) as pilot:
        run.told.tell(COMMANDS)
        await until(pilot, lambda: run.screen.completions.listed)
        await typed(run, pilot, "m", "o")
        await pictures.keep(pilot, "commands")
