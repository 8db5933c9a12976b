"""Commands for the shell in the prompt: run, shown as they write, stopped, and told to Claude."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from ccq_tui.agent.events import HistoryLoaded, PromptAccepted, PromptReturned, SessionState, StateChanged
from ccq_tui.commands.shell import NOTHING, ONE_RUNS, STOPPING
from ccq_tui.config.keymap import with_keys
from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from ccq_tui.prompts.shell_runs import ShellRun, message_of
from ccq_tui.transcript.blocks import PromptBlock, ToolBlock, ToolState
from tests.agent.running import alive
from tests.steps import until_true
from tests.ui.host import Clock
from tests.ui.pictures import Pictures
from tests.ui.session import Driven, idle, press, running, until
from tests.ui.test_commands import say

WAITS = "!echo $$ > pid; echo ready; while [ ! -e go ]; do sleep 0.01; done; echo over"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Driven:
    monkeypatch.setenv("SHELL", "/bin/sh")
    return Driven(Launch(settings=Settings(cwd=tmp_path)), clock=Clock())


@pytest.fixture
async def pilot(run: Driven) -> AsyncIterator[Pilot[int]]:
    async with idle(run) as (run, pilot):
        yield pilot


def cards(run: Driven) -> list[ToolBlock]:
    return [block for block in run.session_screen.transcript.model.blocks if isinstance(block, ToolBlock)]


async def test_a_command_is_run_shown_and_told_once(tmp_path: Path, run: Driven, pilot: Pilot[int]) -> None:
    await say(pilot, run, WAITS, then=lambda: cards(run) and "ready" in cards(run)[0].output)
    assert cards(run)[0].state is ToolState.RUNNING
    assert "ready" in run.screen.transcript.text()
    assert run.fake.sent == []
    (tmp_path / "go").touch()
    await until(pilot, lambda: run.fake.sent)
    message = message_of(ShellRun(WAITS[1:], "ready\nover\n"))
    assert (run.fake.sent, run.fake.unanswered) == ([message], [])
    run.fake.tell(PromptAccepted(message, queued=False, prompt_id="p1"))
    await pilot.pause()
    (card,) = run.screen.transcript.model.blocks
    assert isinstance(card, ToolBlock)
    assert (card.state, card.output) == (ToolState.OK, "ready\nover")
    await pilot.press("up")
    assert run.screen.dock.prompt.text == WAITS


async def test_the_setting_of_claude_code_says_whether_claude_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Driven
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "config"))
    (tmp_path / "config").mkdir()
    settings = json.dumps({"respondToBashCommands": False})
    (tmp_path / "config" / "settings.json").write_text(settings, encoding="utf-8")
    async with running(run) as (_, pilot):
        await say(pilot, run, "!echo hi", then=lambda: run.fake.sent)
        assert run.fake.unanswered == [message_of(ShellRun("echo hi", "hi\n"), answer=False)]


@pytest.mark.parametrize("key", ["escape", "ctrl+c"])
async def test_a_key_stops_it_and_claude_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str, run: Driven, pilot: Pilot[int]
) -> None:
    run.fake.tell(StateChanged(SessionState.WORKING))
    await say(pilot, run, WAITS, then=lambda: cards(run) and "ready" in cards(run)[0].output)
    pid = int((tmp_path / "pid").read_text())
    run.clock.skip(5.0)
    texts: list[str] = []
    say_it = run.screen.dock.notices.say

    def receive(text: str, *rest: Any, **more: Any) -> None:
        texts.append(text)
        say_it(text, *rest, **more)

    for place in (run.screen, run.screen.dock.notices):
        monkeypatch.setattr(place, "say", receive)
    await pilot.press(key)
    assert with_keys(STOPPING) in texts[0], "it may be over by now, and then nothing says so any more"
    await until(pilot, lambda: run.fake.sent)
    assert with_keys(STOPPING) not in run.screen.dock.notices.text or key == "ctrl+c"
    assert run.fake.unanswered == [message_of(ShellRun(WAITS[1:], "ready\n", "", -2), answer=False)]
    assert run.fake.interrupts == 0
    assert not alive(pid)
    assert cards(run)[0].state is ToolState.FAILED


async def test_a_second_command_waits_in_its_field(tmp_path: Path, run: Driven, pilot: Pilot[int]) -> None:
    await say(pilot, run, WAITS)
    await say(pilot, run, "!echo second")
    assert with_keys(ONE_RUNS) in run.screen.dock.notices.text
    assert run.screen.dock.prompt.text == "!echo second"
    (tmp_path / "go").touch()
    await until(pilot, lambda: run.fake.sent)
    await press(pilot, "enter", then=lambda: len(run.fake.sent) == 2)
    assert run.fake.sent[1] == message_of(ShellRun("echo second", "second\n"))


async def test_the_sign_and_the_keys_tell_a_command_from_a_prompt(run: Driven, pilot: Pilot[int]) -> None:
    prompt = run.screen.dock.prompt
    sign = prompt.query_one("#sign", Static)
    for typed, shown in (("!", " $ "), ("@", " $ "), ("backspace", " $ "), ("backspace", " ❯ ")):
        await pilot.press(typed)
        await pilot.pause()
        assert str(sign.render()) == shown
        assert prompt.choices is None
    await pilot.press("!", "space", "enter")
    assert NOTHING in run.screen.dock.notices.text
    assert (prompt.text, run.fake.sent, cards(run)) == ("! ", [], [])


async def test_a_command_ends_with_the_program(tmp_path: Path, run: Driven) -> None:
    async with running(run) as (_, pilot):
        await say(pilot, run, WAITS, then=lambda: cards(run) and "ready" in cards(run)[0].output)
        pid = int((tmp_path / "pid").read_text())
        assert alive(pid)
    await until_true(lambda: not alive(pid))


async def test_what_claude_was_not_told_is_said_and_is_no_prompt(run: Driven, pilot: Pilot[int]) -> None:
    run.fake.tell(PromptReturned(message_of(ShellRun("make", "x")), "the session was closed", "p1"))
    await until(pilot, lambda: "Claude did not receive ! make" in run.screen.transcript.text())
    assert run.screen.dock.prompt.text == ""


async def test_commands_of_the_past_have_their_cards(run: Driven, pilot: Pilot[int]) -> None:
    past = PromptAccepted(message_of(ShellRun("false", "", "no\n", 1)), prompt_id="p1")
    run.fake.tell(HistoryLoaded((past, PromptAccepted("next", prompt_id="p2"))))
    await until(pilot, lambda: len(run.screen.transcript.model.blocks) == 2)
    card, prompt = run.screen.transcript.model.blocks
    assert isinstance(card, ToolBlock)
    assert (card.input, card.state) == ({"command": "false"}, ToolState.FAILED)
    assert card.output == "Exit code 1\nno"
    assert isinstance(prompt, PromptBlock)


async def test_picture_of_a_command_in_the_shell(run: Driven, pictures: Pictures) -> None:
    async with running(run, size=(60, 16)) as (_, pilot):
        await say(pilot, run, "!printf 'one\\ntwo\\n'; exit 3", then=lambda: run.fake.sent)
        run.screen.dock.prompt.put("!git status --short")
        await pilot.pause()
        await pictures.keep(pilot, "shell")
