"""The notifier, with a real inbox, a real relay, a server on loopback, and a clock that the test moves."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, time, timedelta, timezone
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ccq_tui.config.settings import Settings
from ccq_tui.inbox import inbox as inbox_module
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.requests import Cancelled, PermissionRequest, Request
from ccq_tui.inbox.store.rows import Presence
from ccq_tui.processes import this_process
from ccq_tui.remote.notify import notifier
from ccq_tui.remote.notify.notifier import Notifier, Suppression, suppression
from ccq_tui.remote.pairings import Pairing
from ccq_tui.remote.publisher import Publisher
from ccq_tui.runtime import notices
from ccq_tui.runtime.notices import Notices
from tests.actors import PANEL
from tests.steps import until_true
from tests.tables import each_row
from tests.unit.remote.notify.doubles import Receiver, serving
from tests.unit.remote.notify.test_channels import BASH, asking
from tests.unit.remote.publishing import beside
from tests.unit.remote.relays import running


class Desk:
    """A person's machine: an inbox, a clock, and the notifier while it runs."""

    def __init__(self, inbox: Inbox, state: Path, server: Receiver, log: pytest.LogCaptureFixture) -> None:
        self.inbox, self.state, self.server, self.log = inbox, state, server, log
        self.now = datetime.now(UTC)
        self.asked: list[asyncio.Task[object]] = []

    @asynccontextmanager
    async def notifying(self, *pairings: Pairing, **settings: Any) -> AsyncIterator[None]:
        chosen = Settings(**{"notify_urls": (f"ntfy://{self.server.place}/topic",), **settings})
        notifier = Notifier(self.inbox, chosen, lambda: pairings, self.state, now=lambda: self.now)
        parts = (notifier, *(Publisher(self.inbox, one) for one in pairings))
        async with beside(*(one.run() for one in parts)):
            yield

    def ask(self, *names: str) -> None:
        for name in names:
            self.ask_request(PermissionRequest(name, "s", tool=name, input={"command": "hush"}))

    def ask_request(self, request: Request) -> asyncio.Task[Any]:
        self.asked.append(asyncio.create_task(self.inbox.ask(request)))
        return self.asked[-1]

    def sit_down(self) -> None:
        """Prove a person at a terminal in focus, now."""
        here = Presence(True, self.now.timestamp())
        self.inbox.submit(lambda store: store.listeners.add(this_process(), here))

    def later(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    async def logged(self, words: str) -> None:
        await until_true(lambda: words in self.log.text)

    async def notified(self, *titles: str) -> None:
        await until_true(lambda: [one["title"] for one in self.server.contents] == list(titles), 20.0)


@pytest.fixture
async def desk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> AsyncIterator[Desk]:
    monkeypatch.setattr(notifier, "POLL_SECONDS", 0.01)
    caplog.set_level(logging.INFO, "ccq_tui")
    inbox = await Inbox.connect(tmp_path / "inbox.db")
    with serving() as server:
        desk = Desk(inbox, tmp_path, server, caplog)
        yield desk
        for task in desk.asked:
            task.cancel()
        await asyncio.gather(*desk.asked, return_exceptions=True)
    assert await inbox.close()


async def test_at_once_where_nobody_is_then_one_summary_and_no_request_twice(desk: Desk) -> None:
    async with desk.notifying():
        desk.ask("a")
        await desk.notified("Claude · permission: a")
        desk.ask("b", "c")
        await desk.logged("No notification of 'c@s' now: another notification was sent just before")
        desk.later(31)
        await desk.notified("Claude · permission: a", "2 requests wait")
        await desk.logged("Notified of ['b@s', 'c@s']")
    first, summary = desk.server.contents
    assert first == {"topic": "topic", "title": first["title"], "message": "1 decision waits", "priority": 4}
    assert summary["message"] == "Claude · permission: b, Claude · permission: c"
    desk.ask("d")  # while nobody notifies
    async with desk.notifying():
        await desk.notified("Claude · permission: a", "2 requests wait", "Claude · permission: d")
        await desk.logged("No notification of 'c@s' now: it had one")
    assert "hush" not in desk.log.text


async def test_a_person_at_the_terminal_has_time_to_react(desk: Desk) -> None:
    desk.sit_down()
    async with desk.notifying():
        desk.ask("a")
        await desk.logged("No notification of 'a@s' now: a person is at a terminal")
        desk.later(15)
        desk.sit_down()
        desk.ask("b")
        await desk.logged("No notification of 'b@s' now: a person is at a terminal")
        desk.later(19)  # 34 s after the asking, 19 s after the last key
        assert await desk.inbox.settle("b@s", Cancelled("over"), PANEL)
        await desk.logged("No notification of 'b@s' now: it is settled")
        assert desk.server.got == []
        desk.later(2)
        await desk.notified("Claude · permission: a")


async def test_quiet_hours_end_with_what_still_waits(desk: Desk) -> None:
    desk.now = desk.now.replace(hour=23, minute=0)
    async with desk.notifying(notify_quiet="22:00-07:00"):
        desk.ask("a", "b")
        await desk.logged("No notification of 'b@s' now: quiet hours")
        desk.later(8 * 3600)
        await desk.notified("2 requests wait")


async def test_what_no_channel_took_is_sent_again(desk: Desk) -> None:
    desk.server.authorization = "Bearer me"
    async with desk.notifying():
        desk.ask("a")
        await desk.logged("HTTP 403")
        desk.server.authorization = ""
        desk.later(61)
        await desk.notified("Claude · permission: a")
        await desk.logged("Notified of ['a@s']")
    desk.ask("b")
    async with running(desk.state) as relay, desk.notifying((await relay.pairing()).known, notify_urls=()):
        desk.later(61)
        await desk.logged("No notification of 'b@s' now: another notification was sent just before")
        assert "b@s" not in (desk.state / "notified.json").read_text(), "no device is paired yet"


async def test_the_persons_program_runs_for_each_request_at_most_four_at_a_time(desk: Desk) -> None:
    script = 'cd "$0"; touch "$CCQ_REQUEST"; until [ -e go ]; do sleep 0.01; done'
    ran = desk.state / "ran"
    ran.mkdir()
    chosen = {"notify_urls": (), "on_request": ("sh", "-c", script, str(ran))}
    desk.sit_down()  # who is there does not matter to it
    desk.ask("a")
    async with desk.notifying(**chosen):
        desk.ask("b", "c", "d", "e", "f")
        await until_true(lambda: len(list(ran.iterdir())) == 4)
        (ran / "go").touch()
        await until_true(lambda: {path.name for path in ran.glob("*@s")} == {f"{one}@s" for one in "abcdef"})
    (ran / "a@s").unlink()
    async with desk.notifying(**chosen):
        desk.ask("g")
        await until_true((ran / "g@s").exists)
    assert not (ran / "a@s").exists(), "it ran again after a restart"


SEALED = [
    (asking("Hush", "Hush 2", header="Hush"), False, "Claude · question"),
    (BASH, False, "Claude · permission"),
    (asking("A", "B"), True, "Claude · Cache"),
]


@pytest.mark.parametrize(("request_", "with_text", "title"), SEALED)
async def test_a_sealed_pairing_keeps_what_is_asked_from_channels_unless_allowed(
    desk: Desk, request_: Request, with_text: bool, title: str
) -> None:
    async with running(desk.state) as relay:
        plain, sealed = await relay.pairing(), await relay.pairing(sealed=True)
        async with desk.notifying(plain.known, sealed.known, notify_text=with_text):
            desk.ask_request(request_)
            await desk.notified(title)
    (sent,) = desk.server.contents
    assert [one["action"] for one in sent["actions"]] == ["view"]
    has_words = any(word in str(sent) for word in ("Hush", "Which", "Cache", "Bash"))
    assert has_words == with_text


# -- why a waiting request gets no notification --------------------------------------------------------------


NOW = datetime(2026, 11, 27, 12, 0, tzinfo=UTC)
AT = NOW.timestamp()
NIGHT, NOON = (time(22), time(7)), (time(12), time(13, 30))


PRESENCES = [
    (AT, [], False),  # no terminal is open
    (AT, [Presence(False, AT), Presence(False, AT - 5)], False),
    (AT, [Presence(True, AT - 3600)], True),  # in focus: counted from the asking
    (AT, [Presence(False, AT), Presence(True, AT - 3600)], True),
    (AT, [Presence(None, AT - 19)], True),  # a key press counts for a while
    (AT, [Presence(None, AT - 20)], False),
    (AT, [Presence(True, AT + 1)], False),  # a clock that was set back
    (AT - 20, [Presence(True, AT - 60)], False),
    (AT - 60, [Presence(True, AT - 19)], True),  # from the last proof
    (AT - 60, [Presence(True, AT - 20)], False),
]


@each_row(*PRESENCES)
def test_presence_must_be_proven(asked: float, presences: list[Presence], is_present: bool) -> None:
    found = suppression(asked, presences, NOW, wait=20)
    assert found is (Suppression.PRESENT if is_present else None)


HOURS = [
    ((21, 59), NIGHT, False),
    ((22, 0), NIGHT, True),
    ((7, 0), NIGHT, False),
    ((12, 0), NOON, True),
    ((13, 30), NOON, False),
]


@each_row(*HOURS)
def test_hours_are_quiet(clock: tuple[int, int], quiet: tuple[time, time], is_quiet: bool) -> None:
    there = datetime(2026, 11, 27, *clock, tzinfo=timezone(timedelta(hours=-5)))
    found = suppression(there.timestamp(), (), there, wait=20, quiet=quiet)
    assert found is (Suppression.QUIET if is_quiet else None)


def test_one_that_had_none_waits_for_the_summary() -> None:
    assert suppression(AT, (), NOW, wait=20, free_at=AT + 1) is Suppression.TOO_SOON
    assert suppression(AT, (), NOW, wait=20, free_at=AT) is None
    assert suppression(AT, (), NOW, wait=20, notified=True) is Suppression.NOTIFIED


# -- proofs of presence --------------------------------------------------------------------------------------


async def test_keys_and_focus_are_noted(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    noted = Notices(SimpleNamespace(inbox=desk.inbox), None)  # type: ignore[arg-type]
    monkeypatch.setattr(inbox_module, "PROOF_SECONDS", 0.0)

    async def presences() -> list[Presence]:
        await desk.inbox.run(lambda _: None)  # by then a proof is submitted
        return await desk.inbox.run(lambda store: store.listeners.presences())

    async def focuses() -> list[bool | None]:
        return [one.focused for one in await presences()]

    desk.inbox.listen()
    assert await focuses() == [], "no proof"
    noted.pressed()
    behind = await desk.inbox.run(lambda store: store.listeners.presences())
    assert behind == [], "what the key does is written first"
    assert await focuses() == [None]
    before = await presences()
    noted.pressed()  # too soon for another
    assert await presences() == before
    monkeypatch.setattr(notices, "KEY_SECONDS", 0.0)
    noted.pressed()
    assert await presences() > before
    noted.focus_reported(False)
    assert await focuses() == [False]
    noted.pressed()  # which a terminal out of focus does not get
    assert await focuses() == [True]
