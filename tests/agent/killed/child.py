"""The program without a screen: a real session, inbox and CLI in a process that can be killed.

A kill ends what the screen of the program stands on in the same way, without the cost of a screen: what was
on its way to the disk or to the CLI is in this process. Events go out as lines of JSON, orders come in so.
"""

import asyncio
import json
import sys
from collections.abc import Coroutine
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from ccq_tui.agent import events as ev
from ccq_tui.agent.controls import CommandError
from ccq_tui.agent.session import AgentSession
from ccq_tui.config.launch import Launch
from ccq_tui.config.settings import Settings
from ccq_tui.inbox.draft import first_draft
from ccq_tui.inbox.inbox import Inbox
from ccq_tui.inbox.port import Grown
from ccq_tui.inbox.requests import Allowed, QuestionRequest
from ccq_tui.inbox.verdicts import Accepted, InboxError
from ccq_tui.questions import Answer, Answered
from ccq_tui.questions.state import Draft, PanelState
from tests.actors import INBOX, PANEL
from tests.agent.killed.field import PromptField

MAIN = "main"
MOST = 2**20
"""Bytes of one order."""
END_SECONDS = 40.0
"""How long sessions may take to end in order."""


class Child:
    """One process of the program.

    Args:
        inbox: The inbox.
        project: Where the agent works.
    """

    def __init__(self, inbox: Inbox, project: Path) -> None:
        self._inbox = inbox
        self._project = project
        self._sessions: dict[str, AgentSession] = {}
        self._fields: dict[str, PromptField] = {}
        self._running: set[asyncio.Task[None]] = set()
        self._asked: dict[str, QuestionRequest] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        inbox.subscribe(lambda one: isinstance(one, Grown) and say({"event": "Grown", "key": MAIN}))

    def obey(self, order: dict[str, Any]) -> None:
        """Do as told.

        Args:
            order: ``do``, ``key`` for which session where there are several, and what belongs to it.
        """
        key = order.get("key", MAIN)
        match order["do"]:
            case "start":
                self._start(key, order["resume"], fork=order.get("fork", False))
            case "settle":
                self._hold(self._settle(order["id"], order["text"]))
            case "allow elsewhere":
                self._hold(self._allow(order["id"]))
            case _:
                self._tell_session(self._sessions[key], order)

    def _start(self, key: str, resume: str, *, fork: bool) -> None:
        settings = Settings.model_construct(cwd=self._project, permission_mode="default")
        launch = Launch(settings=settings, resume=resume, fork=fork)
        session = AgentSession(launch, self._inbox, partial(self._take, key))
        if before := self._fields.get(key):
            before.close()
        self._sessions[key] = session
        self._fields[key] = PromptField(
            self._inbox,
            session,
            launch,
            self._hold,
            lambda text, name: say({"event": "Kept", "text": text, "prompt_id": name}),
            lambda text: say({"event": "Returned", "key": key, "text": text}),
        )
        task = asyncio.create_task(session.run())
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def end(self) -> None:
        """End all sessions in order, as the program does when it is quit."""
        for session in self._sessions.values():
            session.close()
        if self._running:
            await asyncio.wait(self._running, timeout=END_SECONDS)
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=END_SECONDS)
        for field in self._fields.values():
            field.close()

    def _tell_session(self, session: AgentSession, order: dict[str, Any]) -> None:
        key = order.get("key", MAIN)
        match order["do"]:
            case "queue":
                self._hold(self._fields[key].give(order["text"]))
            case "send what came back" if text := self._fields[key].take():
                self._hold(self._fields[key].give(text))
            case "send":
                session.send(order["text"])
            case "draft":
                state = first_draft(self._asked[order["id"]])
                assert isinstance(state, PanelState)
                page = replace(state.pages[0], draft=Draft(other=order["text"], other_on=True))
                opened = session._inbox.known(order["id"])
                opened.type(replace(state, pages=(page, *state.pages[1:])), PANEL)
            case "answer":
                session._inbox.settle(order["id"], Answered((Answer(other=order["text"]),)), PANEL)
            case "allow":
                session._inbox.settle(order["id"], Allowed(), PANEL)
            case "rewind":
                self._hold(self._rewind(session, order["prompt_id"]))
            case "park":
                session.park()
            case "close":
                session.close()

    async def _settle(self, request_id: str, text: str) -> None:
        """Answer a request of another process, as its inbox screen does."""
        try:
            verdict = await self._inbox.settle(request_id, Answered((Answer(other=text),)), INBOX)
        except InboxError as error:
            say({"event": "NotSettled", "id": request_id, "reason": str(error)})
        else:
            say({"event": "Settled", "id": request_id, "won": isinstance(verdict, Accepted)})

    async def _allow(self, request_id: str) -> None:
        try:
            await self._inbox.settle(request_id, Allowed(), INBOX)
        except InboxError as error:
            say({"event": "NotSettled", "id": request_id, "reason": str(error)})

    async def _rewind(self, session: AgentSession, prompt_id: str) -> None:
        try:
            done = await session.rewind(prompt_id, files=False)
        except CommandError as error:
            say({"event": "NotRewound", "reason": str(error)})
        else:
            say({"event": "Rewound", "reason": done.refusal})

    def _hold(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _take(self, key: str, event: ev.AgentEvent) -> None:
        body: dict[str, Any] = {"event": type(event).__name__, "key": key}
        # Like the screen, a moment later: an event may come while a prompt is still being given.
        asyncio.get_running_loop().call_soon(self._fields[key].note_event, event)
        match event:
            case ev.RequestAsked(QuestionRequest() as request, by_message):
                opened = self._sessions[key]._inbox.known(request.id)
                draft = opened.draft if opened is not None else None
                self._asked[request.id] = request
                typed = draft.pages[0].draft.other if isinstance(draft, PanelState) else ""
                body |= {"id": request.id, "text": request.questions.questions[0].text}
                body |= {"draft": typed, "by_message": by_message, "at": datetime.now(UTC).isoformat()}
            case ev.RequestAsked(request):
                body |= {"id": request.id}
            case ev.Connected(session_id=session_id):
                body |= {"session": session_id}
            case _:
                names = ("request_id", "tool_use_id", "deferred", "state", "kind", "reason", "prompt_id")
                body |= {name: str(getattr(event, name)) for name in names if hasattr(event, name)}
        say(body)


def say(body: dict[str, Any]) -> None:
    """Write a line, at once."""
    sys.stdout.write(json.dumps(body) + "\n")
    sys.stdout.flush()


async def main(database: Path, project: Path) -> None:
    """Obey until there are no more orders.

    Args:
        database: The inbox's file.
        project: Where the agent works.
    """
    inbox = await Inbox.connect(database)
    child = Child(inbox, project)
    orders = asyncio.StreamReader(limit=MOST)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    say({"event": "Started"})
    while line := await orders.readline():
        child.obey(json.loads(line))
    await child.end()
    await inbox.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2])))
