"""What the inbox screen needs of the program around it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from ccq_tui.inbox.durable import DurableInbox
from ccq_tui.inbox.waiting import Draft
from ccq_tui.screens.inbox.listing import InboxRow


class InboxHost(Protocol):
    """The sessions of this terminal, and what can be done with those that are not open in it."""

    @property
    def inbox(self) -> DurableInbox:
        """The inbox."""

    def way_back(self) -> str:
        """Say where leaving the inbox screen leads, in one or two words."""

    async def recorded(self) -> frozenset[str] | None:
        """Return the sessions that Claude Code keeps, or None where that is not known."""

    def open_here(self) -> Mapping[str, str]:
        """Return what the sessions of this terminal are called, or "", by Claude session id."""

    def draft_here(self, row: InboxRow) -> Draft | None:
        """Return the draft of a request as its session in this terminal has it, or None."""

    def keep_draft_here(self, row: InboxRow, draft: Draft) -> None:
        """Give a draft to the session in this terminal that has the request, if there is one."""

    def touch_here(self, row: InboxRow) -> None:
        """Count the limits of the session in this terminal that has the request from now, if there is one."""

    async def park(self, row: InboxRow) -> str:
        """Park the session of a request, whichever process runs it; return in words how that went."""

    def tell(self, text: str) -> None:
        """Say something in the session on the screen, after the inbox screen was left."""

    async def deliver(self, row: InboxRow) -> str:
        """See to it that the agent gets what was decided; return in words how it does."""
