"""A ticket of Linear becomes a session of the real CLI; people answer in the ticket or elsewhere."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import Response

from ccq_tui.questions import Answer, Answered, Option, Question
from ccq_tui.service.adapters.linear import LinearAdapter
from ccq_tui.service.adapters.scripted_linear import LinearSession, ScriptedLinear
from ccq_tui.service.policy import Policy, Repository
from ccq_tui.service.run import RunState
from ccq_tui.service.service import Service
from ccq_tui.testing import CleanHome, Scenario, ScriptedModel
from ccq_tui.testing.thread import ServerThread
from tests.actors import PHONE
from tests.steps import step, until_true
from tests.unit.worktrees.repositories import IDENTITY, repository, run

QUESTIONS = (
    Question("Which library?", "Library", (Option("date-fns"), Option("Day.js"))),
    Question("Which features?", "Features", (Option("Auth"), Option("Logs")), multi_select=True),
    Question("What is it called?", "Name", (Option("api"), Option("web"))),
)
FIRST = Scenario("ticket").says("I look at it.").asks(*QUESTIONS)
FIRST = FIRST.runs("Bash", command="echo Day.js > library.txt", description="Note it")
SCRIPT = FIRST.says("All is done.").ends_turn().asks(QUESTIONS[0]).says("Done again.").ends_turn()


class Webhooks:
    """Takes webhooks in the server's thread for a service in the loop of the test."""

    def __init__(self, adapter: LinearAdapter) -> None:
        self.adapter = adapter
        self.service: Service | None = None
        self.loop = asyncio.get_running_loop()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        request = Request(scope, receive)
        said = self.adapter.read(dict(request.headers), await request.body()).incoming
        if self.service is None or said is None:
            return await Response(status_code=503)(scope, receive, send)
        taken = asyncio.run_coroutine_threadsafe(self.service.incoming(said), self.loop)
        await asyncio.wrap_future(taken)
        return await Response()(scope, receive, send)


@asynccontextmanager
async def serving(root: Path, linear: ScriptedLinear, home: CleanHome, repo: Path) -> AsyncIterator[Service]:
    adapter = LinearAdapter(lambda: "secret", lambda: "token", url=f"{linear.url}/graphql")
    hooks = Webhooks(adapter)
    server = ServerThread(hooks)
    linear.webhook = f"http://127.0.0.1:{server.port}/"
    policy = Policy({"repo": Repository(repo, allowed_tools=("Bash",))})
    url = f"sqlite:///{root / 'runs.db'}"
    try:
        async with Service(
            policy,
            url,
            {"linear": adapter},
            machine="one",
            state=root / "state",
            environment=home.overrides() | IDENTITY,
            page=lambda run: f"http://127.0.0.1/runs/{run.id}",
        ) as service:
            hooks.service = service
            yield service
    finally:
        server.stop()
        await adapter.close()


def bodies(session: LinearSession, kind: str) -> list[str]:
    return [one["body"] for one in session.activities if one["type"] == kind]


async def test_a_ticket_from_its_assignment_to_its_branch(
    tmp_path: Path,
    scripted_model: Callable[..., ScriptedModel],
    claude_env: Callable[..., CleanHome],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in IDENTITY.items():
        monkeypatch.setenv(name, value)
    model = scripted_model(SCRIPT)
    home, repo = claude_env(model), repository(tmp_path / "repo")
    linear = ScriptedLinear("", secret="secret", token="token")
    try:
        async with serving(tmp_path, linear, home, repo) as service:
            session = linear.assign("Dates", "Choose a library for dates.")
            asked: Callable[[int], Any] = lambda count: until_true(  # noqa: E731
                lambda: len(bodies(session, "elicitation")) == count
            )
            with step("three questions, one after the other"):
                for number, answer in enumerate(["2", "1, Logs", "my-service"], 1):
                    await asked(number)
                    assert f"Question {number} of 3" in bodies(session, "elicitation")[-1]
                    linear.reply(session.id, answer)
            with step("the same call goes on"):
                await until_true(lambda: session.status == "complete")
                assert bodies(session, "response")[-1].startswith("All is done.")
                assert session.urls[0]["label"] == "ccq-tui"
                assert bodies(session, "thought")[0] == "I am on it."
                result = json.dumps(model.requests()[-1].body)
                for text in ("Day.js", "Auth, Logs", "my-service"):
                    assert text in result
                assert "ccq/run-" in run(repo, "branch", "--list", "ccq/*")
            linear.reply(session.id, "Once more, please.")
            await asked(4)
            await until_true(lambda: service.store.list()[0].state is RunState.WAITING)
        async with serving(tmp_path, linear, home, repo) as service:
            with step("answered elsewhere after a restart of everything"):
                [waiting] = await until_true(
                    lambda: service.inbox.run(lambda store: store.requests.waiting())
                )
                await service.inbox.answer(waiting.request.id, Answered((Answer(("date-fns",)),)), PHONE)
                await until_true(lambda: session.status == "complete")
                assert "Answered on phone: Library: date-fns" in bodies(session, "thought")
                assert bodies(session, "response")[-1].startswith("Done again."), session.activities[-6:]
        keys = [one["id"] for one in session.activities]
        assert len(keys) == len(set(keys))
    finally:
        linear.close()
