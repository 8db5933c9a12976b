"""The durable engine of segments: DBOS, on SQLite or Postgres, one workflow for each segment."""

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError
from contextvars import Context
from functools import partial
from typing import Any, TypeVar

from dbos import DBOS, DBOSClient, DBOSConfig, DBOSPortableJSONSerializer, SetWorkflowID

from ccq_tui.service.policy import Policy
from ccq_tui.service.run import Run, RunState
from ccq_tui.service.segments import Segments
from ccq_tui.service.store import driver_url, explained
from ccq_tui.text import one_line

_logger = logging.getLogger(__name__)
T = TypeVar("T")

VERSION = "1"
"""Of the steps of a segment: a workflow that began under another one is not continued."""
QUIET_SECONDS = 60.0
"""Seconds in which the log has at most one record of each line of DBOS."""


class _Quiet(logging.Handler):
    """Gives records of DBOS to our log; DBOS itself floods standard error, which nobody may read."""

    def __init__(self) -> None:
        super().__init__()
        self._last: dict[tuple[str, int], float] = {}

    def emit(self, record: logging.LogRecord) -> None:
        place, now = (record.pathname, record.lineno), time.monotonic()
        if now - self._last.get(place, -QUIET_SECONDS) >= QUIET_SECONDS:
            self._last[place] = now
            _logger.log(record.levelno, "DBOS: %s", one_line(record.getMessage(), 500))


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
        self._here: set[str] = set()
        """The segments that threads of this process work at."""
        self._missed: set[str] = set()
        """Those that should be among them, and were not at the last look."""
        self._ending = False

    async def start(self) -> None:
        """Start: segments that were cut off continue. Raises what the database raises."""
        self._loop = asyncio.get_running_loop()
        await asyncio.to_thread(self._launch)

    def _launch(self) -> None:
        logging.getLogger("dbos").handlers = [_Quiet()]
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
            # Seconds after which a worker looks for new segments.
            DBOS.register_queue(
                name, worker_concurrency=limit, polling_interval_sec=0.25, on_conflict="always_update"
            )

    async def begin(self, run: Run, segment: int) -> None:
        """Begin a segment, once: the same again does nothing.

        Args:
            run: The run; if no machine has it, any with its repository takes it.
            segment: The number of the segment.
        """
        queue = f"machine:{run.machine}" if run.machine else f"repository:{run.repository}"

        def enqueue() -> None:
            with explained(), SetWorkflowID(_name(run.id, segment)):
                DBOS.enqueue_workflow(queue, self._workflow, run.id, segment)

        await asyncio.to_thread(enqueue)

    async def continues(self, run: Run) -> bool:
        """Return whether a run's segment waits for its turn, works, or is continued.

        One that this machine began and that no thread of this process has any more, at two looks, is
        continued: DBOS does that by itself at a start alone. Raises `RunStoreError`.
        """
        return await asyncio.to_thread(self._continue, _name(run.id, run.segment))

    def _continue(self, name: str) -> bool:
        with explained():
            status = DBOS.get_workflow_status(name)
            if status is None or status.status not in ("ENQUEUED", "PENDING"):
                return False
            is_lost = status.status == "PENDING" and status.executor_id == self._machine
            if not is_lost or name in self._here:
                self._missed.discard(name)
            elif name not in self._missed:
                self._missed.add(name)
            else:
                DBOS.resume_workflow(name, queue_name=status.queue_name)
            return True

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

        name = _name(run_id, segment)
        self._here.add(name)
        try:
            if not step(self._steps.take):
                return
            problem = step(self._steps.prepare)
            end = {"end": RunState.FAILED, "text": problem} if problem else step(self._steps.converse)
            if end is not None:
                step(self._steps.conclude, end)
        finally:
            self._here.discard(name)

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


def forget_segments(url: str, run: Run) -> None:
    """Delete what the engine keeps of the segments of a run that has ended; raises `RunStoreError`."""
    with explained():
        client = DBOSClient(system_database_url=driver_url(url))
        try:
            client.delete_workflows([_name(run.id, number) for number in range(run.segment + 1)])
        finally:
            client.destroy()


def _name(run_id: str, segment: int) -> str:
    return f"run:{run_id}:{segment}"
