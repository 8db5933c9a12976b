"""Translates recorded entries to events: both formats have the same messages in slightly other envelopes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

from ccq_tui.agent import events as ev
from ccq_tui.agent.claude import notices
from ccq_tui.agent.claude.classify import api_problem, detail, turn_problem
from ccq_tui.agent.claude.streams import BlockStreams
from ccq_tui.agent.claude.turn_usage import RecentIds, TurnUsage
from ccq_tui.agent.output_text import bounded, output_text
from ccq_tui.agent.recorded.entries import Entry, fields, kept, number, text, time_of
from ccq_tui.agent.stored_messages import with_images_named, written
from ccq_tui.claude_files import blocks_of
from ccq_tui.inbox.call_results import UNANSWERED, CallResult, outcome_of
from ccq_tui.inbox.requests import Cancelled, QuestionRequest
from ccq_tui.questions.parse import QuestionFormatError, parse_question_set

CUT_OFF = "The recording ends before its result."
_NO_RESPONSE = "No response requested."
_DIAGNOSTIC = "[ede_diagnostic]"
_PATCH = "structuredPatch"
_RECORD_TEXT = 2_000
_ID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")

QUESTION_TOOL = "AskUserQuestion"
PASSED_OVER = "nobody answered it, and the conversation continued"
_NOBODY_THERE = f"No such tool available: {QUESTION_TOOL}"
_REASON = 300


class RecordedSets:
    """Follows the question sets of one recording."""

    def __init__(self) -> None:
        self._open: dict[str, QuestionRequest] = {}
        self._known: set[str] = set()

    def ask(self, call: str, source: Mapping[str, Any], session_id: str) -> Iterator[ev.AgentEvent]:
        """Take a call of the tool; one that cannot be read as questions is left to be shown as a call."""
        if call in self._known:
            return
        try:
            questions = parse_question_set(call, source)
        except (QuestionFormatError, RecursionError):
            return
        self._known.add(call)
        self._open[call] = QuestionRequest(call, session_id, questions)
        yield ev.QuestionAsked(self._open[call])

    def settle(self, call: str, result: CallResult) -> Iterator[ev.AgentEvent]:
        """Take a call's result; yields nothing for questions that can still be answered or are not known."""
        request = self._open.get(call)
        if request is None or (result.failed and _NOBODY_THERE in result.output):
            return
        outcome = outcome_of(request.questions, result)
        if outcome == Cancelled(UNANSWERED):
            return
        if outcome is None:
            reason = bounded(result.output.strip(), _REASON) if result.failed else "no answer was given"
            outcome = Cancelled(reason or "it failed")
        del self._open[call]
        yield ev.RequestSettled(request.id, outcome, at=result.at)

    def go_on(self) -> Iterator[ev.AgentEvent]:
        """Settle the open sets as unanswered: the person said something else instead."""
        for request in self._open.values():
            yield ev.RequestSettled(request.id, Cancelled(PASSED_OVER))
        self._open.clear()

    def end(self) -> Iterator[ev.AgentEvent]:
        """Settle the open sets as unanswered, except the last, which can still be answered."""
        for call in list(self._open)[:-1]:
            yield ev.RequestSettled(self._open.pop(call).id, Cancelled(UNANSWERED))

    @property
    def waiting(self) -> QuestionRequest | None:
        """The last set that nobody answered, or None."""
        return next(reversed(self._open.values()), None)


class Translation:
    """Turns one recording's entries into events, in order, and skips unknown ones.

    Attributes:
        session_id: The first session id, or "".
        cwd: The first directory, or "".
        asked: The question sets.
    """

    def __init__(self) -> None:
        self.session_id = ""
        self.cwd = ""
        self.asked = RecordedSets()
        self._sidechain: bool | None = None
        self._streams = BlockStreams()
        self._usage = TurnUsage()
        self._seen = RecentIds()
        self._tools: dict[str, str] = {}
        self._early: dict[str, tuple[Mapping[str, Any], Entry]] = {}
        """Results without a call: some programs record the call after them."""
        self._names = count(1)

    def feed(self, entry: Entry) -> Iterator[ev.AgentEvent]:
        """Translate an object of any shape; yield nothing for one that does not matter."""
        yield from self._identify(entry)
        beside = entry.get("isSidechain") is True
        if self._sidechain is None and entry.get("type") in ("user", "assistant"):
            self._sidechain = beside  # the file is a subagent's own
        if (beside and not self._sidechain) or entry.get("isMeta") is True:
            return  # a subagent's own conversation, or text for the model alone
        match entry.get("type"):
            case "assistant" if self._is_new(entry):
                yield from self._assistant(entry)
            case "user" if self._is_new(entry):
                yield from self._user(entry)
            case "stream_event":
                event = fields(entry, "event")
                if _is_whole(event):
                    yield from self._streams.stream(event, text(entry, "parent_tool_use_id"))
            case "result":
                yield from self._result(entry)
            case "system":
                yield from _system(entry)
            case "attachment":
                yield from self._attached(fields(entry, "attachment"))

    def end(self) -> Iterator[ev.AgentEvent]:
        """Close all that the recording left open: streamed blocks, calls without a result, questions."""
        yield from self._streams.end_turn()
        yield from self._flush()
        for call, tool in self._tools.items():
            if tool != QUESTION_TOOL:
                yield ev.ToolFinished(call, tool, CUT_OFF, is_error=True)
        self._tools.clear()
        yield from self.asked.end()

    def _identify(self, entry: Entry) -> Iterator[ev.AgentEvent]:
        if not self.session_id and _ID.fullmatch(name := text(entry, "session_id", "sessionId")):
            self.session_id = name
        if not self.cwd and (cwd := text(entry, "cwd")):
            self.cwd = cwd
            model = text(entry, "model") if entry.get("type") == "system" else ""
            yield ev.Connected(self.session_id, model, "", cwd)

    def _is_new(self, entry: Entry) -> bool:
        name = text(entry, "uuid")
        return not name or self._seen.add(name)

    def _assistant(self, entry: Entry) -> Iterator[ev.AgentEvent]:
        message = fields(entry, "message")
        parent = text(entry, "parent_tool_use_id")
        if (error := text(entry, "error")) or entry.get("isApiErrorMessage") is True:
            yield from self._streams.retry()
            said = bounded("\n".join(text(block, "text") for block in blocks_of(entry.get("message"))))
            yield ev.ErrorReported(str(api_problem(error or "unknown", said)), detail(said))
            return
        name = text(message, "id") or text(entry, "uuid") or f"message {next(self._names)}"
        if not parent:
            self._usage.requested(name, fields(message, "usage"))
        for block in blocks_of(entry.get("message")):
            if not self._seen.add(f"{name} {hash(json.dumps(block, sort_keys=True))}"):
                continue  # some programs record a message again, under another id of its entry
            for found in self._streams.finish(name, parent):
                if isinstance(found, ev.BlockDropped):
                    yield found
                else:
                    yield from self._said(block, found, entry)

    def _said(self, block: Mapping[str, Any], key: ev.BlockKey, entry: Entry) -> Iterator[ev.AgentEvent]:
        match block.get("type"):
            case "text" if (said := text(block, "text")) and said != _NO_RESPONSE:
                yield ev.BlockFinished(key, ev.BlockKind.TEXT, bounded(said))
            case "thinking" if thought := text(block, "thinking"):
                yield ev.BlockFinished(key, ev.BlockKind.THINKING, bounded(thought))
            case "tool_use" | "server_tool_use":
                yield from self._called(block, key)
            case str(kind) if kind.endswith("tool_result"):
                yield from self._returned(block, entry)

    def _called(self, block: Mapping[str, Any], key: ev.BlockKey) -> Iterator[ev.AgentEvent]:
        call = text(block, "id") or f"call {next(self._names)}"
        if call in self._tools:
            return
        tool = self._tools[call] = text(block, "name")
        source = fields(block, "input")
        yield ev.ToolStarted(call, tool, kept(dict(source)), key.parent)
        if tool == QUESTION_TOOL:
            yield from self.asked.ask(call, source, self.session_id)
        if call in self._early:
            yield from self._returned(*self._early.pop(call))

    def _flush(self) -> Iterator[ev.AgentEvent]:
        early, self._early = self._early, {}
        for block, entry in early.values():
            yield from self._returned(block, entry, late=True)

    def _returned(
        self, block: Mapping[str, Any], entry: Entry, *, late: bool = False
    ) -> Iterator[ev.AgentEvent]:
        call = text(block, "tool_use_id")
        new = self._seen.add(f"{call} {hash(json.dumps(block, sort_keys=True))}")
        if call not in self._tools and not late:
            if new:  # else it was recorded twice
                self._early[call] = block, entry
            return
        tool = self._tools.pop(call, "")
        record = entry.get("tool_use_result", entry.get("toolUseResult"))
        result = CallResult(
            output_text(block.get("content")), block.get("is_error") is True, record, time_of(entry)
        )
        yield from self.asked.settle(call, result)
        shown = None if tool == QUESTION_TOOL else _short(record)
        parent = text(entry, "parent_tool_use_id")
        yield ev.ToolFinished(call, tool, result.output, result.failed, shown, parent)

    def _user(self, entry: Entry) -> Iterator[ev.AgentEvent]:
        parent = text(entry, "parent_tool_use_id")
        for block in with_images_named(blocks_of(entry.get("message"))):
            match block.get("type"):
                case "tool_result":
                    yield from self._returned(block, entry)
                case "text" if entry.get("isCompactSummary") is True:
                    yield ev.Compacted(summary=bounded(text(block, "text")))
                case "text" if not parent and entry.get("isSynthetic") is not True:
                    yield from self._heard(bounded(text(block, "text")), text(entry, "uuid"))
                case "image" | "document" if not parent:
                    yield ev.PromptAccepted(output_text([dict(block)]))

    def _heard(self, said: str, name: str) -> Iterator[ev.AgentEvent]:
        for event in written(said, name):
            if isinstance(event, ev.PromptAccepted):
                yield from self._flush()
                yield from self.asked.go_on()
            yield event

    def _attached(self, attachment: Mapping[str, Any]) -> Iterator[ev.AgentEvent]:
        """Show a prompt that was sent while the agent worked."""
        prompt = attachment.get("prompt")
        if attachment.get("type") == "queued_command" and attachment.get("commandMode") in (None, "prompt"):
            for block in with_images_named(blocks_of({"content": prompt})):
                yield from self._heard(bounded(text(block, "text")), "")

    def _result(self, entry: Entry) -> Iterator[ev.AgentEvent]:
        yield from self._streams.end_turn()
        usage = fields(entry, "usage")
        listed = entry.get("errors")
        errors = [one for one in listed if isinstance(one, str)] if isinstance(listed, list) else []
        said = [error for error in errors if not error.startswith(_DIAGNOSTIC)]
        reason = text(entry, "terminal_reason") or text(entry, "subtype")
        problem = "" if errors and not said else "\n".join(said) or text(entry, "result") or reason
        if ended := turn_problem(reason):
            yield ev.ErrorReported(ended, detail(bounded(problem)))
        failed = entry.get("is_error") is True
        cost = number(entry, "total_cost_usd")
        read, turn_cost = self._usage.end_turn(cost, usage)
        yield ev.TurnEnded(
            reason=reason,
            is_error=failed,
            duration=(number(entry, "duration_ms") or 0.0) / 1000,
            cost=cost,
            input_tokens=read,
            output_tokens=int(number(usage, "output_tokens") or 0),
            text=bounded(problem) if failed else "",
            turn_cost=turn_cost,
        )


def _system(entry: Entry) -> Iterator[ev.AgentEvent]:
    """Translate the CLI's messages beside the conversation, in either format."""
    match text(entry, "subtype"):
        case "compact_boundary":
            facts = fields(entry, "compact_metadata", "compactMetadata")
            before, after = (
                next((found for name in names if (found := number(facts, name)) is not None), None)
                for names in (("pre_tokens", "preTokens"), ("post_tokens", "postTokens"))
            )
            yield ev.Compacted(int(before) if before else None, int(after) if after else None)
        case "local_command":
            yield from written(bounded(text(entry, "content")))
        case "informational" | "permission_denied" as subtype:
            yield from notices.system(subtype, entry)
        case subtype if subtype in notices.SUBTYPES:
            yield from notices.task(subtype, entry)


def _short(record: Any) -> Any:
    """Return the part of a call's record that is shown: a patch whole, other fields only if short."""
    if not isinstance(record, Mapping):
        return None
    if _PATCH in record:
        return kept({name: record[name] for name in ("type", _PATCH) if name in record})
    return kept(
        {
            name: value
            for name, value in record.items()
            if not (isinstance(value, str) and len(value) > _RECORD_TEXT)
        }
    )


def _is_whole(event: Mapping[str, Any]) -> bool:
    """Return whether a stream event has every field that is read."""
    index = event.get("index")
    match event.get("type"):
        case "message_start":
            return bool(text(fields(event, "message"), "id"))
        case "content_block_start":
            return bool(text(fields(event, "content_block"), "type"))
        case "content_block_delta":
            delta = fields(event, "delta")
            said = delta.get("text") or delta.get("thinking")
            return isinstance(index, int) and (said is None or isinstance(said, str))
        case "content_block_stop":
            return isinstance(index, int)
        case _:
            return False
