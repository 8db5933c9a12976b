"""Tickets of Linear become sessions of the real CLI, over real webhooks; people answer anywhere."""

import asyncio
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from ccq_tui.inbox.kinds import parse_outcome
from ccq_tui.inbox.requests import call_of
from ccq_tui.inbox.verdicts import Accepted, AlreadySettled
from ccq_tui.questions import Option, Question
from ccq_tui.service.policy import Repository, RunLimits
from ccq_tui.service.segment import STOPPED
from ccq_tui.testing import CleanHome, Scenario, ScriptedModel
from ccq_tui.testing.incoming import Incoming
from ccq_tui.testing.replies import Replies
from tests.actors import INBOX
from tests.agent.killed.process import running_below
from tests.agent.running import LIMIT, Play, inbox_at
from tests.agent.service.over_http import Client, Linear, bodies, first_activity, served, state_of, until_act
from tests.agent.service.scripted_linear import LinearSession
from tests.results import replied
from tests.steps import step, until_true
from tests.unit.worktrees.repositories import run

QUESTIONS = (
    Question("Which library?", "Library", (Option("date-fns"), Option("Day.js"))),
    Question("Which features?", "Features", (Option("Auth"), Option("Logs")), multi_select=True),
    Question("What is it called?", "Name", (Option("api"), Option("web"))),
)
TYPED = ("2", "1, Logs", "my-service")
GIVEN = {"answers": [{"selected": [2]}, {"selected": [1, 2]}, {"other": "my-service"}]}
RESULT = replied(
    '"Which library?"="Day.js", "Which features?"="Auth, Logs", "What is it called?"="my-service"'
)
BEGUN = Scenario("ticket").says("I look at it.").asks(*QUESTIONS)


def done(asked: Scenario) -> Scenario:
    """Return a script that does the work after its questions."""
    noted = asked.runs("Bash", command="echo Day.js > library.txt", description="Note it")
    return noted.says("All is done.").ends_turn()


SCRIPT = done(BEGUN)


@pytest.fixture(name="linear")
def _linear(tmp_path: Path) -> Iterator[Linear]:
    scripted = Linear(tmp_path)
    yield scripted
    scripted.close()


@dataclass
class Ticket:
    """A ticket whose run waits for the answers to a set of questions, by any surface."""

    call: Client
    home: CleanHome
    linear: Linear
    session: LinearSession
    run: dict[str, Any]
    request: str

    async def ticket(self) -> None:
        for number, text in enumerate(TYPED, 1):
            assert f"Question {number} of 3" in await until_act(self.session, "elicitation", number)
            self.linear.reply(self.session.id, text)
        await until_true(self.settled)

    async def settled(self) -> bool:
        return not (await self.call("GET", f"/runs/{self.run['id']}/requests")).json()["requests"]

    async def late_ticket(self, how: str) -> None:
        self.linear.reply(self.session.id, "1")
        await until_true(lambda: f"{how}; nothing was sent from here." in bodies(self.session, "thought"))

    async def page(self) -> None:
        for number, text in enumerate(TYPED, 1):
            await until_true(partial(self.asks, f"{self.request}:{number}"))
            assert (await self.send_page(text, number)).json() == {"success": True}
        await until_true(self.settled)

    async def asks(self, meant: str) -> bool:
        asked = (await self.on_page("GET", "")).json()["asked"]
        return asked is not None and asked["meant"] == meant

    async def on_page(self, method: str, what: str, body: Any = None) -> Any:
        return await self.call.on_page(self.run, method, f"/runs/{self.run['id']}{what}", body)

    async def send_page(self, text: str, number: int) -> Any:
        sent = {"text": text, "meant": f"{self.request}:{number}", "id": str(uuid4())}
        await self.on_page("POST", "/messages", sent)
        return await self.on_page("POST", "/messages", sent)  # as a call whose response was lost

    async def late_page(self, how: str) -> None:
        await self.send_page("1", 1)
        text = f"{how}; nothing was sent from here."
        await until_true(lambda: text in bodies(self.session, "thought"))
        late = await self.on_page("POST", f"/requests/{self.request}/answer", {"answer": GIVEN})
        assert late.status_code == 409

    async def inbox(self, verdict: type = Accepted) -> None:
        async with inbox_at(state_of(self.home)) as inbox:
            opened = await inbox.open(self.request)
            settled = await inbox.settle(self.request, parse_outcome(opened.request, GIVEN), INBOX)
            assert isinstance(settled, verdict)

    async def late_inbox(self, _how: str) -> None:
        await self.inbox(AlreadySettled)

    async def command(self) -> None:
        assert await self.ccq_answer() == (0, "")

    async def ccq_answer(self) -> tuple[int, str]:
        words = ("answer", self.request, "--choose=1=2", "--choose=2=1,2", "--other=3=my-service")
        started = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "ccq_tui", *words, env=self.home.env,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        _, errors = await started.communicate()
        return started.returncode or 0, errors.decode()

    async def late_command(self, how: str) -> None:
        code, errors = await self.ccq_answer()
        assert code == 3
        assert f"was already {how[0].lower()}{how[1:]} at" in errors
        assert "nothing was changed" in errors

    async def api(self) -> None:
        assert (await self.post_answer()).json() == {"success": True}

    async def post_answer(self) -> Any:
        place = f"/runs/{self.run['id']}/requests/{self.request}/answer"
        return await self.call("POST", place, {"answer": GIVEN})

    async def late_api(self, how: str) -> None:
        refused = await self.post_answer()
        assert refused.status_code == 409
        assert refused.json()["detail"].startswith(f"Already {how[0].lower()}{how[1:]} at")


SURFACES = {
    "ticket": "Answered in the ticket, by Robin",
    "page": "Answered on the page of its run",
    "inbox": "Answered in the inbox",
    "command": "Answered by ccq-tui answer",
    "api": "Answered by ci",
}


async def answered_first(surface: str, ticket: Ticket) -> None:
    """Answer a set by one surface, then by all others."""
    await getattr(ticket, surface)()
    others = [name for name in SURFACES if name != surface]
    await asyncio.gather(*(getattr(ticket, f"late_{one}")(SURFACES[surface]) for one in others))


def result_of(model: ScriptedModel, request: str) -> str:
    """Return the exact result of a call, which is the same in each of the model's requests that has it."""
    received = (Incoming(one.body or {}, one.headers) for one in model.requests())
    found = {
        one.text for each in received for one in each.tool_results if one.tool_use_id == call_of(request)
    }
    [text] = found
    return text


async def test_the_first_surface_answers_and_all_others_are_refused(
    play: Play, repo: Path, linear: Linear
) -> None:
    # The next set is asked once all surfaces were tried on the one before.
    script = BEGUN
    for tried in [*SURFACES][:-1]:
        script = script.hangs(gate=tried, limit=LIMIT).asks(*QUESTIONS)
    model, home = play(done(script))
    async with served(home, Repository(repo, allowed_tools=("Bash",)), linear) as call:
        session = linear.assign("Dates", "Choose a library for dates.")
        await first_activity(session)
        answered: list[str] = []

        async def asked() -> str:
            begun = [one for one in bodies(session, "elicitation") if "Question 1 of 3" in one]
            if len(begun) <= len(answered):
                return ""
            [run] = (await call("GET", "/runs")).json()["runs"]
            waiting = (await call("GET", f"/runs/{run['id']}/requests")).json()["requests"]
            return next((one["id"] for one in waiting if one["id"] not in answered), "")

        for surface in SURFACES:
            with step(f"{surface} answers first, once"):
                answered.append(await until_true(asked))
                waiting = await call.run(session.id, "waiting")
                await answered_first(surface, Ticket(call, home, linear, session, waiting, answered[-1]))
                model.release(surface)
        with step("the end"):
            [response] = [await until_act(session, "response")] and bodies(session, "response")
            assert response.startswith("All is done.")
            assert bodies(session, "thought")[:2] == ["I am on it.", "I look at it."]
        ended = await call.run(session.id, "ended")
        assert [result_of(model, request) for request in answered] == [RESULT] * len(SURFACES)
        assert run(repo, "branch", "--list", ended["branch"])
        assert f"Branch: `{ended['branch']}`" in response
        assert (Path(ended["directory"]) / "library.txt").read_text() == "Day.js\n"


async def test_a_mention_that_only_asks_is_answered_by_a_session_that_can_only_read(
    play: Play, repo: Path, linear: Linear
) -> None:
    script = Scenario("why").says("For the time zones.").ends_turn().says("Delegate it.").ends_turn()
    model, home = play(script)
    work = Repository(repo, allowed_tools=("Bash", "Write"), push=True, question=True)
    async with served(home, work, linear) as call:
        session = linear.assign("Dates", comment="@ccq why is moment.js there?")
        response = await until_act(session, "response")
        assert response == "For the time zones."
        ended = await call.run(session.id, "ended")
        assert (ended["kind"], ended["branch"]) == ("question", "")
        assert run(repo, "branch", "--list", "*run-*") == ""
        assert not has_worktree(ended)
        received = [Incoming(one.body or {}, one.headers) for one in model.requests()]
        offered = {tool["name"] for one in received for tool in one.body.get("tools") or ()}
        assert offered - {"DeferredToolPlaceholder"} == {"Read", "Glob", "Grep", "AskUserQuestion"}
        with step("work that is asked for in the thread"):
            linear.reply(session.id, "Remove it then.")
            assert await until_act(session, "response", 2) == "Delegate it."
            assert run(repo, "branch", "--list", "*run-*") == ""


SCENES = {
    "Sleep": Scenario().runs("Bash", command="touch begun && sleep 600", description="Sleep"),
    "Write": Scenario().runs("Write", file_path="made", content="made"),
    "Ask": Scenario().asks(*QUESTIONS),
}


def scene(replies: Replies) -> Scenario:
    """Return what a ticket's text asks for."""
    return next(one for word, one in SCENES.items() if word in replies.prompt)


def has_worktree(run: Mapping[str, Any]) -> bool:
    return Path(run["directory"]).is_dir()


async def continued(linear: Linear, session: LinearSession, word: str) -> None:
    """Continue a run after its stop; a question that waited is asked anew."""
    linear.reply(session.id, "Go on.")
    if word == "Ask":
        await until_act(session, "elicitation", 2)
        for text in TYPED:
            linear.reply(session.id, text)
    assert (await until_act(session, "response", 2)).startswith("Gone on.")


async def test_a_run_is_stopped_while_it_works_and_while_it_waits(
    play: Play, repo: Path, linear: Linear
) -> None:
    _model, home = play(Scenario("stop").then(scene).says("Never.").ends_turn().says("Gone on.").ends_turn())
    work = Repository(repo, allowed_tools=("Bash",), most_runs=3)
    async with served(home, work, linear, limits=RunLimits(most_runs=3)) as call:

        async def none_waits(run_id: str) -> bool:
            return not (await call("GET", f"/runs/{run_id}/requests")).json()["requests"]

        async def stopped(how: str, word: str) -> None:
            session = linear.assign(word)
            if word == "Sleep":
                run = await call.run(session.id, "working")
                begun = repo / ".claude" / "worktrees" / f"run-{run['id']}" / "begun"
                await until_true(begun.exists)
            else:
                await until_act(session, "elicitation")
                waits = ["waiting"] if how == "ticket" else []  # the others while it is being parked
                run = await call.run(session.id, *waits)
            stop = {"ticket": ticket, "page": page, "api": api}[how]
            await stop(session, run)
            assert (await until_act(session, "response")).startswith(STOPPED)
            await call.run(session.id, "stopped")
            await until_true(lambda: none_waits(run["id"]))
            assert (await call("POST", f"/runs/{run['id']}/stop")).status_code == 409
            if word != "Write":
                assert has_worktree(run) == (word == "Sleep"), "an empty one is removed"
                await continued(linear, session, word)

        async def ticket(session: LinearSession, _run: Mapping[str, Any]) -> None:
            linear.reply(session.id, "Stop", stop=True)

        async def page(_session: LinearSession, run: dict[str, Any]) -> None:
            sent = await call.on_page(run, "POST", f"/runs/{run['id']}/stop")
            assert sent.json() == {"success": True}

        async def api(_session: LinearSession, run: Mapping[str, Any]) -> None:
            assert (await call("POST", f"/runs/{run['id']}/stop")).json() == {"success": True}

        async with asyncio.TaskGroup() as group:
            for how, word in (("ticket", "Ask"), ("page", "Sleep"), ("api", "Write")):
                group.create_task(stopped(how, word))
        assert not running_below(home.config, 5.0)
