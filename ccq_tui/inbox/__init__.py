"""Requests that wait for a person, and the interface through which they are asked and answered."""

from typing import TYPE_CHECKING

from ccq_tui.lazy import loaded_later

if TYPE_CHECKING:
    from ccq_tui.inbox.port import (
        Added,
        DraftUpdated,
        Inbox,
        InboxChange,
        InboxRenewed,
        InboxTrouble,
        Notified,
        ParkWanted,
        SessionFact,
        SessionNoted,
        Settled,
    )
    from ccq_tui.inbox.requests import (
        Allowed,
        Cancelled,
        Denied,
        ElicitationRequest,
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
    "DraftUpdated",
    "ElicitationRequest",
    "Inbox",
    "InboxBusy",
    "InboxChange",
    "InboxError",
    "InboxRenewed",
    "InboxTooNew",
    "InboxTrouble",
    "InboxUnavailable",
    "Notified",
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

# Loaded when first used: a command that lists requests needs no asyncio inbox.
__getattr__ = loaded_later(__name__, "verdicts", "requests", "port")
