"""What a session tells the rest of the program: frozen facts in the past tense.

Text in events is the model's or a tool's own, unsanitised: the code that draws it makes it safe.
"""

from __future__ import annotations

from dataclasses import dataclass

from ccq_tui.agent.events.facts import (
    CommandsListed,
    Connected,
    ContextUsage,
    EffortChanged,
    ModeChanged,
    ModelChanged,
    ModelChoice,
    ModelsListed,
    SlashCommand,
    StateChanged,
    TitleChanged,
)
from ccq_tui.agent.events.requests import (
    AnswerNotKept,
    ArrivingEnded,
    PermissionAsked,
    PlanProposed,
    QuestionArriving,
    QuestionAsked,
    RequestParked,
    RequestSettled,
)
from ccq_tui.agent.events.talk import (
    BlockDropped,
    BlockFinished,
    BlockGrew,
    PromptAccepted,
    PromptDelivered,
    PromptRecorded,
    PromptReturned,
)
from ccq_tui.agent.events.turns import (
    COMPACTING,
    PARKED_KIND,
    Compacted,
    ConversationReset,
    ErrorReported,
    NoticeGiven,
    Retrying,
    SessionLost,
    ThinkingCounted,
    TurnEnded,
)
from ccq_tui.agent.events.words import (
    BlockKey,
    BlockKind,
    SessionState,
)
from ccq_tui.agent.events.work import (
    TaskEnded,
    TaskProgressed,
    TaskStarted,
    ToolFinished,
    ToolGrew,
    ToolStarted,
)


@dataclass(frozen=True, slots=True)
class HistoryLoaded:
    """A session was resumed: what happened before, oldest first; ``cut`` when the oldest was left out.

    A long past comes in parts: first the newest, then with ``older`` what was before all that came so far.
    The first one has the conversation's ``title``, "" where it was given none, and its ``first_prompt``.
    """

    events: tuple[AgentEvent, ...]
    cut: bool = False
    older: bool = False
    title: str = ""
    first_prompt: str = ""


AgentEvent = (
    Connected
    | CommandsListed
    | ModelsListed
    | PromptAccepted
    | PromptDelivered
    | PromptRecorded
    | PromptReturned
    | BlockGrew
    | BlockFinished
    | BlockDropped
    | ToolGrew
    | ToolStarted
    | ToolFinished
    | TaskStarted
    | TaskProgressed
    | TaskEnded
    | QuestionArriving
    | ArrivingEnded
    | QuestionAsked
    | PermissionAsked
    | PlanProposed
    | RequestParked
    | RequestSettled
    | AnswerNotKept
    | StateChanged
    | ModeChanged
    | ModelChanged
    | EffortChanged
    | TitleChanged
    | ContextUsage
    | Retrying
    | ThinkingCounted
    | ErrorReported
    | NoticeGiven
    | TurnEnded
    | Compacted
    | ConversationReset
    | HistoryLoaded
    | SessionLost
)

__all__ = [
    "COMPACTING",
    "PARKED_KIND",
    "AgentEvent",
    "AnswerNotKept",
    "ArrivingEnded",
    "BlockDropped",
    "BlockFinished",
    "BlockGrew",
    "BlockKey",
    "BlockKind",
    "CommandsListed",
    "Compacted",
    "Connected",
    "ContextUsage",
    "ConversationReset",
    "EffortChanged",
    "ErrorReported",
    "HistoryLoaded",
    "ModeChanged",
    "ModelChanged",
    "ModelChoice",
    "ModelsListed",
    "NoticeGiven",
    "PermissionAsked",
    "PlanProposed",
    "PromptAccepted",
    "PromptDelivered",
    "PromptRecorded",
    "PromptReturned",
    "QuestionArriving",
    "QuestionAsked",
    "RequestParked",
    "RequestSettled",
    "Retrying",
    "SessionLost",
    "SessionState",
    "SlashCommand",
    "StateChanged",
    "TaskEnded",
    "TaskProgressed",
    "TaskStarted",
    "ThinkingCounted",
    "TitleChanged",
    "ToolFinished",
    "ToolGrew",
    "ToolStarted",
    "TurnEnded",
]
