"""The durable engine of segments: DBOS, on SQLite or Postgres, one workflow for each segment."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError
from contextvars import Context
from functools import partial
from typing import Any, TypeVar

from dbos import DBOS, DBOSConfig, DBOSPortableJSONSerializer, SetWorkflowID

from ccq_tui.service.policy import Policy
from ccq_tui.service.run import Run, RunState
from ccq_tui.service.segments import Segments
from ccq_tui.service.store import driver_url

T = TypeVar("T")

VERSION = "1"
"""Of the steps of a segment: a workflow that began under another one is not continued."""
POLL_SECONDS = 0.25
"""Seconds after which a worker looks for new segments."""


class CutOff(BaseException):
    """The service ends: the step is not finished, and runs again at the next start.

    No `Exception`: the engine would record those as the outcome of the step.
    """


class Engine:
    """Runs segments: those of new runs from a queue of all machines, later ones from this machine's own.

    Args:
        url: The database, as `RunStore.open` takes it.
        machine: The name of this machine; what it began is continued by it alone.
        policy: The most segments of each repository, and of all, that work at a time on this machine.
        steps: The steps, run in the event loop that called `start`; each may run again after a kill.
    """

    def __init__(self, url: str, machine: str, policy: Policy, steps: Segments) -> None:
        self._url = url
        self._machine = machine
        self._limits = {f"repository:{name}": one.most_runs for name, one in policy.repositories.items()}
        self._limits[f"machine:{machine}"] = policy.limits.most_runs
        self._steps = steps
        self._tasks: set[asyncio.Task[Any]] = set()
        self._ending = False

    async def start(self) -> None:
        """Start: segments that were cut off continue. Raises what the database raises."""
        self._loop = asyncio.get_running_loop()
        await asyncio.to_thread(self._launch)

    def _launch(self) -> None:
        DBOS(
            config=DBOSConfig(
                name="ccq-tui",
                system_database_url=driver_url(self._url),
                executor_id=self._machine,
                application_version=VERSION,
                serializer=DBOSPortableJSONSerializer(),
                log_level="WARNING",
            )
        )

        @DBOS.workflow(name="segment", max_recovery_attempts=None)
        def workflow(run_id: str, segment: int) -> None:
            self._segment(run_id, segment)

        self._workflow = workflow
        DBOS.listen_queues([*self._limits])
        DBOS.launch()
        for name, limit in self._limits.items():
            DBOS.register_queue(
                name, worker_concurrency=limit, polling_interval_sec=POLL_SECONDS, on_conflict="always_update"
            )

    async def begin(self, run: Run, segment: int) -> None:
        """Begin a segment, once: the same again does nothing.

        Args:
            run: The run; if no machine has it, any with its repository takes it.
            segment: The number of the segment.
        """
        queue = f"machine:{run.machine}" if run.machine else f"repository:{run.repository}"

        def enqueue() -> None:
            with SetWorkflowID(f"run:{run.id}:{segment}"):
                DBOS.enqueue_workflow(queue, self._workflow, run.id, segment)

        await asyncio.to_thread(enqueue)

    async def is_active(self, run_id: str, segment: int) -> bool:
        """Return whether a segment waits for its turn or works, as far as the database knows."""
        status = await asyncio.to_thread(DBOS.get_workflow_status, f"run:{run_id}:{segment}")
        return status is not None and status.status in ("ENQUEUED", "PENDING")

    async def end(self) -> None:
        """Interrupt the steps, and end; what was cut off continues at the next `start`."""
        self._ending = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.to_thread(DBOS.destroy, destroy_registry=True)

    def _segment(self, run_id: str, segment: int) -> None:
        """Run the steps of a segment; the workflow, in a thread of the engine."""

        def step(work: Callable[..., Coroutine[Any, Any, T]], *more: Any) -> T:
            return DBOS.run_step({"name": work.__name__}, self._in_loop, work, run_id, segment, *more)

        if not step(self._steps.take):
            return
        problem = step(self._steps.prepare)
        end = {"end": RunState.FAILED, "text": problem} if problem else step(self._steps.converse)
        if end is not None:
            step(self._steps.conclude, end)

    def _in_loop(self, work: Callable[..., Coroutine[Any, Any, T]], *values: Any) -> T:
        async def noted() -> T:
            task = asyncio.current_task()
            if self._ending or task is None:
                raise asyncio.CancelledError
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            return await work(*values)

        try:
            # Without the engine's own context: in a step, it would begin no other segment.
            submit = partial(asyncio.run_coroutine_threadsafe, noted(), self._loop)
            return Context().run(submit).result()
        except CancelledError as error:
            raise CutOff from error
