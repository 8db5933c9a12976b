"""What events speak of: states of a session, kinds and names of blocks."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class SessionState(StrEnum):
    """What a session is doing, in the program's words."""

    QUEUED = "queued"
    STARTING = "starting"
    WORKING = "working"
    AWAITING = "awaiting"
    PARKED = "parked"
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
