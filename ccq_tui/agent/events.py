"""What a session tells the rest of the program: frozen facts in the past tense.

Text in events is the model's or a tool's own, unsanitised: whoever draws it makes it safe.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from ccq_tui.inbox import PermissionRequest, PlanRequest, QuestionRequest, RequestOutcome


class SessionState(StrEnum):
    """What a session is doing, in the program's words."""

    STARTING = "starting"
    WORKING = "working"
    AWAITING = "awaiting"
    IDLE = "idle"
    FAILED = "failed"
    ENDED = "ended"


class BlockKind(StrEnum):
    """What a streamed block of an assistant message holds."""

    TEXT = "text"
    THINKING = "thinking"


@dataclass(frozen=True, slots=True)
class BlockKey:
    """Names one streamed block: message id, index in the message, and the Agent call it belongs to, or ""."""

    message_id: str
    index: int
    parent: str = ""


@dataclass(frozen=True, slots=True)
class Connected:
    """The CLI is there and takes prompts."""

    session_id: str
    model: str
    mode: str
    cwd: str
    cli_version: str = ""


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """A command for the prompt; ``name`` has no slash, ``arguments`` hints at what follows it."""

    name: str
    description: str = ""
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class CommandsListed:
    """The commands that the CLI knows, its own, those of skills and those of MCP servers."""

    commands: tuple[SlashCommand, ...]


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model that can be chosen.

    Attributes:
        value: What it is chosen by.
        name: What it is called.
        description: What it is good for.
        resolved: The model's full name, or "".
        efforts: The levels of thinking that it has.
        auto_mode: Whether a classifier can decide on its tool calls.
    """

    value: str
    name: str
    description: str = ""
    resolved: str = ""
    efforts: tuple[str, ...] = ()
    auto_mode: bool = False


@dataclass(frozen=True, slots=True)
class ModelsListed:
    """The models that the CLI offers."""

    models: tuple[ModelChoice, ...]


@dataclass(frozen=True, slots=True)
class PromptAccepted:
    """The CLI has taken a prompt.

    Attributes:
        text: The prompt.
        queued: Whether it was sent while a turn was running, and waits; see `PromptDelivered`.
        prompt_id: The id under which the prompt was sent, or "".
    """

    text: str
    queued: bool = False
    prompt_id: str = ""


@dataclass(frozen=True, slots=True)
class PromptDelivered:
    """A prompt has reached the agent."""

    prompt_id: str


@dataclass(frozen=True, slots=True)
class PromptReturned:
    """A prompt did not reach the agent; whoever typed it gets it back.

    Attributes:
        text: The prompt.
        reason: Why, for a person.
        prompt_id: The id under which it was sent, or "".
        wanted: Whether the person asked for it.
    """

    text: str
    reason: str
    prompt_id: str = ""
    wanted: bool = False


@dataclass(frozen=True, slots=True)
class BlockGrew:
    """Text was appended to a block that is being streamed."""

    key: BlockKey
    kind: BlockKind
    text: str


@dataclass(frozen=True, slots=True)
class BlockFinished:
    """A block is complete; ``text`` is the whole of it and replaces what was streamed."""

    key: BlockKey
    kind: BlockKind
    text: str


@dataclass(frozen=True, slots=True)
class BlockDropped:
    """A block's stream broke and will come again; what was streamed of it is void."""

    key: BlockKey


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """The agent called a tool; ``parent`` is the Agent call it works for, or ""."""

    tool_use_id: str
    tool: str
    input: Mapping[str, Any] = field(hash=False)
    parent: str = ""


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """A tool call has its result; ``output`` is what the model got, ``structured`` the CLI's own record."""

    tool_use_id: str
    tool: str
    output: str
    is_error: bool = False
    structured: Any = field(default=None, hash=False)
    parent: str = ""


@dataclass(frozen=True, slots=True)
class TaskStarted:
    """A subagent, or a command that takes a while, began to work.

    Attributes:
        task_id: Names the task.
        tool_use_id: The call that it belongs to, or "".
        description: What it is about.
        background: Whether the turn goes on meanwhile.
        agent: Whether it is a subagent.
    """

    task_id: str
    tool_use_id: str
    description: str
    background: bool = False
    agent: bool = False


@dataclass(frozen=True, slots=True)
class TaskProgressed:
    """A task got further; ``doing`` is what it does now, the numbers are those of the whole task so far."""

    task_id: str
    tool_use_id: str
    doing: str
    tools: int = 0
    tokens: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class TaskEnded:
    """A task is over; ``status`` is "completed", "failed" or "stopped", ``summary`` what it says itself."""

    task_id: str
    tool_use_id: str
    status: str
    summary: str = ""
    tools: int = 0
    tokens: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class QuestionAsked:
    """A question set waits for a person."""

    request: QuestionRequest


@dataclass(frozen=True, slots=True)
class PermissionAsked:
    """A tool call waits for permission."""

    request: PermissionRequest


@dataclass(frozen=True, slots=True)
class PlanProposed:
    """A plan waits for approval."""

    request: PlanRequest


@dataclass(frozen=True, slots=True)
class RequestSettled:
    """A request no longer waits: somebody answered, or it was cancelled.

    Attributes:
        request_id: The request.
        outcome: How it ended.
        surface: Where it was answered, for example "panel", or "" if that is not known.
        at: When, where that was not just now: in a session's past.
    """

    request_id: str
    outcome: RequestOutcome
    surface: str = ""
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class StateChanged:
    """The session began to do something else."""

    state: SessionState


@dataclass(frozen=True, slots=True)
class ModeChanged:
    """The permission mode is another one now."""

    mode: str


@dataclass(frozen=True, slots=True)
class ModelChanged:
    """The model is another one now."""

    model: str


@dataclass(frozen=True, slots=True)
class EffortChanged:
    """The model thinks as hard as ``level`` says from now on."""

    level: str


@dataclass(frozen=True, slots=True)
class TitleChanged:
    """A person gave the session a title."""

    title: str


@dataclass(frozen=True, slots=True)
class ContextUsage:
    """How full the model's context is; ``percentage`` is 0..100."""

    percentage: float
    tokens: int
    limit: int


@dataclass(frozen=True, slots=True)
class Retrying:
    """A request to the model failed and is made again after ``delay`` seconds."""

    attempt: int
    max_attempts: int
    delay: float
    status: int | None
    error: str


@dataclass(frozen=True, slots=True)
class ErrorReported:
    """Something went wrong; the session goes on.

    Attributes:
        kind: Which of `ccq_tui.agent.problems` it is, or a word of the CLI's that has none there.
        text: What there is to say about it, for a person, or "".
    """

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class NoticeGiven:
    """The CLI or the session has something to say: a warning, a compaction, a command's output."""

    level: str
    text: str


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """A turn is over.

    Attributes:
        reason: The CLI's word for why, such as "completed", "aborted_tools" or "max_turns".
        is_error: Whether it did not end as it should; an interrupted turn did not.
        duration: How long it took, in seconds.
        cost: US dollars for the session so far, or None.
        input_tokens: Tokens the model read, those from its cache included.
        output_tokens: Tokens the model wrote.
        text: What went wrong, for a person, or "".
    """

    reason: str
    is_error: bool
    duration: float
    cost: float | None
    input_tokens: int
    output_tokens: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class Compacted:
    """The conversation was made shorter; the tokens that it took ``before`` and ``after``, where known."""

    before: int | None = None
    after: int | None = None


@dataclass(frozen=True, slots=True)
class ConversationReset:
    """The conversation began anew (``/clear``) under another session id."""

    session_id: str


@dataclass(frozen=True, slots=True)
class HistoryLoaded:
    """A session was resumed: what happened before, oldest first; ``cut`` when the oldest was left out."""

    events: tuple[AgentEvent, ...]
    cut: bool = False


@dataclass(frozen=True, slots=True)
class SessionLost:
    """The CLI is gone.

    Attributes:
        reason: What there is to say about it, for a person, or "".
        expected: Whether it was asked to go.
        exit_code: The CLI's exit code, or None.
        kind: Which of `ccq_tui.agent.problems` it is.
    """

    reason: str
    expected: bool = False
    exit_code: int | None = None
    kind: str = "session_lost"


AgentEvent = (
    Connected
    | CommandsListed
    | ModelsListed
    | PromptAccepted
    | PromptDelivered
    | PromptReturned
    | BlockGrew
    | BlockFinished
    | BlockDropped
    | ToolStarted
    | ToolFinished
    | TaskStarted
    | TaskProgressed
    | TaskEnded
    | QuestionAsked
    | PermissionAsked
    | PlanProposed
    | RequestSettled
    | StateChanged
    | ModeChanged
    | ModelChanged
    | EffortChanged
    | TitleChanged
    | ContextUsage
    | Retrying
    | ErrorReported
    | NoticeGiven
    | TurnEnded
    | Compacted
    | ConversationReset
    | HistoryLoaded
    | SessionLost
)
