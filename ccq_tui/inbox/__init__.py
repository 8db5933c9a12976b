"""Requests that wait for a person, and the interface through which they are asked and answered."""

from ccq_tui.inbox.memory import MemoryInbox
from ccq_tui.inbox.port import Added, Inbox, InboxChange, Settled
from ccq_tui.inbox.requests import (
    Allowed,
    Cancelled,
    Denied,
    PermissionRequest,
    PlanRequest,
    QuestionRequest,
    Request,
    RequestOutcome,
)

__all__ = [
    "Added",
    "Allowed",
    "Cancelled",
    "Denied",
    "Inbox",
    "InboxChange",
    "MemoryInbox",
    "PermissionRequest",
    "PlanRequest",
    "QuestionRequest",
    "Request",
    "RequestOutcome",
    "Settled",
]
