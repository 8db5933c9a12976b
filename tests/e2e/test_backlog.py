"""Prompts of sessions that wait for a free process survive the end of the program."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sqlite3

from ccq_tui.screens.sessions.new_row import CARET
from ccq_tui.testing import Scenario
from tests.e2e.conftest import Running, Start
from tests.e2e.terminal import Terminal
from tests.e2e.test_side_by_side import PROMPT_FIELD
from tests.steps import step

HANGS = Scenario("q").says("Thinking about it").hangs().says(" still.").ends_turn()
ANSWERS = Scenario("q").says("Understood.").ends_turn()
ONE = {"CCQ_MAX_LIVE_SESSIONS": "1"}
WIDE = (120, 30)
QUEUED = ("alpha the first", "alpha the second", "beta the first")


def test_prompts_that_claude_has_not_read_come_back_after_a_kill_and_are_sent_once(start: Start) -> None:
    run = start(HANGS, size=WIDE, variables=ONE)
    with step("two sessions wait for the one that works, with prompts of their own"):
        run.terminal.wait("Thinking about it")
        open_queued(run.terminal, QUEUED[0])
        say(run.terminal, QUEUED[1])
        run.terminal.wait(f"❯ {QUEUED[1]}\n")
        open_queued(run.terminal, QUEUED[2])
        run.terminal.wait(lambda _: all(text in on_disk(run) for text in QUEUED))
    with step("the program is killed"):
        os.kill(run.terminal.process.pid, signal.SIGKILL)
        run.terminal.process.wait()
        assert not any(text in body for text in QUEUED for body in bodies(run))
    with step("another one has them all in its prompt, and sends them by a key"):
        again = start(ANSWERS, size=WIDE, prompt="", home=run.home, variables=ONE)
        again.terminal.wait("before Claude read these prompts")
        again.terminal.wait(lambda seen: all(text in seen.text for text in QUEUED))
        again.rest()
        again.terminal.press("enter")
        again.terminal.wait("Understood.")
        (body,) = [body for body in bodies(again) if QUEUED[0] in body]
        assert [body.count(text) for text in QUEUED] == [1, 1, 1]
        again.terminal.wait("tokens · $")
        again.end("ctrl+q", 0)
    with step("nothing is left of them"):
        assert not any(text in on_disk(run) for text in QUEUED)


def bodies(run: Running) -> list[str]:
    return [json.dumps(one.body["messages"]) for one in run.model.requests()]


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
    terminal.wait(PROMPT_FIELD)
    terminal.type(prompt)
    terminal.wait(f"{prompt}{CARET}")
    terminal.press("enter")
    terminal.wait(f"❯ {prompt}\n")
    terminal.wait("◌ queued")


def say(terminal: Terminal, text: str) -> None:
    terminal.type(text)
    terminal.wait(f"❯ {text}")
    terminal.press("enter")
