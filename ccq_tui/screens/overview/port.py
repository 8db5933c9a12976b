"""What the overview needs of the program around it."""

from __future__ import annotations

from typing import Protocol

from ccq_tui.inbox.durable import DurableInbox
from ccq_tui.screens.overview.cards import Card


class OverviewHost(Protocol):
    """The sessions of this terminal, and what can be done with them and with stored ones."""

    @property
    def inbox(self) -> DurableInbox:
        """The inbox, which keeps the sessions."""

    def cards_here(self) -> tuple[Card, ...]:
        """Return the cards of the sessions of this terminal."""

    def open_another(self) -> None:
        """Ask where another session works, and open it; the overview stays where that is left."""

    def open_earlier(self) -> None:
        """Let a person choose an earlier session, and open it; the overview stays where that is left."""

    def open_inbox(self) -> None:
        """Show what waits in all sessions."""

    async def recorded(self) -> frozenset[str] | None:
        """Return the sessions that Claude Code keeps, or None where that is not known."""

    async def go_on(self, card: Card) -> str:
        """Start a session again that has no process, without showing it.

        Args:
            card: The session.

        Returns:
            What came of it, in words.
        """
