"""The output of tools and commands, as bounded text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ccq_tui.agent.events import NoticeGiven

OUTPUT_LIMIT = "The answer reached the output token limit; Claude continues it."
MAX_OUTPUT_CHARACTERS = 200_000
"""Most characters kept of a tool's output; the model has all of it, a person reads both ends."""

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


def output_text(content: Any) -> str:
    """Return a tool result's content as bounded text; other content is named with its kind and size."""
    if isinstance(content, list):
        content = "\n".join(_block_text(block) for block in content)
    return bounded("" if content is None else str(content))


def bounded(text: str, limit: int = MAX_OUTPUT_CHARACTERS) -> str:
    """Return a text with its middle cut out beyond a limit, and a line that says how much is missing."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n… {len(text) - 2 * half:,} characters left out …\n{text[-half:]}"


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


def size(count: int) -> str:
    """Write a number of bytes for a person: ``70 bytes``, ``12.3 KB``, ``4.0 MB``."""
    if count < 1000:
        return f"{count} byte{'s' * (count != 1)}"
    return f"{count / 1000:.1f} KB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"


def _block_text(block: Any) -> str:
    if not isinstance(block, dict):
        return str(block)
    if block.get("type") == "text":
        return str(block.get("text", ""))
    return f"[{', '.join([str(block.get('type', 'unknown')), *_facts(block.get('source'))])}]"


def _facts(source: Any) -> Iterator[str]:
    """Yield the kind and the size of a block's data."""
    if not isinstance(source, dict):
        return
    if source.get("media_type"):
        yield str(source["media_type"])
    data = source.get("data")
    if isinstance(data, str) and source.get("type") == "base64":
        yield size(len(data) * 3 // 4 - data[-2:].count("="))
