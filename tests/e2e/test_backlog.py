"""Sessions that wait for a free process survive the end of the program, each as itself."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sqlite3
from collections.abc import Iterable

from ccq_tui.testing import Scenario
from tests.e2e.conftest import Running, Start
from tests.e2e.terminal import Terminal
from tests.e2e.test_side_by_side import has_cursor
from tests.steps import step

HANGS = Scenario("q").says("Thinking about it").hangs().says(" still.").ends_turn()
ANSWERS = Scenario("q").says("Understood.").ends_turn()
ONE = {"CCQ_MAX_LIVE_SESSIONS": "1"}
WIDE = (120, 30)
QUEUED = {
    2: ("claude-haiku-4-5", ("alpha the first", "alpha the second")),
    3: ("claude-sonnet-4-5", ("beta the first", "beta the second")),
}


def test_each_comes_back_as_itself_and_each_prompt_is_sent_once_after_a_kill(start: Start) -> None:
    run = start(HANGS, size=WIDE, variables=ONE)
    with step("two sessions wait for the one that works, with models of their own and two prompts each"):
        run.terminal.wait("Thinking about it")
        for model, prompts in QUEUED.values():
            open_queued(run.terminal, prompts[0])
            say(run.terminal, f"/model {model}")
            run.terminal.wait(f"Model: {model}")
            say(run.terminal, prompts[1])
            run.terminal.wait(f"❯ {prompts[1]}\n")
        run.terminal.wait(lambda _: all(text in on_disk(run) for text in texts()))
    with step("the program is killed"):
        os.kill(run.terminal.process.pid, signal.SIGKILL)
        run.terminal.process.wait()
        assert told(run, texts()) == dict.fromkeys(texts(), 0)
    with step("another one brings both back, side by side, and one beside it none"):
        again = start(ANSWERS, size=WIDE, prompt="", home=run.home, variables=ONE)
        beside = start(ANSWERS, size=WIDE, prompt="", home=run.home, variables=ONE)
        first, other = found_by(again, beside)
        first.terminal.wait("2 queued sessions are back")
    with step("each prompt is sent by a key, in its session, by its model"):
        for number, (_, prompts) in QUEUED.items():
            go_to(first.terminal, number)
            first.terminal.wait(f"❯ {prompts[0]}\n")
            assert prompts[1] in first.terminal.text
            first.rest()
            first.terminal.press("enter")
        go_to(first.terminal, 1)
        first.terminal.wait("queued sessions are back")
        say(first.terminal, "/close")
        first.terminal.wait(lambda _: told(first, [QUEUED[2][1][0]]) == {QUEUED[2][1][0]: 1})
        first.terminal.wait("tokens · $")
        say(first.terminal, "/close")
        first.terminal.wait(lambda _: told(first, [QUEUED[3][1][0]]) == {QUEUED[3][1][0]: 1})
        first.terminal.wait("tokens · $")
        assert told(first, texts()) == dict.fromkeys(texts(), 1)
        assert told(other, texts()) == told(run, texts()) == dict.fromkeys(texts(), 0)
        sessions = {}
        for model, prompts in QUEUED.values():
            asked = [one for one in first.model.requests() if prompts[0] in json.dumps(one.body)]
            assert {one.body["model"] for one in asked} == {model}
            (sessions[model],) = {one.headers["x-claude-code-session-id"] for one in asked}
            assert all(prompts[1] in json.dumps(one.body) for one in asked)
        assert len(set(sessions.values())) == len(QUEUED)
        other.terminal.press("ctrl+q")
        assert other.terminal.wait_end() == 0
        first.end("ctrl+q", 0)
    with step("nothing is left of them"):
        assert not any(text in on_disk(run) for text in texts())


def texts() -> list[str]:
    return [text for _, prompts in QUEUED.values() for text in prompts]


def on_disk(run: Running) -> str:
    """Return all drafts."""
    found = []
    for path in run.home.home.glob("**/inbox.db"):
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            found += [row[0] for row in database.execute("SELECT body FROM prompts")]
    return "\n".join(found)


def open_queued(terminal: Terminal, prompt: str) -> None:
    """Open another session, which has to wait."""
    terminal.press("ctrl+n")
    terminal.wait(lambda seen: has_cursor(seen, "First prompt"))
    terminal.type(prompt)
    terminal.wait(f"\n   {prompt}\n")
    terminal.press("enter")
    terminal.wait(f"❯ {prompt}\n")
    terminal.wait("◌ queued")


def say(terminal: Terminal, text: str) -> None:
    terminal.type(text)
    terminal.wait(f"❯ {text}")
    terminal.press("enter")


def go_to(terminal: Terminal, number: int) -> None:
    terminal.type(f"\x1b{number}")


def told(run: Running, wanted: Iterable[str]) -> dict[str, int]:
    """Return in how many sessions' requests each text was, and never twice in one."""
    counts = {}
    for text in wanted:
        sessions = set()
        for one in run.model.requests():
            content = json.dumps(one.body["messages"])
            assert content.count(text) <= 1
            if text in content:
                sessions.add(one.headers["x-claude-code-session-id"])
        counts[text] = len(sessions)
    return counts


def found_by(*runs: Running) -> tuple[Running, Running]:
    """Return the program that has the sessions, and the other one, once both are there."""
    for run in runs:
        run.terminal.wait("○ ready")
    holders: list[Running] = []

    def found(_: Terminal) -> bool:
        holders[:] = [run for run in runs if "queued sessions are back" in run.terminal.text]
        return bool(holders)

    runs[0].terminal.wait(found)
    assert len(holders) == 1
    return holders[0], next(run for run in runs if run is not holders[0])
