"""The live conversation, as the SDK's messages report it."""

from collections import deque
from collections.abc import Iterable, Iterator

import claude_agent_sdk as sdk

from ccq_tui.agent import events as ev
from ccq_tui.agent.controls import McpServer, listed_servers
from ccq_tui.agent.problems import Problem
from ccq_tui.agent.translate import Translator, compaction
from ccq_tui.agent.user_texts import command_output, instruction_notice
from ccq_tui.claude_lines import Line, bounded, text

_REMARK = ("<local-command-", "[Request interrupted by user")

_BLOCKS: dict[type[sdk.ContentBlock], str] = {
    sdk.TextBlock: "text",
    sdk.ThinkingBlock: "thinking",
    sdk.ToolUseBlock: "tool_use",
    sdk.ToolResultBlock: "tool_result",
    sdk.ServerToolUseBlock: "server_tool_use",
    sdk.ServerToolResultBlock: "server_tool_result",
}


def line_of(message: sdk.Message) -> Line:
    """Return a message of the SDK as the line of the stream that it was made of."""
    match message:
        case sdk.SystemMessage():
            return message.data
        case sdk.StreamEvent():
            return {"type": "stream_event", **vars(message)}
        case sdk.ResultMessage():
            return {"type": "result", **vars(message)}
        case sdk.AssistantMessage():
            # The SDK leaves out a block of a kind that it does not know; the block still has its place.
            content = [_block(block) for block in message.content] or [{}]
            fields = {"id": message.message_id, "usage": message.usage, "content": content}
            return {"type": "assistant", **vars(message), "message": fields}
        case sdk.UserMessage(content=str(content)):
            return {"type": "user", **vars(message), "message": {"content": content}}
        case sdk.UserMessage(content=list(blocks)):
            return {"type": "user", **vars(message), "message": {"content": [_block(one) for one in blocks]}}
        case sdk.RateLimitEvent():
            return {"type": "rate_limit_event", "rate_limit_info": message.rate_limit_info.raw}
        case sdk.ConversationResetMessage():
            return {"type": "conversation_reset"}
        case _:
            return {}


def _block(block: sdk.ContentBlock) -> Line:
    return {"type": _BLOCKS[type(block)], **vars(block)}


class Conversation:
    """Turns a live conversation's messages into events, in order, and knows the state of the CLI.

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
        self._translator = Translator(self._user_block)
        self.usage = self._translator.usage
        # Their order: far more than follow any prompt that a screen offers to rewind to.
        self._known: deque[str] = deque(maxlen=50_000)
        self._started: set[str] = set()
        self._reset = False
        self._failed_servers: frozenset[str] = frozenset()

    def remember(self, uuids: Iterable[str]) -> None:
        """Mark messages as seen, the newest last, so that a replay of them is not reported again."""
        for uuid in uuids:
            self._translator.seen.add(uuid)
            self._known.append(uuid)

    @property
    def newest_message(self) -> str:
        """UUID of the conversation's last message that was seen, or ""; no prompt comes after it."""
        return self._known[-1] if self._known else ""

    def rewound(self, prompt_id: str) -> None:
        """Forget a prompt and all after it: the CLI refuses a rewind that names such a message as seen."""
        if prompt_id in self._known:
            while self._known.pop() != prompt_id:
                continue

    def feed(self, line: Line) -> Iterator[ev.AgentEvent]:
        """Translate a message; yield nothing for one that does not matter or came before."""
        match line.get("type"):
            case "stream_event" | "assistant":
                self.turn_over = self.turn_over and bool(line["parent_tool_use_id"])
            case "result":
                self.turn_over = self._background and not self.sent
            case "conversation_reset":
                # It names the old session and an id for displays; the next init names the new session.
                self._reset = True
            case "system":
                yield from self._system(text(line, "subtype"), line)
        yield from self._translator.feed(line)

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

    def _user_block(self, block: Line, line: Line) -> Iterator[ev.AgentEvent]:
        content, uuid = text(block, "text"), text(line, "uuid")
        # What the CLI counts as a prompt: not its own remarks.
        is_prompt = block.get("type") == "text" and not content.startswith(_REMARK)
        if uuid not in ("", self.newest_message) and is_prompt and not line["parent_tool_use_id"]:
            self._known.append(uuid)
        if self.sent.pop(uuid, None) is not None:
            self._started.discard(uuid)
            yield ev.PromptDelivered(uuid)
        else:
            yield from command_output(content)
            if note := instruction_notice(content):
                yield note

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

    def _system(self, subtype: str, data: Line) -> Iterator[ev.AgentEvent]:
        match subtype:
            case "init":
                yield from self._identify(text(data, "session_id"))
                yield from self.set_model(text(data, "model"))
                yield from self.set_mode(text(data, "permissionMode"))
                yield from self.servers(listed_servers(data, "mcp_servers"))
            case "session_state_changed":
                self.cli_state = text(data, "state")
            case "background_tasks_changed":
                self._background = bool(data.get("tasks"))
            case "command_lifecycle":
                yield from self._prompt_state(text(data, "command_uuid"), text(data, "state"))
            case "status":
                yield from self.set_mode(text(data, "permissionMode"))
                yield from compaction(data)
            case "thinking_tokens":
                yield ev.ThinkingCounted(int(data.get("estimated_tokens") or 0))
            case "api_retry":
                yield from self._translator.streams.retry()
                status = data.get("error_status")
                yield ev.Retrying(
                    attempt=int(data.get("attempt") or 0),
                    max_attempts=int(data.get("max_retries") or 0),
                    delay=float(data.get("retry_delay_ms") or 0) / 1000,
                    status=int(status) if status is not None else None,
                    error=str(data.get("error") or "unknown"),
                )
