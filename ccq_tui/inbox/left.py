"""What earlier processes left of a session's requests."""

from __future__ import annotations

from dataclasses import dataclass

from ccq_tui.inbox.requests import Request, RequestOutcome
from ccq_tui.inbox.waiting import Draft


@dataclass(frozen=True, slots=True)
class Left:
    """A request of a session that is resumed.

    Attributes:
        request: The request.
        outcome: What a person decided and the agent was not seen to have, or None while it waits.
        draft: What was selected and typed for it, or None.
    """

    request: Request
    outcome: RequestOutcome | None = None
    draft: Draft | None = None
