"""What is said: prompts, and the blocks of the agent's messages."""

from __future__ import annotations

from dataclasses import dataclass

from ccq_tui.agent.events.words import BlockKey, BlockKind


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
class PromptRecorded:
    """The session's record has a prompt that has reached the agent: no kill of the CLI takes it any more."""

    prompt_id: str


@dataclass(frozen=True, slots=True)
class PromptReturned:
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
