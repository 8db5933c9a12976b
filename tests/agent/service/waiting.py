"""Many runs that wait, as a service finds them at its start."""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.requests import QuestionRequest
from ccq_tui.questions.model import QuestionSet
from ccq_tui.service.run import Happened, Run, RunState
from ccq_tui.service.store import RunStore
from tests.agent.killed.script import asked_in

MACHINE = "one"


def fill(count: int, url: str, root: Path) -> None:
    """Leave runs behind that wait, each with a question that its ticket was asked."""
    now = datetime.now(UTC)

    def runs() -> Iterator[Run]:
        for number in range(count):
            texts = ("linear", f"ticket {number}", "A title", "", "Build it. " * 50, "repo", now, now)
            yield Run(uuid4().hex[:12], *texts, MACHINE, str(uuid4()), state=RunState.WAITING)

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
