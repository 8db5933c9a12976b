"""What came of a tool call, in a few words beside its name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ccq_tui.agent.text import size
from ccq_tui.widgets.transcript.calls import AGENT_TOOLS, ToolBlock, ToolState
from ccq_tui.widgets.transcript.checklist import Doing
from ccq_tui.widgets.transcript.diff import EDITORS, counts
from ccq_tui.widgets.transcript.excerpt import Excerpt
from ccq_tui.widgets.transcript.plaintext import PlainText
from ccq_tui.widgets.transcript.tools import outcome, plural

_EXIT = re.compile(r"\AExit code (-?\d+)")
_ENDS = {ToolState.OK: "done", ToolState.FAILED: "failed", ToolState.STOPPED: "stopped"}
_IMAGE = re.compile(r"\A\[image[^\n\]]*\]\Z")
_DONE = {Doing.PENDING: "to do", Doing.NOW: "begun", Doing.DONE: "done"}


def told(block: ToolBlock) -> str:
    """Say what came of a call that is over or goes on in the background, unsanitised.

    Args:
        block: The call.

    Returns:
        A few words, or "" where what stands under it says enough.
    """
    if block.state is ToolState.RUNNING:
        return "in the background" if block.background else ""
    if block.refused:
        return ""
    if block.task is not None and block.background and block.task.ended:
        return f"{_ENDS[block.state]} in the background"
    if block.state is ToolState.STOPPED:
        return "interrupted" if block.interrupted else _ENDS[block.state]
    return _failure(block) if block.state is ToolState.FAILED else _result(block)


def _failure(block: ToolBlock) -> str:
    if not isinstance(block.body, Excerpt | PlainText):
        return outcome(block.tool, block.output, block.structured, failed=True)
    found = _EXIT.match(block.output)
    return f"exit code {found[1]}" if found else "failed"


def _result(block: ToolBlock) -> str:
    record = block.structured if isinstance(block.structured, Mapping) else {}
    if block.tool in EDITORS:
        return _edited(block, record)
    if block.entry is not None:
        return _DONE[block.entry.doing]
    if block.tool in AGENT_TOOLS or block.tool == "TodoWrite" or isinstance(block.body, Excerpt):
        return ""
    if _IMAGE.match(block.output):
        return block.output[1:-1]
    said = _fetched(record) if block.tool in {"WebFetch", "WebSearch"} else ""
    return said or outcome(block.tool, block.output, block.structured, failed=False)


def _edited(block: ToolBlock, record: Mapping[str, Any]) -> str:
    if block.body is None:
        return "nothing changed"
    added, removed = counts(block.tool, block.input, block.structured)
    if block.tool == "Write" and record.get("type", "create") == "create":
        return f"new, {plural(added, 'line')}"
    return f"+{added} −{removed}"


def _fetched(record: Mapping[str, Any]) -> str:
    """Read what the CLI says of a page or a search."""
    if isinstance(record.get("code"), int):
        answer = f"{record['code']} {record.get('codeText') or ''}".strip()
        return f"{answer}, {size(record['bytes'])}" if isinstance(record.get("bytes"), int) else answer
    results = record.get("results")
    if isinstance(results, list):
        return plural(sum(map(len, _links(results))), "result")
    return ""


def _links(results: list[Any]) -> Iterable[list[Any]]:
    for result in results:
        if isinstance(result, Mapping) and isinstance(result.get("content"), list):
            yield result["content"]
