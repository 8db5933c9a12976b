"""What a person wrote in a conversation, and what Claude Code put beside it for its model or its terminal."""

import base64
import binascii
import re
from collections.abc import Iterable, Iterator

from ccq_tui.agent import events as ev
from ccq_tui.claude_lines import Line, bounded, fields, output_text, text
from ccq_tui.prompts.images import HEADER_BYTES, header, names_in
from ccq_tui.prompts.shell_runs import run_in
from ccq_tui.words import bytes_counted

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
_HOOK = re.compile(r"\A(\w+) hook feedback:\n(?:\[.*?\]: )?(.*)\Z", re.DOTALL)
_REFUSAL = re.compile(r"\A(?:Pre|Post)ToolUse:\S+ hook error: (?:\[[^\n]*?\]: )?")

_COMMAND = re.compile(r"<command-name>(.*?)</command-name>", re.DOTALL)
_ARGUMENTS = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)
# What the CLI, its hooks and editors put around a person's words for the model alone.
_HOOKS = r"(?:user-prompt-submit|session-start)-hook"
_CONTEXT = rf"(system-reminder|ide_\w+|local-command-caveat|new-diagnostics|{_HOOKS})"
_OPENING = re.compile(rf"\s*<{_CONTEXT}(?:\s[^>]*)?>")
_CLOSING = re.compile(rf"</{_CONTEXT}>\s*\Z")
_MEMORY = re.compile(r"\A<user-memory-input>(.*)</user-memory-input>\Z", re.DOTALL)
_NOTIFICATION = "<task-notification>"
_FIELD = re.compile(r"<(task-id|status|summary)>(.*?)</\1>", re.DOTALL)


def command_output(text: str) -> list[ev.NoticeGiven]:
    """Return the output of the CLI's own commands in a user message, if it is that."""
    return [
        # The CLI writes these for its own terminal, with its colours.
        ev.NoticeGiven("warning" if stream == "stderr" else "info", bounded(_ANSI.sub("", output).strip()))
        for _, stream, output in _COMMAND_OUTPUT.findall(text)
        # The rule across the transcript already shows the compaction, and its sizes.
        if output.strip() and not _ANSI.sub("", output).lstrip().startswith("Compacted")
    ]


def instruction_notice(text: str) -> ev.NoticeGiven | None:
    """Return the event behind a text in which the CLI instructs the model, or None for another text."""
    if text.startswith("Output token limit hit"):
        return ev.NoticeGiven("warning", "The answer reached the output token limit; Claude continues it.")
    if found := _HOOK.match(text):
        return ev.NoticeGiven("warning", f"A {found[1]} hook says: {bounded(found[2].strip(), 4_000)}")
    return None


def hook_refusal(output: str) -> str | None:
    """Return why a hook refused a call, from the text for the model; None if none did."""
    return output[found.end() :] if (found := _REFUSAL.match(output)) else None


def user_block(block: Line, line: Line) -> Iterator[ev.AgentEvent]:
    """Translate a part of a user's message of the past that is no result."""
    content, beside = text(block, "text"), text(line, "parent_tool_use_id")
    match block.get("type"):
        case "text" if line.get("isCompactSummary") is True:
            yield ev.Compacted(summary=bounded(content))
        case "text" if not beside and line.get("isSynthetic") is not True:
            yield from written(content, text(line, "uuid"))
        case "image" | "document" if not beside:
            yield ev.PromptAccepted(output_text([dict(block)]))


def with_images_named(blocks: Iterable[Line]) -> Iterator[Line]:
    """Put the names of images into the text before them, and leave those images out.

    A text that has the names already, as ccq-tui sends it, stays as it is.
    """
    given = list(blocks)
    images = [block for block in given if block.get("type") in ("image", "document")]
    texts = [block for block in given if block.get("type") == "text"]
    if not images or not texts or any(block.get("type") == "tool_result" for block in given):
        yield from given
        return
    named = sum(len(names_in(str(block.get("text", "")))) for block in texts)
    for block in given:
        if block in images:
            continue
        if block is texts[-1] and named < len(images):
            names = (
                _image_name(number, image) for number, image in enumerate(images, start=1) if number > named
            )
            yield {**block, "text": "\n".join([str(block.get("text", "")), *names])}
        else:
            yield block


def _image_name(number: int, block: Line) -> str:
    data = fields(block, "source").get("data")
    if block.get("type") == "image" and isinstance(data, str):
        try:
            found = header(base64.b64decode(data[: HEADER_BYTES * 4 // 3 // 4 * 4]))
        except (binascii.Error, ValueError):
            found = None
        if found is not None:
            size = bytes_counted(len(data) * 3 // 4 - data[-2:].count("="))
            return f"[image {number}: {found[1]}×{found[2]}, {size}]"
    return output_text([dict(block)])


def written(text: str, prompt_id: str = "") -> Iterator[ev.AgentEvent]:
    """Translate a text of the user's messages: a prompt, a command, its output, or text not for a person."""
    if run_in(text) is not None:
        yield ev.PromptAccepted(text, prompt_id=prompt_id)
        return
    text = _MEMORY.sub(r"#\1", _without_context(text))
    if text.startswith(_NOTIFICATION):
        yield from task_ends(text)
    elif _COMMAND_OUTPUT.match(text.lstrip()):
        yield from command_output(text)
    elif text.startswith("<command-") and (found := _COMMAND.search(text)):
        arguments = _ARGUMENTS.search(text)
        yield ev.PromptAccepted(f"{found[1]} {arguments[1] if arguments else ''}".strip())
        yield from command_output(text)
    elif note := instruction_notice(text):
        yield note
    elif text.startswith("This session is being continued"):
        yield ev.Compacted(summary=bounded(text))
    elif text and not text.startswith(("Caveat: The messages below", "[Request interrupted by user")):
        yield ev.PromptAccepted(text, prompt_id=prompt_id)


def _without_context(text: str) -> str:
    """Return a text without the blocks of context before and after it."""
    while found := _OPENING.match(text):
        text = text.partition(f"</{found[1]}>")[2].lstrip()  # nothing of one that is cut off
    # No closing tag is longer than 60 characters.
    while (found := _CLOSING.search(text[-60:])) and (begin := text.rfind(f"<{found[1]}")) >= 0:
        text = text[:begin].rstrip()
    return text


def task_ends(text: str) -> Iterator[ev.TaskEnded]:
    """Read the CLI's notification that a background task has ended; yield nothing for any other text."""
    # What follows the result is an agent's own text.
    head = text[:SUMMARY].partition("<result>")[0] if text.startswith(_NOTIFICATION) else ""
    fields: dict[str, str] = {}
    for name, value in _FIELD.findall(head):
        fields.setdefault(name, value)
    status = TASK_ENDS.get(fields.get("status", ""))
    if status and fields.get("task-id"):
        summary = bounded(fields.get("summary", ""), SUMMARY)
        yield ev.TaskEnded(fields["task-id"], status, summary)
