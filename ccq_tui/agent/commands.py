"""What a session can be told to do: frozen orders that go through its queue."""

from __future__ import annotations

from dataclasses import dataclass, field
from uuid import uuid4

from ccq_tui.inbox import RequestOutcome


@dataclass(frozen=True, slots=True)
class Send:
    """Give the agent a prompt; ``prompt_id`` is the UUID under which it goes."""

    text: str
    prompt_id: str = field(default_factory=lambda: str(uuid4()))


@dataclass(frozen=True, slots=True)
class Interrupt:
    """End the turn that is running, and with it every request that waits."""


@dataclass(frozen=True, slots=True)
class SetMode:
    """Change the permission mode, by Claude Code's own name for it."""

    mode: str


@dataclass(frozen=True, slots=True)
class SetModel:
    """Change the model; None is the default one."""

    model: str | None


@dataclass(frozen=True, slots=True)
class Answer:
    """Settle a request through the inbox; the first answer wins."""

    request_id: str
    outcome: RequestOutcome
    surface: str


@dataclass(frozen=True, slots=True)
class Close:
    """End the session and its process."""


Command = Send | Interrupt | SetMode | SetModel | Answer | Close


class CommandError(Exception):
    """The CLI did not do what it was told; the message is for a person."""
