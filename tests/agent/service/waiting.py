"""What a start with many waiting runs takes; ``python -m tests.agent.service.waiting 1000`` prints it."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from ccq_tui.service.config import ServiceConfig
from ccq_tui.service.desk import Desk
from ccq_tui.service.policy import Repository
from ccq_tui.service.serving import ServiceOptions, serve

MACHINE = "one"


def memory() -> float:
    """Return how many MB of this process are in memory."""
    lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    return int(next(line for line in lines if "VmRSS" in line).split()[1]) / 1024


async def start(began: float, url: str, root: Path) -> None:
    """Serve until all that is owed was looked through; print the seconds since a time, and the memory."""
    config = ServiceConfig(machine=MACHINE, repositories={"repo": Repository(root)})
    stop, served, catch_up = asyncio.Event(), asyncio.Event(), Desk._catch_up

    async def caught_up(self: Desk) -> None:
        await catch_up(self)
        await served.wait()
        print(f"{url.partition(':')[0]}: {time.time() - began:.2f} s, {memory():.0f} MB")  # noqa: T201
        stop.set()

    Desk._catch_up = caught_up  # type: ignore[method-assign]
    options = ServiceOptions(config, url, root / "state", port=0)
    await serve(options, started=lambda _url: served.set(), stop=stop)


def fill(count: int, url: str, root: Path) -> None:
    """Leave runs behind that wait, each with a question that its ticket was asked."""
    from ccq_tui.inbox.inbox import Inbox
    from ccq_tui.inbox.requests import QuestionRequest
    from ccq_tui.questions.model import QuestionSet
    from ccq_tui.service.run import Happened, Run, RunState
    from ccq_tui.service.store import RunStore
    from tests.agent.killed.script import asked_in

    now = datetime.now(UTC)

    def runs() -> Iterator[Run]:
        for number in range(count):
            said = ("linear", f"ticket {number}", "A title", "", "Build it. " * 50, "repo", now, now)
            yield Run(uuid4().hex[:12], *said, MACHINE, str(uuid4()), state=RunState.WAITING)

    async def ask() -> None:
        inbox = await Inbox.connect(root / "state" / "inbox.db")
        for run in runs():
            call = f"toolu_{run.id}"
            request = QuestionRequest(call, run.session, QuestionSet(call, (asked_in(1),)))
            await inbox.run(lambda store, request=request: store.requests.add(request))  # type: ignore[misc]
            await inbox.run(lambda store, name=request.id: store.requests.defer(name))  # type: ignore[misc]
            store.create(run)
            body = {"request": request.id, "number": 1, "text": "What about part 1?", "options": []}
            asked = store.record(run.id, Happened.ASKED, f"{request.id}:1", body)
            store.mark_sent(asked.id)
        await inbox.close()

    (root / "state").mkdir()
    with closing(RunStore.open(url)) as store:
        asyncio.run(ask())


def main(count: int) -> None:
    """Fill a database and start a service on it twice, for SQLite and, if it is here, Postgres."""
    from tests.agent.service.postgres import postgres, programs

    with tempfile.TemporaryDirectory() as place, ExitStack() as ending:
        urls = [f"sqlite:///{place}/runs.db"]
        if programs():
            urls.append(ending.enter_context(postgres(Path(place))))
        for url in urls:
            root = Path(place) / url.partition(":")[0]
            root.mkdir()
            fill(count, url, root)
            for _ in range(2):
                words = [sys.executable, "-m", __spec__.name, str(time.time()), url, str(root)]
                subprocess.run(words, env={**os.environ, "HOME": str(root)}, check=True, timeout=300)


if __name__ == "__main__":
    if len(sys.argv) > 2:
        asyncio.run(start(float(sys.argv[1]), sys.argv[2], Path(sys.argv[3])))
    else:
        main(int(sys.argv[1]))
