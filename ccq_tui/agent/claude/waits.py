"""The CLI's requests to a person: asked through the inbox, settled, parked or given up."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ccq_tui.agent import events as ev
from ccq_tui.claude_lines import QUESTION_TOOL
from ccq_tui.inbox.actors import WITHDRAWN
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.port import Parked
from ccq_tui.inbox.requests import Cancelled, QuestionRequest, Request, RequestOutcome
from ccq_tui.inbox.verdicts import InboxError

_logger = logging.getLogger(__name__)

_SEEN_SECONDS = 1.0
_CHECKS = 10
"""Number of waits that make up these seconds: a process that was stopped loses one of them, not all."""
ALONE_SECONDS = 1.5
"""Seconds that a parked question waits for the results of calls beside it."""
TURN_SECONDS = 5.0
"""Seconds that a question set waits for those before it in its message, which a hook may hold up."""
WaitOutcome = RequestOutcome | Parked


class Calls:
    """The calls of the main agent's message: those without a result, and the question sets not asked yet.

    Attributes:
        deferred: The calls that an earlier process deferred, and that the CLI makes again.
    """

    def __init__(self) -> None:
        self.deferred: frozenset[str] = frozenset()
        self._asked: set[str] = set()
        self._shown: set[str] = set()
        """The calls of all agents that were reported and have no result."""
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

    def note(self, event: ev.AgentEvent) -> None:
        """Learn which calls begin and end."""
        match event:
            case ev.ToolStarted(tool_use_id=call, tool=tool, parent=parent):
                self._shown.add(call)
                if not parent:
                    self._open.add(call)
                if not parent and tool == QUESTION_TOOL:
                    self._unasked.append(call)
            case ev.ToolFinished(tool_use_id=call):
                self._shown.discard(call)
                self._open.discard(call)
                self.asked(call)
            case ev.TurnEnded():
                self._open.clear()
                self._unasked.clear()
                self._asked |= self.deferred
                self._whole = True
            case _:
                return
        self._changed.set()

    def asked(self, call: str) -> None:
        """Note that a person is asked a question set, or never will be: the next one may follow."""
        self._asked.add(call)
        if call in self._unasked:
            self._unasked.remove(call)
        self._changed.set()

    async def made_again(self) -> None:
        """Wait until the CLI has made its deferred calls again: only then can they be deferred anew."""
        # Seconds that parking waits for a call that a resumed session has yet to make again.
        await self._until(lambda: self.deferred <= self._asked, 5.0)

    async def shown(self, call: str) -> None:
        """Wait until a call's own event is out: requests come on another channel, and may be faster.

        A request from a session's past has no such event, hence the limit.
        """
        for _ in range(_CHECKS):
            if await self._until(lambda: call in self._shown, _SEEN_SECONDS / _CHECKS):
                return
        _logger.debug("A request came without its tool call")

    async def turn(self, call: str, seconds: float) -> None:
        """Wait until a person was asked all question sets before this one.

        Claude Code calls the hooks of all sets of a message at once, and they come in any order.
        """
        if not await self._until(lambda: call not in self._unasked[1:], seconds):
            _logger.info("A question set was not asked in time for the next one")

    async def alone(self, call: str, seconds: float) -> bool:
        """Wait until all other calls have their results; returns whether they have."""
        return await self._until(lambda: self._whole and not self._open - {call}, seconds)

    async def _until(self, reached: Callable[[], bool], seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                while not reached():
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            return False
        return True


@dataclass(slots=True, eq=False)
class PersonWait:
    """A request of the CLI that waits for a person.

    Attributes:
        opened: The request.
        is_parkable: Whether the CLI can ask it again.
        parked: Done when it is put off, or cancelled when the CLI is gone.
    """

    opened: OpenRequest
    is_parkable: bool
    parked: asyncio.Future[Parked]


class Waits:
    """The requests of one connection.

    Attributes:
        pending: Those that wait for a person, oldest first, by their ids.
        calls: The calls that these come from, and those beside them.
    """

    def __init__(self, inbox: Inbox, emit: Callable[[ev.AgentEvent], None]) -> None:
        self.pending: dict[str, PersonWait] = {}
        self.calls = Calls()
        self._inbox = inbox
        self._emit = emit
        self._parking = False
        self._ending = "interrupted"
        self._over = False
        self._written = ""

    def note(self, event: ev.AgentEvent) -> None:
        """Keep the main agent's last text of this turn: it says what a request is about."""
        self.calls.note(event)
        match event:
            case ev.BlockFinished(key, ev.BlockKind.TEXT, text) if not key.parent:
                self._written = text
            case ev.TurnEnded():
                self._written = ""

    def give_up(self, reason: str) -> None:
        """End all waits: the CLI is gone. A question can still be answered later, everything else cannot."""
        self._ending, self._over = reason, True
        pending, self.pending = self.pending, {}
        for request_id, wait in pending.items():
            opened = wait.opened
            if (outcome := opened.stored.outcome) is not None:  # it was too late to give it to the CLI
                self._emit(ev.RequestSettled(request_id, outcome, opened.stored.actor))
            elif isinstance(opened.request, QuestionRequest) and opened.is_added:
                opened.park(deferred=False)
                wait.parked.cancel()
                self._emit(ev.RequestParked(request_id, deferred=False))
            else:
                opened.withdraw(reason)
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
        await self.calls.made_again()
        # One that was just answered is not asked again, and its turn goes on.
        asked = [wait for wait in self.pending.values() if wait.opened.is_added and wait.opened.is_pending]
        waiting = [wait for wait in asked if wait.is_parkable]
        if not waiting:
            return None
        self._parking = True
        *others, last = waiting
        for wait in others:
            _put_off(wait, deferred=False)
        request = last.opened.request
        if not await self.calls.alone(request.tool_use_id, ALONE_SECONDS):
            _logger.info("A call beside the parked question has no result")
            return False
        if self.pending.get(request.id) is last:
            try:
                await self._inbox.defer(request.id)
            except InboxError as error:
                _logger.warning("A parked question is not noted: %s", error)
            _put_off(last, deferred=True)
        return True

    async def wait_for_person(self, request: Request, *, parkable: bool = False) -> WaitOutcome:
        """Wait for a person; cancelling the wait settles the request as cancelled."""
        await self.calls.turn(request.tool_use_id, TURN_SECONDS)
        self._stop_when_over()
        outcome: WaitOutcome = Cancelled(self._ending)
        async with self._inbox.asking(request, self._written) as opened:
            wait = PersonWait(opened, parkable, asyncio.get_running_loop().create_future())
            self.pending[request.id] = wait
            answered = asyncio.ensure_future(opened.outcome())
            try:
                await opened.added()  # it is on disk before anyone hears of it and answers
                self._stop_when_over()
                self._report(wait)
                either: list[asyncio.Future[Any]] = [answered, wait.parked]
                await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
                outcome = opened.stored.outcome or wait.parked.result()
            except asyncio.CancelledError:
                raise asyncio.CancelledError(self._ending) from None  # the reason of its withdrawal
            finally:
                answered.cancel()
                self.calls.asked(request.tool_use_id)
                if self.pending.pop(request.id, None):
                    actor = WITHDRAWN if opened.is_pending else opened.stored.actor
                    self._emit(
                        ev.RequestParked(request.id, outcome.deferred)
                        if isinstance(outcome, Parked)
                        else ev.RequestSettled(request.id, outcome, actor)
                    )
        self._stop_when_over()
        return outcome

    def _report(self, wait: PersonWait) -> None:
        request = wait.opened.request
        self._emit(ev.RequestAsked(request))
        self.calls.asked(request.tool_use_id)
        if self._parking and wait.is_parkable:
            _put_off(wait, deferred=False)

    def _stop_when_over(self) -> None:
        """Cancel the wait once the process is gone: asking or replying would only end in an error."""
        if self._over:
            raise asyncio.CancelledError(self._ending)


def _put_off(wait: PersonWait, *, deferred: bool) -> None:
    if not wait.parked.done():
        wait.parked.set_result(wait.opened.park(deferred=deferred))
