"""Translates the lines of a conversation to events: streamed, stored or recorded, they have one shape."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from ccq_tui.agent import events as ev
from ccq_tui.agent.claude.classify import ENDS, api_problem, detail
from ccq_tui.agent.user_texts import SUMMARY, TASK_ENDS, user_block, with_images_named
from ccq_tui.claude_lines import (
    QUESTION_TOOL,
    Line,
    blocks_of,
    bounded,
    fields,
    number,
    output_text,
    text,
    time_of,
)
from ccq_tui.inbox.call_results import UNANSWERED, CallResult, outcome_of
from ccq_tui.inbox.requests import Cancelled, QuestionRequest
from ccq_tui.questions.parse import readable_set


@dataclass(slots=True)
class _Block:
    key: ev.BlockKey
    kind: ev.BlockKind | None
    text: list[str] = field(default_factory=list)
    stopped: bool = False


@dataclass(slots=True)
class _Message:
    id: str
    blocks: int = 0
    open: dict[int, _Block] = field(default_factory=dict)
    """The blocks that are not whole yet, by their places, the oldest first."""


class BlockStreams:
    """The messages that are being streamed: at most one for the main agent and each subagent."""

    def __init__(self) -> None:
        self._open: dict[str, _Message] = {}

    def stream(self, event: Mapping[str, Any], parent: str) -> Iterator[ev.BlockGrew | ev.BlockDropped]:
        """Take an event of the Messages API's stream; ``parent`` is the Agent call it belongs to, or ""."""
        match event:
            case {"type": "message_start", "message": {"id": str(name)}}:
                yield from self._begin(name, parent)
            case {"type": "content_block_start", "content_block": {"type": str(kind)}}:
                self._add(parent, {"text": ev.BlockKind.TEXT, "thinking": ev.BlockKind.THINKING}.get(kind))
            case {
                "type": "content_block_delta",
                "index": int(index),
                "delta": {"text": str(chunk)} | {"thinking": str(chunk)},
            } if chunk and (found := self._at(index, parent)) and found.kind is not None:
                found.text.append(chunk)
                yield ev.BlockGrew(found.key, found.kind, chunk)
            case {"type": "content_block_stop", "index": int(index)} if found := self._at(index, parent):
                found.stopped = True

    def finish(self, message_id: str, parent: str) -> Iterator[ev.BlockKey | ev.BlockDropped]:
        """Yield the blocks that a whole one makes void, then its own key: the oldest not whole yet."""
        message = self._open.get(parent)
        if message is None or message.id != message_id:
            yield from self._begin(message_id, parent)
            message = self._open[parent]
        if not message.open:
            self._add(parent, None)
        yield message.open.pop(next(iter(message.open))).key

    def retry(self) -> Iterator[ev.BlockDropped]:
        """Drop the rest of broken streams; the CLI is about to make their requests again."""
        for message in self._open.values():
            # A block that has not stopped belongs to another agent's stream, which continues.
            for place in [place for place, block in message.open.items() if block.stopped and block.text]:
                yield ev.BlockDropped(message.open.pop(place).key)

    def end_turn(self) -> Iterator[ev.BlockFinished]:
        """Keep the unfinished blocks of an interrupted turn: they were read, and nothing replaces them."""
        for message in self._open.values():
            for block in message.open.values():
                if block.text and block.kind is not None:
                    yield ev.BlockFinished(block.key, block.kind, "".join(block.text))
        self._open.clear()

    def _begin(self, message_id: str, parent: str) -> Iterator[ev.BlockDropped]:
        previous = self._open.get(parent)
        self._open[parent] = _Message(message_id)
        for block in previous.open.values() if previous else ():
            if block.text:
                yield ev.BlockDropped(block.key)

    def _add(self, parent: str, kind: ev.BlockKind | None) -> None:
        message = self._open.setdefault(parent, _Message(""))
        message.open[message.blocks] = _Block(ev.BlockKey(message.id, message.blocks, parent), kind)
        message.blocks += 1

    def _at(self, index: int, parent: str) -> _Block | None:
        message = self._open.get(parent)
        return message.open.get(index) if message else None


_READ = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


class TurnUsage:
    """Computes a turn's own share of the session's cost and tokens.

    A request sends the whole conversation again, and each of its messages in the stream repeats its usage:
    a token counts as read in the turn in which the model got it first. Subagents' calls are not counted, as
    in the CLI's own figures for a turn.
    """

    def __init__(self, cost: float | None = None) -> None:
        """Begin; ``cost`` is that of the session so far, None if it is not known."""
        self.cost = cost
        self._request = ""  # the newest one of the turn
        self._known = 0
        self._read = 0

    def streamed(self, event: Line) -> None:
        """Take the usage in an event of a stream."""
        match event.get("type"):
            case "message_start":
                message = fields(event, "message")
                self.requested(text(message, "id"), fields(message, "usage"))
            case "message_delta":
                self.answered(fields(event, "usage"))

    def requested(self, message_id: str, usage: Line) -> None:
        """Take the usage at the start of a model's answer; repeats of it do not count."""
        context = _context(usage)
        if message_id == self._request or not context:
            return
        self._request = message_id
        self._read += max(0, context - self._known)
        self._known = context

    def answered(self, usage: Line) -> None:
        """Take the usage at the end of an answer: the next request sends the written tokens back."""
        self._known += _number(usage, "output_tokens") if self._request else 0

    def cleared(self) -> None:
        """Note that the conversation was cleared."""
        self._known = 0

    def end_turn(self, cost: float | None, usage: Line) -> tuple[int, float | None]:
        """Return the tokens that the model read for the first time in a turn, and its cost, or None.

        ``cost`` is that of the session so far; ``usage``, the CLI's own count, is used if no
        request was seen.
        """
        read = self._read if self._request else _context(usage)
        self._read, self._request = 0, ""
        before, self.cost = self.cost, cost if cost is not None else self.cost
        if before is None or cost is None:
            return read, None
        # A cleared conversation counts from zero again.
        return read, cost - before if cost >= before else cost


def _context(usage: Line) -> int:
    return sum(_number(usage, name) for name in _READ)


def _number(usage: Line, name: str) -> int:
    value = usage.get(name)
    # More than any turn reads: a recording may say anything.
    return min(value, 10**12) if isinstance(value, int) else 0


_LEVELS = {"info", "warning", "error"}

TaskEvent = ev.TaskStarted | ev.TaskBackgrounded | ev.TaskProgressed | ev.TaskEnded


def task(subtype: str, data: Line) -> Iterator[TaskEvent]:
    """Translate a message about a task.

    The CLI may report the end twice, the second time with a summary.
    """
    name, usage = text(data, "task_id"), fields(data, "usage")
    tools, tokens = (int(number(usage, counted) or 0) for counted in ("tool_uses", "total_tokens"))
    match subtype:
        case "task_started":
            yield ev.TaskStarted(
                name,
                text(data, "tool_use_id"),
                bounded(text(data, "description"), SUMMARY),
                background=bool(data.get("is_backgrounded")),
                agent=data.get("task_type") == "local_agent",
            )
        case "task_progress":
            doing = bounded(text(data, "description") or text(data, "last_tool_name"), SUMMARY)
            yield ev.TaskProgressed(name, doing, tools, tokens)
        case "task_updated" | "task_notification":
            patch = fields(data, "patch") or data
            if patch.get("is_backgrounded") is True:
                yield ev.TaskBackgrounded(name)
            if (status := text(patch, "status")) in TASK_ENDS:
                summary = bounded(text(data, "summary"), SUMMARY)
                yield ev.TaskEnded(name, TASK_ENDS[status], summary, tools, tokens)


def rate_limit(info: Line) -> Iterator[ev.NoticeGiven]:
    """Translate the state of the account's limits; nothing while all is well."""
    name = (text(info, "rateLimitType") or "usage").replace("_", " ")
    part = number(info, "utilization")
    used = "" if part is None else f", {part:.0%} used"
    match info.get("status"):
        case "allowed":
            pass
        case "rejected":
            yield ev.NoticeGiven("error", f"The {name} limit is reached{used}.")
        case _:
            yield ev.NoticeGiven("warning", f"The {name} limit is near{used}.")


def compaction(data: Line) -> Iterator[ev.NoticeGiven]:
    """Translate the CLI's status message: only a compaction."""
    if data.get("status") == "compacting":
        yield ev.NoticeGiven("info", ev.COMPACTING)
    elif data.get("compact_result") not in (None, "success"):
        reason = data.get("compact_error") or data["compact_result"]
        yield ev.NoticeGiven("error", f"The conversation could not be compacted: {reason}")


def system(subtype: str, data: Line) -> Iterator[ev.NoticeGiven | ev.Compacted | TaskEvent]:
    """Translate the system messages that do not concern the CLI's own state."""
    match subtype:
        case "informational":
            level = str(data.get("level") or "info")
            content = data.get("content") or data.get("message")
            if content:
                yield ev.NoticeGiven(level if level in _LEVELS else "info", bounded(str(content)))
        case "permission_denied":
            yield ev.NoticeGiven(
                "warning", f"{data.get('tool_name', 'A tool')} was not allowed: {_reason(data)}"
            )
        case "compact_boundary":
            sizes = fields(data, "compact_metadata", "compactMetadata")
            yield ev.Compacted(
                _count(sizes, "pre_tokens", "preTokens"), _count(sizes, "post_tokens", "postTokens")
            )
        case "task_started" | "task_progress" | "task_updated" | "task_notification":
            yield from task(subtype, data)


def _reason(data: Line) -> str:
    # The first sentence is for a person, the rest instructs the model.
    return (
        bounded(str(data.get("message") or "no reason was given")).split(". ", 1)[0].split(" IMPORTANT", 1)[0]
    )


def _count(sizes: Line, *names: str) -> int | None:
    found = next((value for name in names if (value := number(sizes, name))), None)
    return int(found) if found else None


UserBlockReader = Callable[[Line, Line], Iterable[ev.AgentEvent]]
"""Takes a block of a user's message that is no result, and the message."""


class Translator:
    """Turns the lines of one conversation into events, in order.

    A line is a message as the CLI's stream has it; unknown ones, and a message that came before, give none.

    Attributes:
        usage: Tokens that the running turn read, and the session's cost before it.
        seen: The ids of the messages so far.
        streams: The blocks that are being streamed.
    """

    def __init__(self, user_block: UserBlockReader) -> None:
        self.usage = TurnUsage()
        self.seen: set[str] = set()
        self.streams = BlockStreams()
        self._user_block = user_block
        self._tools: dict[str, str] = {}
        """The tools of the calls without a result."""
        self._unnamed = count(1)

    def feed(self, line: Line) -> Iterator[ev.AgentEvent]:
        """Translate a line."""
        parent, uuid = text(line, "parent_tool_use_id"), text(line, "uuid")
        match line.get("type"):
            case "stream_event":
                event = fields(line, "event")
                if not parent:
                    self.usage.streamed(event)
                yield from self.streams.stream(event, parent)
            case "assistant" if self._is_new(uuid):
                yield from self._assistant(line, parent)
            case "user" if self._is_new(uuid):
                for block in with_images_named(blocks_of(line.get("message"))):
                    if block.get("type") == "tool_result":
                        yield self._returned(block, line, parent)
                    else:
                        yield from self._user_block(block, line)
            case "result":
                yield from self._result(line)
            case "rate_limit_event":
                yield from rate_limit(fields(line, "rate_limit_info"))
            case "system":
                yield from system(text(line, "subtype"), line)

    def _is_new(self, uuid: str) -> bool:
        known = uuid in self.seen
        self.seen.add(uuid)
        return not (uuid and known)

    def _assistant(self, line: Line, parent: str) -> Iterator[ev.AgentEvent]:
        message = fields(line, "message")
        if error := text(line, "error"):
            yield from self.streams.retry()
            reported = bounded("\n".join(text(block, "text") for block in blocks_of(message)))
            yield ev.ErrorReported(api_problem(error, reported), detail(reported))
            return
        name = text(message, "id") or text(line, "uuid") or f"message {next(self._unnamed)}"
        if not parent:
            self.usage.requested(name, fields(message, "usage"))
        for block in blocks_of(message):
            for found in self.streams.finish(name, parent):
                if isinstance(found, ev.BlockDropped):
                    yield found
                else:
                    yield from self._assistant_block(block, found, line)

    def _assistant_block(self, block: Line, key: ev.BlockKey, line: Line) -> Iterator[ev.AgentEvent]:
        match block.get("type"):
            case "text" if (content := text(block, "text")) != "No response requested.":
                yield ev.BlockFinished(key, ev.BlockKind.TEXT, content)
            case "thinking":
                yield ev.BlockFinished(key, ev.BlockKind.THINKING, text(block, "thinking"))
            case "tool_use" | "server_tool_use":
                call = text(block, "id") or f"call {next(self._unnamed)}"
                self._tools[call] = text(block, "name")
                yield ev.ToolStarted(call, self._tools[call], fields(block, "input"), key.parent)
            case str(kind) if kind.endswith("tool_result"):
                yield self._returned(block, line, key.parent)

    def _returned(self, block: Line, line: Line, parent: str) -> ev.ToolFinished:
        call = text(block, "tool_use_id")
        return ev.ToolFinished(
            tool_use_id=call,
            tool=self._tools.pop(call, ""),
            output=output_text(block.get("content")),
            is_error=block.get("is_error") is True,
            structured=line.get("tool_use_result"),
            parent=parent,
        )

    def _result(self, line: Line) -> Iterator[ev.AgentEvent]:
        yield from self.streams.end_turn()
        usage, cost = fields(line, "usage"), number(line, "total_cost_usd")
        read, turn_cost = self.usage.end_turn(cost, usage)
        listed = line.get("errors")
        errors = [one for one in listed if isinstance(one, str)] if isinstance(listed, list) else []
        # Diagnostics are what the CLI reports of an interrupted turn; they mean nothing to a person.
        shown = [error for error in errors if not error.startswith("[ede_diagnostic]")]
        reason = text(line, "terminal_reason") or text(line, "subtype")
        message = "\n".join(shown) or text(line, "result") or text(line, "subtype")
        problem = "" if errors and not shown else bounded(message)
        if ended := ENDS.get(reason):
            yield ev.ErrorReported(ended, detail(problem))
        failed = line.get("is_error") is True
        yield ev.TurnEnded(
            reason=reason,
            is_error=failed,
            duration=(number(line, "duration_ms") or 0.0) / 1000,
            cost=cost,
            input_tokens=read,
            output_tokens=int(number(usage, "output_tokens") or 0),
            text=problem if failed else "",
            turn_cost=turn_cost,
        )


class PastTranslator(Translator):
    """Translates the lines of a past conversation, whose question sets are requests as they were live.

    Attributes:
        session_id: The session that asks.
    """

    def __init__(self, session_id: str = "") -> None:
        super().__init__(user_block)
        self.session_id = session_id
        self._asked: dict[str, QuestionRequest] = {}
        """The question sets without an outcome, by their calls."""

    def feed(self, line: Line) -> Iterator[ev.AgentEvent]:
        """Translate a line."""
        for event in super().feed(line):
            match event:
                case ev.ToolStarted(call, tool) if tool == QUESTION_TOOL:
                    yield event
                    # A set that cannot be read as questions is shown as a call.
                    if questions := readable_set(call, event.input):
                        self._asked[call] = QuestionRequest(call, self.session_id, questions)
                        yield ev.RequestAsked(self._asked[call])
                case ev.ToolFinished(call, tool, output, failed, record):
                    yield from self._settle(call, CallResult(output, failed, record, time_of(line)))
                    yield replace(event, structured=None) if tool == QUESTION_TOOL else event
                case ev.BlockFinished(text=""):
                    pass
                case _:
                    yield event

    def pass_over(self, reason: str, but: Collection[str] = ()) -> Iterator[ev.RequestSettled]:
        """Settle the question sets that nobody answered, except those of some calls."""
        for call in [one for one in self._asked if one not in but]:
            yield ev.RequestSettled(self._asked.pop(call).id, Cancelled(reason))

    def _settle(self, call: str, result: CallResult) -> Iterator[ev.RequestSettled]:
        """Settle a question set by its call's result, unless that says that nobody was asked."""
        request = self._asked.get(call)
        if request is None or (result.failed and f"No such tool available: {QUESTION_TOOL}" in result.output):
            return
        outcome = outcome_of(request.questions, result)
        if outcome == Cancelled(UNANSWERED):
            return
        if outcome is None:
            reason = bounded(result.output.strip(), 300) if result.failed else "no answer was given"
            outcome = Cancelled(reason or "it failed")
        del self._asked[call]
        yield ev.RequestSettled(request.id, outcome, at=result.at)
