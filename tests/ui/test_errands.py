"""What one entry is enough for: a slash command, a key."""

from operator import attrgetter

import pytest

from ccq_tui.commands.command import Command
from ccq_tui.config.keymap import TEXT_PLACES
from ccq_tui.input.keys import SETTINGS
from ccq_tui.screens.session import screen
from ccq_tui.screens.session.screen import ACTIONS, SLASH_COMMANDS, SessionScreen
from tests.ui.drawn import screen_text
from tests.ui.session import Driven, idle, press, until


async def test_one_entry_makes_a_slash_command(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[str] = []
    entry = Command("frobnicate", "[how]", "Frobnicates the session", "frobnicate")
    monkeypatch.setattr(SessionScreen, "frobnicate", lambda _, how: called.append(how), raising=False)
    monkeypatch.setattr(screen, "SLASH_COMMANDS", (*SLASH_COMMANDS, entry))
    run = Driven()
    monkeypatch.setattr("ccq_tui.app.SLASH_COMMANDS", (*SLASH_COMMANDS, entry))
    async with idle(run, size=(100, 30)) as (run, pilot):
        prompt = run.session_screen.dock.prompt
        await pilot.press(*"/frob")
        await until(pilot, lambda: prompt.choices is not None and prompt.choices.chosen is not None)
        assert [(one.label, one.hint, one.detail) for one in prompt.choices.rows] == [
            ("/frobnicate", "[how]", "Frobnicates the session")
        ]
        prompt.put("/frobnicate well")
        await press(pilot, "enter", then=lambda: called == ["well"])
        assert run.fake.sent == [], "it is none of the agent's"
        for key in ("ctrl+p", "f1"):
            await press(pilot, key, then=lambda: run.app.screen is not run.session_screen)
            await press(pilot, *"frobnicates", then=lambda: "Frobnicates the session" in screen_text(run.app))
            await press(pilot, "escape", "escape", then=lambda: run.app.screen is run.session_screen)


async def test_each_key_and_command_of_the_tables_has_a_handler() -> None:
    run = Driven()
    async with run.app.run_test():
        for command in SLASH_COMMANDS:
            assert callable(attrgetter(command.does.partition(":")[0])(run.session_screen)), command.name
        named = {name for name, row in SETTINGS.items() if row.place in TEXT_PLACES}
        assert {*ACTIONS, "help", "quit", "suspend"} == named | {"unmark"}
