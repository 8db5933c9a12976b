"""Drives sessions of six questions through kills, to their end, and counts."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ccq_tui.inbox.requests import call_of
from ccq_tui.inbox.store.store import Store
from ccq_tui.inbox.verdicts import Won
from ccq_tui.questions import Answer, Answered
from ccq_tui.testing import Exchange, ScriptedModel, clean_environment
from tests.actors import SCRIPT
from tests.agent.killed.counts import Seen
from tests.agent.killed.news import Kill, told, where
from tests.agent.killed.points import Point, Victim
from tests.agent.killed.process import Process, end_all
from tests.agent.killed.script import QUESTIONS, mark, scenario, typed_in

LIMIT = 900.0
QUIET = 2.5
"""Seconds of silence after which a person would write to a session that waits for nothing."""
PROMPT = "Build it."
GO_ON = "Go on."


@dataclass
class _Asked:
    text: str
    drafts: list[str] = field(default_factory=list)
    kept: str = ""
    answered: bool = False


class Run:
    """One session, killed at each of some points, one after the other.

    Args:
        points: Where.
        root: An empty directory.
    """

    def __init__(self, points: Sequence[Point], root: Path) -> None:
        self.seen = Seen()
        self._points = list(points)
        self._model = ScriptedModel(scenario(self._newest), speed=1_500, delta_size=8)
        self._root = root
        self._database = root / "inbox.db"
        self._session = ""
        self._asked: dict[str, _Asked] = {}
        self._resuming = False
        self._by_message = False
        self._began = ""
        self._heard: list[str] = []
        self._kills: list[Kill] = []

    def play(self) -> Seen:
        """Play it to its end.

        Returns:
            What was seen.
        """
        with self._model:
            self._home = clean_environment(self._model.url, root=self._root)
            self._process = Process(self._home, self._database)
            try:
                self._play()
            except TimeoutError as error:
                self._problem(f"{error}; heard {self._heard[-12:]}")
            finally:
                self._process.end()
                end_all(self._home)
            self._check()
        return self.seen

    # -- a person and a killer ----------------------------------------------------------------------------

    def _play(self) -> None:
        deadline = time.monotonic() + LIMIT
        idle = False
        while not (idle and self._finished()):
            if time.monotonic() > deadline:
                raise TimeoutError(f"it did not end within {LIMIT:g} s")
            event = self._process.event(QUIET)
            if event is None:
                if idle and not self._waiting():
                    self._process.tell(do="send", text=GO_ON if self._session else PROMPT)
                    idle = False
                continue
            name = event["event"]
            self._heard.append(f"{name} {event.get('state', '')}{event.get('reason', '')}".strip())
            if name == "StateChanged":
                idle = event["state"] == "idle"
            killed = self._note(event) or self._killed_at(name)
            if killed:
                idle = False

    def _note(self, event: dict[str, Any]) -> bool:
        match event["event"]:
            case "Started":
                if self._killed_at("Started"):
                    return True
                self._process.tell(do="start", resume=self._session)
            case "Connected":
                self._began = event["session"]
                if not self._session:
                    self._process.tell(do="send", text=PROMPT)
            case "PromptDelivered":
                self._session = self._session or self._began
            case "RequestAsked":
                return self._question(event)
            case "SessionLost":
                self._lost(event)
            case _:
                pass
        return False

    def _lost(self, event: dict[str, Any]) -> None:
        if event["kind"] == "no_conversation":
            self._session = ""  # killed before a word of it was recorded
        if event["kind"] == "parked":
            clis = self._process.clis()
            if clis:
                self._problem(f"a parked session has the processes {clis}")
            self._settle_elsewhere()
            self._process.end()
            self._resuming = True
            self._process = Process(self._home, self._database)
        else:
            self._process.tell(do="start", resume=self._session)

    def _question(self, event: dict[str, Any]) -> bool:
        name = event["id"]
        new = name not in self._asked
        asked = self._asked.setdefault(name, _Asked(event["text"]))
        self._session = self._session or self._began
        self._check_draft(name, event["draft"])
        point = self._points[0] if self._points else None
        if self._killed_at("RequestAsked"):
            return True
        for number in (1, 2):
            text = f"draft {number} of {name} {len(asked.drafts)}"
            self._process.tell(do="draft", id=name, text=text)
            asked.drafts.append(text)
        if self._killed_at("draft"):
            return True
        if point and point.by_message and new:
            self._kill("both")
            return True
        self._by_message = event["by_message"]
        if (
            point
            and (point.parks or point.phase == "parking")
            and not self._resuming
            and not event["by_message"]
        ):
            self._process.tell(do="park")
            return self._killed_at("park")
        self._process.tell(do="answer", id=name, text=mark(asked.text, name))
        asked.answered = True
        return self._killed_at("answer")

    def _settle_elsewhere(self) -> None:
        if not (self._points and self._points[0].answered):
            return
        with closing(Store(self._database)) as store:
            for waiting in store.requests.waiting(self._session):
                name = waiting.request.id
                outcome = Answered((Answer(other=mark(self._asked[name].text, name)),))
                if store.requests.settle(name, outcome, SCRIPT) == Won():
                    self._asked[name].answered = True

    def _killed_at(self, when: str) -> bool:
        """Kill if it is time to."""
        point = self._points[0] if self._points else None
        if point is None or point.when != when or (point.parks and not self._resuming):
            return False
        if point.by_message and not self._by_message:
            return False
        if not point.parks and not self._session and when != "BlockGrew":
            return False
        time.sleep(point.delay)
        self._kill(point.victim)
        self._points.pop(0)
        self._resuming = self._by_message = False
        self._heard.append(f"kill {point}")
        self.seen.counts.update(["kills", f"kills {point.phase}/{point.victim}"])
        return True

    def _kill(self, victim: Victim) -> None:
        """Kill, note which drafts are on disk by then, and start a new program if there is none."""
        for name, asked in self._asked.items():
            asked.kept = self._on_disk(name) or asked.kept
        self._process.kill(victim)
        self._kills.append(Kill(time.monotonic(), victim))
        if victim != "cli":
            self._process = Process(self._home, self._database)

    # -- what must hold -----------------------------------------------------------------------------------

    def _on_disk(self, name: str) -> str:
        """Return the draft of a request that is kept, or ""."""
        with closing(Store(self._database)) as store:
            return typed_in(store, name)

    def _check_draft(self, name: str, found: str) -> None:
        asked = self._asked[name]
        if not asked.kept or self._decided(name):
            return  # asked again only to be told what was decided
        if found not in asked.drafts or asked.drafts.index(found) < asked.drafts.index(asked.kept):
            self._problem(
                f"the draft of {name} is {found!r} and not {asked.kept!r}; heard {self._heard[-40:]}"
            )
        else:
            self.seen.counts["drafts kept"] += 1

    def _newest(self) -> Exchange:
        return self._model.requests()[-1]

    def _decided(self, name: str) -> bool:
        with closing(Store(self._database)) as store:
            stored = store.requests.get(name)
            return stored is not None and stored.outcome is not None

    def _waiting(self) -> bool:
        with closing(Store(self._database)) as store:
            return bool(store.requests.waiting())

    def _finished(self) -> bool:
        requests = self._model.requests()
        if not requests or not requests[-1].last_byte:
            return False
        said = json.dumps(requests[-1].body)
        if not all(f"answer {number} to" in said for number in range(1, QUESTIONS + 1)):
            return False
        with closing(Store(self._database)) as store:
            return not store.requests.waiting() and not store.requests.undelivered(self._session)

    def _check(self) -> None:
        bodies = [json.dumps(exchange.body) for exchange in self._model.requests()]
        if not bodies:
            self._problem("the model was told nothing")
            return
        results = {result.tool_use_id: result.text for result in self._model.tool_results()}
        for name, asked in self._asked.items():
            answer = mark(asked.text, name)
            found = told(answer, self._model.exchanges, self._kills)
            if asked.answered and not (found.once and bodies[-1].count(answer) == 1):
                places = ", ".join(where(answer, self._model.exchanges, self._kills))
                self._problem(f"{answer!r}: {found}: {places}; heard {self._heard}")
            elif asked.answered:
                way = "result" if answer in results.get(call_of(name), "") else "message"
                self.seen.counts.update(["answers, each once", f"answers as {way}"])
        if self._points:
            self._problem(f"it never came to {self._points}")
        self._model.check()

    def _problem(self, text: str) -> None:
        self.seen.problems.append(f"{text} [{self._root.name}]")


def play(points: Sequence[Point], root: Path) -> Seen:
    """Play a session through kills at some points, in an empty directory; return what was seen."""
    root.mkdir(parents=True)
    return Run(points, root).play()
