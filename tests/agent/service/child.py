"""A service in a process that kills itself at a point; what tickets are told goes into a file."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import signal
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from ccq_tui.service.desk import Desk
from ccq_tui.service.engine import Engine
from ccq_tui.service.policy import Policy, Repository
from ccq_tui.service.port import NewTicket
from ccq_tui.service.run import Run
from ccq_tui.service.segments import Segments
from ccq_tui.service.service import Service
from ccq_tui.service.store import RunStore
from ccq_tui.service.stretch import Stretch

SOURCE = "file"
WATCHED: tuple[tuple[Any, tuple[str, ...]], ...] = (
    (Segments, ("take", "prepare", "converse", "conclude")),
    (Service, ("record", "go_on")),
    (Desk, ("_apply",)),
    (Engine, ("begin",)),
    (RunStore, ("move", "told", "taken", "create")),
)
"""What can be killed before and after: the steps, and what is written between them."""
passed: Counter[str] = Counter()


class FileTicket:
    """A ticket that notes what it is told, one call a line."""

    name = SOURCE

    def __init__(self, path: Path) -> None:
        self._path = path

    def _note(self, what: str, key: str, text: str = "") -> None:
        point(f"{what}.before")
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps([what, key, text]) + "\n")
        point(f"{what}.after")

    async def started(self, _run: Run, key: str, _page: str) -> None:
        self._note("started", key)

    async def said(self, _run: Run, key: str, kind: str, text: str, parameter: str) -> None:
        self._note("said", key, f"{kind} {text} {parameter}")

    async def asked(self, _run: Run, key: str, text: str, _options: tuple[str, ...]) -> None:
        self._note("asked", key, text)

    async def answered(self, _run: Run, key: str, text: str) -> None:
        self._note("answered", key, text)

    async def ended(self, _run: Run, key: str, end: str, text: str) -> None:
        self._note("ended", key, f"{end}: {text}")


def point(where: str) -> None:
    """End here, without a word, if it is time to."""
    passed[where] += 1
    if f"{where}#{passed[where]}" == sys.argv[2]:
        os.kill(os.getpid(), signal.SIGKILL)


def watch(owner: Any, name: str) -> None:
    """Let a function be a point before and after it."""
    work, called = getattr(owner, name), f"{owner.__name__}.{name}"

    async def later(*values: Any, **named: Any) -> Any:
        point(f"{called}.before")
        result = await work(*values, **named)
        point(f"{called}.after")
        return result

    def now(*values: Any, **named: Any) -> Any:
        point(f"{called}.before")
        result = work(*values, **named)
        point(f"{called}.after")
        return result

    later.__name__ = now.__name__ = name
    setattr(owner, name, later if inspect.iscoroutinefunction(work) else now)


async def main(said: dict[str, Any]) -> None:
    """Run until the standard input ends."""
    for owner, names in WATCHED:
        for name in names:
            watch(owner, name)
    hear = Stretch._hear

    def heard(self: Stretch, event: Any) -> None:
        point(f"heard {type(event).__name__}.before")
        hear(self, event)

    Stretch._hear = heard  # type: ignore[method-assign]
    policy = Policy({"repo": Repository(Path(said["repository"]))})
    tickets = {SOURCE: FileTicket(Path(said["told"]))}
    state = Path(said["state"])
    async with Service(policy, said["url"], tickets, machine=said["machine"], state=state) as service:
        for ticket in said["tickets"]:
            await service.incoming(NewTicket(SOURCE, ticket, "A ticket", f"Build {ticket}."))
        print("ready", flush=True)  # noqa: T201 - the test waits for it
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    told = json.loads(sys.argv[1])
    asyncio.run(main(told))
    Path(told["passed"]).write_text(json.dumps(passed), encoding="utf-8")
