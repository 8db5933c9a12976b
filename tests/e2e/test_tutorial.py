"""The tutorial, played as it is written: each of its commands, and the keys that it names."""

import os
import re
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from ccq_tui.questions import Option, Question
from ccq_tui.testing import CleanHome, Scenario, ScriptedModel
from ccq_tui.testing.replies import Replies
from tests.e2e.conftest import Running, program
from tests.e2e.terminal import NotShownError, Terminal
from tests.results import answered
from tests.steps import step
from tests.unit.remote.phone.threads import free_port

TUTORIAL = (Path(__file__).parents[2] / "docs" / "tutorial.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^```sh\n(.*?)^```", TUTORIAL, re.MULTILINE | re.DOTALL)
WHERE = Question(
    "Where should this project store its data?",
    "Storage",
    (Option("SQLite", "One file, no server"), Option("Files", "Plain JSON")),
)


def played(replies: Replies) -> Scenario:
    """Return what the model does with a prompt of the tutorial."""
    if "question tool" not in replies.prompt:
        return Scenario("hello").says("Hello there.")
    asked = Scenario("hour").asks(WHERE)
    written = asked.runs("Write", file_path=lambda a: f"{a.directory}/store.txt", content="SQLite\n")
    return written.says("The choice is in the file.")


@pytest.mark.skipif(shutil.which("bash") is None, reason="the tutorial is written for bash")
def test_the_first_hour(
    scripted_model: Callable[..., ScriptedModel], claude_env: Callable[..., CleanHome]
) -> None:
    first, inbox, again, worktree, phone, script = COMMANDS
    model = scripted_model(Scenario("all").then(played))
    home = claude_env(model)
    path = f"{Path(program()).parent}{os.pathsep}{home.env['PATH']}"
    shell = [shutil.which("bash") or "", "--norc", "--noprofile", "-i"]
    env = home.env | {"PS1": "$ ", "PATH": path}
    directory = home.project / "tutorial"
    with Terminal(shell, env, home.project, (100, 30)) as terminal:
        run = Running(terminal, model, home)

        def at_the_shell(now: Terminal) -> bool:
            return now.lines[now.screen.cursor.y].startswith("$")

        def leave() -> None:
            for _ in range(5):  # on a busy machine the second key may come too late
                terminal.press("ctrl+c").wait("Ctrl+C again quits")
                run.rest()  # a key that comes within milliseconds counts as held down
                terminal.press("ctrl+c")
                with suppress(NotShownError):
                    terminal.wait(at_the_shell, 20.0)
                    return
            terminal.wait(at_the_shell)

        with step("the first question, hidden and shown, with a selection"):
            terminal.type(first).wait_panel(WHERE.text)
            terminal.press("1").wait("● 1  SQLite")
            terminal.press("f2").wait("1 question waiting")
            run.rest(3.0)
            terminal.press("f2").wait_panel("● 1  SQLite")
            leave()
            assert "1 question waits in “" in terminal.text
        with step("it waits in the inbox, and its answer reaches the call"):
            terminal.type(inbox).wait("❯   ?  Where should this project")
            terminal.press("enter").wait_panel("● 1  SQLite")
            terminal.press("enter")
            assert run.result("toolu_all_1") == answered(f'"{WHERE.text}"="SQLite"')
            terminal.press("escape")
        with step("a permission"):
            terminal.wait_panel("store.txt")
            run.decide("y")
            terminal.wait("The choice is in the file.")
            assert (directory / "store.txt").read_text(encoding="utf-8") == "SQLite\n"
            leave()
        with step("two sessions"):
            terminal.type(again).wait("The choice is in the file.")
            terminal.wait("○ ready").press("ctrl+n").wait("Directory")
            terminal.type("Say hello").press("enter").wait("Hello there.")
            terminal.wait(lambda now: re.match(" 1 . .* 2 ", now.lines[0]))
            terminal.type("\x1b1").wait("The choice is in the file.")
            terminal.press("f5").wait("─ Sessions ─")
            terminal.press("escape").wait_absent("─ Sessions ─")
            leave()
        with step("a worktree goes with its session"):
            terminal.type(worktree).wait("Hello there.")
            assert (directory / ".claude/worktrees/greeting").is_dir()
            leave()
            assert not (directory / ".claude/worktrees/greeting").exists()
        with step("the phone's code"):
            # The usual port may be in use, by the phone of whoever runs the tests.
            terminal.type(phone.replace("phone", f"phone --port {free_port()}")).wait("Both work once")
            terminal.press("ctrl+c").wait(at_the_shell)
        with step("a script asks"):
            terminal.type(script).wait("Where should it go?")
            terminal.press("2").wait_panel("● 2  production")
            terminal.press("enter").wait("It goes to production.")
