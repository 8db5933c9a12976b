"""What the CLI waits for a person with: asked through the inbox, settled, parked, or given up."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ccq_tui.agent.events import (
    AgentEvent,
    BlockFinished,
    BlockKind,
    PermissionAsked,
    PlanProposed,
    QuestionAsked,
    RequestParked,
    RequestSettled,
    TurnEnded,
)
from ccq_tui.inbox import (
    Added,
    Cancelled,
    Inbox,
    InboxChange,
    InboxError,
    PermissionRequest,
    QuestionRequest,
    Request,
    RequestOutcome,
    Settled,
)
from ccq_tui.inbox.waiting import Draft

_logger = logging.getLogger(__name__)

SURFACE = "session"
_SEEN_SECONDS = 1.0
_LOOKS = 10
"""Waits that these seconds are made of: a process that was stopped has lost one of them, not all."""


@dataclass(frozen=True, slots=True)
class Parked:
    """Nobody answered yet, and the CLI is not to wait any longer.

    Attributes:
        deferred: Whether the CLI asks again, as the same call, when the session is resumed.
    """

    deferred: bool


class Waits:
    """The requests of one connection.

    Args:
        inbox: Where they wait.
        emit: Takes their events.

    Attributes:
        pending: What waits for a person, oldest first.
    """

    def __init__(self, inbox: Inbox, emit: Callable[[AgentEvent], None]) -> None:
        self.pending: dict[str, Request] = {}
        self._inbox = inbox
        self._emit = emit
        self._shown: dict[str, asyncio.Event] = {}
        self._told: set[str] = set()
        self._parkable: set[str] = set()
        self._parks: dict[str, asyncio.Future[Parked]] = {}
        self._ending = "interrupted"
        self._over = False
        self._written = ""

    def hear(self, event: AgentEvent) -> None:
        """Keep what the agent itself wrote last in this turn: it says what a request is about."""
        match event:
            case BlockFinished(key, BlockKind.TEXT, text) if not key.parent:
                self._written = text
            case TurnEnded():
                self._written = ""
            case _:
                pass

    def shown(self, tool_use_id: str) -> None:
        """Note that a tool call was reported, so that a request for it may follow."""
        self._shown.setdefault(tool_use_id, asyncio.Event()).set()

    def finished(self, tool_use_id: str) -> None:
        """Forget a tool call that has its result."""
        self._shown.pop(tool_use_id, None)

    def give_up(self, reason: str) -> None:
        """End all waits: the CLI is gone. A question can still be answered later, everything else cannot.

        Args:
            reason: Why, for a person.
        """
        self._ending, self._over = reason, True
        pending, self.pending = self.pending, {}
        for request_id, request in pending.items():
            if isinstance(request, QuestionRequest) and request_id in self._told:
                self._inbox.leave(request_id)
                self._parks[request_id].cancel()
                self._emit(RequestParked(request_id, deferred=False))
                continue
            self._inbox.withdraw(request_id, reason, SURFACE)
            self._emit(RequestSettled(request_id, Cancelled(reason), SURFACE))

    async def park(self) -> bool:
        """Let the CLI go while questions wait.

        The last one is asked again, as the same call, when the session is resumed: of several that are put
        off that way the CLI would drop all but the last. The others are answered by message.

        Returns:
            Whether there was a question to park.
        """
        waiting = [name for name in self.pending if name in self._parkable & self._told]
        for name in waiting:
            park = self._parks[name]
            last = name == waiting[-1]
            try:
                if last:
                    await self._inbox.defer(name)
            except InboxError as error:
                _logger.warning("A parked question is not noted: %s", error)
            self._inbox.leave(name)
            if not park.done():
                park.set_result(Parked(deferred=last))
        return bool(waiting)

    async def ask(
        self, request: Request, *, parkable: bool = False, context: str = ""
    ) -> RequestOutcome | Parked:
        """Wait for a person; cancelling the wait settles the request as cancelled.

        Args:
            request: What to ask.
            parkable: Whether `park` may end the wait.
            context: What the agent wrote before it; "" for what it wrote last.

        Returns:
            How it was settled, or that it was parked.
        """
        await self.call_shown(request.tool_use_id)
        self._stop_when_over()
        self.pending[request.id] = request
        waits, surface = asyncio.Event(), ""

        def hear(change: InboxChange) -> None:
            nonlocal surface
            if isinstance(change, Settled) and change.request.id == request.id:
                surface = change.surface
            elif isinstance(change, Added) and change.request.id == request.id:
                waits.set()

        unsubscribe = self._inbox.subscribe(hear)
        # A task of its own, because the inbox hears the reason from us before its own wait ends.
        asking = asyncio.ensure_future(self._inbox.ask(request, context or self._written))
        asking.add_done_callback(lambda _: waits.set())
        park = self._parks[request.id] = asyncio.get_running_loop().create_future()
        if parkable:
            self._parkable.add(request.id)
        outcome: RequestOutcome | Parked = Cancelled(self._ending)
        try:
            await waits.wait()  # the inbox has the request before anyone hears of it and answers
            draft = None if asking.done() else await self._draft(request)
            self._stop_when_over()
            self._told.add(request.id)
            self._emit(_asked(request, draft))
            either: list[asyncio.Future[Any]] = [asking, park]
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            outcome = asking.result() if asking.done() else park.result()
        except asyncio.CancelledError:
            # Nothing when the request was left for later: that end is meant.
            if request.id in self.pending:
                self._inbox.withdraw(request.id, self._ending, SURFACE)
            raise
        except Exception:
            _logger.exception("The inbox failed")
            raise
        finally:
            unsubscribe()
            self._parks.pop(request.id, None)
            self._told.discard(request.id)
            self._parkable.discard(request.id)
            if not asking.done():
                asking.cancel(self._ending)
            if self.pending.pop(request.id, None):
                self._emit(
                    RequestParked(request.id, outcome.deferred)
                    if isinstance(outcome, Parked)
                    else RequestSettled(request.id, outcome, surface)
                )
        self._stop_when_over()
        return outcome

    async def _draft(self, request: Request) -> Draft | None:
        """Bring back what was typed for a request; without it the request is asked all the same."""
        try:
            return await self._inbox.load_draft(request)
        except InboxError as error:
            _logger.warning("A draft was not read: %s", error)
            return None

    def _stop_when_over(self) -> None:
        """Ask nobody and reply nothing once the process is gone: an attempt would only end in an error."""
        if self._over:
            raise asyncio.CancelledError(self._ending)

    async def call_shown(self, tool_use_id: str) -> None:
        """Wait until the call's own event is out: requests come on another way, and may be faster.

        A request from a session's past has no such event, hence the limit.
        """
        event = self._shown.setdefault(tool_use_id, asyncio.Event())
        for _ in range(_LOOKS):
            try:
                async with asyncio.timeout(_SEEN_SECONDS / _LOOKS):
                    await event.wait()
            except TimeoutError:
                continue
            return
        event.set()  # nobody waits for it a second time
        _logger.debug("A request came without its tool call")


def _asked(request: Request, draft: Draft | None) -> AgentEvent:
    if isinstance(request, QuestionRequest):
        return QuestionAsked(request, draft)
    if isinstance(request, PermissionRequest):
        return PermissionAsked(request, draft)
    return PlanProposed(request, draft)
