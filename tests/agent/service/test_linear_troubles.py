"""Tickets of Linear that nobody answers, that cannot be worked on, and webhooks that are wrong."""

import asyncio
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ccq_tui.service.adapters import linear as adapter
from ccq_tui.service.policy import Repository, RunLimits
from ccq_tui.service.run import Happened
from ccq_tui.service.store import RunStore
from ccq_tui.testing import Scenario
from tests.agent.running import Play
from tests.agent.service.over_http import Linear, bodies, served, until_act
from tests.agent.service.test_linear_runs import (  # noqa: F401 - fixtures
    QUESTIONS,
    RESULT,
    SCRIPT,
    TYPED,
    _linear,
    result_of,
    scene,
)
from tests.steps import step, until_true
from tests.unit.worktrees.repositories import run


async def test_a_ticket_that_nobody_answers_is_parked_or_ends(play: Play, repo: Path, linear: Linear) -> None:
    model, home = play(SCRIPT)
    work = Repository(repo, allowed_tools=("Bash",))
    async with served(home, work, linear, limits=RunLimits(question=0.5)) as call:
        session = linear.assign("Dates", "Choose a library.")
        with step("parked: nothing is chosen, and the ticket says that it waits on"):
            waiting = await call.run(session.id, "parked")
            await until_true(lambda: any("It waits on" in one for one in bodies(session, "elicitation")))
            [request] = (await call("GET", f"/runs/{waiting['id']}/requests")).json()["requests"]
            assert request["state"] == "pending"
    linear.reply(session.id, TYPED[0], send=False)
    async with served(home, work, linear) as call:
        with step("answered while no service ran, and after its restart, from where the answers ended"):
            for count, text in enumerate(TYPED[1:], 3):
                assert f"Question {count - 1} of 3" in await until_act(session, "elicitation", count)
                linear.reply(session.id, text)
            await call.run(session.id, "ended")
            assert result_of(model, request["id"]) == RESULT
            assert await until_act(session, "response")
    limits = RunLimits(question=0.5, on_timeout="abort")
    async with served(home, work, linear, limits=limits) as call:
        with step("it ends with an error, and what was made is kept"):
            make = Scenario("never").runs("Bash", command="echo kept > made", description="Make")
            model.begin(make.asks(*QUESTIONS).says("Never."))
            session = linear.assign("Never", "Ask.")
            assert "nothing was chosen" in await until_act(session, "error")
            failed = await call.run(session.id, "failed")
            assert (Path(failed["directory"]) / "made").read_text() == "kept\n"


async def test_a_closed_issue_closes_its_run_with_a_word(play: Play, repo: Path, linear: Linear) -> None:
    _model, home = play(Scenario("closed").then(scene))
    async with served(home, Repository(repo, allowed_tools=("Bash",)), linear) as call:

        async def closes(word: str, state: str, field: str, says: str) -> None:
            session = linear.assign(word)
            run = await call.run(session.id, state)
            session.times = {field: datetime.now(UTC).isoformat()}
            linear.send({"type": "AppUserNotification", "action": "issueStatusChanged"})
            assert (await until_act(session, "response")).startswith(f"The issue is {says}, so its run is")
            await call.run(session.id, "stopped")
            assert (await call("GET", f"/runs/{run['id']}/requests")).json() == {"requests": []}
            with closing(RunStore.open(f"sqlite:///{home.root / 'runs.db'}")) as store:
                acts: Callable[[], list[str]] = lambda: [  # noqa: E731
                    f"{one.body['act']} {one.body['person']}"
                    for one in store.all_events(run["id"], Happened.ACTED)
                ]
                await until_true(lambda: acts() == ["start Robin", "stop Linear"])

        async with asyncio.TaskGroup() as group:
            group.create_task(closes("Ask", "waiting", "completedAt", "completed"))
            group.create_task(closes("Sleep", "working", "canceledAt", "canceled"))


async def test_a_bad_day(
    play: Play, repo: Path, linear: Linear, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adapter, "SECRET_SECONDS", 0.2)
    model, home = play(SCRIPT)
    run(repo, "remote", "add", "origin", str(tmp_path / "origin.git"))
    work = Repository(repo, base="main", allowed_tools=("Bash",), choose={"label": "shop"})
    async with served(home, work, linear) as call:

        async def hook(body: bytes, headers: dict[str, str]) -> bool:
            return (await call.http.post("/webhooks/linear", content=body, headers=headers)).is_success

        session = linear.assign("Dates", "Choose one.", send=False)
        prompted = linear.reply(session.id, "With care, please.", send=False)
        with step("no repository: the ticket says so, and a message tries again"):
            assert await hook(*linear.signed(prompted, "d1"))
            assert "there are: repo." in await until_act(session, "error")
            session.label = "shop"
            linear.reply(session.id, "Now it has its label.")
        with step("a repository that cannot be fetched, with a message before its ticket, and twice"):
            assert "origin cannot be fetched" in await until_act(session, "error", 2)
            failed = await call.run(session.id, "failed")
            for _ in range(2):
                assert await hook(*linear.signed({**prompted, "action": "created"}, "d2"))
                assert await hook(*linear.signed(prompted, "d1"))
            run(tmp_path, "clone", "--quiet", "--bare", str(repo), "origin.git")
            linear.reply(session.id, "Again.")
            await until_act(session, "elicitation")
            read = str(model.requests()[-1].body)
            for text in ("With care, please.", "Now it has its label.", "Again."):
                assert read.count(text) == 1, text
        with step("its page takes no answer to a question that it did not ask, and none without a text"):
            place = f"/runs/{failed['id']}/messages"
            for sent, status in (({"meant": "other:1", "text": "1"}, 409), ({"text": " "}, 400)):
                assert (await call.on_page(failed, "POST", place, sent)).status_code == status
        with step("a token that expires and is renewed loses nothing"):
            linear.token = "renewed"
            for text in TYPED:
                linear.reply(session.id, text)
            await call.run(session.id, "ended")
            assert (len(bodies(session, "elicitation")), bodies(session, "response")) == (1, [])
            linear.token_file.write_text("renewed", encoding="utf-8")
            assert (await until_act(session, "response")).startswith("All is done.")
            assert len(bodies(session, "elicitation")) == 3
        assert len(bodies(session, "error")) == 2
        [one] = (await call("GET", "/runs")).json()["runs"]
        assert one["result"].startswith("All is done.")
