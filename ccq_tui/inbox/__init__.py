"""Requests that wait for a person, and the interface through which they are asked and answered."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ccq_tui.inbox.facts import SessionFact
    from ccq_tui.inbox.left import Left
    from ccq_tui.inbox.memory import MemoryInbox
    from ccq_tui.inbox.port import Added, Inbox, InboxChange, InboxTrouble, ParkWanted, SessionNoted, Settled
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
    from ccq_tui.inbox.verdicts import (
        AlreadySettled,
        InboxBusy,
        InboxError,
        InboxTooNew,
        InboxUnavailable,
        Unknown,
        Verdict,
        Won,
    )

__all__ = [
    "Added",
    "Allowed",
    "AlreadySettled",
    "Cancelled",
    "Denied",
    "Inbox",
    "InboxBusy",
    "InboxChange",
    "InboxError",
    "InboxTooNew",
    "InboxTrouble",
    "InboxUnavailable",
    "Left",
    "MemoryInbox",
    "ParkWanted",
    "PermissionRequest",
    "PlanRequest",
    "QuestionRequest",
    "Request",
    "RequestOutcome",
    "SessionFact",
    "SessionNoted",
    "Settled",
    "Unknown",
    "Verdict",
    "Won",
]

_LATER = {
    "Added": "port",
    "Allowed": "requests",
    "AlreadySettled": "verdicts",
    "Cancelled": "requests",
    "Denied": "requests",
    "Inbox": "port",
    "InboxBusy": "verdicts",
    "InboxChange": "port",
    "InboxError": "verdicts",
    "InboxTooNew": "verdicts",
    "InboxTrouble": "port",
    "InboxUnavailable": "verdicts",
    "Left": "left",
    "MemoryInbox": "memory",
    "ParkWanted": "port",
    "PermissionRequest": "requests",
    "PlanRequest": "requests",
    "QuestionRequest": "requests",
    "Request": "requests",
    "RequestOutcome": "requests",
    "SessionFact": "facts",
    "SessionNoted": "port",
    "Settled": "port",
    "Unknown": "verdicts",
    "Verdict": "verdicts",
    "Won": "verdicts",
}


def __getattr__(name: str) -> Any:
    """Load what is used when it is first used: a command that lists needs no inbox that is waited on."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
    globals()[name] = value
    return value
