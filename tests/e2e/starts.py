"""Programs start one session at the same moment: ``python -m tests.e2e.starts [COUNT]``.

In turns, two programs resume a session whose question was answered while no process waited for it, by its id
or as the newest one; and a program that shows the parked question, the inbox screen of another one and
``ccq-tui answer`` answer it at once, so that both programs want to start the session.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from ccq_tui.inbox.store.rows import RequestState
from ccq_tui.inbox.store.store import Store
from ccq_tui.questions import Answer, Answered, Option, Question
from ccq_tui.testing import CleanHome, Scenario, ScriptedModel, clean_environment
from tests.actors import PANEL
from tests.e2e.conftest import program
from tests.e2e.terminal import Terminal

LIMIT = 120.0
KINDS = ("-r", "-c", "parked")
LABELS = ("Alder", "Birch", "Cedar")
LOST = ("open in another ccq-tui", "now runs this session", "Not started")


def scenario(count: int) -> Scenario:
    """Ask so many questions, one after each prompt."""
    made = Scenario("start")
    for number in range(1, count + 1):
        options = tuple(Option(f"{label} {number}.", "a tree") for label in LABELS)
        made = made.asks(Question(f"Which tree in race {number}?", "Tree", options))
        made = made.says(f"Done with race {number}.").ends_turn()
    return made


class Starts:
    """Lets programs race for one session again and again.

    Args:
        model: The model; it plays `scenario`.
        home: Where all of them live.
        ending: Ends what is left running.
    """

    def __init__(self, model: ScriptedModel, home: CleanHome, ending: ExitStack) -> None:
        self._model = model
        self._home = home
        self._ending = ending
        self._random = random.Random(11)  # noqa: S311 - which of the racers is a little ahead
        self._first = self._program("go")
        self._first.wait("race 1?")
        self._store = Store(next(home.home.rglob("inbox.db")))
        ending.callback(self._store.close)
        _until(self._first, lambda: bool(self._store.requests.waiting()))
        (waiting,) = self._store.requests.waiting()
        self._session = waiting.request.session_id
        self.counts: Counter[str] = Counter()
        # How long a script takes to come so far: what each race shows makes it truer.
        self._ahead = 0.8

    def run(self, number: int) -> None:
        """Run one race: one program runs the session afterwards, and the others say so."""
        kind = KINDS[number % len(KINDS)]
        owner = self._first
        if number > 1:
            _until(owner, lambda: f"Done with race {number - 1}." in owner.text)
            owner.type("next")
            owner.press("enter")
        # It is on the screen while it is still being written, and in the inbox once it is asked.
        _until(owner, lambda: f"race {number}?" in owner.text and bool(self._store.requests.waiting()))
        (request,) = [one.request.id for one in self._store.requests.waiting()]
        racers = self._answered_at_once(owner, number) if kind == "parked" else self._resumed(owner, kind)
        _until(owner, lambda: self._state(request) is RequestState.DELIVERED)
        (owner,) = [one for one in racers if one.process.pid == self._owner()]
        for loser in racers:
            if loser is not owner:
                self._leave(loser, kind)
        if kind == "parked" and owner is racers[1]:
            owner.press("escape")  # the session was started behind the inbox screen
        self._first = owner
        stored = self._store.requests.get(request)
        assert stored is not None
        self.counts[
            f"{kind} answered by {stored.actor and stored.actor.surface}, run by {racers.index(owner) + 1}"
        ] += 1

    def doubled(self, count: int) -> list[str]:
        """Return what is wrong with the whole log of the model's requests."""
        wrong = []
        for number in range(1, count + 1):
            words = tuple(f"{label} {number}." for label in LABELS)
            news = [one for one in self._model.exchanges if any(word in _new(one.body) for word in words)]
            if len(news) != 1:
                wrong.append(f"race {number}: its answer is news in {len(news)} requests")
        return wrong

    def _resumed(self, owner: Terminal, kind: str) -> list[Terminal]:
        """Answer without a process, and resume the session twice at the same moment."""
        owner.press("ctrl+q")
        assert owner.wait_end() == 0
        (waiting,) = self._store.requests.waiting()
        label = waiting.request.questions.questions[0].options[0].label  # type: ignore[union-attr]
        self._store.requests.settle(waiting.request.id, Answered((Answer((label,)),)), PANEL)
        words = ("--resume", self._session) if kind == "-r" else ("--continue",)
        racers = [self._program(*words)]
        time.sleep(self._random.choice((0.0, 0.0, 0.02, 0.1, 0.3)))
        return [*racers, self._program(*words)]

    def _answered_at_once(self, owner: Terminal, number: int) -> list[Terminal]:
        """Park the session, and answer its question on all surfaces at the same moment."""
        question, request = f"race {number}?", self._store.requests.waiting()[0].request.id
        parked = self._script("park", self._session).communicate(timeout=LIMIT)[0]
        assert "is parked" in parked, parked
        inbox = self._program("inbox")
        inbox.wait(question)
        inbox.press("right")
        for terminal, key in ((inbox, "2"), (owner, "1")):
            terminal.wait(lambda seen: question in seen.panel and seen.keys_work)
            terminal.press(key)
            terminal.wait(lambda seen, key=key: f"● {key}" in seen.panel)
        # The surface that is to win is a little ahead; the others do not wait for it.
        winner = number // len(KINDS) % 3
        script = self._script("answer", request, "--choose", "3")
        time.sleep(self._ahead if winner == 2 else 0.0)
        for terminal in (owner, inbox)[:: -1 if winner == 1 else 1]:
            terminal.press("enter")
            time.sleep(0.1)
        script.communicate(timeout=LIMIT)
        if winner == 2:
            self._ahead *= 0.9 if script.returncode == 0 else 1.3
        return [owner, inbox]

    def _leave(self, loser: Terminal, kind: str) -> None:
        """End a program that does not run the session, once it says so."""
        if kind != "parked":
            loser.wait(lambda seen: any(words in seen.text for words in LOST))
            looked_ahead = "Park it there" in loser.text
            self.counts["found it running before the start" if looked_ahead else "lost the claim"] += 1
            if looked_ahead:
                loser.press("escape")
                loser.wait_end()
                return
        loser.press("ctrl+q")
        assert loser.wait_end() == 0

    def _state(self, request: str) -> RequestState | None:
        stored = self._store.requests.get(request)
        return stored.state if stored else None

    def _owner(self) -> int:
        session = self._store.sessions.get(self._session)
        return session.owner.pid if session and session.owner else 0

    def _program(self, *words: str) -> Terminal:
        return self._ending.enter_context(
            Terminal([program(), *words], self._home.env, self._home.project, (100, 30))
        )

    def _script(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [program(), *words], env=self._home.env, cwd=self._home.project, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip


def _new(body: object) -> str:
    """Return what a request says that the model has not seen: all after its own last words."""
    messages = body["messages"] if isinstance(body, dict) else []
    last = max((at for at, one in enumerate(messages) if one["role"] == "assistant"), default=-1)
    return json.dumps(messages[last + 1 :], ensure_ascii=False)


def _until(terminal: Terminal, wanted: Callable[[], bool]) -> None:
    terminal.wait(lambda _: wanted(), LIMIT)


def main(count: int) -> int:
    """Run so many races, and print how they ended.

    Args:
        count: How many.

    Returns:
        The exit code.
    """
    began, problem, done = time.monotonic(), "", 0
    with ExitStack() as ending:
        root = Path(ending.enter_context(tempfile.TemporaryDirectory(prefix="ccq-starts-")))
        model = ending.enter_context(ScriptedModel(scenario(count)))
        starts = Starts(model, clean_environment(model.url, root=root), ending)
        for number in range(1, count + 1):
            try:
                starts.run(number)
            except (AssertionError, ValueError, subprocess.TimeoutExpired) as error:
                problem = f"race {number}: {error}"
                break
            done = number
            if number % 10 == 0 or number == count:
                passed = time.monotonic() - began
                found = json.dumps(dict(sorted(starts.counts.items())), indent=1)
                sys.stdout.write(f"{passed:6.1f} s  {number} races: {found}\n")
                sys.stdout.flush()
        wrong = [*starts.doubled(done), *([problem] if problem else [])]
    sys.stdout.write(
        "\n".join(wrong or [f"{count} races: each answer is news in exactly one request"]) + "\n"
    )
    return 1 if wrong or not done else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100))
