"""The result of a tool call, in a few words beside its name."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from ccq_tui.agent.user_texts import hook_refusal
from ccq_tui.inbox.file_diff import counts
from ccq_tui.transcript.blocks import ToolBlock, ToolState, uncoloured
from ccq_tui.transcript.checklist import TodoState
from ccq_tui.transcript.text_bodies import Excerpt, PlainText
from ccq_tui.transcript.tools import EDITS, LIMIT, ToolCard, card_of
from ccq_tui.words import bytes_counted, plural

_EXIT = re.compile(r"\AExit code (-?\d+)")
_ENDS = {ToolState.OK: "done", ToolState.FAILED: "failed", ToolState.STOPPED: "stopped"}
_IMAGE = re.compile(r"\A\[image[^\n\]]*\]\Z")
_DONE = {TodoState.PENDING: "to do", TodoState.NOW: "begun", TodoState.DONE: "done"}


def result_line(block: ToolBlock) -> str:
    """Return the result of a call that is over or in the background, or "" where the lines below show it."""
    if block.state is ToolState.RUNNING:
        return "in the background" if block.background else ""
    if block.refused:
        return ""
    if block.task is not None and block.background and block.task.ended:
        return f"{_ENDS[block.state]} in the background"
    if block.state is ToolState.STOPPED:
        return "interrupted" if block.interrupted else _ENDS[block.state]
    return _failed(block) if block.state is ToolState.FAILED else _result(block)


def _failed(block: ToolBlock) -> str:
    if (reason := hook_refusal(block.output)) is not None:
        shown = isinstance(block.body, Excerpt | PlainText)
        return "refused by a hook" if shown else f"refused by a hook: {_failure(reason)}"
    if not isinstance(block.body, Excerpt | PlainText):
        return outcome(block.tool, uncoloured(block), block.structured, failed=True)
    found = _EXIT.match(block.output)
    return f"exit code {found[1]}" if found else "failed"


def _result(block: ToolBlock) -> str:
    record = block.structured if isinstance(block.structured, Mapping) else {}
    if block.card in EDITS:
        return _edited(block, record)
    if block.entry is not None:
        return _DONE[block.entry.doing]
    if block.card in (ToolCard.AGENT, ToolCard.TODOS) or isinstance(block.body, Excerpt):
        return ""
    if _IMAGE.match(block.output):
        return block.output[1:-1]
    said = _fetched(record) if block.card is ToolCard.WEB else ""
    return said or outcome(block.tool, uncoloured(block), block.structured, failed=False)


def _edited(block: ToolBlock, record: Mapping[str, Any]) -> str:
    if block.body is None:
        return "nothing changed"
    added, removed = counts(block.input, block.structured)
    if block.card is ToolCard.WRITE and record.get("type", "create") == "create":
        return f"new, {plural(added, 'line')}"
    return f"+{added} −{removed}"


def _fetched(record: Mapping[str, Any]) -> str:
    """Read the CLI's record of a page or a search."""
    if isinstance(record.get("code"), int):
        answer, size = f"{record['code']} {record.get('codeText') or ''}".strip(), record.get("bytes")
        return f"{answer}, {bytes_counted(size, exact=True)}" if isinstance(size, int) else answer
    results = record.get("results")
    if not isinstance(results, list):
        return ""
    links = (result.get("content") for result in results if isinstance(result, Mapping))
    return plural(sum(len(some) for some in links if isinstance(some, list)), "result")


def outcome(tool: str, output: str, structured: Any, *, failed: bool) -> str:
    """Return the outcome of a call in a few words, unsanitised."""
    if failed:
        return _failure(output)
    if isinstance(structured, Mapping) and (said := _structured(tool, structured)):
        return said
    output = output.strip()
    if not output or output == f"({tool} completed with no output)":
        return "no output"
    if "\n" not in output and len(output) <= 60:
        return output
    return plural(output.count("\n") + 1, "line")


def _failure(output: str) -> str:
    text = re.sub(r"</?(?:tool_use_error|error)>", "", output[:LIMIT]).strip()
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return "failed"
    if re.fullmatch(r"Exit code -?\d+", lines[0]):
        return ": ".join([lines[0].lower(), *lines[1:2]])
    return _refused_input(text) or lines[0]


def _refused_input(text: str) -> str:
    """Return what was wrong with a call's input where the CLI lists it as JSON."""
    head, _, listed = text.partition(": ")
    if head != "InputValidationError" or not listed.startswith("["):
        return ""
    try:
        problems = json.loads(listed)
    except (ValueError, RecursionError):
        return "invalid input"
    said = [str(one["message"]) for one in problems if isinstance(one, dict) and one.get("message")]
    return ": ".join(["invalid input", *said[:1]])


def _structured(tool: str, record: Mapping[str, Any]) -> str:
    """Read counts from the CLI's record where it has them."""
    file = record.get("file")
    if card_of(tool) is ToolCard.FILE and isinstance(file, Mapping) and isinstance(file.get("numLines"), int):
        # The CLI counts an empty line behind the line break at the end of a file.
        ended = str(file.get("content", "")).endswith("\n")
        return plural(file["numLines"] - ended, "line")
    counted = {"content": ("numLines", "line"), "count": ("numMatches", "match")}
    usual = ("numFiles", "file") if "numFiles" in record else ("numMatches", "match")
    name, word = counted.get(str(record.get("mode")), usual)
    return plural(record[name], word) if isinstance(record.get(name), int) else ""
