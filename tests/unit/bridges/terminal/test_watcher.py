"""When a program's screen rests."""

import asyncio
import os
import pty
import time
from typing import Any, cast

import pytest

from ccq_tui.bridges.terminal import watcher
from ccq_tui.bridges.terminal.link import SHOW, ToWatcher
from ccq_tui.bridges.terminal.rules import load_rules
from ccq_tui.bridges.terminal.watcher import QUIET, Watcher
from ccq_tui.inbox.requests import Asker, Origin
from tests.steps import until_true


class Flood:
    """A relay that has more output at each look; a busy machine lets the watcher come to it late."""

    watcher: Watcher

    def __init__(self) -> None:
        self.written: list[bytes] = []

    def write(self, data: bytes) -> None:
        self.written.append(data)
        if data == SHOW:
            self.watcher._take(ToWatcher.OUTPUT, b"\r\nContinue? [y/n] ")
            time.sleep(QUIET + 0.05)
            self.watcher._take(ToWatcher.SHOWN, b"")


async def test_what_comes_with_the_second_look_is_no_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watcher, "foreground_waits", lambda _: True)
    master, slave = pty.openpty()
    relay = Flood()
    watching = Watcher(Origin(Asker.TERMINAL, "yes"), master, (80, 24), load_rules(), cast("Any", relay))
    relay.watcher = watching
    watching._take(ToWatcher.OUTPUT, b"Continue? [y/n] ")
    assert watching.prompt is not None
    settling = asyncio.create_task(watching._settle())
    await until_true(lambda: len(relay.written) >= 3)
    assert relay.written == [SHOW] * 3, "nothing was asked"
    settling.cancel()
    for end in (master, slave):
        os.close(end)
