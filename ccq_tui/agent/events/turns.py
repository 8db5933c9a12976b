"""How turns and sessions go on, fail and end."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Retrying:
    """A request to the model failed and is made again after ``delay`` seconds."""

    attempt: int
    max_attempts: int
    delay: float
    status: int | None
    error: str


@dataclass(frozen=True, slots=True)
class ThinkingCounted:
    """The model thinks on; ``tokens`` is the CLI's estimate of how much so far."""

    tokens: int


@dataclass(frozen=True, slots=True)
class ErrorReported:
    """Something went wrong; the session goes on.

    Attributes:
        kind: Which of `ccq_tui.agent.problems` it is, or a word of the CLI's that has none there.
        text: What there is to say about it, for a person, or "".
    """

    kind: str
    text: str


COMPACTING = "Compacting the conversation…"
"""The notice of a compaction, after which the CLI says nothing until it is done."""


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
        input_tokens: Tokens the model read for the first time; the conversation that each request repeats
            counts once.
        output_tokens: Tokens the model wrote.
        text: What went wrong, for a person, or "".
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
class Compacted:
    """The conversation was made shorter.

    Attributes:
        before: Tokens that it took before, where known.
        after: Tokens that it takes now, where known.
        summary: What the model reads in its place, or "".
    """

    before: int | None = None
    after: int | None = None
    summary: str = ""


@dataclass(frozen=True, slots=True)
class ConversationReset:
    """The conversation began anew (``/clear``) under another session id."""

    session_id: str


PARKED_KIND = "parked"
"""The kind of a session's end that waits for an answer."""


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
