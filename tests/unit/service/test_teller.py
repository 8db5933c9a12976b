"""Tickets are told what happened: in order, once, and later where it cannot be now."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from ccq_tui.service import teller as module
from ccq_tui.service.port import RefusedError, RetryLaterError
from ccq_tui.service.run import Happened, Run
from ccq_tui.service.store import RunStore
from ccq_tui.service.teller import Teller
from tests.steps import until_true
from tests.unit.service.desks import run


class Heard:
    """An adapter that notes what it is told."""

    name = "linear"

    def __init__(self) -> None:
        self.calls: list[tuple[str, ...]] = []
        self.troubles: list[Exception] = []

    def _hear(self, *call: str) -> None:
        if self.troubles:
            raise self.troubles.pop(0)
        self.calls.append(call)

    async def started(self, run: Run, key: str, page: str) -> None:
        self._hear("started", run.ticket, page)

    async def said(self, run: Run, key: str, kind: str, text: str, parameter: str) -> None:
        self._hear("said", kind, text, parameter)

    async def asked(self, run: Run, key: str, text: str, options: tuple[str, ...]) -> None:
        self._hear("asked", text, *options)

    async def answered(self, run: Run, key: str, text: str) -> None:
        self._hear("answered", text)

    async def ended(self, run: Run, key: str, end: str, text: str) -> None:
        self._hear("ended", end, text)


class Records:
    """A database of runs with one of this machine."""

    machine = "here"

    def __init__(self, directory: Path) -> None:
        self.store = RunStore.open(f"sqlite:///{directory / 'runs.db'}")
        self.heard = Heard()
        self.adapters = {"linear": self.heard}
        self.run = self.store.create(run())

    def record(self, happened: Happened, what: str, **body: object) -> None:
        self.store.record(self.run.id, happened, what, body)


@asynccontextmanager
async def telling(records: Records) -> AsyncIterator[Callable[[int], object]]:
    teller = Teller(records, lambda run: f"http://page/{run.ticket}")
    task = asyncio.create_task(teller.run())

    async def told(count: int) -> None:
        teller.notice()
        await until_true(lambda: len(records.heard.calls) >= count)
        await until_true(lambda: not records.store.untold(machine="here"))

    try:
        yield told
    finally:
        task.cancel()
        await asyncio.wait([task])
        records.store.close()


async def test_all_that_can_happen(tmp_path: Path) -> None:
    records = Records(tmp_path)
    records.store.record(records.store.create(run("other", machine="there")).id, Happened.STARTED, "", {})
    records.record(Happened.STARTED, "")
    records.record(Happened.SAID, "1", kind="action", text="Read", parameter="a.py")
    records.record(Happened.ASKED, "q", text="Which?", options=["A", "B"])
    records.record(Happened.ANSWERED, "here", text="in the ticket", here=True)
    records.record(Happened.ANSWERED, "there", text="on phone")
    records.record(Happened.PARKED, "q", text="It waits.")
    records.record(Happened.ENDED, "0", end="response", text="Done.")
    async with telling(records) as told:
        await told(6)
        assert records.heard.calls == [
            ("started", "ticket", "http://page/ticket"),
            ("said", "action", "Read", "a.py"),
            ("asked", "Which?", "A", "B"),
            ("answered", "on phone"),
            ("ended", "parked", "It waits."),
            ("ended", "response", "Done."),
        ]
        assert len(records.store.untold()) == 1, "the other machine tells its own"


async def test_what_cannot_be_told_now_is_told_later_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "FIRST_PAUSE", 0.001)
    monkeypatch.setattr(module, "LONGEST_PAUSE", 0.001)
    records = Records(tmp_path)
    records.heard.troubles = [
        RetryLaterError("away"),
        RetryLaterError("away", 0.01),
        KeyError("a bug"),
        RefusedError("no such ticket"),
    ]
    for number in range(3):
        records.record(Happened.SAID, str(number), kind="thought", text=str(number), parameter="")
    async with telling(records) as told:
        await told(2)
        assert [call[2] for call in records.heard.calls] == ["1", "2"]
    assert caplog.text.count("is told later: away") == 1
    assert "refuses what it is told (said): no such ticket" in caplog.text
