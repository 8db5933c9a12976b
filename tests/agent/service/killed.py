"""A ticket whose service is killed again and again.

``python -m tests.agent.service.killed NUMBER [machines | cut]`` counts: kills of the service of one machine,
or of two on one Postgres, or how often two are cut off from it.
"""

import asyncio
import json
import multiprocessing
import random
import signal
import socket
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack, closing
from itertools import cycle
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from ccq_tui.inbox.requests import Allowed, PermissionRequest
from ccq_tui.inbox.verdicts import Accepted
from ccq_tui.questions import Answer, Answered
from ccq_tui.service.run import Happened, Run, RunEvent, RunState
from ccq_tui.service.store import RunStore
from ccq_tui.testing import Replies, Scenario, ScriptedModel, clean_environment
from tests.actors import INBOX
from tests.agent.killed.counts import Seen
from tests.agent.killed.process import end_all
from tests.agent.killed.script import asked_in, mark
from tests.agent.running import inbox_at
from tests.agent.service import child
from tests.agent.service.postgres import fresh, postgres
from tests.agent.service.scripted_linear import LinearSession, ScriptedLinear
from tests.unit.worktrees.repositories import repository
from tests.unit.worktrees.repositories import run as run_git

PARTS = 2
NEEDS, ALLOWED = "touch asked && expr 123456 + 654321", "777777"
"""A command that needs a permission, and what it prints."""
DONE = "Both parts are done."
STRANGER = "Stranger"
LIMIT = 90.0
"""Seconds in which something is to come of it, on a machine with much else to do."""
OVER = (RunState.ENDED, RunState.FAILED, RunState.STOPPED)
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload([child.__name__])  # importing takes longer than all else that a start does


class House:
    """One ticket, worked on by services that are killed one after the other, at a point each.

    Args:
        root: An empty directory.
        url: The database of runs; "" for one of its own.
        machines: The names of the services that run at a time.
        cut: Seconds for which they are cut off from Postgres at the points, instead of killed.
    """

    def __init__(
        self, root: Path, url: str = "", machines: tuple[str, ...] = ("one",), cut: float = 0.0
    ) -> None:
        self.root = root
        self.url = url or f"sqlite:///{root / 'runs.db'}"
        self._cut = cut
        self.machines = machines
        self._ports = {name: _free_port() for name in machines}
        self._turns = cycle(self._ports.values())
        self._model = ScriptedModel(Scenario("parts").then(self._choose))
        self._texts: Counter[str] = Counter()
        """What the model said before it asked, and how often."""
        self._answers: dict[str, str] = {}
        """The answers in the ticket, by the activity that asked."""
        self._met: set[str] = set()
        """The questions that a stranger has tried to answer."""
        self._allowed = 0

    def _choose(self, _: Replies) -> Scenario:
        """Make something, then what needs a permission, and ask about each part until there is an answer."""
        known = json.dumps(self._model.requests()[-1].body)
        if "(Bash completed" not in known:
            return Scenario().runs("Bash", command="touch made", description="Make it").then(self._choose)
        if ALLOWED not in known:
            return Scenario().runs("Bash", command=NEEDS, description="Add up").then(self._choose)
        for number in range(1, PARTS + 1):
            if f"answer {number} to" not in known:
                text = f"Now to part {number}."
                self._texts[text] += 1
                return Scenario().says(text).asks(asked_in(number)).then(self._choose)
        return Scenario().says(DONE).ends_turn().then(self._choose)

    def play(self, points: list[str]) -> Seen:
        """Play to the end; points that were reached are taken from the list."""
        seen = Seen()
        with ExitStack() as ending:
            ending.enter_context(self._model)
            home = clean_environment(self._model.url, root=self.root)
            ending.callback(end_all, home)
            store = ending.enter_context(closing(RunStore.open(self.url)))
            linear = ending.enter_context(closing(ScriptedLinear("", secret=child.SECRET, token=child.TOKEN)))
            self._replies = {
                "repository": str(repository(self.root / "repo")),
                "env": home.env,
                "linear": f"{linear.url}/graphql",
                "url": self.url,
                "cut": self._cut,
            }
            self._play(store, linear, points, seen)
        return seen

    def _start(self, machine: str, points: list[str]) -> BaseProcess:
        files = {name: str(self.root / f"{name} {machine}") for name in ("state", "errors", "note")}
        own = {"machine": machine, "port": self._ports[machine]} | files
        started = FORKS.Process(target=child.run, args=(self._replies | own, points), daemon=True)
        started.start()
        return started

    def _play(self, store: RunStore, linear: ScriptedLinear, points: list[str], seen: Seen) -> None:
        ends, moved = 0.0, ()
        children: dict[str, BaseProcess] = {}
        self._direct(linear)
        session = linear.assign("A ticket", "Build both parts.")
        try:
            while not self._is_over(store, session):
                if (now := (len(session.activities), seen.counts.total(), store.list())) != moved:
                    ends, moved = time.monotonic() + LIMIT, now
                if time.monotonic() > ends:
                    seen.problems.append(f"it did not end: {session.activities[-3:]}; {points[:1]}")
                    return
                for machine in self._ports:
                    if machine in children and (code := children[machine].exitcode) is not None:
                        seen.expect(code == -signal.SIGKILL, f"ended with {code}")
                        self._strike("kills", [self.noted(machine)], points, seen)
                        del children[machine]
                    if machine not in children:
                        children[machine] = self._start(machine, points)
                self._answer(store, linear, session)
                time.sleep(0.02)
            for one in children.values():
                one.terminate()
                one.join(30)
                seen.expect(one.exitcode in (0, -signal.SIGKILL), f"ended with {one.exitcode} at the end")
            for passed in map(self.noted, self._ports if self._cut else ()):
                self._strike("cuts", [one for one in points if is_passed(one, passed)], points, seen)
        finally:
            for one in children.values():
                one.kill()
                one.join()
        self._check(store, session, seen)

    def _strike(self, what: str, struck: list[str], points: list[str], seen: Seen) -> None:
        """Count points at which something struck, and take them from those that are left."""
        points[:] = [one for one in points if one not in struck]
        seen.counts.update([*([what] * len(struck)), *(one.partition("#")[0] for one in struck)])

    def noted(self, machine: str) -> Any:
        """Return what the service of a machine noted last: where it was killed, or what it passed."""
        return json.loads((self.root / f"note {machine}").read_text("utf-8"))

    def _direct(self, linear: ScriptedLinear) -> None:
        """Let webhooks go to the next machine."""
        linear.webhook = f"http://127.0.0.1:{next(self._turns)}/webhooks/linear"

    def _answer(self, store: RunStore, linear: ScriptedLinear, session: LinearSession) -> None:
        """Answer what the ticket was asked: first once nothing runs any more, then at once.

        The first answer is given in the inbox of the machine that has the run.
        Linear sends the others twice, and then under another id.
        """
        asked = [one for one in session.activities if one["type"] == "elicitation"]
        for one in asked:
            if one["id"] not in self._met:
                self._met.add(one["id"])
                self._direct(linear)
                linear.reply(session.id, "y" if is_decision(one) else "1", person=STRANGER)
        if asked and is_decision(asked[-1]):
            self._allow(store, session)
        for one in asked:
            if not is_decision(one) and one["id"] not in self._answers:
                text, waiting = mark(one["body"], one["id"]), store.list([RunState.WAITING])
                if not (self._answers or waiting):
                    return
                is_first = not self._answers
                if is_first and not self._asks(waiting[0].machine, waiting[0], text):
                    return
                self._answers[one["id"]] = text
                if is_first:
                    return
                self._direct(linear)
                reply, delivery = linear.reply(session.id, text, send=False), str(uuid4())
                for name in (delivery, delivery, ""):
                    linear.send(reply, name)

    def _allow(self, store: RunStore, session: LinearSession) -> None:
        """Allow what a run needs, as its operator: in the inbox of its machine."""
        run = store.of_ticket("linear", session.id)
        assert run is not None

        async def allow() -> None:
            async with inbox_at(self.root / f"state {run.machine}") as inbox:
                for one in await inbox.run(lambda it: it.requests.waiting(run.session)):
                    if isinstance(one.request, PermissionRequest):
                        verdict = await inbox.settle(one.request.id, Allowed(), INBOX)
                        self._allowed += isinstance(verdict, Accepted)

        asyncio.run(allow())

    def _asks(self, machine: str, run: Run, answer: str = "") -> bool:
        """Return whether the inbox of a machine has what a run asks, which an answer settles."""

        async def asks() -> bool:
            async with inbox_at(self.root / f"state {machine}") as inbox:
                found = await inbox.run(lambda store: store.requests.waiting(run.session))
                outcome = Answered((Answer(other=answer),))
                for one in found if answer else ():
                    assert isinstance(await inbox.settle(one.request.id, outcome, INBOX), Accepted)
                return bool(found)

        return asyncio.run(asks())

    def _is_over(self, store: RunStore, session: LinearSession) -> bool:
        if not {"response", "error"} & {one["type"] for one in session.activities}:
            return False
        run = store.of_ticket("linear", session.id)
        if run is None or run.state not in OVER or store.unsent(["linear"], run.machine) or store.kept(run):
            return False
        return not any(self._asks(machine, run) for machine in self._ports)

    def _check(self, store: RunStore, session: LinearSession, seen: Seen) -> None:
        run = store.of_ticket("linear", session.id)
        seen.expect(run.state is RunState.ENDED, f"it is {run.state}: {run.result}")
        got = [one for one in session.activities if one["type"] != "prompt"]
        events = [one for one in store.events(run.id, limit=1000) if not one.body.get("here")]
        due = [one for one in events if one.kind not in (Happened.ACTED, Happened.REFUSED)]
        keys = [str(UUID(bytes=UUID(one.id).bytes, version=4)) for one in due]
        seen.expect([one["id"] for one in got] == keys, f"it was got {got}, not {due}")
        self._check_authority([*store.all_events(run.id, Happened.ACTED)], seen)
        got = [one for one in got if not is_decision(one) and STRANGER not in one.get("body", "")]
        kinds = Counter(one["type"] for one in got)
        seen.expect((kinds["elicitation"], kinds["response"], kinds["error"]) == (PARTS, 1, 0), f"{kinds}")
        parts = (one["body"] for one in got if one["type"] != "action")
        texts = Counter(one for one in parts if not one.startswith("Answered"))
        most = self._texts
        seen.expect(all(count <= most.get(text, 1) for text, count in texts.items()), f"{texts}, {most}")
        seen.expect("I am on it." in texts, "it was not got the start")
        branches = run_git(self.root / "repo", "branch", "--list", run.branch)
        seen.expect(bool(run.branch) and run.branch in branches, f"no branch {run.branch!r}: {branches}")
        seen.expect(got[-1]["body"].startswith(DONE) and run.branch in got[-1]["body"], f"{got[-1]}")
        self._check_answers(seen)
        seen.counts["runs"] += 1

    def _check_authority(self, acts: Sequence[RunEvent], seen: Seen) -> None:
        """A stranger does nothing; one person allows."""
        for one in acts:
            person, act, refused = one.body["person"], one.body["act"], bool(one.body.get("refused"))
            fits = refused is (person == STRANGER) and (
                act != "allow" or refused or one.body["surface"] == "inbox"
            )
            seen.expect(fits, f"without authority: {one.body}")
            seen.counts[f"{act} {'refused' if refused else 'done'}"] += 1
        known = sum(1 for one in acts if one.body["act"] == "allow" and not one.body.get("refused"))
        seen.expect(known == self._allowed > 0, f"allowed {self._allowed} times, of which {known} are known")

    def _check_answers(self, seen: Seen) -> None:
        """Each is the result of its call, or a prompt if the CLI was killed before it could park the call."""
        results, last = self._model.tool_results(), json.dumps(self._model.requests()[-1].body)
        for number, answer in enumerate(self._answers.values(), 1):
            exact = f'The user answered: "What about part {number}?"="{answer}".'
            found = [one.text for one in results if answer in one.text]
            fits = last.count(answer) == 1 and len(found) <= 1 and all(one.startswith(exact) for one in found)
            seen.expect(fits, f"the answer {answer!r} came as {found}")
            seen.counts["answers, each once"] += fits
            seen.counts["answers as prompts"] += not found


def is_decision(activity: dict[str, Any]) -> bool:
    """Return whether an activity asks for a permission."""
    return activity["type"] == "elicitation" and "decided in ccq-tui" in activity["body"]


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


def is_passed(point: str, passed: dict[str, int]) -> bool:
    """Whether a service passed a point, by how often it passed those of each name."""
    name, _, number = point.partition("#")
    return passed.get(name, 0) >= int(number)


def all_points(house: House) -> list[str]:
    """Return every point that an undisturbed run passes."""
    seen = house.play([])
    assert seen.problems == [], seen.problems
    passed = [house.noted(machine) for machine in house.machines]
    points = {f"{name}#{number}" for one in passed for name in one for number in (1, 2)}
    return [point for point in points if any(is_passed(point, one) for one in passed)]


def main(number: int, how: str = "", each: int = 10) -> Seen:
    """Strike so often, at all points in turn, in any order."""
    total, what = Seen(), "cuts" if how == "cut" else "kills"
    with ExitStack() as ending:
        place = Path(ending.enter_context(tempfile.TemporaryDirectory()))
        server = ending.enter_context(postgres(place)) if how else ""

        def house() -> House:
            root = Path(tempfile.mkdtemp(dir=place))
            return House(
                root, fresh(server) if server else "", ("one", "two")[: 1 + bool(how)], float(how == "cut")
            )

        points = all_points(house())
        random.shuffle(points)
        print(f"{len(points)} points")  # noqa: T201
        while total.counts[what] < number:
            tried, points = points[:each], points[each:]
            left, played = [*tried], house()
            seen = played.play(left)
            points += [*left, *(one for one in tried if one not in left)]
            total.counts += seen.counts
            total.problems += [f"{one} ({tried})" for one in seen.problems]
            print(f"{total.counts[what]} {what}, {seen.problems}", flush=True)  # noqa: T201
            for errors in played.root.glob("errors *") if seen.problems else ():
                print(errors.name, errors.read_text("utf-8")[-3000:])  # noqa: T201
    return total


if __name__ == "__main__":
    seen = main(int(sys.argv[1]), "".join(sys.argv[2:]))
    print(seen.counts, seen.problems)  # noqa: T201
