"""One leader publishes for a machine, as the file of pairings says, and others know how its relays are."""

import asyncio
import threading
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from ccq_tui.config.settings import Settings
from ccq_tui.remote import leader
from ccq_tui.remote.client import RelayUnreachable
from ccq_tui.remote.leader import LOCK, PAIRINGS, SIGN, Leader, LeaderThread, relay_sign
from ccq_tui.remote.pairings import change_pairings, pairings_file
from ccq_tui.remote.publisher import Publisher
from ccq_tui.stored import locked
from tests.steps import until_true
from tests.unit.remote.publishing import Desk, beside, question


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leader, "POLL_SECONDS", 0.05)


def leaders() -> set[threading.Thread]:
    """Return the threads that lead; those of tests before may still be ending."""
    return {each for each in threading.enumerate() if each.name == "leader"}


@asynccontextmanager
async def leading(state: Path) -> AsyncIterator[list[str]]:
    """Run a leader until the block ends; yields what it says."""
    texts: list[str] = []
    async with beside(Leader(Settings(), state=state, on_sign=texts.append).run()):
        yield texts


@pytest.fixture
async def quiet(desk: Desk) -> Desk:
    """A desk whose inbox nobody publishes."""
    await desk.stop()
    return desk


async def test_pairings_are_published_as_the_file_has_them(
    tmp_path: Path, quiet: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / PAIRINGS

    def nobody_leads() -> bool:
        with locked(tmp_path / LOCK, 0.0) as is_free:
            return is_free

    await quiet.ask(question())
    change_pairings(file, add=[quiet.phone.pairing])
    file.chmod(0o644)
    async with leading(tmp_path) as text:
        await until_true(lambda: "can be read by others" in caplog.text)
        file.chmod(0o600)
        record = await quiet.phone.shown()
        change_pairings(file, remove=[quiet.phone.pairing.id])
        await until_true(nobody_leads)
        await quiet.phone.answer(record, {"answers": [{"selected": [1]}]})
        change_pairings(file, add=[quiet.phone.pairing])
        await quiet.phone.says(record["id"], end="answered", by="on Anna's phone", text="Red")
        file.write_text("{", encoding="utf-8")
        await quiet.shown(question("toolu_2"))
        assert text == [], "a damaged file ends nothing"


async def test_all_say_that_a_relay_is_down_and_try_after_a_change(tmp_path: Path, quiet: Desk) -> None:
    async with leading(tmp_path) as first, leading(tmp_path) as second:
        other = replace(quiet.phone.pairing, id=str(uuid.uuid4()), relay="http://127.0.0.1:9")
        for pairing, words in (
            (replace(quiet.phone.pairing, relay="http://127.0.0.1:9"), "phone: relay unreachable"),
            (replace(quiet.phone.pairing, relay="http://127.0.0.1:9", is_home=True), ""),
            (replace(quiet.phone.pairing, token="unknown", is_home=True), "phone: pair it again"),
            (other, "phone: relay unreachable"),
        ):
            change_pairings(tmp_path / PAIRINGS, add=[pairing])
            await until_true(lambda words=words: first[-1:] == second[-1:] == [words])  # type: ignore[misc]


async def test_a_thread_waits_for_a_pairing_leads_and_is_followed(tmp_path: Path, quiet: Desk) -> None:
    others = leaders()
    thread = LeaderThread(Settings(), tmp_path, lambda _: None)
    assert not (tmp_path / LOCK).exists()
    change_pairings(tmp_path / PAIRINGS, add=[quiet.phone.pairing])
    await quiet.shown(question())
    async with leading(tmp_path):
        await asyncio.to_thread(thread.stop, 60.0)
        assert leaders() <= others
        await quiet.shown(question("toolu_2"))
    assert not (tmp_path / SIGN).exists()


async def test_a_call_that_fails_as_it_is_cancelled_keeps_no_leader(
    tmp_path: Path, quiet: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    listening = threading.Event()

    async def fails_once_cancelled(*_: object) -> None:
        listening.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise RelayUnreachable("the relay cannot be reached") from None

    monkeypatch.setattr(Publisher, "_listen", fails_once_cancelled)
    change_pairings(tmp_path / PAIRINGS, add=[quiet.phone.pairing])
    others = leaders()
    thread = LeaderThread(Settings(), tmp_path, lambda _: None)
    await until_true(listening.is_set)
    await asyncio.to_thread(thread.stop, 60.0)
    assert leaders() <= others


@pytest.mark.parametrize(("content", "sign"), [(b"\xff\x1b[1m" + b"x" * 99, ""), (b"down", "down")])
def test_a_sign_that_cannot_be_read_is_none(tmp_path: Path, content: bytes, sign: str) -> None:
    (tmp_path / SIGN).write_bytes(content)
    assert relay_sign(tmp_path) == sign


def test_the_files_are_those_of_the_program(home: Path) -> None:
    assert pairings_file() == home / ".local" / "state" / "ccq-tui" / PAIRINGS
