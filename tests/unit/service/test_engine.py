"""The engine of segments: what DBOS does not continue by itself."""

import asyncio
import logging
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from ccq_tui.service.engine import Engine
from ccq_tui.service.policy import Policy, Repository
from ccq_tui.service.run import RunState
from tests.steps import until_true
from tests.unit.service.desks import run

FULL = "CREATE TRIGGER full_{0}_{1} BEFORE {1} ON {0} BEGIN SELECT RAISE(ABORT, 'disk is full'); END"
TABLES = ("operation_outputs", "workflow_status")


class Steps:
    """The steps of a segment, which a test holds where the session works."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.works = asyncio.Event()

    async def take(self, run_id: str, segment: int) -> bool:
        self.done.append("take")
        return True

    async def prepare(self, run_id: str, segment: int) -> str:
        return ""

    async def converse(self, run_id: str, segment: int) -> dict[str, str]:
        self.done.append("converse")
        await self.works.wait()
        return {"end": RunState.ENDED, "text": "Done."}

    async def conclude(self, run_id: str, segment: int, end: dict[str, str]) -> None:
        self.done.append(end["text"])


async def test_a_segment_goes_on_after_a_disk_was_full(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    url, steps = f"sqlite:///{tmp_path / 'runs.db'}", Steps()
    engine = Engine(url, "here", Policy({"demo": Repository(tmp_path)}), steps)  # type: ignore[arg-type]
    one = replace(run(), machine="here")
    await engine.start()
    database = sa.create_engine(url)
    try:
        await engine.begin(one, 0)
        await until_true(lambda: "converse" in steps.done)
        assert await engine.continues(one)
        with database.begin() as work:
            for table in TABLES:
                for change in ("INSERT", "UPDATE"):
                    work.exec_driver_sql(FULL.format(table, change))
        steps.works.set()
        await until_true(lambda: not engine._here)
        with database.begin() as work:
            for table in TABLES:
                for change in ("INSERT", "UPDATE"):
                    work.exec_driver_sql(f"DROP TRIGGER full_{table}_{change}")

        async def looked() -> bool:
            """Look as the service does: DBOS may have recorded the failure as soon as there was room."""
            nonlocal one
            if steps.done[-1] != "Done." and not await engine.continues(one):
                one = replace(one, segment=one.segment + 1)
                await engine.begin(one, one.segment)
            return steps.done[-1] == "Done."

        await until_true(looked)
        assert steps.done.count("Done.") == 1
        assert steps.done.count("converse") >= 2, "more where a look comes before the thread has begun"

        async def has_ended() -> bool:
            return not await engine.continues(one)

        await until_true(has_ended)
    finally:
        await engine.end()
        database.dispose()
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            logging.getLogger("dbos").warning("The database\nis away")
    assert caplog.text.count("DBOS: The database is away") == 1
    assert capfd.readouterr().err == ""
