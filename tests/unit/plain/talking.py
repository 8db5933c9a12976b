"""A request in an inbox, answered by lines from a pipe."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from ccq_tui.inbox.actors import Actor, Surface
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.open_request import OpenRequest
from ccq_tui.inbox.requests import Request
from ccq_tui.plain.answering import End, walk_request
from ccq_tui.plain.lines import Lines

ME = Actor.here(Surface.INBOX)


class Pipe:
    """The writing end of a program's input, and its lines."""

    def __init__(self) -> None:
        self.source, self._writes = os.pipe()
        self.lines = Lines(self.source)

    def write(self, text: str) -> None:
        os.write(self._writes, text.encode())

    def end(self) -> None:
        os.close(self._writes)


@dataclass
class Talk:
    """What came of a dialog."""

    end: End
    opened: OpenRequest
    printed: list[str]

    @property
    def outcome(self) -> Any:
        return self.opened.stored.outcome


async def talk(
    inbox: Inbox,
    request: Request,
    typed: str,
    printed: pytest.CaptureFixture[str],
    meanwhile: Callable[[OpenRequest], Any] | None = None,
) -> Talk:
    """Ask a request, and answer it with lines; ``meanwhile`` is called once the first of them is awaited."""
    pipe = Pipe()
    pipe.write(typed)
    if meanwhile is None:
        pipe.end()
    async with inbox.asking(request) as opened:
        await opened.added()
        opened.leave()
        if meanwhile is not None:
            meanwhile(opened)
        printed.readouterr()
        end = await walk_request(opened, pipe.lines, ME)
        if end in (End.HERE, End.ELSEWHERE):
            await opened.outcome()
    os.close(pipe.source)
    return Talk(end, opened, printed.readouterr().out.splitlines())
