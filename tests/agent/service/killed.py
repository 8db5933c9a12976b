"""Runs of a service that is killed again and again; ``python -m tests.agent.service.killed KILLS`` counts."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from ccq_tui.service.port import TicketMessage
from ccq_tui.service.run import Happened, Run, RunState
from ccq_tui.service.store import RunStore
from ccq_tui.testing import Exchange, Replies, Scenario, ScriptedModel, clean_environment
from tests.agent.killed.process import end_all
from tests.agent.killed.script import asked_in, mark
from tests.agent.service.child import SOURCE
from tests.unit.worktrees.repositories import IDENTITY, repository

PARTS = 2
DONE = "Both parts are done."
LIMIT = 60.0
TICKET = "T-1"
OVER = (RunState.ENDED, RunState.FAILED, RunState.STOPPED)


def scenario(newest: Callable[[], Exchange]) -> Scenario:
    """A model that asks about each part until it has its answer."""

    def choose(_: Replies) -> Scenario:
        told = json.dumps(newest().body)
        for number in range(1, PARTS + 1):
            if f"answer {number} to" not in told:
                return Scenario().says(f"Now to part {number}.").asks(asked_in(number)).then(choose)
        return Scenario().says(DONE).ends_turn().then(choose)

    return Scenario("parts").then(choose)


@dataclass
class Seen:
    """What came of it."""

    counts: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)


class House:
    """One ticket, worked on by services that are killed one after the other, at a point each."""

    def __init__(self, root: Path, url: str = "") -> None:
        self._model = ScriptedModel(scenario(lambda: self._model.requests()[-1]))
        self.root = root
        self.url = url or f"sqlite:///{root / 'runs.db'}"
        self.told, self.passed = root / "told", root / "passed"

    def play(self, points: list[str], machines: tuple[str, ...] = ("one",)) -> Seen:
        """Play to the end; points that were reached are taken from the list."""
        seen = Seen()
        with self._model:
            home = clean_environment(self._model.url, root=self.root)
            env = home.env | IDENTITY
            repo = repository(self.root / "repo")
            store = RunStore.open(self.url)
            try:
                run = self._play(store, repo, env, points, machines, seen)
                self._check(store, run, seen)
            finally:
                store.close()
                end_all(home)
        return seen

    def _start(self, repo: Path, env: dict[str, str], machine: str, point: str) -> subprocess.Popen[bytes]:
        said = {
            "repository": str(repo),
            "told": str(self.told),
            "passed": str(self.passed),
            "state": str(self.root / machine),
            "url": self.url,
            "machine": machine,
            "tickets": [TICKET],
        }
        words = [sys.executable, "-m", "tests.agent.service.child", json.dumps(said), point]
        with (self.root / f"errors {machine}").open("ab") as errors:
            return subprocess.Popen(words, env=env, stdin=subprocess.PIPE, stdout=errors, stderr=errors)

    def _play(
        self,
        store: RunStore,
        repo: Path,
        env: dict[str, str],
        points: list[str],
        machines: tuple[str, ...],
        seen: Seen,
    ) -> Run | None:
        ends = time.monotonic() + LIMIT
        current: dict[str, str] = {}
        children: dict[str, subprocess.Popen[bytes]] = {}
        run = None
        try:
            while time.monotonic() < ends:
                for machine in machines:
                    child = children.get(machine)
                    if child is not None and child.poll() is not None:
                        if child.returncode != -9:
                            seen.problems.append(f"ended with {child.returncode} at {current[machine]}")
                        points.remove(current[machine])
                        seen.counts["kills"] += 1
                        seen.counts[f"kills {current[machine].split('#')[0]}"] += 1
                        child = None
                    if child is None:
                        busy = [one for name, one in current.items() if name != machine]
                        current[machine] = next((one for one in points if one not in busy), "")
                        children[machine] = self._start(repo, env, machine, current[machine])
                run = store.of_ticket(SOURCE, TICKET)
                if run is not None:
                    self._answer(store, run)
                    told = not store.untold()
                    if run.state in OVER and told and not store.kept(run):
                        break
                time.sleep(0.05)
            else:
                seen.problems.append(f"it did not end: {run}; {points[:1]}")
            for child in children.values():
                child.communicate(timeout=60)
        finally:
            for child in children.values():
                child.kill()
                child.wait()
        return run

    def _answer(self, store: RunStore, run: Run) -> None:
        """Answer what the ticket was asked, as a person would, each once."""
        for event in store.events(run.id, limit=1000):
            if event.kind is Happened.ASKED:
                request = str(event.body["request"])
                text = mark(str(event.body["text"]), request)
                store.keep(TicketMessage(SOURCE, TICKET, f"answer {request}", text, "Anna"))

    def _check(self, store: RunStore, run: Run | None, seen: Seen) -> None:
        if run is None:
            return
        if run.state is not RunState.ENDED or not run.result.startswith(DONE):
            seen.problems.append(f"it ended as {run.state}: {run.result}")
        lines = [json.loads(line) for line in self.told.read_text("utf-8").splitlines()]
        told = {key: (what, text) for what, key, text in lines}
        counts = Counter(what for what, _ in told.values())
        asked = [one for one in store.events(run.id, limit=1000) if one.kind is Happened.ASKED]
        if (counts["started"], counts["ended"], counts["asked"]) != (1, 1, len(asked)):
            seen.problems.append(f"the ticket was told {counts}")
        conversation = json.dumps(self._model.requests()[-1].body)
        for event in asked:
            request = str(event.body["request"])
            times = conversation.count(mark(str(event.body["text"]), request))
            if times != 1:
                seen.problems.append(f"the answer to {request} came {times} times")
            seen.counts["answers, each once"] += times == 1
        seen.counts["runs"] += 1


def all_points(root: Path) -> list[str]:
    """Return every point that an undisturbed run passes."""
    house = House(root)
    seen = house.play([])
    assert seen.problems == [], seen.problems
    passed = json.loads(house.passed.read_text("utf-8"))
    return [f"{name}#{number}" for name, times in passed.items() for number in range(1, min(times, 2) + 1)]


def main(kills: int, each: int = 6) -> Seen:
    """Kill so often, at points in any order."""
    total = Seen()
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        (root / "first").mkdir()
        points = all_points(root / "first")
        print(f"{len(points)} points")  # noqa: T201
        number = 0
        while total.counts["kills"] < kills:
            number += 1
            (root / str(number)).mkdir()
            some = random.sample(points, each)
            seen = House(root / str(number)).play(list(some))
            total.counts += seen.counts
            total.problems += [f"{number}: {one} ({some})" for one in seen.problems]
            print(number, dict(total.counts), seen.problems, flush=True)  # noqa: T201
            if seen.problems:
                print((root / str(number) / "errors one").read_text("utf-8")[-3000:])  # noqa: T201
    return total


if __name__ == "__main__":
    seen = main(int(sys.argv[1]))
    print(seen.counts, seen.problems)  # noqa: T201
