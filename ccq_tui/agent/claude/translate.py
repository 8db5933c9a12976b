"""Translates the SDK's messages to events, and joins deltas, which come faster than anybody reads."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from claude_agent_sdk import (
    AssistantMessage,
    ContentBlock,
    ConversationResetMessage,
    Message,
    RateLimitEvent,
    ResultMessage,
    ServerToolResultBlock,
    ServerToolUseBlock,
    StreamEvent,
    SystemMessage,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UserMessage,
)

from ccq_tui.agent import events as ev
from ccq_tui.agent.claude import notices
from ccq_tui.agent.claude.classify import api_problem, detail, turn_problem
from ccq_tui.agent.claude.streams import BlockStreams
from ccq_tui.agent.claude.turn_usage import RecentIds, TurnUsage
from ccq_tui.agent.controls import McpServer, listed_servers
from ccq_tui.agent.output_text import bounded, output_text
from ccq_tui.agent.problems import Problem

_logger = logging.getLogger(__name__)

_INTERRUPTION = "[Request interrupted by user"
_DIAGNOSTIC = "[ede_diagnostic]"
_SYNTHETIC = "<synthetic>"
_REMARK = ("<local-command-", _INTERRUPTION)
_NO_RESPONSE = "No response requested."
KNOWN_MESSAGES = 50_000
"""Most messages whose order is kept: far more than follow any prompt that a screen offers to rewind to."""

MOMENT = 0.05
"""Seconds for which deltas are collected; the first one after a pause is emitted at once."""


class DeltaCoalescer:
    """Passes events on in order, with the deltas of each block joined."""

    def __init__(self, emit: Callable[[ev.AgentEvent], None]) -> None:
        self._emit = emit
        self._grown: dict[ev.BlockKey, list[ev.BlockGrew]] = {}
        self._moment: asyncio.TimerHandle | None = None

    def take(self, event: ev.AgentEvent) -> None:
        """Pass an event on; a delta that follows another within `MOMENT` is held until its end."""
        if not isinstance(event, ev.BlockGrew):
            self.flush()
            self._emit(event)
        elif self._moment is None:
            self._begin()
            self._emit(event)
        else:
            self._grown.setdefault(event.key, []).append(event)

    def flush(self) -> None:
        """Emit the collected deltas."""
        grown, self._grown = self._grown, {}
        for key, events in grown.items():
            text = "".join(event.text for event in events)
            self._emit(ev.BlockGrew(key, events[0].kind, text))

    def close(self) -> None:
        """Emit the rest, and cancel the timer."""
        if self._moment is not None:
            self._moment.cancel()
            self._moment = None
        self.flush()

    def _begin(self) -> None:
        self._moment = asyncio.get_running_loop().call_later(MOMENT, self._end)

    def _end(self) -> None:
        self._moment = None
        if self._grown:
            self._begin()
            self.flush()


class Translator:
    """Turns one conversation's messages into events, in order.

    Attributes:
        session_id: The Claude session id, "" until it is known.
        model: The model in use, as last reported.
        mode: The permission mode, as last reported.
        cli_state: The CLI's own state: "running", "requires_action", "idle", or "" before its first report.
        turn_over: Whether only background tasks run, which the CLI reports as "running", too.
        sent: Prompts that were sent and did not reach the agent yet, by their ids.
        usage: Tokens that the running turn read, and the session's cost before it.
    """

    def __init__(self, *, session_id: str, model: str, mode: str) -> None:
        self.session_id = session_id
        self.model = model
        self.mode = mode
        self.cli_state = ""
        self.turn_over = self._background = False
        self.sent: dict[str, str] = {}
        self.usage = TurnUsage()
        self._conversation: deque[str] = deque(maxlen=KNOWN_MESSAGES)
        self._started: set[str] = set()
        self._reset = False
        self._failed_servers: frozenset[str] = frozenset()
        self._streams = BlockStreams()
        self._seen = RecentIds()
        self._tools: dict[str, str] = {}

    def remember(self, uuids: Iterable[str]) -> None:
        """Mark messages as seen, the newest last, so that a replay of them is not reported again."""
        for uuid in uuids:
            self._seen.add(uuid)
            self._conversation.append(uuid)

    @property
    def newest_message(self) -> str:
        """UUID of the conversation's last message that was seen, or ""; no prompt comes after it."""
        return self._conversation[-1] if self._conversation else ""

    def rewound(self, prompt_id: str) -> None:
        """Forget a prompt and all after it: the CLI refuses a rewind that names such a message as seen."""
        if prompt_id in self._conversation:
            while self._conversation.pop() != prompt_id:
                continue

    def feed(self, message: Message) -> Iterator[ev.AgentEvent]:
        """Translate a message; yield nothing for one that does not matter or came before."""
        match message:
            case StreamEvent():
                self.turn_over = self.turn_over and bool(message.parent_tool_use_id)
                self._count(message)
                yield from self._streams.stream(message.event, message.parent_tool_use_id or "")
            case AssistantMessage():
                self.turn_over = self.turn_over and bool(message.parent_tool_use_id)
                self._count(message)
                if not message.uuid or self._seen.add(message.uuid):
                    yield from self._assistant(message)
            case UserMessage():
                if not message.uuid or self._seen.add(message.uuid):
                    yield from self._user(message)
            case ResultMessage():
                self.turn_over = self._background and not self.sent
                yield from self._result(message)
            case ConversationResetMessage():
                # It names the old session and an id for displays; the next init names the new session.
                self._reset = True
            case RateLimitEvent():
                yield from notices.rate_limit(message.rate_limit_info)
            case SystemMessage():
                yield from self._system(message.subtype, message.data)
            case _:
                _logger.debug("A message of type %s is not used", type(message).__name__)

    def set_model(self, model: str) -> Iterator[ev.ModelChanged]:
        """Store the model, and report it if it changed."""
        if model and model != self.model:
            self.model = model
            yield ev.ModelChanged(model)

    def set_mode(self, mode: str) -> Iterator[ev.ModeChanged]:
        """Store the permission mode, and report it if it changed."""
        if mode and mode != self.mode:
            self.mode = mode
            yield ev.ModeChanged(mode)

    def _assistant(self, message: AssistantMessage) -> Iterator[ev.AgentEvent]:
        parent = message.parent_tool_use_id or ""
        texts = [block.text for block in message.content if isinstance(block, TextBlock)]
        if message.error:
            yield from self._streams.retry()
            text = "\n".join(texts)
            yield ev.ErrorReported(api_problem(str(message.error), text), detail(text))
            return
        if message.model == _SYNTHETIC and texts == [_NO_RESPONSE]:
            return
        # A block of a kind the SDK does not know comes as a message without content, and still has its place.
        blocks: list[ContentBlock | None] = [*message.content] or [None]
        for block in blocks:
            for found in self._streams.finish(message.message_id or message.uuid or "", parent):
                if isinstance(found, ev.BlockDropped):
                    yield found
                    continue
                match block:
                    case TextBlock():
                        yield ev.BlockFinished(found, ev.BlockKind.TEXT, block.text)
                    case ThinkingBlock():
                        yield ev.BlockFinished(found, ev.BlockKind.THINKING, block.thinking)
                    case ToolUseBlock() | ServerToolUseBlock():
                        self._tools[block.id] = block.name
                        yield ev.ToolStarted(block.id, block.name, block.input, parent)
                    case ToolResultBlock() | ServerToolResultBlock():
                        yield self._finished(block, None, parent)

    def _user(self, message: UserMessage) -> Iterator[ev.AgentEvent]:
        parent = message.parent_tool_use_id or ""
        if message.uuid and not parent and _is_prompt(message.content):
            self._conversation.append(message.uuid)
        if message.uuid and message.uuid in self.sent:
            del self.sent[message.uuid]
            self._started.discard(message.uuid)
            yield ev.PromptDelivered(message.uuid)
            return
        if isinstance(message.content, str):
            yield from notices.user_text(message.content)
            return
        for block in message.content:
            match block:
                case ToolResultBlock():
                    yield self._finished(block, message.tool_use_result, parent)
                case TextBlock() if not parent and not block.text.startswith(_INTERRUPTION):
                    yield from notices.user_text(block.text)

    def _finished(
        self, block: ToolResultBlock | ServerToolResultBlock, structured: Any, parent: str
    ) -> ev.ToolFinished:
        return ev.ToolFinished(
            tool_use_id=block.tool_use_id,
            tool=self._tools.pop(block.tool_use_id, ""),
            output=output_text(block.content),
            is_error=bool(getattr(block, "is_error", False)),
            structured=structured,
            parent=parent,
        )

    def _result(self, message: ResultMessage) -> Iterator[ev.AgentEvent]:
        yield from self._streams.end_turn()
        usage = message.usage or {}
        read, cost = self.usage.end_turn(message.total_cost_usd, usage)
        # Diagnostics are what the CLI reports of an interrupted turn; they mean nothing to a person.
        errors = [error for error in message.errors or [] if not error.startswith(_DIAGNOSTIC)]
        problem = (
            "" if message.errors and not errors else "\n".join(errors) or message.result or message.subtype
        )
        if ended := turn_problem(message.terminal_reason or message.subtype):
            yield ev.ErrorReported(ended, detail(bounded(problem)))
        yield ev.TurnEnded(
            reason=message.terminal_reason or message.subtype,
            is_error=message.is_error,
            duration=message.duration_ms / 1000,
            cost=message.total_cost_usd,
            input_tokens=read,
            output_tokens=int(usage.get("output_tokens") or 0),
            text=bounded(problem) if message.is_error else "",
            turn_cost=cost,
        )

    def _count(self, message: StreamEvent | AssistantMessage) -> None:
        """Count the tokens that the main agent's requests read."""
        if message.parent_tool_use_id:
            return
        match message:
            case AssistantMessage(message_id=str(name), usage=usage):
                self.usage.requested(name, usage)
            case StreamEvent(event={"type": "message_start", "message": {"id": str(name), "usage": usage}}):
                self.usage.requested(name, usage)
            case StreamEvent(event={"type": "message_delta", "usage": usage}):
                self.usage.answered(usage)

    def _prompt_state(self, prompt_id: str, state: str) -> Iterator[ev.PromptDelivered]:
        """Settle a prompt whose turn is over: commands that the CLI refuses are never echoed."""
        if prompt_id not in self.sent:
            return
        if state == "started":
            self.turn_over = False
            self._started.add(prompt_id)
        elif state == "completed" or (state == "cancelled" and prompt_id in self._started):
            # A prompt cancelled before its start was withdrawn; the control request's answer says so.
            del self.sent[prompt_id]
            self._started.discard(prompt_id)
            yield ev.PromptDelivered(prompt_id)

    def _identify(self, session_id: str) -> Iterator[ev.ConversationReset]:
        known, self.session_id = self.session_id, session_id or self.session_id
        if self._reset or (known and known != self.session_id):
            self._reset = False
            self.usage.cleared()
            yield ev.ConversationReset(self.session_id)

    def servers(self, servers: Iterable[McpServer]) -> Iterator[ev.ErrorReported]:
        """Report the MCP servers that did not start, each once: the CLI lists them again with each turn."""
        listed = tuple(servers)
        failed = {one.name: one.error for one in listed if one.status == "failed"}
        trying = {one.name for one in listed if one.status == "pending"}  # again, maybe
        new = failed.keys() - self._failed_servers
        self._failed_servers = frozenset(failed) | (self._failed_servers & trying)
        if new:
            words = (f"{name}: {failed[name]}" if failed[name] else name for name in sorted(new))
            yield ev.ErrorReported(Problem.MCP_FAILED, bounded("\n".join(words), 1_000))

    def _system(self, subtype: str, data: dict[str, Any]) -> Iterator[ev.AgentEvent]:
        match subtype:
            case "init":
                yield from self._identify(str(data.get("session_id") or ""))
                yield from self.set_model(str(data.get("model") or ""))
                yield from self.set_mode(str(data.get("permissionMode") or ""))
                yield from self.servers(listed_servers(data, "mcp_servers"))
            case "session_state_changed":
                self.cli_state = str(data.get("state") or "")
            case "background_tasks_changed":
                self._background = bool(data.get("tasks"))
            case "command_lifecycle":
                yield from self._prompt_state(
                    str(data.get("command_uuid") or ""), str(data.get("state") or "")
                )
            case "status":
                yield from self.set_mode(str(data.get("permissionMode") or ""))
                yield from notices.status(data)
            case "thinking_tokens":
                yield ev.ThinkingCounted(int(data.get("estimated_tokens") or 0))
            case "api_retry":
                yield from self._streams.retry()
                yield _retrying(data)
            case _ if subtype in notices.SUBTYPES:
                yield from notices.task(subtype, data)
            case _:
                yield from notices.system(subtype, data)


def _is_prompt(content: str | list[ContentBlock]) -> bool:
    """Return whether the CLI counts a user's message as a prompt: not its own remarks, nor results."""
    if isinstance(content, str):
        return not content.startswith(_REMARK)
    return any(isinstance(block, TextBlock) and not block.text.startswith(_REMARK) for block in content)


def _retrying(data: dict[str, Any]) -> ev.Retrying:
    status = data.get("error_status")
    return ev.Retrying(
        attempt=int(data.get("attempt") or 0),
        max_attempts=int(data.get("max_retries") or 0),
        delay=float(data.get("retry_delay_ms") or 0) / 1000,
        status=int(status) if status is not None else None,
        error=str(data.get("error") or "unknown"),
    )
