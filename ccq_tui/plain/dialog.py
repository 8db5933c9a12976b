"""What all dialogs over a request have in common: they hear lines, and end once it is decided elsewhere."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from enum import StrEnum

from ccq_tui.inbox.actors import Actor
from ccq_tui.inbox.draft import Draft
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.requests import RequestOutcome
from ccq_tui.inbox.verdicts import AlreadySettled, InvalidOutcome, Won
from ccq_tui.plain.lines import InputEnded, Interrupted, Lines

GONE = "The request no longer waits"


class End(StrEnum):
    """The end of a dialog."""

    HERE = "here"
    """Decided here; `OpenRequest.outcome` returns the outcome."""
    ELSEWHERE = "elsewhere"
    """Decided on another surface, or withdrawn; the person was informed."""
    PARKED = "parked"
    """The input ended: the request waits, with its draft."""
    LEFT = "left"
    """The person left it: the request waits, with its draft."""


class Decided(Exception):  # noqa: N818 - says what happened
    """The request was decided elsewhere, or is gone; the message says how."""


class RequestDialog:
    """One request, the person's lines, and who they are.

    Args:
        opened: The request.
        lines: Where it is shown and answered.
        actor: Who answers.
        leave: The question whether to leave it.
    """

    def __init__(self, opened: OpenRequest, lines: Lines, actor: Actor, leave: str) -> None:
        self.opened = opened
        self.lines = lines
        self._actor = actor
        self._leave = leave

    async def hear(self, prompt: str, *, secret: bool = False) -> str:
        """Return the next line, stripped unless it is a secret; raises `Decided` once that is of no use."""
        if not self.opened.is_pending:
            raise Decided(self._how)
        line = asyncio.ensure_future((self.lines.ask_secret if secret else self.lines.ask)(prompt))
        outcome = asyncio.ensure_future(self.opened.outcome())
        try:
            await asyncio.wait((line, outcome), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (line, outcome):
                task.cancel()
            await asyncio.wait((line, outcome))
        if line.cancelled():
            raise Decided(self._how)
        return line.result() if secret else line.result().strip()

    @property
    def _how(self) -> str:
        stored = self.opened.stored
        if stored.outcome is None or stored.settled_at is None:
            return GONE
        return AlreadySettled(stored.actor, stored.settled_at, stored.outcome).words

    async def confirms(self, question: str, does: str) -> bool:
        """Ask whether to do something; only ``y`` does it."""
        said = await self.hear(f"{question} y {does}, anything else goes back:")
        return said.lower() in ("y", "yes")

    async def leaves(self) -> bool:
        """Ask whether to leave the request; a second Ctrl+C leaves it."""
        try:
            return await self.confirms(self._leave, "leaves")
        except Interrupted:
            return True

    def keep(self, draft: Draft) -> None:
        """Save a draft."""
        self.opened.type(draft, self._actor)

    async def settle(self, outcome: RequestOutcome) -> bool:
        """Settle the request; return False if it does not take the outcome, and say why."""
        try:
            verdict = await self.opened.settle(outcome, self._actor)
        except InvalidOutcome as error:
            self.lines.note(f"Nothing was sent: {error.reason}.")
            return False
        if isinstance(verdict, Won):
            return True
        raise Decided(verdict.words if isinstance(verdict, AlreadySettled) else GONE)

    async def run(self, talk: Callable[[], Awaitable[End]]) -> End:
        """Run the talk about the request, also to an end that is not the person's."""
        try:
            return await talk()
        except Decided as how:
            self.lines.note(f"{how}; nothing was sent from here.")
            return End.ELSEWHERE
        except InputEnded:
            self.lines.note("The input ended: nothing was sent, and the draft is kept.")
            return End.PARKED
