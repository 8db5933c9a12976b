"""From a stored conversation to the events it would have given."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ccq_tui.agent.events import (
    AgentEvent,
    BlockFinished,
    BlockKey,
    BlockKind,
    NoticeGiven,
    PromptAccepted,
    ToolFinished,
    ToolStarted,
)
from ccq_tui.agent.text import bounded, command_output, output_text

_COMMAND = re.compile(r"<command-name>(.*?)</command-name>", re.DOTALL)
_ARGUMENTS = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)
_SUMMARY = "This session is being continued"
# What the CLI writes into the user's messages for the model alone.
_HIDDEN = (
    "<local-command-caveat>",
    "Caveat: ",
    "[Request interrupted by user",
    "<system-reminder>",
    "<task-notification>",
)
_NO_RESPONSE = "No response requested."


def replay(messages: Iterable[Mapping[str, Any]]) -> Iterator[AgentEvent]:
    """Translate stored messages.

    Args:
        messages: ``{"type", "uuid", "message"}`` each, ``message`` as the Messages API has it, oldest first.

    Yields:
        Prompts, whole blocks, tool calls and their results.
    """
    tools: dict[str, str] = {}
    places: Counter[str] = Counter()
    for stored in messages:
        message = stored.get("message")
        if not isinstance(message, Mapping):
            continue
        content = message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
        for block in blocks:
            if not isinstance(block, Mapping):
                continue
            if stored["type"] == "assistant":
                name = str(message.get("id") or stored["uuid"])
                yield from _said(block, BlockKey(name, places[name]), tools)
                places[name] += 1
            else:
                yield from _heard(block, tools)


def _said(block: Mapping[str, Any], key: BlockKey, tools: dict[str, str]) -> Iterator[AgentEvent]:
    match block.get("type"):
        case "text" if block.get("text") not in ("", _NO_RESPONSE):
            yield BlockFinished(key, BlockKind.TEXT, str(block["text"]))
        case "thinking" if block.get("thinking"):
            yield BlockFinished(key, BlockKind.THINKING, str(block["thinking"]))
        case "tool_use" | "server_tool_use":
            name, tool = str(block.get("id")), str(block.get("name"))
            tools[name] = tool
            yield ToolStarted(name, tool, dict(block.get("input") or {}))


def _heard(block: Mapping[str, Any], tools: dict[str, str]) -> Iterator[AgentEvent]:
    match block.get("type"):
        case "tool_result":
            name = str(block.get("tool_use_id"))
            output, failed = output_text(block.get("content")), bool(block.get("is_error"))
            yield ToolFinished(name, tools.pop(name, ""), output, failed)
        case "text":
            yield from _written(str(block.get("text") or ""))


def _written(text: str) -> Iterator[AgentEvent]:
    if outputs := command_output(text):
        yield from outputs
    elif found := _COMMAND.search(text):
        arguments = _ARGUMENTS.search(text)
        yield PromptAccepted(f"{found[1]} {arguments[1] if arguments else ''}".strip())
    elif text.startswith(_SUMMARY):
        yield NoticeGiven("info", bounded(text))
    elif text and not text.startswith(_HIDDEN):
        yield PromptAccepted(text)
