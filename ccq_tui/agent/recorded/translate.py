"""Brings the lines of a recording to the shape of the CLI's stream, and follows what became of its calls.

It may be the output of ``claude -p --output-format stream-json`` or a session file of Claude Code, which
have the same messages in slightly other envelopes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ccq_tui.agent import events as ev
from ccq_tui.agent.translate import PastTranslator
from ccq_tui.agent.user_texts import written
from ccq_tui.claude_lines import QUESTION_TOOL, Line, blocks_of, bounded, fields, text
from ccq_tui.inbox.call_results import UNANSWERED

CUT_OFF = "The recording ends before its result."
_PATCH = "structuredPatch"

_ID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_IMAGES = ("image", "document")
_TEXTS = ("text", "thinking")
_PAST = frozenset({"compact_boundary", "informational", "permission_denied"})
"""The system messages that are shown of the past, beside those about tasks."""

PASSED_OVER = "nobody answered it, and the conversation continued"


class Translation(PastTranslator):
    """Turns one recording's entries into events, in order, and skips unknown ones.

    Its session is the first one that is named.
    """

    def __init__(self) -> None:
        super().__init__()
        self._connected = False
        self._sidechain: bool | None = None
        self._blocks: set[tuple[str, int]] = set()
        self._early: dict[str, Line] = {}
        """Results without a call: some programs record the call after them."""

    def feed(self, entry: Line) -> Iterator[ev.AgentEvent]:
        """Translate an object of any shape; yield nothing for one that does not matter."""
        yield from self._identify(entry)
        kind, subtype = entry.get("type"), text(entry, "subtype")
        beside = entry.get("isSidechain") is True
        if self._sidechain is None and kind in ("user", "assistant"):
            self._sidechain = beside  # the file is a subagent's own
        if (beside and not self._sidechain) or entry.get("isMeta") is True:
            return  # a subagent's own conversation, or text for the model alone
        match kind:
            case "assistant" | "user":
                yield from self._translated(self._once(entry))
            case "stream_event" | "result":
                yield from self._translated(entry)
            case "system" if subtype == "local_command":
                yield from written(bounded(text(entry, "content")))
            case "system" if subtype in _PAST or subtype.startswith("task_"):
                yield from self._translated(entry)
            case "attachment":
                # A prompt that was sent while the agent worked.
                sent = fields(entry, "attachment")
                if sent.get("type") == "queued_command" and sent.get("commandMode") in (None, "prompt"):
                    prompt = {"type": "user", "message": {"content": sent.get("prompt")}}
                    yield from self._translated(self._once(prompt))

    def end(self) -> Iterator[ev.AgentEvent]:
        """Close all that the recording left open: streamed blocks, calls without a result, questions."""
        yield from self.streams.end_turn()
        yield from self._flush()
        for call, tool in self._tools.items():
            if tool != QUESTION_TOOL:
                yield ev.ToolFinished(call, tool, CUT_OFF, is_error=True)
        self._tools.clear()
        yield from self.pass_over(UNANSWERED)

    def _identify(self, entry: Line) -> Iterator[ev.AgentEvent]:
        if not self.session_id and _ID.fullmatch(name := text(entry, "session_id", "sessionId")):
            self.session_id = name
        if not self._connected and (cwd := text(entry, "cwd")):
            self._connected = True
            model = text(entry, "model") if entry.get("type") == "system" else ""
            yield ev.Connected(self.session_id, model, "", cwd)

    def _once(self, entry: Line) -> Line:
        """Return a message as the stream has it, without what was recorded before and early results."""
        message = fields(entry, "message")
        name = text(message, "id") or text(entry, "uuid") or f"message {next(self._unnamed)}"
        error = text(entry, "error") or ("unknown" if entry.get("isApiErrorMessage") is True else "")
        record = _short(entry.get("tool_use_result", entry.get("toolUseResult")))
        line = {**entry, "error": error, "tool_use_result": record}
        blocks: list[Line] = []
        for block in blocks_of(message):
            kind, call = block.get("type"), text(block, "tool_use_id")
            # Some programs record a message again, under another id of its entry.
            new = kind in _IMAGES or self._is_first(call or name, block)
            if kind == "tool_result" and call not in self._tools:
                if new:
                    self._early[call] = {**line, "uuid": None, "message": {"content": [block]}}
            elif kind == "tool_result" or kind in _IMAGES:
                blocks.append(block)
            elif error or entry["type"] == "user" or (new and text(block, "id") not in self._tools):
                texts = {name: bounded(text(block, name)) for name in _TEXTS if name in block}
                blocks.append({**block, **texts})
        return line | {"message": {**message, "content": blocks}}

    def _is_first(self, name: str, block: Line) -> bool:
        known = len(self._blocks)
        self._blocks.add((name, hash(json.dumps(block, sort_keys=True))))
        return len(self._blocks) > known

    def _translated(self, line: Line) -> Iterator[ev.AgentEvent]:
        for event in super().feed(line):
            if isinstance(event, ev.PromptAccepted):
                yield from self._flush()
                yield from self.pass_over(PASSED_OVER)
            yield event
        for call in [one for one in self._early if one in self._tools]:
            yield from self._translated(self._early.pop(call))

    def _flush(self) -> Iterator[ev.AgentEvent]:
        early, self._early = self._early, {}
        for line in early.values():
            yield from self._translated(line)


def _short(record: Any) -> Any:
    """Return the part of a call's record that is shown: a patch whole, other fields only if short."""
    if not isinstance(record, Mapping):
        return None
    if _PATCH in record:
        return {name: record[name] for name in ("type", _PATCH) if name in record}
    return {
        name: value for name, value in record.items() if not (isinstance(value, str) and len(value) > 2_000)
    }
