"""The mirror: runs of other machines in the inbox of this one, and answers from here to their machine."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from functools import partial
from typing import Any

import sqlalchemy as sa

from ccq_tui.inbox.actors import WITHDRAWN, Actor, Surface
from ccq_tui.inbox.port import SessionFact
from ccq_tui.inbox.requests import Cancelled
from ccq_tui.inbox.store.encoding import (
    StoredFormatError,
    actor_from_json,
    outcome_from_json,
    request_from_json,
)
from ccq_tui.inbox.store.rows import StoredSessionState
from ccq_tui.inbox.verdicts import AlreadySettled, InvalidOutcome, Unknown, Verdict
from ccq_tui.service.run import OVER, Happened, Run, RunState
from ccq_tui.service.runs import Runs
from ccq_tui.service.segments import lasting

_logger = logging.getLogger(__name__)

MOST_RUNS = 100
"""Most runs that are shown: those that changed last."""
STATES = {
    RunState.QUEUED: StoredSessionState.STARTING,
    RunState.WORKING: StoredSessionState.WORKING,
    RunState.WAITING: StoredSessionState.PARKED,
    RunState.PARKED: StoredSessionState.PARKED,
}
"""The state of a session by that of its run; after any other it has ended."""


class Mirror:
    """Shows the runs of other machines and what they ask, and takes answers from one machine to the other.

    The inbox of the machine that asks decides which answer was the first.

    Args:
        runs: The service.
    """

    def __init__(self, runs: Runs) -> None:
        self._runs = runs
        self._shown: dict[str, Run] = {}
        """The runs elsewhere, as they were shown last."""
        self._asked: dict[str, asyncio.Task[object] | None] = {}
        """The requests from elsewhere that wait in this inbox, each with what waits for its answer."""
        self._actor = Actor(Surface.DEVICE, runs.machine)

    async def look(self) -> None:
        """Bring both sides up to date; raises `RunStoreError` and `InboxError`."""
        store, machine = self._runs.store, self._runs.machine
        runs = await asyncio.to_thread(store.list, (), "", MOST_RUNS)
        for run in runs:
            before = self._shown.get(run.id)
            if before is not None and before.session != run.session:
                await self._show(replace(before, state=RunState.STOPPED))
                del self._shown[run.id]
            elif run.session and run.machine != machine and (before is None or before.state != run.state):
                await self._show(run)
        self._shown = {run.id: self._shown[run.id] for run in runs if run.id in self._shown}
        for row in await asyncio.to_thread(partial(store.published, machine, offered=True)):
            await self._take(row)
        pending = await asyncio.to_thread(partial(store.published, machine, elsewhere=True))
        for row in pending:
            task = self._asked.get(row.id)
            if task is None or (task.done() and not row.outcome):
                self._asked[row.id] = self._runs.runtime.run_beside(self._ask(row))
        gone = self._asked.keys() - {row.id for row in pending}
        ends = {row.id: row for row in await asyncio.to_thread(store.outcomes, gone)} if gone else {}
        for name in gone:
            del self._asked[name]
            if (row := ends.get(name)) is None:
                self._runs.inbox.withdraw(name, "its run works on another machine now")
            else:
                actor = actor_from_json(row.actor) or WITHDRAWN
                verdict = await self._runs.inbox.answer(name, outcome_from_json(row.outcome), actor)
                was = verdict.outcome if isinstance(verdict, AlreadySettled) else None
                if actor != self._actor and not isinstance(was, Cancelled | None):
                    text = f"Answered {self._actor.where} as well; nothing was sent from there."
                    body = {"kind": "thought", "text": text, "parameter": ""}
                    await self._runs.record(row.run, Happened.SAID, f"late {name} {machine}", body)

    async def _show(self, run: Run) -> None:
        """Show a run elsewhere as a session that this process runs: nobody here resumes it."""
        is_new = run.id not in self._shown
        self._shown[run.id] = run
        left = await self._runs.requests(run) if is_new else []  # by a process that was killed
        self._asked |= dict.fromkeys(one.request.id for one in left)
        if run.state in OVER and is_new and not left:
            return
        place, state = f"{run.machine}:{run.directory}", STATES.get(run.state, StoredSessionState.ENDED)
        fact = SessionFact(place, run.title, state, f"on {run.machine}", labels=run.labels, runs=True)
        self._runs.inbox.sessions.note(run.session, fact)
        if run.state in OVER:
            self._runs.inbox.sessions.release(run.session)

    async def _ask(self, row: sa.Row[Any]) -> None:
        """Ask a request from elsewhere here; offer an answer to the machine that asks."""
        try:
            request = request_from_json(row.body)
        except StoredFormatError as error:
            _logger.warning("A request of run %s cannot be shown here: %s", row.run, error)
            return
        async with self._runs.inbox.asking(request, row.context) as opened:
            outcome = await opened.outcome()
        self._runs.inbox.sessions.delivered(request.id, "message")
        if not isinstance(outcome, Cancelled):
            await lasting(self._runs.store.offer, request.id, outcome, self._actor)

    async def _take(self, row: sa.Row[Any]) -> None:
        """Answer a request of this machine by what another one offers."""
        actor = actor_from_json(row.actor) or WITHDRAWN
        verdict: Verdict = Unknown()
        try:
            verdict = await self._runs.inbox.answer(row.id, outcome_from_json(row.outcome), actor)
        except (InvalidOutcome, StoredFormatError) as error:
            _logger.warning("An answer %s cannot be taken: %s", actor.where, error)
        if isinstance(verdict, Unknown):
            reason = Cancelled("its answer could not be taken")
            await asyncio.to_thread(self._runs.store.settle, row.id, reason, None)
