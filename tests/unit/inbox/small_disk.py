"""Programs whose files have no room, by `test_durable_trouble`: `python -m ... DIRECTORY ...`.

Each starts while no file may have more bytes than its directory's name says, keeps what a person does, gets
room, and prints what it was told as a line. They are copies of one process, whose start costs more than that.
"""

import asyncio
import json
import os
import resource
import sys
from collections.abc import Callable
from pathlib import Path

from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.port import Added, InboxRenewed, InboxTrouble, SessionFact
from ccq_tui.inbox.requests import Allowed, Denied
from ccq_tui.inbox.verdicts import Accepted, InboxError
from tests.actors import PANEL
from tests.unit.inbox.test_inbox import ChangeLog, permission

FACT = SessionFact(directory="/work", name="api", state="working", cause="test", runs=True)


def limited(room: int) -> Callable[[], None]:
    """Let no file grow beyond so many bytes, as a quota does; the function returned allows it again."""
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, most))
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


def of(log: ChangeLog, kind: type[InboxTrouble] | type[InboxRenewed]) -> list[str]:
    return [one.message for one in log.changes if isinstance(one, kind)]


async def run(room: int, place: Path) -> dict[str, object]:
    free = limited(room)
    inbox = Inbox.begin(place / "state" / "inbox.db")
    log = ChangeLog(inbox)
    opened = ""
    try:
        await inbox.opened()
    except InboxError as error:
        opened = str(error)
    inbox.sessions.note("s", FACT)
    waits = asyncio.create_task(inbox.ask(permission("waits"), "I looked. " * 9000))
    over = asyncio.create_task(inbox.ask(permission("over")))
    await log.until(lambda: len([c for c in log.changes if isinstance(c, Added)]) >= 2)
    assert await inbox.settle("over@s", Allowed("1"), PANEL) == Accepted()
    assert await over == Allowed("1")
    before = len(of(log, InboxTrouble))
    free()
    if before:
        await log.until(lambda: of(log, InboxRenewed))
    assert await inbox.settle("waits@s", Denied("2"), PANEL) == Accepted()
    assert await waits == Denied("2")
    body: dict[str, object] = {"opened": opened, "troubles": of(log, InboxTrouble)}
    body["renewals"] = of(log, InboxRenewed)
    await inbox.run(lambda _: None)
    return body


if __name__ == "__main__":
    for name in sys.argv[1:]:
        if os.fork() == 0:
            told = asyncio.run(run(int(Path(name).name), Path(name)))
            os.write(1, json.dumps([name, told]).encode() + b"\n")  # in one go, so that no line is torn
            os._exit(0)  # as if it were killed: all that was confirmed is on disk
    sys.exit(max(os.waitstatus_to_exitcode(os.wait()[1]) for _ in sys.argv[1:]))
