"""Prompts that wait when the program ends are sent once, whichever way it ended."""

from __future__ import annotations

import json
import os
import signal

from ccq_tui.testing import Scenario
from tests.e2e.conftest import Running, Start
from tests.steps import step

HANGS = Scenario("q").says("Thinking about it").hangs().says(" still.").ends_turn()
AGAIN = Scenario("q").says("Skipped: an interrupt ended it.").ends_turn()
AGAIN = AGAIN.says("Thinking about that").hangs().says(" still.").ends_turn()
ANSWERS = Scenario("q").says("Skipped: an interrupt ended it.").ends_turn().says("All read.").ends_turn()
QUIT, KILLED = ("one in line", "two in line"), ("three in line", "four in line")


def test_prompts_that_wait_are_sent_once_after_a_quit_and_after_a_kill(start: Start) -> None:
    run = start(HANGS)
    with step("quit with two prompts in the queue"):
        run.terminal.wait("Thinking about it")
        wait_with(run, QUIT)
        run.end("ctrl+q", 0)
        assert told(run, *QUIT) == [0, 0]
    session = next(run.home.config.glob("projects/*/*.jsonl")).stem
    with step("they stand in the field, in their order, and are sent by a key"):
        run = go_on(start, run, AGAIN, session, QUIT)
    with step("killed with two others in the queue"):
        run.terminal.wait("Thinking about that")
        wait_with(run, KILLED)
        os.kill(run.terminal.process.pid, signal.SIGKILL)
        run.terminal.process.wait()
        assert told(run, *QUIT, *KILLED) == [1, 1, 0, 0]
    with step("those stand in the field, and nothing is sent twice"):
        run = go_on(start, run, ANSWERS, session, KILLED)
        run.terminal.wait("All read.")
        assert told(run, *QUIT, *KILLED) == [1, 1, 1, 1]
        run.end("ctrl+q", 0)


def wait_with(run: Running, prompts: tuple[str, ...]) -> None:
    """Send prompts that wait for a model that thinks."""
    for text in prompts:
        run.terminal.type(text)
        run.terminal.wait(f"❯ {text}")
        run.terminal.press("enter")
        run.terminal.wait(f"❯ {text}  queued")


def go_on(start: Start, run: Running, scenario: Scenario, session: str, prompts: tuple[str, ...]) -> Running:
    """Resume the session, find the prompts in the field, and send them."""
    run = start(scenario, "--resume", session, prompt="", home=run.home)
    run.terminal.wait("○ ready")
    run.terminal.wait(lambda seen: f"❯ {prompts[0]}\n   {prompts[1]}" in seen.text)
    assert run.model.requests() == []
    run.rest()
    run.terminal.press("enter")
    run.model.wait_for_sync(
        lambda model: any(prompts[0] in json.dumps(one.body) for one in model.requests()), 40.0
    )
    return run


def told(run: Running, *texts: str) -> list[int]:
    """Return how many messages of a user have each text, in the last request."""
    messages = [m for m in run.model.requests()[-1].body["messages"] if m["role"] == "user"]
    return [sum(text in json.dumps(message["content"]) for message in messages) for text in texts]
