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
from ccq_tui.service.store import lasting, people_to_json


class NotAllowedError(Exception):
    """A person may not do that to a run; the message says who may."""


async def refusal(service: Runs, run: Run, person: Participant, act: RunAct) -> str:
    """Return why a person may not do something to a run, and who may; "" if it is allowed.

    Before a refusal counts, the ticket is asked whom it names now.
    """
    why = service.policy.refusal(person, act, run.repository, run.people)
    adapter = service.adapters.get(run.source)
    if why and adapter is not None and person.id:
        with suppress(RetryLaterError, RefusedError, TimeoutError):
            # Most seconds to ask a ticket whom it names: its webhook waits for that.
            async with asyncio.timeout(3.0):
                people = await adapter.involved(run)
            if people != run.people:
                record = people_to_json(people)
                await lasting(partial(service.store.update, run.id, people=record))
            why = service.policy.refusal(person, act, run.repository, people)
    return why


async def refuses(service: Runs, run: Run, message: TicketMessage, act: RunAct) -> bool:
    """Return whether the person of a message may not do what it asks for; then the ticket says so, once."""
    if why := await refusal(service, run, message.person, act):
        body = {"kind": "thought", "text": f"{why} Nothing was done.", "parameter": ""}
        await service.record(run.id, Happened.REPORTED, f"message {message.id}", body)
        await acted(service, run, message.id, act, message.actor, refused=why)
    return bool(why)


async def acted(service: Runs, run: Run, what: str, act: RunAct, actor: Actor, **more: object) -> None:
    """Record for the audit what a person did; ``what`` distinguishes it from other acts in the run."""
    person = {"person": actor.called, "id": actor.device}
    body = {"act": act, **person, "surface": actor.surface, "where": actor.where, **more}
    await service.record(run.id, Happened.ACTED, f"{act} {what}", body)


async def check(service: Runs, run: Run, person: Participant, act: RunAct, surface: Surface) -> None:
    """Raise `NotAllowedError` for what a person may not do over the API or on a page."""
    if why := await refusal(service, run, person, act):
        actor = Actor(surface, person.called, device=person.id)
        await acted(service, run, str(uuid4()), act, actor, refused=why)
        raise NotAllowedError(why)
