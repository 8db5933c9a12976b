"""Events are sent to their tickets: in order, once, and later where that is not possible now."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from ccq_tui.service import outbox as module
from ccq_tui.service.outbox import Outbox
from ccq_tui.service.port import RefusedError, RetryLaterError
from ccq_tui.service.run import Happened, Run, RunEvent
from tests.steps import until_true
from tests.unit.service.desks import Host, run


class Ticket:
    """An adapter that notes what it is sent."""

    name = "linear"

    def __init__(self) -> None:
        self.calls: list[tuple[str, ...]] = []
        self.troubles: list[Exception] = []

    async def send(self, run: Run, event: RunEvent, page: str) -> None:
        if self.troubles:
            raise self.troubles.pop(0)
        self.calls.append((event.kind, event.body.get("text", page), *event.body.get("options", ())))


class Records(Host):
    """A database of runs with one of this machine."""

    def __init__(self, directory: Path) -> None:
        self.ticket = Ticket()
        super().__init__(directory, self.ticket)
        self.run = self.store.create(run())

    def happened(self, happened: Happened, what: str, **body: object) -> None:
        self.store.record(self.run.id, happened, what, body)


@asynccontextmanager
async def sending(records: Records) -> AsyncIterator[Callable[[int], object]]:
    outbox = Outbox(records, lambda run: f"http://page/{run.ticket}")
    task = asyncio.create_task(outbox.run())

    async def sent(count: int) -> None:
        outbox.notice()
        await until_true(lambda: len(records.ticket.calls) >= count)
        await until_true(lambda: not records.store.unsent(["linear"], "here"))

    try:
        yield sent
    finally:
        task.cancel()
        await asyncio.wait([task])
        records.store.close()


async def test_all_that_can_happen(tmp_path: Path) -> None:
    records = Records(tmp_path)
    records.store.record(records.store.create(run("other", machine="there")).id, Happened.STARTED, "", {})
    records.happened(Happened.STARTED, "")
    records.happened(Happened.REPORTED, "1", kind="action", text="Read", parameter="a.py")
    records.happened(Happened.ASKED, "q", text="Which?", options=["A", "B"])
    records.happened(Happened.ANSWERED, "here", text="in the ticket", here=True)
    records.happened(Happened.ANSWERED, "there", text="on phone")
    records.happened(Happened.PARKED, "q", text="It waits.")
    records.happened(Happened.ENDED, "0", end="response", text="Done.")
    async with sending(records) as sent:
        await sent(6)
        assert records.ticket.calls == [
            ("started", "http://page/ticket"),
            ("said", "Read"),
            ("asked", "Which?", "A", "B"),
            ("answered", "on phone"),
            ("parked", "It waits."),
            ("ended", "Done."),
        ]
        assert len(records.store.unsent(["linear"], "there")) == 1, "the other machine sends its own"


async def test_what_cannot_be_sent_now_is_sent_later_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "FIRST_PAUSE", 0.001)
    monkeypatch.setattr(module, "LONGEST_PAUSE", 0.001)
    records = Records(tmp_path)
    records.ticket.troubles = [RetryLaterError("away"), RetryLaterError("away", 0.01), KeyError("a bug")]
    for number in range(3):
        records.happened(Happened.REPORTED, str(number), kind="thought", text=str(number), parameter="")
    async with sending(records) as sent:
        await sent(3)
        assert [call[1] for call in records.ticket.calls] == ["0", "1", "2"]
    assert caplog.text.count("are sent later: away") == 1


async def test_a_refused_question_is_asked_shorter_and_shown_to_the_operator(tmp_path: Path) -> None:
    records = Records(tmp_path)
    records.ticket.troubles = [RefusedError("too long")]
    records.happened(Happened.ASKED, "q", text="Which one? " * 400, options=["A", "B"])
    async with sending(records) as sent:
        await sent(1)
        [(kind, text, *options)] = records.ticket.calls
        assert (kind, text[:10], options) == ("asked", "Which one?", [])
        assert text.endswith(module.SHORTER)
        assert len(text) < 1_000
        assert [one.body["text"] for one in records.store.current(Happened.REFUSED)] == ["too long"]
        session = await records.inbox.run(lambda store: store.sessions.get(records.run.session))
        assert session.last_line == module.REFUSED.format("too long")


async def test_what_never_passes_counts_as_refused_after_days(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FIRST_PAUSE", 0.001)
    monkeypatch.setattr(module, "MOST_SECONDS", 0.0005)
    records = Records(tmp_path)
    records.ticket.troubles = [RetryLaterError("away"), RetryLaterError("away"), RetryLaterError("away")]
    records.happened(Happened.ENDED, "0", end="response", text="Done.")
    async with sending(records) as sent:
        await sent(0)
        [refused] = records.store.current(Happened.REFUSED)
        assert refused.body == {"text": "away", "event": "ended"}
