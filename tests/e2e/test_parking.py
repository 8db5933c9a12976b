"""The whole program ends while a question waits, and comes back to it."""

import json
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
from ccq_tui.questions.wire import answers_as_message
from ccq_tui.testing import CleanHome, Scenario, ScriptedModel
from tests.e2e.conftest import Running, Start, program
from tests.e2e.terminal import Terminal
from tests.processes import children, command
from tests.results import replied
from tests.steps import step

WHICH = Question("Which one?", "Which", (Option("First", "a"), Option("Second", "b"), Option("Third", "c")))
RESULT = replied('"Which one?"="most of it" notes: soon')
EDITOR = """#!/bin/sh
trap "" HUP TERM INT
stty raw -echo
grep -q half "$1" && text="most of it" || text="half of it"
printf "$text" > "$1"
touch {opened}
while :; do read -r _ < {never} || true; done
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="a shell with job control")
def test_a_question_and_its_draft_outlive_every_end(
    start: Start,
    tmp_path: Path,
    scripted_model: Callable[..., ScriptedModel],
    claude_env: Callable[..., CleanHome],
) -> None:
    model = scripted_model(Scenario("e2e").asks(WHICH))
    home = claude_env(model)
    piped = f"printf 'one\\ntwo\\n' | exec {program()} 'review this'"
    with Terminal(["/bin/sh", "-c", piped], home.env, home.project) as terminal:
        run = Running(terminal, model, home)
        with step("a text that is piped in is part of the prompt, and keys come from the terminal"):
            terminal.wait_panel("Which one?")
            assert any("review this\n\none\ntwo" in text for text in texts_of(sent(model)))
            terminal.press("3").wait("● 3  Third")
            terminal.press("n").type("soon").press("enter o").type("my own").wait("my own")
        with step("quit with a question open, without being asked"):
            run.end("ctrl+q", 0)
            assert "1 question waits in “" in terminal.text
            assert "ccq-tui resume " in terminal.text
    name = session(run)
    with step("the session is continued, suspended, and its terminal closed"):
        close_shell_of(home, model, name)
    assert len(model.requests()) == 1, "nobody told the model that its question was refused"
    edited_while_it_ends(start, home, name, tmp_path)
    then = Scenario("again").says("Thanks.").ends_turn().asks(WHICH).says("Answered by nobody.")
    again = start(then, "--resume", name, prompt="", home=home)
    with step("it is the same call that gets the answer"):
        again.terminal.wait_panel("● 4  most of it")
        assert "soon" in again.terminal.panel
        again.terminal.press("enter")
        assert again.result("toolu_e2e_1") == RESULT
        assert len(json.dumps(again.model.requests()[-1].body).split("most of it")) == 2
        again.terminal.wait("Thanks.")
        again.terminal.wait("○ ready")
        again.rest()
        again.terminal.type("go on\r")
    with step("a kill of the program alone ends its CLI and keeps the question with its draft"):
        is_killed(again)
    last = start(Scenario("last").says("Thanks a lot."), "--continue", prompt="", home=home)
    with step("its answer is a message, as the call is gone"):
        last.terminal.wait_panel("● 3  Third")
        assert "elsewhere" not in last.terminal.written
        assert "later" in last.terminal.panel
        last.terminal.press("enter enter").wait("Thanks a lot.")
        answer = Answered((Answer(("Third",), note="later"),))
        message = answers_as_message(QuestionSet("toolu_again_1", (WHICH,)), answer)
        messages = last.model.requests()[-1].body["messages"]
        texts = [text for m in messages if m["role"] == "user" for text in texts_of(m["content"])]
        assert [text for text in texts if "Third" in text] == [message]
        last.end("ctrl+q", 0)


def close_shell_of(home: CleanHome, model: ScriptedModel, name: str) -> None:
    """Continue the session in a shell, see question, selection and note, suspend it, and close the window."""
    shell = [shutil.which("bash") or "", "--norc", "--noprofile", "-i"]
    with Terminal(shell, home.env | {"PS1": "$ "}, home.project) as terminal:
        run = Running(terminal, model, home)
        terminal.type(f"{program()} --resume {name}\n").wait_panel("● 4  my own")
        assert "soon" in terminal.panel
        terminal.press("ctrl+z").wait("Stopped")
        terminal.hang_up()
        terminal.wait(lambda _: run.processes() == [])


def edited_while_it_ends(start: Start, home: CleanHome, name: str, tmp_path: Path) -> None:
    """End the program twice while an editor that does not end has the terminal."""
    editor, opened, never = (tmp_path / name for name in ("editor", "opened", "never"))
    editor.write_text(EDITOR.format(opened=opened, never=never))
    editor.chmod(0o755)
    os.mkfifo(never)  # nobody writes into it: as an editor that nobody closes
    for text, how, code in (("my own", "SIGTERM", 143), ("half of it", "window closed", 129)):
        with step(f"{how}: the program ends although its editor does not, and leaves nothing behind"):
            run = start(
                Scenario("e2e"), "--resume", name, prompt="", home=home, variables={"VISUAL": str(editor)}
            )
            # What the editor had saved by the last end is in the open text.
            run.terminal.wait_panel(f"● 4  {text}")
            run.terminal.press("ctrl+g").wait(lambda _: opened.exists())
            run.end(how, code)
            opened.unlink()
            assert run.model.requests() == [], "nobody told the model that its question was refused"


def is_killed(run: Running) -> None:
    """Write a draft and kill the program; its CLI ends and asks nothing more."""
    run.terminal.wait_panel("Which one?", after="go on")
    run.terminal.press("3").wait("● 3  Third")
    run.terminal.press("n").type("later")
    inbox = next(run.home.home.rglob("inbox.db"))
    run.terminal.wait(lambda _: "later" in drafts(inbox))
    (cli,) = (pid for pid in children(run.terminal.process.pid) if "stream-json" in command(pid))
    asked = len(run.model.requests())
    os.kill(run.terminal.process.pid, signal.SIGKILL)
    killed = time.monotonic()
    run.terminal.process.wait()
    run.terminal.wait(lambda _: not command(cli))
    print(f"the CLI was gone after {time.monotonic() - killed:.2f} s")  # noqa: T201 - what was seen
    run.terminal.wait(lambda _: run.processes() == [])
    assert len(run.model.requests()) == asked, "nobody told the model that its question was refused"


def sent(model: ScriptedModel) -> Any:
    return model.requests()[0].body["messages"][0]["content"]


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
