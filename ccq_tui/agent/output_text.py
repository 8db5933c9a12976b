"""What Claude Code says to its model or its own terminal, as notices for a person."""

from __future__ import annotations

import re

from ccq_tui.agent.events import NoticeGiven
from ccq_tui.claude_lines import bounded

OUTPUT_LIMIT = "The answer reached the output token limit; Claude continues it."

TASK_ENDS = {
    "completed": "completed",
    "failed": "failed",
    "stopped": "stopped",
    "killed": "stopped",
    "cancelled": "stopped",
}
"""The ends of tasks, by the CLI's words."""
SUMMARY = 4_000
"""Most characters of a task's description or summary."""
_COMMAND_OUTPUT = re.compile(r"<(local-command|bash)-(stdout|stderr)>(.*?)</\1-\2>", re.DOTALL)
_ANSI = re.compile(r"\x1b\[[0-9;]*m")


def is_command_output(text: str) -> bool:
    """Return whether a user message is the output of a command of the CLI; not all of that is shown."""
    return _COMMAND_OUTPUT.match(text.lstrip()) is not None


def command_output(text: str) -> list[NoticeGiven]:
    """Return the output of the CLI's own commands in a user message, if it is that."""
    return [
        # The CLI writes these for its own terminal, with its colours.
        NoticeGiven("warning" if stream == "stderr" else "info", bounded(_ANSI.sub("", output).strip()))
        for _, stream, output in _COMMAND_OUTPUT.findall(text)
        # The rule across the transcript already shows the compaction, and its sizes.
        if output.strip() and not _ANSI.sub("", output).lstrip().startswith("Compacted")
    ]


_HOOK = re.compile(r"\A(\w+) hook feedback:\n(?:\[.*?\]: )?(.*)\Z", re.DOTALL)
_REFUSAL = re.compile(r"\A(?:Pre|Post)ToolUse:\S+ hook error: (?:\[[^\n]*?\]: )?")
_CUT_SHORT = "Output token limit hit"


def told_to_model(text: str) -> NoticeGiven | None:
    """Return the event behind a text in which the CLI instructs the model, or None for another text."""
    if text.startswith(_CUT_SHORT):
        return NoticeGiven("warning", OUTPUT_LIMIT)
    if found := _HOOK.match(text):
        return NoticeGiven("warning", f"A {found[1]} hook says: {bounded(found[2].strip(), 4_000)}")
    return None


def hook_refusal(output: str) -> str | None:
    """Return why a hook refused a call, from the text for the model; None if none did."""
    return output[found.end() :] if (found := _REFUSAL.match(output)) else None
