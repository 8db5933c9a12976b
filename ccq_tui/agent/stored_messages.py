"""Translates a stored conversation to the events that it would have given."""

from __future__ import annotations

import base64
import binascii
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from ccq_tui.agent import events as ev
from ccq_tui.agent.output_text import (
    SUMMARY,
    TASK_ENDS,
    bounded,
    command_output,
    is_command_output,
    output_text,
    told_to_model,
)
from ccq_tui.claude_files import blocks_of
from ccq_tui.inbox.call_results import UNANSWERED, CallResult, outcome_of
from ccq_tui.inbox.requests import Cancelled, QuestionRequest
from ccq_tui.prompts.images import HEADER_BYTES, header, names_in, size_words
from ccq_tui.prompts.shell_runs import run_in
from ccq_tui.questions.parse import QuestionFormatError, parse_question_set

_COMMAND = re.compile(r"<command-name>(.*?)</command-name>", re.DOTALL)
_ARGUMENTS = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)
_SUMMARY = "This session is being continued"
_HIDDEN = ("Caveat: The messages below", "[Request interrupted by user")
# What the CLI, its hooks and editors put around a person's words for the model alone.
_HOOK = r"(?:user-prompt-submit|session-start)-hook"
_CONTEXT = rf"(system-reminder|ide_\w+|local-command-caveat|new-diagnostics|{_HOOK})"
_OPENING = re.compile(rf"\s*<{_CONTEXT}(?:\s[^>]*)?>")
_CLOSING = re.compile(rf"</{_CONTEXT}>\s*\Z")
_LONGEST_TAG = 60
_MEMORY = re.compile(r"\A<user-memory-input>(.*)</user-memory-input>\Z", re.DOTALL)
_IN_BACKGROUND = re.compile(
    r"\A(?:Command (?:running|was) [^\n]*?\bID: |Async agent launched.*?^agentId: )(\w+)",
    re.DOTALL | re.MULTILINE,
)
_TAKES_LONG = frozenset({"Bash", "PowerShell", "Agent", "Task"})
_NOTIFICATION = "<task-notification>"
_FIELD = re.compile(r"<(task-id|tool-use-id|status|summary)>(.*?)</\1>", re.DOTALL)
_QUESTION_TOOL = "AskUserQuestion"
_NO_RESPONSE = "No response requested."


def replay(
    messages: Iterable[Mapping[str, Any]],
    session_id: str = "",
    deferred: Collection[str] = (),
    ended: dict[str, ev.TaskEnded] | None = None,
) -> Iterator[ev.AgentEvent]:
    """Translate stored messages, oldest first, as the Messages API has them.

    Answers to questions and edits also have ``"tool_use_result"`` and ``"timestamp"``. ``deferred`` are
    calls that the CLI makes again on resume; ``ended`` are the ends of tasks that are reported elsewhere,
    to which those of these messages are added. Background tasks are reported as ended, since nothing that
    is stored runs for this reader.
    """
    ended = {} if ended is None else ended
    background: dict[str, str] = {}
    told: set[str] = set()
    stored = [entry for entry in messages if isinstance(entry.get("message"), Mapping)]
    results = {
        str(block.get("tool_use_id")): _result(block, entry)
        for entry in stored
        for block in blocks_of(entry["message"])
        if block.get("type") == "tool_result"
    }
    tools: dict[str, str] = {}
    places: Counter[str] = Counter()
    for entry in stored:
        user = entry["type"] != "assistant"
        blocks = blocks_of(entry["message"])
        for block in with_images_named(blocks) if user else blocks:
            if not user:
                name = str(entry["message"].get("id") or entry["uuid"])
                yield from _said(block, ev.BlockKey(name, places[name]), tools)
                places[name] += 1
                if block.get("type") == "tool_use" and block.get("name") == _QUESTION_TOOL:
                    call = str(block.get("id"))
                    source, result = block.get("input") or {}, results.get(call)
                    yield from recalled(call, source, result, session_id, waits=call in deferred)
                continue
            for event in _heard(block, tools, results, str(entry.get("uuid") or "")):
                if isinstance(event, ev.TaskStarted):
                    background[event.task_id] = event.tool_use_id
                elif isinstance(event, ev.TaskEnded):
                    ended[event.task_id] = event
                    told.add(event.task_id)
                yield event
    for task, call in background.items():
        if task not in told:
            yield ended.get(task) or ev.TaskEnded(task, call, "stopped")


def _result(block: Mapping[str, Any], entry: Mapping[str, Any]) -> CallResult:
    try:
        at = datetime.fromisoformat(str(entry.get("timestamp"))).astimezone()
    except ValueError:
        at = None
    output, failed = output_text(block.get("content")), bool(block.get("is_error"))
    return CallResult(output, failed, entry.get("tool_use_result"), at)


def _said(block: Mapping[str, Any], key: ev.BlockKey, tools: dict[str, str]) -> Iterator[ev.AgentEvent]:
    match block.get("type"):
        case "text" if block.get("text") not in ("", _NO_RESPONSE):
            yield ev.BlockFinished(key, ev.BlockKind.TEXT, str(block["text"]))
        case "thinking" if block.get("thinking"):
            yield ev.BlockFinished(key, ev.BlockKind.THINKING, str(block["thinking"]))
        case "tool_use" | "server_tool_use":
            name, tool = str(block.get("id")), str(block.get("name"))
            tools[name] = tool
            yield ev.ToolStarted(name, tool, dict(block.get("input") or {}))


def _heard(
    block: Mapping[str, Any], tools: dict[str, str], results: Mapping[str, CallResult], prompt_id: str
) -> Iterator[ev.AgentEvent]:
    match block.get("type"):
        case "tool_result":
            name = str(block.get("tool_use_id"))
            tool, result = tools.pop(name, ""), results[name]
            record = None if tool == _QUESTION_TOOL else result.structured
            if tool in _TAKES_LONG and (found := _IN_BACKGROUND.match(result.output)):
                yield ev.TaskStarted(found[1], name, "", background=True)
            yield ev.ToolFinished(name, tool, result.output, result.failed, record)
        case "text":
            yield from written(str(block.get("text") or ""), prompt_id)
        case "image" | "document":
            yield ev.PromptAccepted(output_text([block]))


def with_images_named(blocks: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Put the names of images into the text before them, and leave those images out.

    A text that has the names already, as ccq-tui sends it, stays as it is.
    """
    given = list(blocks)
    images = [block for block in given if block.get("type") in ("image", "document")]
    texts = [block for block in given if block.get("type") == "text"]
    if not images or not texts or any(block.get("type") == "tool_result" for block in given):
        yield from given
        return
    said = sum(len(names_in(str(block.get("text", "")))) for block in texts)
    for block in given:
        if block in images:
            continue
        if block is texts[-1] and said < len(images):
            names = (
                _image_name(number, image) for number, image in enumerate(images, start=1) if number > said
            )
            yield {**block, "text": "\n".join([str(block.get("text", "")), *names])}
        else:
            yield block


def _image_name(number: int, block: Mapping[str, Any]) -> str:
    source = block.get("source")
    data = source.get("data") if isinstance(source, Mapping) else None
    if block.get("type") == "image" and isinstance(data, str):
        try:
            found = header(base64.b64decode(data[: HEADER_BYTES * 4 // 3 // 4 * 4]))
        except (binascii.Error, ValueError):
            found = None
        if found is not None:
            size = size_words(len(data) * 3 // 4 - data[-2:].count("="))
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
    elif is_command_output(text):
        yield from command_output(text)
    elif text.startswith("<command-") and (found := _COMMAND.search(text)):
        arguments = _ARGUMENTS.search(text)
        yield ev.PromptAccepted(f"{found[1]} {arguments[1] if arguments else ''}".strip())
        yield from command_output(text)
    elif note := told_to_model(text):
        yield note
    elif text.startswith(_SUMMARY):
        yield ev.Compacted(summary=bounded(text))
    elif text and not text.startswith(_HIDDEN):
        yield ev.PromptAccepted(text, prompt_id=prompt_id)


def _without_context(text: str) -> str:
    """Return a text without the blocks of context before and after it."""
    while found := _OPENING.match(text):
        text = text.partition(f"</{found[1]}>")[2].lstrip()  # nothing of one that is cut off
    while (found := _CLOSING.search(text[-_LONGEST_TAG:])) and (begin := text.rfind(f"<{found[1]}")) >= 0:
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
        yield ev.TaskEnded(fields["task-id"], fields.get("tool-use-id", ""), status, summary)


def recalled(
    call_id: str,
    source: Mapping[str, Any],
    result: CallResult | None,
    session_id: str,
    *,
    waits: bool = False,
) -> Iterator[ev.AgentEvent]:
    """Report a past question set as it would have been live; yield nothing if its outcome is not known.

    A call without a result that ``waits`` is made again when the session is resumed.
    """
    try:
        questions = parse_question_set(call_id, source)
    except QuestionFormatError:
        return
    outcome = Cancelled(UNANSWERED) if result is None else outcome_of(questions, result)
    if outcome is not None:
        request = QuestionRequest(call_id, session_id, questions)
        yield ev.QuestionAsked(request)
        if result is None and waits:
            return
        yield ev.RequestSettled(request.id, outcome, at=result.at if result else None)
