"""Requests asked in this process, and the waits for their outcomes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from ccq_tui.inbox.requests import Request, RequestOutcome
from ccq_tui.inbox.waiting_line import Draft
from ccq_tui.questions.recalled import Recalled


@dataclass(slots=True)
class Entry:
    """A request that is asked in this process.

    Attributes:
        request: The request.
        outcome: Its outcome, once it is settled.
        waiting: Number of callers that wait for the outcome.
        left: Whether the end of their wait no longer withdraws it.
    """

    request: Request
    outcome: asyncio.Future[RequestOutcome]
    waiting: int = 0
    left: bool = False

    async def wait(self, withdraw: Callable[[str], None]) -> RequestOutcome:
        """Wait, without limit, for the outcome, and return it."""
        self.left = False
        self.waiting += 1
        try:
            # Shielded, because a future dies with the first of its waiters.
            return await asyncio.shield(self.outcome)
        except asyncio.CancelledError as error:
            if self.waiting == 1 and not self.left:
                withdraw(str(error.args[0]) if error.args else "withdrawn")
            raise
        finally:
            self.waiting -= 1


@dataclass(slots=True)
class KeptEntry(Entry):
    """A request that is asked in this process and kept on disk.

    Attributes:
        told: Whether subscribers know that it is pending.
        in_memory: Whether the disk refused it.
        context: The agent's text before it.
        asked_at: The time at which it was asked here.
        recalled: Earlier answers to its questions.
        drafts: The draft that was on disk when it was asked, until a caller takes it.
    """

    written: asyncio.Task[None] | None = None
    told: bool = False
    in_memory: bool = False
    context: str = ""
    asked_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    recalled: tuple[Recalled | None, ...] = ()
    drafts: list[Draft | None] = field(default_factory=list)
