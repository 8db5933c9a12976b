"""Commands that nobody knows stay in the prompt until Enter comes again."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from ccq_tui.agent.events import CommandsListed, SlashCommand
from ccq_tui.commands.completions import HELD_SECONDS
from ccq_tui.prompts.command_names import ALTERNATIVES
from ccq_tui.screens.session.screen import SLASH_COMMANDS
from tests.ui.host import Clock, press_later
from tests.ui.running import running
from tests.ui.session import Driven, burst, until

LISTED = CommandsListed(
    (
        SlashCommand("compact", "Summarize"),
        SlashCommand("code-review", "Review", aliases=("review",)),
        SlashCommand("list-agents", "List subagents"),
    )
)


@pytest.fixture
def run() -> Driven:
    return Driven(clock=Clock())


async def listed(pilot: Pilot[int], driven: Driven) -> None:
    driven.told.tell(LISTED)
    await until(pilot, lambda: driven.screen.completions.listed)


async def put(pilot: Pilot[int], driven: Driven, text: str) -> None:
    driven.screen.dock.prompt.put(text)
    await pilot.pause()


async def test_an_unknown_command_stays_and_a_second_enter_sends_it_as_text(
    run: Driven, pilot: Pilot[int]
) -> None:
    await listed(pilot, run)
    prompt = run.screen.dock.prompt
    await put(pilot, run, "/comapct now")
    await pilot.press("enter")
    assert prompt.text == "/comapct now"
    assert "Unknown command /comapct · did you mean /compact?" in run.screen.dock.notices.text
    burst(run, "\r\r\r")  # held down, the key is no second press
    await pilot.pause()
    assert run.told.sent == []
    run.clock.skip(0.66)  # the delay of a key that begins to repeat
    await pilot.press("enter")
    assert run.told.sent == []
    await press_later(pilot, "enter", seconds=HELD_SECONDS + 0.01)
    assert run.told.sent == ["/comapct now"]
    assert prompt.text == ""


async def test_another_text_is_asked_about_anew(run: Driven, pilot: Pilot[int]) -> None:
    await listed(pilot, run)
    await put(pilot, run, "/nothing")
    await pilot.press("enter")
    await press_later(pilot, "x", "enter", seconds=HELD_SECONDS + 0.01)
    assert run.told.sent == []
    assert run.screen.dock.prompt.text == "/nothingx"


@pytest.mark.parametrize("text", ["/compact", "/review 12", "/etc/hosts is wrong", "hello /nothing", "/ x"])
async def test_what_the_cli_knows_and_what_is_no_command_is_sent(
    text: str, run: Driven, pilot: Pilot[int]
) -> None:
    await listed(pilot, run)
    await put(pilot, run, text)
    await pilot.press("enter")
    assert run.told.sent == [text]


async def test_a_command_of_claude_codes_own_screen_says_the_way(run: Driven, pilot: Pilot[int]) -> None:
    await listed(pilot, run)
    await put(pilot, run, "/upgrade")
    await pilot.press("enter")
    assert "claude in a terminal has it" in run.screen.dock.notices.text
    await pilot.press("ctrl+u", *"/agents", "enter")  # which reads like /list-agents
    assert "ask Claude to write a subagent" in run.screen.dock.notices.text
    assert run.told.sent == []


def test_no_way_is_said_for_a_command_that_is_there() -> None:
    assert not {one.name for one in SLASH_COMMANDS} & set(ALTERNATIVES)
    assert all(len(way) < 80 for way in ALTERNATIVES.values())


@pytest.mark.parametrize("text", ["/exit", "/quit", " exit "])
async def test_a_word_quits(text: str) -> None:
    async with running(Driven(clock=Clock())) as (driven, pilot):
        await listed(pilot, driven)
        await put(pilot, driven, text)
        await pilot.press("enter")
        await until(pilot, lambda: driven.app.return_code == 0)
    assert driven.told.closed
    assert driven.told.sent == []
