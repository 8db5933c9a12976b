"""The whole program ends while a question waits, and comes back to it."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ccq_tui.questions import Answer, Answered, Option, Question, QuestionSet
from ccq_tui.questions.message import answers_as_message
from ccq_tui.testing import CleanHome, Scenario, ScriptedModel
from tests.e2e.conftest import Running, Start, program
from tests.e2e.terminal import Terminal
from tests.processes import children, command
from tests.results import replied
from tests.steps import step

WHICH = Question("Which one?", "Which", (Option("First", "a"), Option("Second", "b"), Option("Third", "c")))
RESULT = replied('"Which one?"="my own" notes: soon')


def test_quitting_keeps_the_question_and_its_draft_for_the_same_call(start: Start) -> None:
    run = start(Scenario("e2e").asks(WHICH))
    with step("quit with a question open, without being asked"):
        run.terminal.wait_panel("Which one?")
        run.terminal.press("3")
        run.terminal.wait("● 3  Third")
        run.terminal.press("n")
        run.terminal.type("soon")
        run.terminal.press("enter o")
        run.terminal.type("my own")
        run.terminal.wait("my own")
        run.end("ctrl+q", 0)
        assert "1 question waits in “" in run.terminal.text
        assert "ccq-tui resume " in run.terminal.text
    with step("a new session says what waits elsewhere, and a hang-up leaves nothing of it behind"):
        other = start(Scenario("other").says("Hello."), prompt="hello", home=run.home)
        other.terminal.wait("1 request waits elsewhere")
        other.end("SIGHUP", 129)
    with step("the session is continued: question, selection and note are there, the text is open"):
        again = start(Scenario("e2e").says("Thanks."), "--resume", session(run), prompt="", home=run.home)
        again.terminal.wait_panel("Which one?")
        again.terminal.wait("● 4  my own")
        assert "soon" in again.terminal.panel
    with step("it is the same call that gets the answer"):
        again.terminal.press("enter")
        assert again.result("toolu_e2e_1") == RESULT
        again.terminal.wait("Thanks.")
        again.end("ctrl+q", 0)


def test_a_text_that_is_piped_in_is_part_of_the_prompt_and_keys_come_from_the_terminal(
    scripted_model: Callable[..., ScriptedModel], claude_env: Callable[..., CleanHome]
) -> None:
    model = scripted_model(Scenario("e2e").says("Looks fine."))
    home = claude_env(model)
    piped = f"printf 'one\\ntwo\\n' | exec {program()} 'review this'"
    with Terminal(["/bin/sh", "-c", piped], home.env, home.project) as terminal:
        terminal.wait("Looks fine.")
        terminal.type("typed here")
        terminal.wait("❯ typed here")
        assert any("review this\n\none\ntwo" in text for text in texts_of(sent(model)))
        terminal.press("ctrl+u ctrl+q")
        assert terminal.wait_end() == 0


def sent(model: ScriptedModel) -> Any:
    return model.requests()[0].body["messages"][0]["content"]


@pytest.mark.skipif(shutil.which("bash") is None, reason="a shell with job control")
@pytest.mark.parametrize("suspended", [False, True], ids=["in front", "suspended"])
def test_the_answer_after_a_closed_terminal_reaches_the_same_call(
    suspended: bool,
    start: Start,
    scripted_model: Callable[..., ScriptedModel],
    claude_env: Callable[..., CleanHome],
) -> None:
    model = scripted_model(Scenario("e2e").asks(WHICH).says("Answered by nobody."))
    home = claude_env(model)
    shell = [shutil.which("bash") or "", "--norc", "--noprofile", "-i"]
    with Terminal(shell, home.env | {"PS1": "$ "}, home.project) as terminal:
        run = Running(terminal, model, home)
        terminal.type(f"{program()} go\n")
        terminal.wait_panel("Which one?")
        if suspended:
            terminal.press("ctrl+z")
            terminal.wait("Stopped")
        terminal.hang_up()
        terminal.wait(lambda _: run.processes() == [])
    assert len(model.requests()) == 1, "nobody told the model that its question was refused"
    again = start(Scenario("e2e").says("Thanks."), "--resume", session(run), prompt="", home=home)
    again.terminal.wait_panel("Which one?")
    again.terminal.press("3")
    again.terminal.wait("● 3  Third")
    again.terminal.press("enter")
    assert '"Which one?"="Third"' in again.result("toolu_e2e_1")
    again.terminal.wait("Thanks.")
    again.end("ctrl+q", 0)


def test_a_kill_of_the_program_alone_ends_its_cli_and_keeps_the_question_with_its_draft(start: Start) -> None:
    run = start(Scenario("e2e").asks(WHICH).says("Answered by nobody."))
    run.terminal.wait_panel("Which one?")
    run.terminal.press("3 n")
    run.terminal.type("soon")
    inbox = next(run.home.home.rglob("inbox.db"))
    run.terminal.wait(lambda _: "soon" in drafts(inbox))
    (cli,) = (pid for pid in children(run.terminal.process.pid) if "stream-json" in command(pid))
    name, asked = session(run), len(run.model.requests())
    os.kill(run.terminal.process.pid, signal.SIGKILL)
    killed = time.monotonic()
    run.terminal.process.wait()
    run.terminal.wait(lambda _: not command(cli))
    print(f"the CLI was gone after {time.monotonic() - killed:.2f} s")  # noqa: T201 - what was seen
    run.terminal.wait(lambda _: run.processes() == [])
    # Nobody told the model that its question was refused.
    assert len(run.model.requests()) == asked
    again = start(Scenario("e2e").says("Thanks."), "--resume", name, prompt="", home=run.home)
    again.terminal.wait_panel("● 3  Third")
    assert "soon" in again.terminal.panel
    again.terminal.press("enter enter")
    again.terminal.wait("Thanks.")
    answer = Answered((Answer(("Third",), note="soon"),))
    message = answers_as_message(QuestionSet("toolu_e2e_1", (WHICH,)), answer)
    messages = again.model.requests()[-1].body["messages"]
    said = [text for m in messages if m["role"] == "user" for text in texts_of(m["content"])]
    assert [text for text in said if "Third" in text] == [message]
    again.end("ctrl+q", 0)


def drafts(inbox: Path) -> str:
    """Return all drafts that are on disk."""
    with closing(sqlite3.connect(f"file:{inbox}?mode=ro", uri=True)) as database:
        return str(database.execute("SELECT * FROM drafts").fetchall())


def texts_of(content: str | list[dict[str, Any]]) -> list[str]:
    return [content] if isinstance(content, str) else [str(block.get("text", "")) for block in content]


def session(run: Running) -> str:
    """Find the id of the session whose question waits."""
    (path,) = (
        path for path in run.home.config.glob("projects/*/*.jsonl") if "Which one?" in path.read_text()
    )
    return path.stem
