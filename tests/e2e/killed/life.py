"""A person at the keyboard of a program that is killed again and again."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from ccq_tui.inbox.store.store import Store
from ccq_tui.questions.state import PanelState
from ccq_tui.testing import CleanHome, ScriptedModel, clean_environment
from tests.agent.killed.counts import Counts
from tests.agent.killed.news import Kill, told
from tests.agent.killed.process import children, command, end_all
from tests.agent.killed.script import scenario
from tests.e2e.conftest import program
from tests.e2e.killed.points import PHASES, Point
from tests.e2e.terminal import Terminal
from tests.unit.inbox.made import load_draft

LIMIT = 600.0
STEP_SECONDS = 120.0
KEPT_AFTER = 0.3
"""Seconds after which what is on the screen has to be on the disk, with the time that the screen took."""
QUIET = 2.5
"""Seconds of a ready prompt after which a person writes to a session that waits for nothing."""
ASKED = re.compile(r"What about part (\d)\?")
REMEDY = re.compile(r"(F[56]) (reconnect|send it again|continue)")
DEAD = re.compile("✖ failed|signal 9|starting")
KEYS = {"F5": "f5", "F6": "f6"}


def answer_to(number: int) -> str:
    """Return the answer to a question, which nothing else contains."""
    return f"answer {number} to it."


class Life:
    """One session of questions, killed once while each of them is asked and answered.

    Args:
        points: Where, for the questions in their order; fewer than questions are enough.
        root: An empty directory.
        questions: How many questions there are.
        patient: Whether to wait until a draft is on disk, where else the time that it may take goes by.
    """

    def __init__(
        self, points: Sequence[Point], root: Path, questions: int = len(PHASES), *, patient: bool = False
    ) -> None:
        self.counts = Counts()
        self._patient = patient
        self._points = dict(enumerate(points, 1))
        self._root = root
        self._numbers = range(1, questions + 1)
        gated = [number for number, point in self._points.items() if point.phase == "queueing"]
        script = scenario(lambda: self._model.requests()[-1], questions, gated)
        self._model = ScriptedModel(script, speed=400, delta_size=8)
        self._typed: dict[int, float] = {}
        self._expected: set[int] = set()
        self._ready_since = 0.0
        self._remedied = 0.0
        self._kills: list[Kill] = []
        self._queued: list[str] = []

    def play(self) -> Counts:
        """Play it to its end.

        Returns:
            What was seen.
        """
        with self._model, ExitStack() as self._ending:
            self._home: CleanHome = clean_environment(self._model.url, root=self._root)
            self._ending.callback(end_all, self._home)
            self._begin("Build it.")
            try:
                self._play()
            except (AssertionError, TimeoutError) as error:
                self._problem(f"{error}; the screen:\n{self._terminal.text}")
            self._check()
        return self.counts

    # -- a person and a killer ----------------------------------------------------------------------------

    def _begin(self, prompt: str = "") -> None:
        """Start the program, in the session that there is if there is one."""
        words = ["--resume", session] if (session := self._session()) else [prompt]
        self._terminal = self._ending.enter_context(
            Terminal([program(), *words], self._home.env, self._home.project)
        )

    def _play(self) -> None:
        deadline = time.monotonic() + LIMIT
        while not self._finished():
            if time.monotonic() > deadline:
                raise TimeoutError(f"it did not end within {LIMIT:g} s")
            self._terminal.wait(lambda _: True)
            if self._terminal.process.poll() is not None:
                raise AssertionError("the program ended by itself")
            self._look()
            time.sleep(0.02)

    def _look(self) -> None:
        """Do what the screen asks for."""
        terminal, text = self._terminal, self._terminal.text
        if found := ASKED.search(terminal.panel):
            self._ready_since = 0.0
            if terminal.keys_work:
                self._question(int(found[1]))
            return
        speaking = ("arriving", "queueing")
        begun = [n for n, one in self._points.items() if one.phase in speaking and f"to part {n}." in text]
        if begun and self._points[begun[0]].phase == "queueing":
            self._queue(begun[0])
        elif begun:
            self._kill(begun[0])
        elif (remedy := REMEDY.search(text)) and time.monotonic() - self._remedied > QUIET:
            self._remedied = time.monotonic()
            terminal.press(KEYS[remedy[1]])
        elif "○ ready" not in text:
            self._ready_since = 0.0
        elif not self._ready_since:
            self._ready_since = time.monotonic()
        elif time.monotonic() - self._ready_since > QUIET and not self._finished():
            # Behind what came back into the field, if anything did.
            terminal.type("Go on.")
            terminal.wait("Go on.")
            terminal.press("enter")
            self._ready_since = 0.0

    def _question(self, number: int) -> None:
        """Answer a question, or as much of it as its point lets a person do."""
        terminal, answer = self._terminal, answer_to(number)
        there = answer in terminal.panel
        if number in self._expected:
            self._expected.discard(number)
            if there:
                self.counts.drafts += 1
            else:
                self._problem(f"the draft of question {number} is not there:\n{terminal.text}")
        terminal.press("o")
        if not there:
            terminal.type(answer)
        terminal.wait_in_panel(answer)
        self._typed[number] = time.monotonic()
        point = self._points.get(number)
        if point and point.phase == "drafting":
            self._rest(KEPT_AFTER)
            if self._patient:
                # Without the session's record there is nothing to go on with.
                terminal.wait(lambda _: bool(self._session()) and self._is_kept(answer))
            return self._kill(number)
        terminal.press("enter")
        terminal.wait(lambda seen: answer in seen.panel and seen.keys_work)
        if point and point.phase in ("parking", "resuming"):
            return self._leave(number, point)
        terminal.press("enter")
        if point and point.phase == "confirming":
            return self._kill(number)
        self._model.wait_for_sync(lambda model: answer in _told(model), STEP_SECONDS)
        if point and point.phase == "delivering":
            return self._kill(number)
        terminal.wait(lambda seen: not seen.panel or f"part {number}?" not in seen.panel, STEP_SECONDS)
        return None

    def _queue(self, number: int) -> None:
        """Write prompts while Claude works, and be killed with them in the queue."""
        for words in (f"queued first with {number}.", f"queued then with {number}."):
            self._terminal.type(words)
            self._terminal.wait(words)
            self._terminal.press("enter")
            # It is on disk then. What is in the field for less than 0.1 s may not be.
            self._terminal.wait(f"❯ {words}  queued")
            self._queued.append(words)
        self._kill(number)
        self._model.release(f"part {number}")

    def _leave(self, number: int, point: Point) -> None:
        """Quit with the question open; be killed meanwhile, or when it is resumed."""
        self._rest(KEPT_AFTER)
        self._terminal.press("ctrl+q")
        if point.phase == "parking":
            return self._kill(number)
        self._terminal.wait_end()
        self._begin()
        self._terminal.wait(lambda _: bool(self._clis()))
        return self._kill(number)

    def _kill(self, number: int) -> None:
        point = self._points.pop(number)
        time.sleep(point.delay)
        process, clis = self._terminal.process, self._clis() if point.victim != "program" else []
        if self._typed.get(number, time.monotonic()) <= time.monotonic() - KEPT_AFTER:
            self._expected.add(number)
        if point.victim != "cli":
            process.kill()
        for pid in clis:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._kills.append(Kill(time.monotonic(), point.victim))
        self.counts.kills[f"{point.phase}/{point.victim}"] += 1
        if point.victim != "cli" or point.phase == "parking":
            process.wait(STEP_SECONDS)
            self._begin()
        else:  # what is on the screen until then is not worth a key
            self._terminal.wait(lambda seen: DEAD.search(seen.text) is not None)

    def _session(self) -> str:
        """Return the id of the session, or "" while it is not on disk."""
        return next((path.stem for path in self._home.config.glob("projects/*/*.jsonl")), "")

    def _clis(self) -> list[int]:
        return [pid for pid in children(self._terminal.process.pid) if "stream-json" in command(pid)]

    def _is_kept(self, answer: str) -> bool:
        store = Store(next(self._root.rglob("inbox.db")))
        try:
            drafts = [load_draft(store, one.request) for one in store.requests.waiting()]
            return any(isinstance(one, PanelState) and one.pages[0].draft.other == answer for one in drafts)
        finally:
            store.close()

    def _rest(self, seconds: float) -> None:
        since = time.monotonic()
        self._terminal.wait(lambda _: time.monotonic() - since > seconds)

    # -- what must hold -----------------------------------------------------------------------------------

    def _finished(self) -> bool:
        requests = self._model.requests()
        if not requests or not requests[-1].last_byte:
            return False
        said = _told(self._model)
        if not all(text in said for text in (*map(answer_to, self._numbers), *self._queued)):
            return False
        store = Store(next(self._root.rglob("inbox.db")))
        try:
            return not store.requests.waiting() and not store.requests.undelivered(self._session())
        finally:
            store.close()

    def _check(self) -> None:
        bodies = [json.dumps(exchange.body) for exchange in self._model.requests()]
        for number in self._numbers:
            answer = answer_to(number)
            found = told(answer, self._model.exchanges, self._kills)
            if found.once and bodies[-1].count(answer) == 1:
                self.counts.answers += 1
                results = (result.text for result in self._model.tool_results())
                self.counts.ways["result" if any(answer in one for one in results) else "message"] += 1
            else:
                self._problem(f"{answer!r} was told so: {found}")
        for words in self._queued:
            found = told(words, self._model.exchanges, self._kills)
            if found.once:
                self.counts.queued += 1
            else:
                self._problem(f"the queued prompt {words!r} was told so: {found}")
        if self._points:
            self._problem(f"it was not killed at {list(self._points.values())}")
        self._model.check()

    def _problem(self, text: str) -> None:
        self.counts.problems.append(f"{text} [{self._root.name}]")


def _told(model: ScriptedModel) -> str:
    requests = model.requests()
    return json.dumps(requests[-1].body) if requests else ""
