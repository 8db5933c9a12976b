"""Which segments a machine works at, and when: the rows of runs are the queue."""

import asyncio
import sqlite3
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from ccq_tui.service import segments as module
from ccq_tui.service import store as store_module
from ccq_tui.service.policy import Policy, Repository, RunLimits
from ccq_tui.service.port import TicketMessage
from ccq_tui.service.run import Happened, Run, RunState
from ccq_tui.service.segment import Segment, SegmentEnd, begun_or_new
from ccq_tui.service.segments import Segments
from tests.options import launch_of
from tests.steps import until_true
from tests.unit.service import desks


class ManualSegments(Segments):
    """Segments that end when a test lets them."""

    def __init__(self, directory: Path, **limits: Any) -> None:
        host = desks.Host(directory)
        repositories = {name: Repository(directory, most_runs=2) for name in ("demo", "other")}
        host.policy, host.held = Policy(repositories, RunLimits(**limits)), self  # type: ignore[attr-defined]
        super().__init__(host)  # type: ignore[arg-type]
        self.store = host.store
        self.ends: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self.began: list[str] = []
        self.failures: list[Exception] = []
        self._made = 0

    def make(self, ticket: str, **changes: Any) -> Run:
        """Make a run; of two, the one that was made first has waited longer."""
        self._made += 1
        one = desks.run(ticket, machine=changes.pop("machine", ""))
        return self.store.create(replace(one, changed=one.changed + timedelta(hours=self._made), **changes))

    def states(self) -> dict[str, RunState]:
        return {one.ticket: one.state for one in self.store.list()}


class ManualSegment(Segment):
    async def prepare(self) -> None:
        self._service.held.began.append(self.run.ticket)  # type: ignore[attr-defined]

    async def converse(self) -> SegmentEnd:
        held: ManualSegments = self._service.held  # type: ignore[attr-defined]
        await held.ends[self.run.ticket].wait()
        if held.failures:
            raise held.failures.pop()
        return SegmentEnd(RunState.ENDED, "Done.")


@pytest.fixture(autouse=True)
def _held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "Segment", ManualSegment)


@asynccontextmanager
async def working(held: ManualSegments) -> AsyncIterator[None]:
    task = asyncio.create_task(held.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])
        held.store.close()


async def test_as_many_as_there_is_room_for_those_that_wait_longest_first(tmp_path: Path) -> None:
    held = ManualSegments(tmp_path, most_runs=3)
    for ticket in ("one", "two", "three"):
        held.make(ticket)
    held.make("elsewhere", machine="there")
    held.make("unknown", repository="not here")
    held.make("four", repository="other")
    stopped = held.make("stopped", repository="other")
    held.store.keep(TicketMessage(stopped.source, "stopped", "stop", "", stop=True))
    async with working(held):
        await until_true(lambda: sorted(held.began) == ["four", "one", "two"])
        held.ends["two"].set()
        await until_true(lambda: held.began[3:] == ["three"])
        for ticket in ("one", "three", "four"):
            held.ends[ticket].set()
        await until_true(lambda: list(held.states().values()).count(RunState.ENDED) == 4)
        left = [name for name, state in held.states().items() if state is RunState.QUEUED]
        assert sorted(left) == ["elsewhere", "stopped", "unknown"]
        started = [one for one in held.store.events() if one.kind is Happened.STARTED]
        assert len(started) == len(held.began), "also of a run that was killed before it could say so"


async def test_what_was_cut_off_or_failed_by_our_fault_begins_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "AGAIN_SECONDS", 0.01)
    held = ManualSegments(tmp_path)
    held.make("cut off", machine="here", state=RunState.WORKING)
    held.failures.append(KeyError("a bug"))
    held.ends["cut off"].set()
    async with working(held):
        await until_true(lambda: held.states() == {"cut off": RunState.ENDED})
    assert held.began == ["cut off"] * 2
    assert "failed, and begins again" in caplog.text


async def test_a_segment_that_another_machine_adopted_ends_nothing(tmp_path: Path) -> None:
    held = ManualSegments(tmp_path)
    one = held.make("gone")
    async with working(held):
        await until_true(lambda: held.began)
        assert [each.id for each in held.store.adopt("here", "there", ["demo"])] == [one.id]
        held.ends["gone"].set()
        await until_true(lambda: not held.live)
        assert held.store.get(one.id).state is RunState.WAITING
        assert not [each for each in held.store.events(one.id) if each.kind is Happened.ENDED]


async def test_a_segment_goes_on_after_a_disk_was_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(store_module, "FIRST_PAUSE", 0.01)
    held = ManualSegments(tmp_path)
    held.make("full")
    async with working(held):
        await until_true(lambda: held.began)
        with closing(sqlite3.connect(tmp_path / "runs.db")) as database:
            full = "BEGIN SELECT RAISE(ABORT, 'disk is full'); END"
            database.execute(f"CREATE TRIGGER full BEFORE UPDATE ON ccq_runs {full}")
            held.ends["full"].set()
            await until_true(lambda: "disk is full" in caplog.text)
            database.execute("DROP TRIGGER full")
            database.commit()
        await until_true(lambda: held.states() == {"full": RunState.ENDED})
        assert held.began == ["full"]


# -- with what a session is started that had not begun when its program ended --------------------------------


NAME = "11111111-2222-3333-4444-555555555555"
WAITED = '{"type":"queue-operation","operation":"enqueue","content":"say \\"type\\":\\"user\\""}\n'
READ = WAITED + '{"parentUuid":null,"type":"user","message":{"role":"user","content":"go"}}\n'


@pytest.mark.parametrize(
    ("record", "resume", "same_id"), [(None, "", True), (WAITED, "", False), (READ, NAME, None)]
)
async def test_it_is_resumed_where_claude_has_read_something_and_else_begun(
    tmp_path: Path, record: str | None, resume: str, same_id: bool | None
) -> None:
    options = launch_of(tmp_path, environment={"CLAUDE_CONFIG_DIR": str(tmp_path)})
    if record is not None:
        path = tmp_path / "projects" / "here" / f"{NAME}.jsonl"
        path.parent.mkdir(parents=True)
        path.write_text(record)
    found = await begun_or_new(options, NAME)
    assert found.resume == resume
    assert (found.chosen_id == NAME if found.chosen_id else None) == same_id
