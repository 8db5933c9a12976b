"""The events of a session: frozen facts in the past tense.

Text in events is the model's or a tool's own, unsanitised: the code that draws it makes it safe.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, dataclass_transform

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


@dataclass_transform(frozen_default=True)
class AgentEvent:
    """An event of a session. Each kind below is a frozen dataclass."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)


# -- prompts, and the blocks of messages ---------------------------------------------------------------------


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


class PromptDelivered(AgentEvent):
    """A prompt has reached the agent."""

    prompt_id: str


class PromptRecorded(AgentEvent):
    """The session's record has a prompt that has reached the agent: it survives a kill of the CLI."""

    prompt_id: str


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


class BlockGrew(AgentEvent):
    """Text was appended to a block that is being streamed."""

    key: BlockKey
    kind: BlockKind
    text: str


class BlockFinished(AgentEvent):
    """A block is complete; ``text`` is its whole text and replaces the streamed one."""

    key: BlockKey
    kind: BlockKind
    text: str


class BlockDropped(AgentEvent):
    """A block's stream broke and will come again; its streamed text is void."""

    key: BlockKey


# -- tool calls and tasks ------------------------------------------------------------------------------------


class ToolStarted(AgentEvent):
    """The agent called a tool; ``parent`` is the Agent call it works for, or ""."""

    tool_use_id: str
    tool: str
    input: Mapping[str, Any] = field(hash=False)
    parent: str = ""


class ToolGrew(AgentEvent):
    """A call has written more; ``output`` is the newest part of it."""

    tool_use_id: str
    output: str


class ToolFinished(AgentEvent):
    """A tool call has its result; ``output`` is the model's text, ``structured`` the CLI's own record."""

    tool_use_id: str
    tool: str
    output: str
    is_error: bool = False
    structured: Any = field(default=None, hash=False)
    parent: str = ""


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


class TaskBackgrounded(AgentEvent):
    """A task that the turn waited for was sent to the background: the turn continues meanwhile."""

    task_id: str


class TaskProgressed(AgentEvent):
    """A task got further; ``doing`` is its current action, the numbers are those of the whole task so far."""

    task_id: str
    doing: str
    tools: int = 0
    tokens: int = 0


class TaskEnded(AgentEvent):
    """A task is over; ``status`` is "completed", "failed" or "stopped", ``summary`` its own words."""

    task_id: str
    status: str
    summary: str = ""
    tools: int = 0
    tokens: int = 0


# -- requests to a person ------------------------------------------------------------------------------------


class RequestAsked(AgentEvent):
    """A request waits for a person.

    Attributes:
        request: The request, whose type is its kind.
        by_message: Whether no call waits for it any more, so that its answer goes to the agent as a message.
    """

    request: Request
    by_message: bool = False


class RequestParked(AgentEvent):
    """A question set still waits, but without a process; it is shown again when its session is resumed.

    Attributes:
        request_id: The request.
        deferred: Whether the same call asks it again then; else its answer goes as a message.
    """

    request_id: str
    deferred: bool


class RequestSettled(AgentEvent):
    """A request no longer waits: a person answered, or it was cancelled.

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


class DraftLeft(AgentEvent):
    """A request ended with an earlier process while words were typed for it."""

    draft: Draft


# -- facts about the session ---------------------------------------------------------------------------------


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


class ModelsListed(AgentEvent):
    """The models that the CLI offers."""

    models: tuple[ModelChoice, ...]


class StateChanged(AgentEvent):
    """The state of the session changed; ``cause`` says why, for the history, where that is known."""

    state: SessionState
    cause: str = ""


class ModeChanged(AgentEvent):
    """The permission mode changed."""

    mode: str


class ModelChanged(AgentEvent):
    """The model changed."""

    model: str


class EffortChanged(AgentEvent):
    """The effort of the model changed to ``level``."""

    level: str


class TitleChanged(AgentEvent):
    """A person gave the session a title."""

    title: str


class ContextUsage(AgentEvent):
    """The use of the model's context; ``percentage`` is 0..100."""

    percentage: float
    tokens: int
    limit: int


# -- how turns and sessions continue, fail and end -----------------------------------------------------------


class Retrying(AgentEvent):
    """A request to the model failed and is made again after ``delay`` seconds."""

    attempt: int
    max_attempts: int
    delay: float
    status: int | None
    error: str


class ThinkingCounted(AgentEvent):
    """The model is still thinking; ``tokens`` is the CLI's estimate so far."""

    tokens: int


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


class NoticeGiven(AgentEvent):
    """The CLI or the session has something to say: a warning, a compaction, a command's output."""

    level: str
    text: str


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


class Reconnected(AgentEvent):
    """A new process runs after the last one was lost."""


class IdleProcessEnded(AgentEvent):
    """The session's idle process was ended, to make room for one of another session."""


class ConversationReset(AgentEvent):
    """The conversation started over (``/clear``) under another session id."""

    session_id: str


PARKED_KIND = "parked"
"""The kind of a session's end that waits for an answer."""


class SessionLost(AgentEvent):
    """The CLI is gone.

    Attributes:
        reason: Details for a person, or "".
        expected: Whether it was asked to end.
        kind: One of `ccq_tui.agent.problems`, or `PARKED_KIND`.
    """

    reason: str
    expected: bool = False
    kind: str = "session_lost"


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
