"""The events of a session: frozen facts in the past tense.

Text in events is the model's or a tool's own, unsanitised: the code that draws it makes it safe.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.draft import Draft
from ccq_tui.inbox.requests import Request, RequestOutcome
from ccq_tui.inbox.store.rows import SessionState as SessionState


class BlockKind(StrEnum):
    """The content of a streamed block of an assistant message."""

    TEXT = "text"
    THINKING = "thinking"


@dataclass(frozen=True, slots=True)
class BlockKey:
    """Names a streamed block: message id, index in the message, and the Agent call it belongs to, or ""."""

    message_id: str
    index: int
    parent: str = ""


class AgentEvent:
    """An event of a session. Each kind is a frozen dataclass below."""

    __slots__ = ()


# -- prompts, and the blocks of messages ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PromptAccepted(AgentEvent):
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
class PromptDelivered(AgentEvent):
    """A prompt has reached the agent."""

    prompt_id: str


@dataclass(frozen=True, slots=True)
class PromptRecorded(AgentEvent):
    """The session's record has a prompt that has reached the agent: it survives a kill of the CLI."""

    prompt_id: str


@dataclass(frozen=True, slots=True)
class PromptReturned(AgentEvent):
    """A prompt did not reach the agent; it goes back to the person who typed it.

    Attributes:
        text: The prompt.
        reason: Why, for a person.
        prompt_id: The id under which it was sent, or "".
        wanted: Whether the person asked for it.
        kept: Whether it is an answer to a question, which the inbox keeps and delivers: nobody gets it back.
    """

    text: str
    reason: str
    prompt_id: str = ""
    wanted: bool = False
    kept: bool = False


@dataclass(frozen=True, slots=True)
class BlockGrew(AgentEvent):
    """Text was appended to a block that is being streamed."""

    key: BlockKey
    kind: BlockKind
    text: str


@dataclass(frozen=True, slots=True)
class BlockFinished(AgentEvent):
    """A block is complete; ``text`` is its whole text and replaces the streamed one."""

    key: BlockKey
    kind: BlockKind
    text: str


@dataclass(frozen=True, slots=True)
class BlockDropped(AgentEvent):
    """A block's stream broke and will come again; its streamed text is void."""

    key: BlockKey


# -- tool calls and tasks ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ToolStarted(AgentEvent):
    """The agent called a tool; ``parent`` is the Agent call it works for, or ""."""

    tool_use_id: str
    tool: str
    input: Mapping[str, Any] = field(hash=False)
    parent: str = ""


@dataclass(frozen=True, slots=True)
class ToolGrew(AgentEvent):
    """A call has written more; ``output`` is the newest part of it."""

    tool_use_id: str
    output: str


@dataclass(frozen=True, slots=True)
class ToolFinished(AgentEvent):
    """A tool call has its result; ``output`` is the model's text, ``structured`` the CLI's own record."""

    tool_use_id: str
    tool: str
    output: str
    is_error: bool = False
    structured: Any = field(default=None, hash=False)
    parent: str = ""


@dataclass(frozen=True, slots=True)
class TaskStarted(AgentEvent):
    """A subagent, or a command that takes a while, began to work.

    Attributes:
        task_id: The task's id.
        tool_use_id: The call that it belongs to, or "".
        description: The subject of the task.
        background: Whether the turn continues meanwhile.
        agent: Whether it is a subagent.
    """

    task_id: str
    tool_use_id: str
    description: str
    background: bool = False
    agent: bool = False


@dataclass(frozen=True, slots=True)
class TaskBackgrounded(AgentEvent):
    """A task that the turn waited for was sent to the background: the turn continues meanwhile."""

    task_id: str


@dataclass(frozen=True, slots=True)
class TaskProgressed(AgentEvent):
    """A task got further; ``doing`` is its current action, the numbers are those of the whole task so far."""

    task_id: str
    tool_use_id: str
    doing: str
    tools: int = 0
    tokens: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class TaskEnded(AgentEvent):
    """A task is over; ``status`` is "completed", "failed" or "stopped", ``summary`` its own words."""

    task_id: str
    tool_use_id: str
    status: str
    summary: str = ""
    tools: int = 0
    tokens: int = 0
    seconds: float = 0.0


# -- requests to a person ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RequestAsked(AgentEvent):
    """A request waits for a person.

    Attributes:
        request: The request, whose type is its kind.
        by_message: Whether no call waits for it any more, so that its answer goes to the agent as a message.
    """

    request: Request
    by_message: bool = False


@dataclass(frozen=True, slots=True)
class RequestParked(AgentEvent):
    """A question set still waits, but without a process; it is shown again when its session is resumed.

    Attributes:
        request_id: The request.
        deferred: Whether the same call asks it again then; else its answer goes as a message.
    """

    request_id: str
    deferred: bool


@dataclass(frozen=True, slots=True)
class RequestSettled(AgentEvent):
    """A request no longer waits: somebody answered, or it was cancelled.

    Attributes:
        request_id: The request.
        outcome: How it ended.
        actor: Who answered, or None if that is not known.
        at: The time, if the request is in a session's past.
    """

    request_id: str
    outcome: RequestOutcome
    actor: Actor | None = None
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class DraftLeft(AgentEvent):
    """A request ended with an earlier process while words were typed for it."""

    draft: Draft


# -- facts about the session ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Connected(AgentEvent):
    """The CLI runs and takes prompts."""

    session_id: str
    model: str
    mode: str
    cwd: str
    cli_version: str = ""
    output_style: str = ""


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """A command for the prompt; names have no slash, ``arguments`` hints at the text after it."""

    name: str
    description: str = ""
    arguments: str = ""
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CommandsListed(AgentEvent):
    """The commands that the CLI knows, its own, those of skills and those of MCP servers."""

    commands: tuple[SlashCommand, ...]


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model that can be chosen.

    Attributes:
        value: The value to choose it by.
        name: Its name.
        description: Its use, for a person.
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
class ModelsListed(AgentEvent):
    """The models that the CLI offers."""

    models: tuple[ModelChoice, ...]


@dataclass(frozen=True, slots=True)
class StateChanged(AgentEvent):
    """The state of the session changed; ``cause`` says why, for the history, where that is known."""

    state: SessionState
    cause: str = ""


@dataclass(frozen=True, slots=True)
class ModeChanged(AgentEvent):
    """The permission mode changed."""

    mode: str


@dataclass(frozen=True, slots=True)
class ModelChanged(AgentEvent):
    """The model changed."""

    model: str


@dataclass(frozen=True, slots=True)
class EffortChanged(AgentEvent):
    """The effort of the model changed to ``level``."""

    level: str


@dataclass(frozen=True, slots=True)
class TitleChanged(AgentEvent):
    """A person gave the session a title."""

    title: str


@dataclass(frozen=True, slots=True)
class ContextUsage(AgentEvent):
    """The use of the model's context; ``percentage`` is 0..100."""

    percentage: float
    tokens: int
    limit: int


# -- how turns and sessions continue, fail and end -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Retrying(AgentEvent):
    """A request to the model failed and is made again after ``delay`` seconds."""

    attempt: int
    max_attempts: int
    delay: float
    status: int | None
    error: str


@dataclass(frozen=True, slots=True)
class ThinkingCounted(AgentEvent):
    """The model is still thinking; ``tokens`` is the CLI's estimate so far."""

    tokens: int


@dataclass(frozen=True, slots=True)
class ErrorReported(AgentEvent):
    """Something went wrong; the session continues.

    Attributes:
        kind: One of `ccq_tui.agent.problems`, a failed command such as "mode", or another word of the CLI.
        text: Details for a person, or "".
    """

    kind: str
    text: str


COMPACTING = "Compacting the conversation…"
"""The notice of a compaction, after which the CLI says nothing until it is done."""


@dataclass(frozen=True, slots=True)
class NoticeGiven(AgentEvent):
    """The CLI or the session has something to say: a warning, a compaction, a command's output."""

    level: str
    text: str


@dataclass(frozen=True, slots=True)
class TurnEnded(AgentEvent):
    """A turn is over.

    Attributes:
        reason: The CLI's word for why, such as "completed", "aborted_tools" or "max_turns".
        is_error: Whether it did not end as it should; an interrupted turn did not.
        duration: Seconds that it took.
        cost: US dollars for the session so far, or None.
        input_tokens: Tokens the model read for the first time; the conversation that each request repeats
            counts once.
        output_tokens: Tokens the model wrote.
        text: The failure, for a person, or "".
        turn_cost: US dollars for this turn, or None.
        waited: Seconds of its duration in which it waited for a person.
    """

    reason: str
    is_error: bool
    duration: float
    cost: float | None
    input_tokens: int
    output_tokens: int
    text: str = ""
    turn_cost: float | None = None
    waited: float = 0.0

    @property
    def worked(self) -> float:
        """Seconds of work."""
        return max(0.0, self.duration - self.waited)


@dataclass(frozen=True, slots=True)
class Compacted(AgentEvent):
    """The conversation was made shorter.

    Attributes:
        before: Tokens that it took before, if known.
        after: Tokens that it takes now, if known.
        summary: The text that the model reads in its place, or "".
    """

    before: int | None = None
    after: int | None = None
    summary: str = ""


@dataclass(frozen=True, slots=True)
class ConversationReset(AgentEvent):
    """The conversation started over (``/clear``) under another session id."""

    session_id: str


PARKED_KIND = "parked"
"""The kind of a session's end that waits for an answer."""


@dataclass(frozen=True, slots=True)
class SessionLost(AgentEvent):
    """The CLI is gone.

    Attributes:
        reason: Details for a person, or "".
        expected: Whether it was asked to end.
        exit_code: The CLI's exit code, or None.
        kind: One of `ccq_tui.agent.problems`, or `PARKED_KIND`.
    """

    reason: str
    expected: bool = False
    exit_code: int | None = None
    kind: str = "session_lost"


@dataclass(frozen=True, slots=True)
class HistoryLoaded(AgentEvent):
    """A session was resumed: its past events, oldest first.

    A long past comes in parts: first the newest, then, with ``older``, each part before all that came so far.
    The first one has the conversation's ``title``, "" if it has none, and its ``first_prompt``. Its calls
    without a result have ended, unless it ``goes_on``: a recording is loaded as it is read.
    """

    events: tuple[AgentEvent, ...]
    older: bool = False
    title: str = ""
    first_prompt: str = ""
    goes_on: bool = False
