"""The pieces a script is made of: blocks inside a message, and the steps that answer one request each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from ccq_tui.testing.replies import Replies

if TYPE_CHECKING:
    from ccq_tui.testing.scenario import Scenario

Words: TypeAlias = str | Callable[[Replies], str]
Arguments: TypeAlias = Mapping[str, Any] | Callable[[Replies], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Text:
    """Prose of the model."""

    words: Words


@dataclass(frozen=True, slots=True)
class Thinking:
    """Thinking of the model."""

    words: Words


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tool_use block.

    Attributes:
        tool: The tool's name.
        arguments: The tool's input, or a callable that makes it from the replies so far. A callable among
            the values is resolved the same way.
        script: For a subagent, what it plays.
    """

    tool: str
    arguments: Arguments = field(default_factory=dict)
    script: Scenario | None = None


@dataclass(frozen=True, slots=True)
class Silence:
    """No byte is sent here until the gate is released or the limit (seconds) is over."""

    gate: str = "hang"
    limit: float = 60.0


Block: TypeAlias = Text | Thinking | ToolCall | Silence


@dataclass(frozen=True, slots=True)
class Cut:
    """The connection breaks.

    Attributes:
        after: After so many characters of content; None means after all of it.
        error: An API error type sent as a stream event first, or "" for a plain break.
    """

    after: int | None = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the model, the answer to one request.

    Attributes:
        blocks: Its content in order.
        closed: Whether the builder puts further blocks into a new message.
        stop_reason: What the message ends with; "" means tool_use or end_turn, as the content demands.
        cut: Where the stream breaks, or None.
        usage: Token counts that replace the estimated ones.
    """

    blocks: tuple[Block, ...] = ()
    closed: bool = False
    stop_reason: str = ""
    cut: Cut | None = None
    usage: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Failure:
    """One request refused with an HTTP status.

    Attributes:
        status: The HTTP status.
        body: The JSON body.
        headers: Further response headers.
    """

    status: int
    body: Mapping[str, Any]
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TurnEnd:
    """What follows belongs to the person's next prompt."""


@dataclass(frozen=True, slots=True)
class Branch:
    """The steps of another script are played here, chosen when the play arrives."""

    choose: Callable[[Replies], Scenario]


Step: TypeAlias = Message | Failure | TurnEnd | Branch

ERROR_TYPES: Mapping[int, str] = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}


def error_body(kind: str, message: str) -> dict[str, Any]:
    """The API's JSON for an error."""
    return {"type": "error", "error": {"type": kind, "message": message}}
