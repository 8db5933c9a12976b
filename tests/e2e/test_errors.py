"""The whole program when things go wrong: the CLI is killed, a directory is not trusted yet, nobody looks."""

from __future__ import annotations

import json
import re
from pathlib import Path

from ccq_tui.questions import Option, Question
from ccq_tui.testing import Scenario, ScriptedModel
from tests.e2e.conftest import Running, Start
from tests.e2e.terminal import Terminal
from tests.steps import step

WHICH = Question("Which one?", "Which", (Option("First", "a"), Option("Second", "b")))
MORE = Question("And then?", "Then", (Option("Stop", "a"), Option("Go", "b")))
HOSTILE = Question(
    "Which one; \x1b]0;evil\x07 really?", "Which", (Option("First", "a"), Option("Second", "b"))
)
DONE = "That was all."
FOCUS_OUT, FOCUS_IN = "\x1b[O", "\x1b[I"


def last_request(model: ScriptedModel) -> str:
    """All that the model was told last."""
    return json.dumps(model.requests()[-1].body)


def is_bold(terminal: Terminal, text: str) -> bool:
    """Say whether a text is on the screen and drawn in bold."""
    for y, line in enumerate(terminal.screen.display):
        if (x := line.find(text)) >= 0:
            return bool(terminal.screen.buffer[y][x].bold)
    return False


def test_a_killed_cli_is_reconnected_and_goes_on(start: Start) -> None:
    run = start(Scenario("e2e").says("Half of it").hangs().ends_turn().asks(WHICH, MORE))
    terminal = run.terminal
    with step("killed while it answers"):
        terminal.wait("Half of it")
        run.wait_recorded('"content":"go"')
        run.kill_cli()
        terminal.wait("F6 reconnect")
        # The dock says it at once, the transcript with its next frame.
        terminal.wait("ended by signal 9 (SIGKILL)")
        assert "Traceback" not in terminal.text
    with step("reconnected"):
        terminal.type("and more")
        terminal.press("f6")
        terminal.wait("F6 continue")
        assert terminal.text.count("Half of it") == 1
        assert "❯ and more" in terminal.text
    with step("killed while a question is open"):
        terminal.press("f6")
        terminal.wait_panel("Which one?")
        assert "Go on." in last_request(run.model), "Claude has read the prompt"
        terminal.press("1")
        terminal.wait("● 1  First")
        run.kill_cli()
        terminal.wait("✖ failed")
        assert "● 1  First" in terminal.panel, "it still waits, with its draft"
    with step("its answer starts Claude again, and goes to it as a message"):
        terminal.press("c")
        terminal.type("First, please")
        terminal.press("enter")
        terminal.wait("Instead of choosing, I reply")
        run.model.wait_for_sync(lambda model: "First, please" in last_request(model))
        assert last_request(run.model).count("First, please") == 1
        terminal.wait("○ ready")
        run.end("ctrl+q", 0)


def test_a_directory_is_trusted_first_and_a_question_is_told_to_who_looks_elsewhere(
    start: Start, tmp_path: Path
) -> None:
    project = tmp_path / "shop"
    project.mkdir()
    (project / ".mcp.json").write_text('{"mcpServers": {"db": {"command": "/bin/false"}}}')
    told = {"CCQ_NOTIFY": "osc777", "CCQ_PROGRESS": "on", "CCQ_KEYS": "vim"}
    scenario = Scenario("e2e").says(DONE).ends_turn().says("One moment.").asks(HOSTILE).says("Thank you.")
    run = start(scenario, "--cwd", str(project), variables=told)
    with step("a directory is trusted first"):
        run.terminal.wait("runs /bin/false (MCP server db)")
        run.terminal.wait(lambda terminal: is_bold(terminal, "↑ ↓"))
        run.terminal.press("down enter")
        run.terminal.wait(DONE)
        assert "left out, as you chose" in run.terminal.text
        run.terminal.wait("○ ready")
    told_elsewhere(run)


def told_elsewhere(run: Running) -> None:
    """What the terminal is told while somebody looks elsewhere, byte by byte."""
    terminal = run.terminal
    with step("a question is told once, and safely"):
        # A key after it would say that somebody looks here all the same.
        terminal.type("go\r" + FOCUS_OUT)
        terminal.wait_panel("Which one")
        told = re.findall(rb"\x1b\]777;notify;([^;]*);(.*?)\x1b\\", bytes(terminal.raw))
        assert len(told) == 1
        assert told[0][0].decode() == "ccq-tui · go"
        assert told[0][1].decode().startswith("Claude asks: Which one; ")
        assert not re.search(rb"[\x00-\x1f]", told[0][1])
    with step("the bar is there while nobody looks, and nothing of it is left behind"):
        assert bars(terminal)[-1] == b"4"
        terminal.type(FOCUS_IN)
        terminal.wait(lambda screen: bars(screen)[-1] == b"0")
        terminal.type(FOCUS_OUT)
        terminal.wait(lambda screen: bars(screen)[-1] == b"4")
        run.end("SIGTERM", 143)
        terminal.wait(lambda screen: bars(screen)[-1] == b"0")


def bars(terminal: Terminal) -> list[bytes]:
    return re.findall(rb"\x1b\]9;4;(\d);\d+\x1b\\", bytes(terminal.raw))
