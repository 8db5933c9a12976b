"""The segments of a machine: which runs are worked at, as far as there is room."""

import asyncio
import logging
from uuid import NAMESPACE_OID, uuid5

from ccq_tui.service.run import WORKS, Run, RunState
from ccq_tui.service.runs import Runs
from ccq_tui.service.segment import Segment, why_stopped
from ccq_tui.service.store import MOST_RUNS, lasting
from ccq_tui.timeouts import set_within

_logger = logging.getLogger(__name__)

POLL_SECONDS, AGAIN_SECONDS = 1.0, 15.0
"""Seconds between two looks for queued runs, and until a segment that failed by our fault begins again."""


class Segments:
    """Works at the runs of this machine, and at new ones that it has the repositories of.

    Whoever moves a run from queued to working has it. One that works here and that nothing of this process
    works at was cut off: it continues, as all that is done in a segment may be done again.

    Args:
        service: The service.

    Attributes:
        live: The segments that are worked at, by run.
    """

    def __init__(self, service: Runs) -> None:
        self.service = service
        self.live: dict[str, Segment] = {}
        self._news = asyncio.Event()

    async def run(self) -> None:
        """Work until cancelled, at those that wait longest first."""
        async with asyncio.TaskGroup() as working:
            while True:
                self._news.clear()
                for run in reversed(await lasting(self.service.store.list, WORKS, "", MOST_RUNS)):
                    if self._has_room(run) and (taken := await self.take(run)) is not None:
                        self.live[run.id] = Segment(self.service, taken)
                        working.create_task(self._work(self.live[run.id]))
                await set_within(self._news, POLL_SECONDS)

    def notice(self) -> None:
        """Look for queued runs now."""
        self._news.set()

    def _has_room(self, run: Run) -> bool:
        """Return whether a run is for this machine, which may work at one more."""
        policy = self.service.policy
        repository = policy.repositories.get(run.repository)
        is_near = run.machine == self.service.machine or (not run.machine and repository is not None)
        if not is_near or run.id in self.live or len(self.live) >= policy.limits.most_runs:
            return False
        same = [one for one in self.live.values() if one.run.repository == run.repository]
        return repository is None or len(same) < repository.most_runs

    async def take(self, run: Run) -> Run | None:
        """Take a queued run for this machine, unless it is to stop; return it if it is to be worked at."""
        store, machine = self.service.store, self.service.machine
        if run.state is RunState.QUEUED and not why_stopped(await lasting(store.kept, run)):
            session = run.session or str(uuid5(NAMESPACE_OID, f"ccq-tui run {run.id}"))
            await lasting(store.move, run, RunState.WORKING, machine=machine, session=session)
        now = await lasting(store.of_ticket, run.source, run.ticket)
        return now if now and (now.state, now.machine) == (RunState.WORKING, machine) else None

    async def _work(self, segment: Segment) -> None:
        run: Run | None = None
        try:
            run = await segment.work()
        except Exception:
            _logger.exception("The segment of run %s failed, and begins again", segment.run.id)
            await asyncio.sleep(AGAIN_SECONDS)
        finally:
            del self.live[segment.run.id]
            self.notice()
        if run is not None:
            self.service.runtime.run_beside(self.service.advance(run))
