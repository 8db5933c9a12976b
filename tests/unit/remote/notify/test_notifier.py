"""The notifier, with a real inbox, a real relay, a server on loopback, and a clock that the test moves."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from ccq_tui.config.settings import Settings
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.requests import Cancelled, PermissionRequest, Request
from ccq_tui.processes import this_process
from ccq_tui.remote.notify import notifier
from ccq_tui.remote.notify.notifier import Notifier
from ccq_tui.remote.pairings import Pairing
from ccq_tui.remote.publisher import Publisher
from ccq_tui.stored import write_whole
from tests.actors import PANEL
from tests.steps import until_true
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
        file = self.state / "presence" / f"{this_process().pid}@{this_process().start}"
        write_whole(file, "true")
        os.utime(file, (self.now.timestamp(), self.now.timestamp()))

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
    monkeypatch.setattr(notifier, "LOOK_SECONDS", 0.01)
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
        assert await desk.inbox.answer("b@s", Cancelled("over"), PANEL)
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
    (said,) = desk.server.contents
    assert [one["action"] for one in said["actions"]] == ["view"]
    has_words = any(word in str(said) for word in ("Hush", "Which", "Cache", "Bash"))
    assert has_words == with_text
