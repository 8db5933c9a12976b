"""The CLI's requests to a person: asked through the inbox, settled, parked or given up."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ccq_tui.agent import events as ev
from ccq_tui.agent.claude.options import QUESTION_TOOL
from ccq_tui.inbox.actors import WITHDRAWN, Actor
from ccq_tui.inbox.port import Added, Inbox, InboxChange, Settled
from ccq_tui.inbox.requests import (
    Cancelled,
    ElicitationRequest,
    PermissionRequest,
    QuestionRequest,
    Request,
    RequestOutcome,
)
from ccq_tui.inbox.verdicts import InboxError
from ccq_tui.inbox.waiting_line import Draft
from ccq_tui.questions.recalled import Recalled

_logger = logging.getLogger(__name__)

_SEEN_SECONDS = 1.0
_LOOKS = 10
"""Number of waits that make up these seconds: a process that was stopped loses one of them, not all."""
ALONE_SECONDS = 1.5
"""Seconds that a parked question waits for the results of calls beside it."""
TURN_SECONDS = 5.0
"""Seconds that a question set waits for those before it in its message, which a hook may hold up."""


@dataclass(frozen=True, slots=True)
class Parked:
    """The outcome of a request that nobody has answered, and for which the CLI waits no longer.

    Attributes:
        deferred: Whether the CLI asks again, as the same call, when the session is resumed.
    """

    deferred: bool


class Calls:
    """The calls of the main agent's message: those without a result, and the question sets not asked yet."""

    def __init__(self) -> None:
        self._open: set[str] = set()
        self._unasked: list[str] = []
        """The question sets that nobody was asked yet, in their order."""
        self._whole = True
        self._changed = asyncio.Event()

    def stream(self, event: Mapping[str, Any]) -> None:
        """Take an event of the Messages API's stream: more calls may come before its end."""
        if event.get("type") in ("message_start", "message_stop"):
            self._whole = event["type"] == "message_stop"
            self._changed.set()

    def hear(self, event: ev.AgentEvent) -> None:
        """Learn which calls begin and end."""
        match event:
            case ev.ToolStarted(tool_use_id=call, tool=tool, parent=""):
                self._open.add(call)
                if tool == QUESTION_TOOL:
                    self._unasked.append(call)
            case ev.ToolFinished(tool_use_id=call):
                self._open.discard(call)
                self.asked(call)
            case ev.TurnEnded():
                self._open.clear()
                self._unasked.clear()
                self._whole = True
            case _:
                return
        self._changed.set()

    def asked(self, call: str) -> None:
        """Note that a person is asked a question set, or never will be: the next one may follow."""
        if call in self._unasked:
            self._unasked.remove(call)
            self._changed.set()

    async def turn(self, call: str, seconds: float) -> None:
        """Wait until a person was asked all question sets before this one.

        Claude Code calls the hooks of all sets of a message at once, and they come in any order.
        """
        try:
            async with asyncio.timeout(seconds):
                while call in self._unasked[1:]:
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            _logger.info("A question set was not asked in time for the next one")

    async def alone(self, call: str, seconds: float) -> bool:
        """Wait until all other calls have their results; returns whether they have."""
        try:
            async with asyncio.timeout(seconds):
                while not self._whole or self._open - {call}:
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            return False
        return True


class Waits:
    """The requests of one connection.

    Attributes:
        pending: The requests that wait for a person, oldest first.
        calls: The calls that these come from, and those beside them.
    """

    def __init__(self, inbox: Inbox, emit: Callable[[ev.AgentEvent], None]) -> None:
        self.pending: dict[str, Request] = {}
        self.calls = Calls()
        self._inbox = inbox
        self._emit = emit
        self._shown: dict[str, asyncio.Event] = {}
        self._told: set[str] = set()
        self._parkable: set[str] = set()
        self._parks: dict[str, asyncio.Future[Parked]] = {}
        self._parking = False
        self._ending = "interrupted"
        self._over = False
        self._written = ""

    def hear(self, event: ev.AgentEvent) -> None:
        """Keep the main agent's last text of this turn: it says what a request is about."""
        self.calls.hear(event)
        match event:
            case ev.BlockFinished(key, ev.BlockKind.TEXT, text) if not key.parent:
                self._written = text
            case ev.TurnEnded():
                self._written = ""
            case _:
                pass

    def shown(self, tool_use_id: str) -> None:
        """Note that a tool call was reported, so that a request for it may follow."""
        self._shown.setdefault(tool_use_id, asyncio.Event()).set()

    def finished(self, tool_use_id: str) -> None:
        """Forget a tool call that has its result."""
        self._shown.pop(tool_use_id, None)

    def delivered(self, request: Request) -> None:
        """Note that the CLI got the outcome of a request."""
        self._inbox.sessions.delivered(request.id, "result")

    def give_up_on(self, request: Request, reason: str) -> None:
        """Note that the CLI ended before it got the outcome of a request."""
        self._inbox.sessions.give_up(request.id, reason)

    def give_up(self, reason: str) -> None:
        """End all waits: the CLI is gone. A question can still be answered later, everything else cannot."""
        self._ending, self._over = reason, True
        pending, self.pending = self.pending, {}
        for request_id, request in pending.items():
            if isinstance(request, QuestionRequest) and request_id in self._told:
                self._inbox.leave(request_id)
                self._parks[request_id].cancel()
                self._emit(ev.RequestParked(request_id, deferred=False))
                continue
            self._inbox.withdraw(request_id, reason)
            self._emit(ev.RequestSettled(request_id, Cancelled(reason), WITHDRAWN))

    async def park(self) -> bool | None:
        """Put off the waiting questions; return whether the CLI ends its turn to ask one again.

        The last one is asked again, as the same call, when the session is resumed: of several that
        are put off that way the CLI would drop all but the last. The others are answered by message,
        and so are those that come meanwhile. Return None if no question waits.

        The CLI continues from the last entry of the session's record. If the result of another call
        came after that entry, the CLI would silently drop the result of the call that is asked again:
        so all others must have their results first. If that takes too long, the last one is left for
        a message, too.
        """
        waiting = [name for name in self.pending if name in self._parkable & self._told]
        if not waiting:
            return None
        self._parking = True
        *others, last = waiting
        for name in others:
            self._put_off(name, Parked(deferred=False))
        if not await self.calls.alone(self.pending[last].tool_use_id, ALONE_SECONDS):
            _logger.info("A call beside the parked question has no result")
            return False
        if last in self._parks:
            try:
                await self._inbox.defer(last)
            except InboxError as error:
                _logger.warning("A parked question is not noted: %s", error)
            self._put_off(last, Parked(deferred=True))
        return True

    def _put_off(self, name: str, parked: Parked) -> None:
        self._inbox.leave(name)
        park = self._parks.get(name)
        if park is not None and not park.done():
            park.set_result(parked)

    async def ask(self, request: Request, *, parkable: bool = False) -> RequestOutcome | Parked:
        """Wait for a person; cancelling the wait settles the request as cancelled."""
        await self.call_shown(request.tool_use_id)
        await self.calls.turn(request.tool_use_id, TURN_SECONDS)
        self._stop_when_over()
        self.pending[request.id] = request
        waits = asyncio.Event()
        actor: Actor | None = WITHDRAWN

        def hear(change: InboxChange) -> None:
            nonlocal actor
            if isinstance(change, Settled) and change.request.id == request.id:
                actor = change.actor
            elif isinstance(change, Added) and change.request.id == request.id:
                waits.set()

        unsubscribe = self._inbox.subscribe(hear)
        # A task of its own, because the inbox gets the reason from us before its own wait ends.
        asking = asyncio.ensure_future(self._inbox.ask(request, self._written))
        asking.add_done_callback(lambda _: waits.set())
        park = self._parks[request.id] = asyncio.get_running_loop().create_future()
        if parkable:
            self._parkable.add(request.id)
        outcome: RequestOutcome | Parked = Cancelled(self._ending)
        try:
            await waits.wait()  # the inbox has the request before anyone hears of it and answers
            draft = None if asking.done() else await self._draft(request)
            recalled = () if asking.done() else await self._recalled(request)
            self._stop_when_over()
            self._tell(request, draft, recalled)
            either: list[asyncio.Future[Any]] = [asking, park]
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            outcome = asking.result() if asking.done() else park.result()
        except asyncio.CancelledError:
            # Not for a request that was left for later: its end is intended.
            if request.id in self.pending:
                self._inbox.withdraw(request.id, self._ending)
            raise
        except Exception:
            _logger.exception("The inbox failed")
            raise
        finally:
            unsubscribe()
            self.calls.asked(request.tool_use_id)
            self._parks.pop(request.id, None)
            self._told.discard(request.id)
            self._parkable.discard(request.id)
            if not asking.done():
                asking.cancel(self._ending)
            if self.pending.pop(request.id, None):
                self._emit(
                    ev.RequestParked(request.id, outcome.deferred)
                    if isinstance(outcome, Parked)
                    else ev.RequestSettled(request.id, outcome, actor)
                )
        self._stop_when_over()
        return outcome

    def _tell(
        self, request: Request, draft: Draft | None, recalled: tuple[Recalled | None, ...] = ()
    ) -> None:
        self._told.add(request.id)
        self._emit(_asked(request, draft, recalled))
        self.calls.asked(request.tool_use_id)
        if self._parking and request.id in self._parkable:
            self._put_off(request.id, Parked(deferred=False))

    async def _draft(self, request: Request) -> Draft | None:
        """Load the draft of a request; if that fails, the request is asked without it."""
        try:
            return await self._inbox.load_draft(request)
        except InboxError as error:
            _logger.warning("A draft was not read: %s", error)
            return None

    async def _recalled(self, request: Request) -> tuple[Recalled | None, ...]:
        """Load earlier answers to the questions; if that fails, these are asked without them."""
        try:
            return await self._inbox.asked_before(request)
        except InboxError as error:
            _logger.warning("Earlier answers were not read: %s", error)
            return ()

    def _stop_when_over(self) -> None:
        """Cancel the wait once the process is gone: asking or replying would only end in an error."""
        if self._over:
            raise asyncio.CancelledError(self._ending)

    async def call_shown(self, tool_use_id: str) -> None:
        """Wait until the call's own event is out: requests come on another channel, and may be faster.

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


def _asked(request: Request, draft: Draft | None, recalled: tuple[Recalled | None, ...]) -> ev.AgentEvent:
    if isinstance(request, QuestionRequest):
        return ev.QuestionAsked(request, draft, recalled=recalled)
    if isinstance(request, PermissionRequest):
        return ev.PermissionAsked(request, draft)
    if isinstance(request, ElicitationRequest):
        return ev.ElicitationAsked(request, draft)
    return ev.PlanProposed(request, draft)
