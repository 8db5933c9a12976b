"""Every command and key that a hand knows from Claude Code's own screen, in one session with the real CLI."""

from __future__ import annotations

from dataclasses import dataclass

from ccq_tui.commands.listings import NO_TASKS
from ccq_tui.commands.workspace import WHICH_PROMPT
from ccq_tui.testing.scenario import Scenario
from tests.e2e.conftest import Running, Start
from tests.unit.prompts.pictures import png

ALT = "\x1b"
EMPTY = ("❯ Ask Claude to do something", "❯ Ctrl+S brings back the other prompt")


@dataclass(frozen=True)
class Move:
    """Something that a person does in the prompt.

    Attributes:
        typed: What is typed, with the Enter that sends it.
        sees: What comes on the screen then.
        leaves: What is pressed afterwards, until the prompt is there and empty.
    """

    typed: str
    sees: str
    leaves: str = ""


COMMANDS = (
    Move("/status\r", "Session kind: interactive"),
    Move("/model\r", "Takes effect with the next prompt", "escape"),
    Move("/model opus\r", "Model: Opus"),
    Move("/mode plan\r", "Claude looks and plans"),
    Move("/mode default\r", "Claude asks before it changes"),
    Move("/effort high\r", "Effort: high, from the next request"),
    Move("/effort\r", "● high", "escape"),
    Move("/thinking\r", "Thinking is off"),
    Move("/cost\r", "Usage by model"),
    Move("/theme\r", "Enter use it", "escape"),
    Move("/permissions\r", "Enter change", "escape"),
    Move("/hooks\r", "No hooks yet"),
    Move("/skills\r", "No skills yet"),
    Move("/memory\r", "User instructions", "escape"),
    Move("/mcp\r", "No MCP servers here"),
    Move("/btw why so?\r", "Because."),
    Move("/diff\r", "No uncommitted changes"),
    Move("/copy\r", "Copied 13 characters"),
    Move("/context\r", "Autocompact buffer"),
    Move("/add-dir ..\r", "Claude may work in"),
    Move("/rename The API\r", "Title: The API"),
    Move("/tasks\r", NO_TASKS),
    Move("/background\r", "nothing can go to the background"),
    Move("/overview\r", "─ nothing waits ─ 1 session", "escape"),
    Move("/sessions\r", "─ nothing waits ─ 1 session", "escape"),
    Move("/resume\r", " / ▏", "escape"),
    Move("/rewind\r", WHICH_PROMPT, "escape"),
    Move("/help\r", "Enter close", "escape"),
    Move("/export\r", "Exported to"),
    Move("/agents\r", "ask Claude to write a subagent", "ctrl+u"),
    Move("/comapct\r", "did you mean /compact", "ctrl+u"),
    Move("/vim\r", "INSERT"),
    Move("/vim\r", "Vim's keys are off"),
)
KEYS = (
    Move(f"{ALT}p", "Takes effect with the next prompt", "escape"),
    Move(f"{ALT}t", "Thinking is on"),
    Move("\x14", NO_TASKS),
    Move("\x02", "nothing can go to the background"),
    Move("?", "Enter close", "escape"),
    Move("one two\x17", "❯ one", "ctrl+u"),
    Move("\x19", "❯ one", "ctrl+u"),
    Move("aside\x13", "Prompt put aside"),
    Move("\x13", "❯ aside", "ctrl+u"),
    Move("\x12ne", "Earlier prompts", "escape"),
    Move("@dot.png", "dot.png  4×4", "escape ctrl+u"),
    Move("! echo $((6 * 7))\r", "· 42"),
)


def do(run: Running, move: Move) -> None:
    """Make a move, see what comes, and come back to the empty prompt."""
    try:
        run.terminal.type(move.typed)
        run.terminal.wait(move.sees)
        if move.leaves:
            run.terminal.press(move.leaves)
        run.terminal.wait(lambda terminal: any(words in terminal.text for words in EMPTY))
    except AssertionError as error:
        raise AssertionError(f"{move.typed!r}: {error}") from None


def test_a_hand_finds_every_command_and_key(start: Start) -> None:
    scenario = Scenario("hand").says("First answer.").ends_turn().says("Because.").ends_turn()
    run = start(scenario.says("Seen.").ends_turn().says("There.").ends_turn(), prompt="one", size=(120, 40))
    (run.home.project / "dot.png").write_bytes(png(4, 4))
    (run.home.project / "sub").mkdir()
    run.terminal.wait("First answer.")
    run.terminal.wait("ready")
    for move in (*COMMANDS, *KEYS):
        do(run, move)
    run.terminal.wait("Seen.")
    said = str(run.model.requests()[-1].body)
    assert "echo $((6 * 7))" in said
    assert "42" in said
    assert "why so?" not in said, "what was asked beside is no part of the conversation"
    do(run, Move("/cd sub\r", "The session works in"))
    run.terminal.type("! pwd\r")
    run.terminal.wait("project/sub")
    run.terminal.wait("There.")
    assert "First answer." in str(run.model.requests()[-1].body), "it is the same conversation"
    run.terminal.type("/exit\r")
    assert run.terminal.wait_end() == 0
    assert run.terminal.restored
