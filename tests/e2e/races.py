"""Two programs and a script answer one request at the same moment: ``python -m tests.e2e.races [COUNT]``.

The first program has the session and its panel, the second one the inbox screen; the script is
``ccq-tui answer``.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

from ccq_tui.inbox.requests import call_of
from ccq_tui.inbox.store.store import Store
from ccq_tui.questions import Answered, Option, Question
from ccq_tui.testing import CleanHome, Scenario, ScriptedModel, clean_environment
from tests.e2e.conftest import program
from tests.e2e.terminal import Terminal

SCRIPT = "ccq-tui answer"
RACERS = ("panel", "inbox", SCRIPT)
LABELS = {"panel": "By the panel", "inbox": "By the inbox", SCRIPT: "By the script"}
WHERE = {"panel": "in its session", "inbox": "in the inbox", SCRIPT: f"by {SCRIPT}"}
FROM_ANOTHER = {"panel": "in another terminal", "inbox": "in another terminal", SCRIPT: f"by {SCRIPT}"}
LIMIT = 60.0


def scenario(count: int) -> Scenario:
    """Ask so many questions, each when its gate is opened."""
    made = Scenario("race")
    for number in range(1, count + 1):
        options = tuple(Option(label, "a racer") for label in LABELS.values())
        made = made.hangs(gate=f"race {number}", limit=300.0).asks(
            Question(f"Who is first in race {number}?", "First", options)
        )
    return made


class Races:
    """Lets the three race for one request after the other.

    Args:
        model: The model that asks; it plays `scenario`.
        home: Where all of them live.
        session: The program with the session that asks.
        inbox: The program that shows the inbox screen.
    """

    def __init__(self, model: ScriptedModel, home: CleanHome, session: Terminal, inbox: Terminal) -> None:
        self._model = model
        self._home = home
        self._session = session
        self._inbox = inbox
        self._store = Store(next(home.home.rglob("inbox.db")))
        # How long a script takes to come so far: what each race shows makes it truer.
        self._ahead = 0.3
        # How long before the other program one presses Enter that is to be first.
        self._leads = {"panel": 0.0, "inbox": 0.02}
        self.winners: Counter[str] = Counter()
        self.told = 0

    def close(self) -> None:
        """Close the inbox that is looked into."""
        self._store.close()

    def run(self, number: int) -> str:
        """Run one race.

        Args:
            number: Which, from 1.

        Returns:
            Who won. There was one winner, everybody else was told, and the agent has the winner's answer.
        """
        question = f"in race {number}?"
        self._model.release(f"race {number}")
        _ready(self._session, question, "1", LABELS["panel"])
        self._inbox.wait(question)
        self._inbox.press("right")
        _ready(self._inbox, question, "2", LABELS["inbox"])
        (request,) = [one.request.id for one in self._store.requests.waiting()]
        script = subprocess.Popen(
            [program(), "answer", request, "--choose", "3"],
            env=self._home.env, cwd=self._home.project, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True,
        )  # fmt: skip
        time.sleep(self._ahead)
        ahead, behind = ("panel", "inbox")[:: 1 if number % 2 else -1]
        terminals = {"panel": self._session, "inbox": self._inbox}
        terminals[ahead].press("enter")
        time.sleep(self._leads[ahead])
        terminals[behind].press("enter")
        output, _ = script.communicate(timeout=LIMIT)
        result = self._model.wait_for_result_sync(call_of(request), LIMIT).text
        winner = self._winner(request)
        assert [label in result for label in LABELS.values()] == [one == winner for one in RACERS], result
        self._check_told(winner, script.returncode, output)
        self._ahead *= 0.85 if winner == SCRIPT else 1.1
        if winner == ahead:
            self._leads[ahead] *= 0.7
        elif winner == behind:
            self._leads[ahead] = self._leads[ahead] * 1.3 + 0.01
        self.winners[winner] += 1
        return winner

    def _winner(self, request: str) -> str:
        stored = self._store.requests.get(request)
        assert stored is not None
        assert isinstance(stored.outcome, Answered)
        assert stored.actor is not None
        winner = stored.actor.called
        (answer,) = stored.outcome.answers
        assert answer.selected == (LABELS[winner],)
        rows = [row.became for row in self._store.history.changes(request_id=request)]
        assert rows.count("answered") == 1
        return winner

    def _check_told(self, winner: str, code: int, output: str) -> None:
        """Check that each loser was told by whom the request was answered."""
        if winner == SCRIPT:
            assert (code, "answered" in output) == (0, True), output
        else:
            assert (code, f"was already answered {WHERE[winner]} at" in output) == (3, True), output
            self.told += 1
        if winner != "panel":
            self._lost(self._session, f"The request was closed: answered {FROM_ANOTHER[winner]}")
        if winner != "inbox":
            self._lost(self._inbox, f"Already answered {FROM_ANOTHER[winner]} at")

    def _lost(self, loser: Terminal, words: str) -> None:
        """See a loser be told, and have something else said, so that the next race does not see this."""
        loser.wait(words)
        self.told += 1
        loser.press("f8")
        loser.wait_gone(words)


def _ready(terminal: Terminal, question: str, key: str, label: str) -> None:
    """Select an option of a question; Enter is all that is left to do."""
    terminal.wait(lambda seen: question in seen.panel and seen.keys_work)
    terminal.press(key)
    terminal.wait(lambda seen: f"● {key}  {label}" in seen.panel)


def main(count: int) -> int:
    """Run so many races, and print who won.

    Args:
        count: How many.

    Returns:
        The exit code: 0 where each of the three was first once at least.
    """
    began = time.monotonic()
    with ExitStack() as ending:
        root = Path(ending.enter_context(tempfile.TemporaryDirectory(prefix="ccq-races-")))
        model = ending.enter_context(ScriptedModel(scenario(count)))
        home = clean_environment(model.url, root=root)
        session = ending.enter_context(Terminal([program(), "go"], home.env, home.project))
        session.wait("working")
        inbox = ending.enter_context(Terminal([program(), "inbox"], home.env, home.project))
        races = Races(model, home, session, inbox)
        ending.callback(races.close)
        for number in range(1, count + 1):
            races.run(number)
            if number % 10 == 0 or number == count:
                found = json.dumps(dict(races.winners.most_common()))
                passed = time.monotonic() - began
                sys.stdout.write(
                    f"{passed:6.1f} s  {number} races, one winner each: {found}; {races.told} losers told\n"
                )
                sys.stdout.flush()
        never = [racer for racer in RACERS if not races.winners[racer]]
    if never:
        sys.stdout.write(f"never first: {', '.join(never)}\n")
    return 1 if never else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 500))
