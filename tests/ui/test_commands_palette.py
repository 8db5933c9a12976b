"""Every command and every action is found by Ctrl+P."""

from __future__ import annotations

from textual.pilot import Pilot

from ccq_tui.agent.events import CommandsListed, SlashCommand
from tests.ui.session import Driven, asked, until
from tests.ui.test_commands import closed, notices, picker

LISTED = CommandsListed(
    (
        SlashCommand("compact", "Make the conversation shorter", "[instructions]"),
        SlashCommand("init", "Write CLAUDE.md"),
        SlashCommand("model", "The CLI's own"),
    )
)


async def listed(driven: Driven, pilot: Pilot[int]) -> None:
    """Tell which commands the CLI has, and wait until that was heard."""
    driven.told.tell(LISTED)
    await until(pilot, lambda: driven.screen.completions.others)


async def test_commands_of_both_and_actions_with_their_keys_are_listed_once(
    run: Driven, pilot: Pilot[int]
) -> None:
    await listed(run, pilot)
    await pilot.press("ctrl+p")
    rows = (await picker(pilot)).state.rows
    labels = [row.label for row in rows]
    assert labels.count("/model") == 1
    assert {"/init", "/compact", "/rewind"} <= set(labels)
    assert next(row.right for row in rows if row.label == "Edit the prompt in $EDITOR") == "Ctrl+G"
    assert len(set(labels)) == len(labels)


async def test_what_is_chosen_is_done(run: Driven, pilot: Pilot[int]) -> None:
    await listed(run, pilot)
    await pilot.press("ctrl+p", *"mcp", "enter")
    await until(pilot, lambda: "No MCP servers here" in notices(run))
    await pilot.press("ctrl+p", *"/init", "enter")
    await until(pilot, lambda: run.told.sent == ["/init"])
    await pilot.press("ctrl+p")
    await picker(pilot)
    await pilot.press(*"all keys", "enter")
    await until(pilot, lambda: type(pilot.app.screen).__name__ == "HelpScreen")


async def test_a_command_that_takes_more_is_begun_before_what_is_typed(
    run: Driven, pilot: Pilot[int]
) -> None:
    await listed(run, pilot)
    await pilot.press(*"keep names", "ctrl+p", *"/compact", "enter")
    await closed(pilot)
    await until(pilot, lambda: run.screen.dock.prompt.text == "/compact keep names")
    assert run.told.sent == []


async def test_in_a_panel_the_key_moves_up(run: Driven, pilot: Pilot[int]) -> None:
    run.told.tell(asked())
    await until(pilot, lambda: run.screen.dock.panel is not None)
    await pilot.press("ctrl+p")
    await pilot.pause()
    assert pilot.app.screen is run.session_screen
