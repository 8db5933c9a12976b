"""A form on its way: left, out of time, answered elsewhere, and recorded once whatever ends the process."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from ccq_tui.forms.commits import REFLECTION
from ccq_tui.forms.filling import LEFT, Filling, fill, request_of
from ccq_tui.forms.output import OutputError
from ccq_tui.forms.reading import find_form, read_form
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.requests import Cancelled, FormRequest
from ccq_tui.inbox.store.requests import RequestTable
from ccq_tui.inbox.store.rows import RequestState
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import InboxBusy
from ccq_tui.processes import Owner
from ccq_tui.questions import Answer, Answered, Declined
from ccq_tui.questions.state import PanelState
from tests.actors import PHONE
from tests.steps import until_true
from tests.ui.host import Clock

TEXT = '{"id": "note", "title": "A note", "questions": [{"id": "said", "text": "What?", "kind": "text"}]}'
FORM = read_form(TEXT, "note.json")
SAID = Answered((Answer(other="hello"),))
GONE = Owner(1, "another")


@pytest.fixture
async def inbox(tmp_path: Path) -> AsyncIterator[Inbox]:
    opened = await Inbox.connect(tmp_path / "inbox.db")
    yield opened
    await opened.close()


def asked(directory: Path, output: str = "out.jsonl") -> FormRequest:
    return request_of(FORM, {"about": "it"}, output, directory, "ccq-tui ask")


def lines(directory: Path) -> list[str]:
    path = directory / "out.jsonl"
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def shown_by(filling: Filling) -> PanelState:
    assert isinstance(filling.opened.shown, PanelState)
    return filling.opened.shown


async def leave(_filling: Filling) -> None:
    """Show it to somebody who leaves at once."""


async def wait(filling: Filling) -> None:
    """Leave it in the inbox."""
    await filling.opened.outcome()


async def answer(filling: Filling) -> None:
    """Show it to somebody who answers."""
    await filling.opened.settle(SAID, PHONE)


async def test_answers_become_one_record_and_the_next_asking_begins_anew(
    inbox: Inbox, tmp_path: Path
) -> None:
    for number in (1, 2):
        ended = await fill(inbox, asked(tmp_path), answer)
        context = ended.record["context"]
        assert (ended.stored.actor, ended.late, context) == (PHONE, False, {"about": "it"})
        written = [json.loads(line) for line in lines(tmp_path)]
        assert len({one["id"] for one in written}) == len(written) == number
        assert written[-1] == ended.record
        assert written[-1]["answers"] == {"said": {"value": "hello"}}


async def test_an_answer_that_is_recorded_while_the_inbox_is_busy_is_not_given_to_the_next(
    inbox: Inbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marks, busy = RequestTable.mark_delivered, [True]

    def mark(table: RequestTable, request_id: str, way: str) -> bool:
        if busy and busy.pop():
            raise InboxBusy
        return marks(table, request_id, way)

    monkeypatch.setattr(RequestTable, "mark_delivered", mark)
    await fill(inbox, asked(tmp_path), answer)
    assert await inbox.run(lambda store: store.requests.undelivered(asked(tmp_path).session_id)) == []


async def test_a_form_that_is_left_or_out_of_time_waits_no_more_and_keeps_its_draft(
    inbox: Inbox, tmp_path: Path
) -> None:
    async def type_and_leave(filling: Filling) -> None:
        filling.opened.type(shown_by(filling).with_draft(other="half", taken=True), PHONE)

    ended = await fill(inbox, asked(tmp_path), type_and_leave)
    assert (ended.stored.outcome, ended.record, ended.in_time) == (Cancelled(LEFT), None, True)
    assert await inbox.run(lambda store: store.requests.waiting()) == []
    ended = await fill(inbox, asked(tmp_path), wait, inactive=0.05)
    late = Cancelled("nobody answered in time; its draft is kept")
    assert (ended.stored.outcome, ended.record, ended.in_time) == (late, None, False)
    assert lines(tmp_path) == []
    shown: list[str] = []

    async def look(filling: Filling) -> None:
        shown.append(shown_by(filling).page.draft.other)
        await filling.opened.settle(Declined(), PHONE)

    ended = await fill(inbox, asked(tmp_path), look)
    assert (ended.stored.outcome, ended.stored.actor, ended.record) == (Declined(), PHONE, None)
    assert shown == ["half"]


@pytest.mark.parametrize("changed", [False, True])
async def test_what_was_confirmed_before_the_process_died_is_recorded_by_the_next_once(
    tmp_path: Path, changed: bool
) -> None:
    request = asked(tmp_path)
    path = tmp_path / "inbox.db"
    dead = replace(request, origin=replace(request.origin, process=None))
    with closing(Store(path)) as store:
        store.requests.add(replace(dead, origin=request.origin))
        store.requests.settle(request.id, SAID, PHONE)
        store.database.do(
            "UPDATE requests SET body = json_set(body, '$.origin.process.start', 'another') WHERE id = ?",
            (request.id,),
        )
    if changed:
        longer = read_form(TEXT.replace("What?", "What else?"), "note.json")
        request = request_of(longer, {"about": "it"}, "out.jsonl", tmp_path, "ccq-tui ask")
    inbox = await Inbox.connect(path)
    ended = await fill(inbox, request, answer)
    assert (ended.late, ended.record["answers"]) == (True, {"said": {"value": "hello"}})
    # Killed once more, between the record and the note that it was written.
    await inbox.run(lambda store: store.database.do("UPDATE requests SET state = 'answered'"))
    again = await fill(inbox, request, answer)
    assert (again.record, again.late, len(lines(tmp_path))) == (ended.record, True, 1)
    await inbox.close()


async def test_a_record_that_cannot_be_written_is_written_later(inbox: Inbox, tmp_path: Path) -> None:
    (tmp_path / "out.jsonl").mkdir()
    with pytest.raises(OutputError):
        await fill(inbox, asked(tmp_path), answer)
    (tmp_path / "out.jsonl").rmdir()
    ended = await fill(inbox, asked(tmp_path), leave)
    assert (ended.record is not None, ended.late, len(lines(tmp_path))) == (True, True, 1)


async def test_a_process_that_is_cancelled_withdraws_its_form_and_lets_its_surface_close(
    inbox: Inbox, tmp_path: Path
) -> None:
    shown, closed = [], []

    async def show(filling: Filling) -> None:
        shown.append(filling)
        await filling.opened.outcome()
        closed.append(filling)

    asking = asyncio.ensure_future(fill(inbox, asked(tmp_path), show))
    await until_true(lambda: shown)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert closed
    stored = await inbox.run(lambda store: store.requests.get(asked(tmp_path).id))
    assert stored.state is RequestState.CANCELLED


async def test_the_time_left_is_announced_and_counted_down(inbox: Inbox, tmp_path: Path) -> None:
    clock = Clock()
    async with inbox.asking(asked(tmp_path)) as opened:
        waits = Filling(opened, 1800.0, clock=clock)
        texts = [waits.countdown]
        for seconds in (1500.0, 270.0):
            clock.skip(seconds)
            texts.append(waits.countdown)
        waits.touch()
        assert texts == ["", "closes in 5 min", "closes in 30 s"]
        assert (waits.countdown, waits.seconds_left) == ("", 1800.0)
        waits.input_at = lambda: clock.now
        clock.skip(100.0)
        assert waits.seconds_left == 1800.0
        assert Filling(opened).seconds_left is None


def test_the_same_form_context_and_file_are_the_same_request_from_any_directory(tmp_path: Path) -> None:
    there = tmp_path / "there"
    file = str(tmp_path / "out.jsonl")
    assert asked(tmp_path).id == asked(there, file).id
    assert asked(tmp_path, "-").id != asked(there, "-").id
    assert asked(tmp_path).id != request_of(FORM, {}, "out.jsonl", tmp_path, "ccq-tui ask").id
    commits = [{"hash": "3f2a", "branch": "side"}, {"hash": "3f2a", "branch": "main"}, {"hash": "4b1c"}]
    ids = [request_of(find_form(REFLECTION), one, "", tmp_path, "ccq-tui ask").id for one in commits]
    assert ids[0] == ids[1] != ids[2], "a draft about a commit is there once that is merged"
