"""The authority over runs: it decides who may do what, by the configuration, and writes it down."""

import asyncio
from contextlib import suppress
from functools import partial
from uuid import uuid4

from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.service.people import Participant, RunAct
from ccq_tui.service.port import RefusedError, RetryLaterError, TicketMessage
from ccq_tui.service.run import Happened, Run
from ccq_tui.service.runs import Runs
from ccq_tui.service.segments import lasting
from ccq_tui.service.store import people_to_json


class NotAllowedError(Exception):
    """A person may not do that to a run; the message says who may."""


class Authority:
    """Decides who may do what in a run, and records it for the audit.

    Args:
        runs: The service.
    """

    def __init__(self, runs: Runs) -> None:
        self._runs = runs

    async def refusal(self, run: Run, person: Participant, act: RunAct) -> str:
        """Return why a person may not do something to a run, and who may; "" if it is allowed.

        Before a refusal counts, the ticket is asked whom it names now.
        """
        why = self._runs.policy.refusal(person, act, run.repository, run.people)
        adapter = self._runs.adapters.get(run.source)
        if why and adapter is not None and person.id:
            with suppress(RetryLaterError, RefusedError, TimeoutError):
                # Most seconds to ask a ticket whom it names: its webhook waits for that.
                async with asyncio.timeout(3.0):
                    people = await adapter.involved(run)
                if people != run.people:
                    record = people_to_json(people)
                    await lasting(partial(self._runs.store.update, run.id, people=record))
                why = self._runs.policy.refusal(person, act, run.repository, people)
        return why

    async def refuse(self, run: Run, message: TicketMessage, act: RunAct, why: str) -> None:
        """Say once in the ticket why a message is not taken; it is not given to the session."""
        body = {"kind": "thought", "text": f"{why} Nothing was done.", "parameter": ""}
        await self._runs.record(run.id, Happened.SAID, f"message {message.id}", body)
        await self.acted(run, message.id, act, message.actor, refused=why)

    async def acted(self, run: Run, what: str, act: RunAct, actor: Actor, **more: object) -> None:
        """Record for the audit what a person did; ``what`` distinguishes it from other acts in the run."""
        person = {"person": actor.called, "id": actor.device}
        body = {"act": act, **person, "surface": actor.surface, "where": actor.where, **more}
        await self._runs.record(run.id, Happened.ACTED, f"{act} {what}", body)

    async def check(self, run: Run, person: Participant, act: RunAct, surface: Surface) -> None:
        """Raise `NotAllowedError` for what a person may not do over the API or on a page."""
        if why := await self.refusal(run, person, act):
            actor = Actor(surface, person.called, device=person.id)
            await self.acted(run, str(uuid4()), act, actor, refused=why)
            raise NotAllowedError(why)
