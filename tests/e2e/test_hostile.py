"""A session among hostile text: names, settings, hooks, a branch and all that the model says."""

from __future__ import annotations

import json
import re
from pathlib import Path

from ccq_tui.questions import Option, Question
from ccq_tui.screens.sessions.trust import TRUST_QUESTION
from ccq_tui.testing import Scenario, clean_environment
from ccq_tui.widgets.decision.details import PLAN_TITLE
from tests.e2e.conftest import Running, Start
from tests.e2e.terminal import Terminal
from tests.hostile import FORBIDDEN, MARK, SIGNS, in_toml
from tests.steps import step

NAME = re.sub("[\r\n/]", "", MARK)
"""For what no line break can be in."""
FOCUS_OUT = "\x1b[O"
SEQUENCES = re.compile(
    r"\x1b\[[0-9;:]*m"  # colours
    r"|\x1b\[[0-9;]*[ABCDEHJKLMXr]"  # the cursor, what is erased, and lines that move
    r"|\x1b\[(?:\?[0-9;]+(?:[hl]|\$p)|[<>=]?[0-9;]*u|>[0-9;]*[mq]|[0-9;]*[cnt])"  # modes, questions
    r"|\x1b\](?:0|777;notify);(?P<words>[^\x00-\x1f\x7f-\x9f]*)(?:\x07|\x1b\\)"  # title and notification
    r"|\x1b\]9;4;\d;\d+\x1b\\|\x1b\]22;default\x07"  # progress and pointer
    r"|\x1b\]52;c;[A-Za-z0-9+/=]*\x07"  # clipboard
    r"|\x1b[=>78]"  # keypad, saved cursor
)
"""Every sequence that the program and Textual's driver write."""


def hostile_place(place: Path) -> None:
    """Make a project in which whatever has a name or a text has a hostile one."""
    (place / ".git").mkdir(parents=True)
    (place / ".git" / "HEAD").write_text(f"ref: refs/heads/{NAME}\n", encoding="utf-8")
    (place / ".claude").mkdir()
    said = json.dumps({"systemMessage": MARK, "continue": True})
    (place / "said.json").write_text(said, encoding="utf-8")
    hook = [{"hooks": [{"type": "command", "command": "cat said.json"}]}]
    events = ("SessionStart", "UserPromptSubmit", "PostToolUse")
    settings = {"hooks": dict.fromkeys(events, hook) | {MARK: hook}, "env": {MARK: MARK}, MARK: MARK}
    (place / ".claude" / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    servers = {MARK: {"command": "/bin/false", "args": [MARK]}, f"b{MARK}": {"url": f"http://{MARK}"}}
    (place / ".mcp.json").write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
    (place / ".ccq-tui.toml").write_text(f"theme = {in_toml(MARK)}\n", encoding="utf-8")
    (place / NAME).write_text("a file\n", encoding="utf-8")


def scenario() -> Scenario:
    options = (Option(f"One {MARK}", MARK, preview=MARK), Option(f"Two {MARK}", MARK))
    return (
        Scenario("hostile", title=MARK)
        .thinks(MARK)
        .says(f"Hello {MARK}")
        .runs("Bash", command="touch x; printf '\\033]0;OWNED\\007\\302\\233'", description=MARK)
        .asks(Question(f"Which? {MARK}", MARK, options), title=f"Claude asks {MARK}")
        .plans(f"# A plan {MARK}\n\n1. {MARK}")
        .says("That is all.")
        .ends_turn()
    )


def checked(terminal: Terminal) -> str:
    """Look at every byte that the terminal was sent; return the words of its titles and notifications."""
    raw = terminal.written
    assert SIGNS[0] in raw, "what is hostile was drawn"
    rest = SEQUENCES.sub("", raw).replace("\r\n", "\n")
    bad = FORBIDDEN.search(rest)
    assert not bad, f"{rest[max(0, bad.start() - 60) : bad.start() + 60]!r}"
    acting = [found[0] for found in SEQUENCES.finditer(raw) if found["words"] is None]
    assert not [sequence for sequence in acting if "7777" in sequence or "OWNED" in sequence]
    words = "\n".join(found["words"] or "" for found in SEQUENCES.finditer(raw))
    assert not FORBIDDEN.search(words)
    return words


def test_a_session_among_hostile_text(start: Start, tmp_path: Path) -> None:
    root = tmp_path / NAME
    root.mkdir()
    home = clean_environment("http://127.0.0.1:9", root=root)
    hostile_place(home.project / NAME)
    told = {"CCQ_NOTIFY": "osc777", "CCQ_PROGRESS": "on", "CCQ_BELL": "false", f"CCQ_{NAME}": NAME}
    place = str(home.project / NAME)
    run = start(scenario(), "--cwd", place, prompt=f"go {MARK}", home=home, variables=told, size=(110, 50))
    terminal = run.terminal
    with step("the question about trust names the files and what they do"):
        terminal.wait(TRUST_QUESTION)
        terminal.wait(lambda screen: "cat said.json" in screen.text)
        terminal.press("pagedown pagedown")
        checked(terminal)
        run.rest()
        terminal.press("down down")
        terminal.wait("❯ Trust it, and remember that")
        terminal.press("enter")
    with step("a permission"):
        allow(run, "Claude wants to run a command")
    with step("a set of questions, and a notification for who looks elsewhere"):
        terminal.wait_panel("❯ ○ 1")
        run.rest()
        terminal.press("p p down up")
        # The row was there before these keys, too: Enter takes it where it is drawn again.
        run.rest()
        terminal.wait_panel("❯ ○ 1")
        # In one write: the plan must not be there before the focus has gone.
        terminal.type("\r" + FOCUS_OUT)
    with step("a plan"):
        allow(run, PLAN_TITLE)
        terminal.wait("That is all.")
        terminal.wait("○ ready")
    with step("the lists of sessions and of MCP servers"):
        run.rest()
        for command in ("/resume", "/mcp"):
            terminal.type(f"{command}\r")
            run.rest()
            terminal.press("escape")
            run.rest()
    run.end("ctrl+q", 0)
    words = checked(terminal)
    assert "OWNED" in words, "the session's title is that of the model"
    assert re.search(rb"\x1b\]777;notify;", bytes(terminal.raw))


def allow(run: Running, head: str) -> None:
    """Take the first row of a decision; a second Enter says so where not all of it was in sight."""
    run.terminal.wait_panel(head)
    run.rest()
    run.terminal.press("enter")
    run.rest()
    if head in run.terminal.panel:
        run.terminal.press("enter")
    run.terminal.wait(lambda screen: head not in screen.panel)
