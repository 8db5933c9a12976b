"""A ticket whose service is killed again and again; ``python -m tests.agent.service.killed KILLS`` counts."""

from __future__ import annotations

import json
import multiprocessing
import random
import signal
import socket
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from itertools import cycle
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from ccq_tui.service.adapters.scripted_linear import LinearSession, ScriptedLinear
from ccq_tui.service.run import RunState
from ccq_tui.service.store import RunStore
from ccq_tui.testing import Replies, Scenario, ScriptedModel, clean_environment
from tests.agent.killed.process import end_all
from tests.agent.killed.script import asked_in, mark
from tests.agent.service import child
from tests.unit.worktrees.repositories import IDENTITY, repository
from tests.unit.worktrees.repositories import run as run_git

PARTS = 2
DONE = "Both parts are done."
LIMIT = 90.0
OVER = (RunState.ENDED, RunState.FAILED, RunState.STOPPED)
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload([child.__name__])  # importing takes longer than all else that a start does


@dataclass
class Seen:
    """What came of it."""

    counts: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    def expect(self, fits: bool, problem: str) -> None:
        """Note a problem, unless something fits."""
        self.problems += [] if fits else [problem]


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
        self._ports = {name: _free_port() for name in machines}
        self._turns = cycle(self._ports.values())
        self._model = ScriptedModel(Scenario("parts").then(self._choose))
        self._texts: Counter[str] = Counter()
        """What the model said before it asked, and how often."""
        self._answers: dict[str, str] = {}
        """The answers in the ticket, by the activity that asked."""

    def _choose(self, _: Replies) -> Scenario:
        """Make something, and ask about each part until there is an answer."""
        known = json.dumps(self._model.requests()[-1].body)
        if "(Bash completed" not in known:
            return Scenario().runs("Bash", command="touch made", description="Make it").then(self._choose)
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
            self._said = {
                "repository": str(repository(self.root / "repo")),
                "env": home.env | IDENTITY,
                "linear": f"{linear.url}/graphql",
                "url": self.url,
                "cut": self._cut,
            }
            self._play(store, linear, points, seen)
        return seen

    def _start(self, machine: str, points: list[str]) -> BaseProcess:
        files = {name: str(self.root / f"{name} {machine}") for name in ("state", "errors", "note")}
        own = {"machine": machine, "port": self._ports[machine]} | files
        started = FORKS.Process(target=child.run, args=(self._said | own, points), daemon=True)
        started.start()
        return started

    def _play(self, store: RunStore, linear: ScriptedLinear, points: list[str], seen: Seen) -> None:
        ends = time.monotonic() + LIMIT
        children: dict[str, BaseProcess] = {}
        self._direct(linear)
        session = linear.assign("A ticket", "Build both parts.")
        try:
            while not self._is_over(store, session):
                if time.monotonic() > ends:
                    seen.problems.append(f"it did not end: {session.activities[-3:]}; {points[:1]}")
                    return
                for machine in self._ports:
                    if machine in children and (code := children[machine].exitcode) is not None:
                        seen.expect(code == -signal.SIGKILL, f"ended with {code}")
                        where = self.noted(machine)
                        points[:] = [one for one in points if one != where]
                        seen.counts.update(("kills", where.partition("#")[0]))
                        del children[machine]
                    if machine not in children:
                        children[machine] = self._start(machine, points)
                self._answer(store, linear, session)
                time.sleep(0.02)
            for one in children.values():
                one.terminate()
                one.join(30)
                seen.expect(one.exitcode in (0, -signal.SIGKILL), f"ended with {one.exitcode} at the end")
        finally:
            for one in children.values():
                one.kill()
                one.join()
        self._check(store, session, seen)

    def noted(self, machine: str) -> Any:
        """Return what the service of a machine noted last: where it was killed, or what it passed."""
        return json.loads((self.root / f"note {machine}").read_text("utf-8"))

    def _direct(self, linear: ScriptedLinear) -> None:
        """Let webhooks go to the next machine."""
        linear.webhook = f"http://127.0.0.1:{next(self._turns)}/webhooks/linear"

    def _answer(self, store: RunStore, linear: ScriptedLinear, session: LinearSession) -> None:
        """Answer what the ticket was asked: first once nothing runs any more, then at once.

        Linear sends it twice, and then under another id.
        """
        for one in [*session.activities]:
            if one["type"] == "elicitation" and one["id"] not in self._answers:
                if not self._answers and not store.list([RunState.WAITING]):
                    return
                text = self._answers[one["id"]] = mark(one["body"], one["id"])
                self._direct(linear)
                said, delivery = linear.reply(session.id, text, send=False), str(uuid4())
                for name in (delivery, delivery, ""):
                    linear.send(said, name)

    def _is_over(self, store: RunStore, session: LinearSession) -> bool:
        if session.status not in ("complete", "error"):
            return False
        run = store.of_ticket("linear", session.id)
        return run is not None and run.state in OVER and not store.unsent() and not store.kept(run)

    def _check(self, store: RunStore, session: LinearSession, seen: Seen) -> None:
        run = store.of_ticket("linear", session.id)
        assert run is not None
        seen.expect(run.state is RunState.ENDED, f"it is {run.state}: {run.result}")
        got = [one for one in session.activities if one["type"] != "prompt"]
        due = [one for one in store.events(run.id, limit=1000) if not one.body.get("here")]
        keys = [str(UUID(bytes=UUID(one.id).bytes, version=4)) for one in due]
        seen.expect([one["id"] for one in got] == keys, f"it was got {got}, not {due}")
        kinds = Counter(one["type"] for one in got)
        seen.expect((kinds["elicitation"], kinds["response"], kinds["error"]) == (PARTS, 1, 0), f"{kinds}")
        texts = Counter(one["body"] for one in got if one["type"] != "action")
        most = self._texts
        seen.expect(all(count <= most.get(text, 1) for text, count in texts.items()), f"{texts}, {most}")
        seen.expect("I am on it." in texts, "it was not got the start")
        branches = run_git(self.root / "repo", "branch", "--list", run.branch)
        seen.expect(bool(run.branch) and run.branch in branches, f"no branch {run.branch!r}: {branches}")
        seen.expect(got[-1]["body"].startswith(DONE) and run.branch in got[-1]["body"], f"{got[-1]}")
        self._check_answers(seen)
        seen.counts["runs"] += 1

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


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


def all_points(root: Path) -> list[str]:
    """Return every point that an undisturbed run passes."""
    house = House(root)
    seen = house.play([])
    assert seen.problems == [], seen.problems
    passed = house.noted("one").items()
    return [f"{name}#{number}" for name, times in passed for number in range(1, min(times, 2) + 1)]


def main(kills: int, each: int = 10) -> Seen:
    """Kill so often, at all points in turn, in any order."""
    total = Seen()
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "0").mkdir()
        points = all_points(Path(place) / "0")
        random.shuffle(points)
        print(f"{len(points)} points")  # noqa: T201
        while total.counts["kills"] < kills:
            root = Path(place) / str(total.counts["runs"] + len(total.problems) + 1)
            root.mkdir()
            tried, points = points[:each], points[each:]
            left = [*tried]
            seen = House(root).play(left)
            points += [*left, *(one for one in tried if one not in left)]
            total.counts += seen.counts
            total.problems += [f"{one} ({tried})" for one in seen.problems]
            print(f"{total.counts['kills']} kills, {seen.problems}", flush=True)  # noqa: T201
            if seen.problems:
                print((root / "errors one").read_text("utf-8")[-3000:])  # noqa: T201
    return total


if __name__ == "__main__":
    seen = main(int(sys.argv[1]))
    print(seen.counts, seen.problems)  # noqa: T201
