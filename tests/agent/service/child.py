"""A service that is killed, or cut off, at a point; a fork of a process that has imported it already."""

import asyncio
import inspect
import json
import os
import signal
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import make_url

from ccq_tui.service.adapters.linear import LinearAdapter
from ccq_tui.service.config import LinearTable, Secret, ServiceConfig
from ccq_tui.service.desk import Desk
from ccq_tui.service.policy import Repository
from ccq_tui.service.segment import Segment
from ccq_tui.service.segments import Segments
from ccq_tui.service.service import Service
from ccq_tui.service.serving import ServiceOptions, serve
from ccq_tui.service.store import RunStore
from tests.agent.service.postgres import Proxy

SECRET, TOKEN = "CCQ_KILLED_SECRET", "CCQ_KILLED_TOKEN"
"""The environment variables of Linear's secrets, which have their own names as values."""
WATCHED: tuple[tuple[Any, tuple[str, ...]], ...] = (
    (Segments, ("take",)),
    (Segment, ("prepare", "converse", "conclude")),
    (Service, ("incoming", "record", "advance")),
    (Desk, ("_apply",)),
    (RunStore, ("move", "mark_sent", "taken", "create", "keep", "assign")),
    (LinearAdapter, ("send",)),
)
"""What can be killed before and after: the steps, what is written between them, what is sent."""


class Points:
    """The points that this process passes; at some of them, something strikes."""

    def __init__(self, struck: list[str], strike: Callable[[str], None]) -> None:
        self.passed: Counter[str] = Counter()
        self._struck = struck
        self._strike = strike
        self._one = threading.Lock()

    def __call__(self, where: str) -> None:
        with self._one:
            self.passed[where] += 1
            if (here := f"{where}#{self.passed[where]}") in self._struck:
                self._strike(here)

    def watch(self, owner: Any, name: str) -> None:
        """Let a function be a point before and after it."""
        work, called = getattr(owner, name), f"{owner.__name__}.{name}"

        async def later(*values: Any, **named: Any) -> Any:
            what = f"{owner.__name__}.{values[2].kind}" if name == "send" else called
            self(f"{what}.before")
            result = await work(*values, **named)
            self(f"{what}.after")
            return result

        def now(*values: Any, **named: Any) -> Any:
            self(f"{called}.before")
            result = work(*values, **named)
            self(f"{called}.after")
            return result

        later.__name__ = now.__name__ = name
        setattr(owner, name, later if inspect.iscoroutinefunction(work) else now)


def run(body: dict[str, Any], struck: list[str]) -> None:
    """Serve until SIGTERM; at one of the points this process is cut off from Postgres, or killed.

    Where it was killed goes into a file, else what was passed.
    """
    with Path(body["errors"]).open("ab") as errors:
        for stream in (1, 2):
            os.dup2(errors.fileno(), stream)
    os.environ.clear()
    os.environ |= body["env"] | {SECRET: SECRET, TOKEN: TOKEN}
    note = Path(body["note"])

    def kill(here: str) -> None:
        note.write_text(json.dumps(here), "utf-8")
        os.kill(os.getpid(), signal.SIGKILL)

    strike = kill
    if body["cut"]:
        url = make_url(body["url"])
        proxy = Proxy(url.port or 0)
        body["url"] = url.set(port=proxy.port).render_as_string()
        strike = lambda _: proxy.cut(body["cut"])  # noqa: E731
    points = Points(struck, strike)
    for owner, names in WATCHED:
        for name in names:
            points.watch(owner, name)
    receive = Segment._handle

    def received(self: Segment, event: Any) -> None:
        points(f"heard {type(event).__name__}.before")
        receive(self, event)

    Segment._handle = received  # type: ignore[method-assign]
    asyncio.run(_serve(body))
    note.write_text(json.dumps(points.passed), "utf-8")


async def _serve(body: dict[str, Any]) -> None:
    config = ServiceConfig(
        machine=body["machine"],
        repositories={"repo": Repository(Path(body["repository"]), allowed_tools=("Bash(touch made)",))},
        linear=LinearTable(webhook_secret=Secret(SECRET), token=Secret(TOKEN), url=body["linear"]),
    )
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    options = ServiceOptions(config, body["url"], Path(body["state"]), port=body["port"])
    await serve(options, started=lambda _url: None, stop=stop)
