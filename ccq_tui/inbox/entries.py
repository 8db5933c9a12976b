"""A request that is asked in this process, and those who wait for its outcome."""

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
        outcome: How it was settled, to come.
        waiting: How many wait for that.
        left: Whether the end of their wait no longer withdraws it.
    """

    request: Request
    outcome: asyncio.Future[RequestOutcome]
    waiting: int = 0
    left: bool = False

    async def wait(self, withdraw: Callable[[str], None]) -> RequestOutcome:
        """Wait, without limit, for the outcome.

        Returns how the request was settled.
        """
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
        told: Whether subscribers know that it waits.
        in_memory: Whether the disk refused it.
        context: What the agent wrote before it.
        asked_at: When it was asked here.
        recalled: How its questions were answered before.
        drafts: The draft that was on disk as it was asked, until somebody has taken it.
    """

    written: asyncio.Task[None] | None = None
    told: bool = False
    in_memory: bool = False
    context: str = ""
    asked_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    recalled: tuple[Recalled | None, ...] = ()
    drafts: list[Draft | None] = field(default_factory=list)
