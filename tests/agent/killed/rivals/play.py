"""One play: a session and its fork in two programs that are killed."""

import multiprocessing
import random
import re
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from ccq_tui.inbox.requests import QuestionRequest
from ccq_tui.inbox.store.store import Store
from ccq_tui.questions import Answered
from ccq_tui.testing import Exchange, ScriptedModel, clean_environment
from tests.agent.killed.counts import Seen
from tests.agent.killed.news import Kill, mentions, session_of, spoken, where
from tests.agent.killed.process import Process, end_all, running_below
from tests.agent.killed.rivals.prompts import Prompts
from tests.agent.killed.rivals.script import done, scenario
from tests.agent.killed.script import typed_in
from tests.processes import command

A_PLAY = 8
"""Kills in one play."""
LIMIT = 900.0
GONE_SECONDS = 20.0
"""How long what was killed may take to be gone, with the CLI that it left."""
QUIET = 0.005
"""Seconds to listen to one program before the other."""
STUCK = 2.0
"""Seconds without an event after which a person looks at what waits."""
TICK = 0.3
"""Seconds without an event that bring the next kill as much nearer as an event, while nothing starts."""
LOOK = 0.2
"""Seconds after which it is looked again whether the play is over."""
MOST_PROMPTS = 14
UNRETRIEVED = "Task exception was never retrieved"
WRITES_LATE = re.compile(
    r"\nfuture: <Task [^\n]*Query\._handle_control_request\(\)[^\n]*CLIConnectionError\("
)
DELAYS = (0.0, 0.0, 0.005, 0.02, 0.1, 0.4)
MAIN, FORK = "main", "fork"
VICTIMS = ("first", "second", "both", "cli", "first and cli")


@dataclass
class _Session:
    key: str
    name: str = ""
    runner: int | None = None
    starting: set[int] = field(default_factory=set)
    idle: bool = False
    begun: bool = False
    prompts: list[str] = field(default_factory=list)


class Rivals:
    """One play, to its end.

    Args:
        seed: What the chances are drawn from.
        kills: How many kills there are.
        root: An empty directory.
    """

    def __init__(self, seed: int, kills: int, root: Path) -> None:
        self.seen = Seen()
        self._chance = random.Random(seed)  # noqa: S311 - it guards nothing
        self._left = kills
        self._root = root
        self._database = root / "inbox.db"
        self._model = ScriptedModel(scenario(self._newest), speed=1_500, delta_size=8)
        self._sessions = {MAIN: _Session(MAIN)}
        self._texts: dict[str, list[str]] = {}
        self._drafts: dict[str, list[str]] = {}
        self._kept: dict[str, str] = {}
        self._unwritten: set[str] = set()
        self._kills: list[Kill] = []
        self._until_kill = self._chance.randrange(2, 24)
        self._serial = 0
        self._rewound = False
        self._prompts = Prompts()
        self._spoken: dict[Exchange, str] = {}
        self._log: list[str] = []

    def play(self) -> Seen:
        """Play it.

        Returns:
            What was seen.
        """
        with self._model:
            self._home = clean_environment(self._model.url, root=self._root)
            self._programs = [self._program(), self._program()]
            try:
                try:
                    self._play()
                except TimeoutError as error:
                    self._problem(str(error))
                self._end()
            finally:
                end_all(self._home)
            self._check()
        return self.seen

    def _end(self) -> None:
        """End both programs in order: nothing of them is left, and nothing failed in them."""
        for program in self._programs:
            if not program.end():
                self._problem("a program did not end in order")
        if left := running_below(self._root, GONE_SECONDS):
            self._problem(f"processes were left: {[command(pid)[:80] for pid in left]}")
        errors = (self._home.root / "stderr").read_text(errors="replace")
        # The SDK's own task writes to a CLI that was just killed, and nobody waits for that task.
        failed = (one for one in errors.split(UNRETRIEVED) if not WRITES_LATE.match(one))
        if any("Traceback" in one for one in failed):
            self._problem(f"something failed in a program: {errors[-3000:]}")

    def _program(self) -> Process:
        return Process(self._home, self._database)

    # -- two people and a killer --------------------------------------------------------------------------

    def _play(self) -> None:
        deadline = time.monotonic() + LIMIT
        looked = ticked = polled_at = time.monotonic()
        while True:
            now = time.monotonic()
            if now > deadline:
                raise TimeoutError(f"it did not end within {LIMIT:g} s; {self._open()}")
            if now - looked > LOOK:
                looked = now
                if not self._left and self._finished():
                    return
            received = [self._listen(number) for number in range(len(self._programs))]
            if any(received):
                polled_at = ticked = time.monotonic()
            elif now - ticked > TICK and all(session.runner is not None for session in self._all()):
                ticked = now
                self._come_nearer()
            if now - polled_at > STUCK:
                polled_at = now
                self._go_on()

    def _listen(self, number: int) -> bool:
        """Take the next event of a program, if there is one."""
        event = self._programs[number].event(QUIET)
        if event is None:
            return False
        words = (str(event.get(name, "")) for name in ("event", "key", "id", "state", "reason", "text"))
        self._log.append(f"{number} " + " ".join(word for word in words if word))
        self._note(number, event)
        if self._left and self._chance.random() < 0.08:
            self._queue()
        self._come_nearer()
        return True

    def _come_nearer(self) -> None:
        """Come nearer to the next kill, and kill when it is time to, seldom before there is a session."""
        self._until_kill -= 1
        begun = any(session.begun for session in self._all())
        if self._until_kill <= 0 and self._left and (begun or self._chance.random() < 0.1):
            self._kill()

    def _note(self, number: int, event: dict[str, Any]) -> None:
        """Do what an event of a program asks of the people."""
        session = self._sessions.get(event.get("key", ""))
        if session is not None:
            self._note_session(number, session, event)
            return
        match event["event"]:
            case "Started":
                self._start_what_rests(number)
            case "Kept":
                self._prompts.keep(event["text"], event["prompt_id"])
            case "Settled" if event["won"]:
                self.seen.counts["answered by the other program"] += 1
            case "Rewound":
                self._rewound = True
                if not event["reason"]:
                    self._kills.append(Kill(time.monotonic(), "rewound"))
                self.seen.counts["rewinds refused" if event["reason"] else "rewinds"] += 1
                self._log.append(event["reason"])
                self._say(self._sessions[MAIN], "Go on.")

    def _note_session(self, number: int, session: _Session, event: dict[str, Any]) -> None:
        match event["event"]:
            case "Connected":
                self._connected(number, session, event["session"])
            case "PromptDelivered":
                session.begun = True
                session.prompts.append(event["prompt_id"])
            case "StateChanged" if session.runner == number:
                session.idle = event["state"] == "idle"
            case "RequestAsked" if "text" in event:
                session.begun = True
                self._question(number, session, event)
            case "RequestAsked":
                self._permission(number, session, event["id"])
            case "SessionLost":
                self._lost(number, session, event["kind"])
            case "Returned":
                self._prompts.come_back(number, session.key, event["text"])

    def _connected(self, number: int, session: _Session, name: str) -> None:
        session.runner, session.idle = number, False
        session.starting.discard(number)
        self.seen.counts[f"started {session.key}"] += 1
        if not session.name:
            session.name = name
            self._say(session, "Build it.")

    def _lost(self, number: int, session: _Session, kind: str) -> None:
        self.seen.counts[f"lost: {kind}"] += 1
        session.starting.discard(number)
        if session.runner == number:
            session.runner, session.idle = None, False
        if kind == "no_conversation":
            self._unwritten.add(session.name)
            session.name, session.begun = "", False
        self._start_what_rests(self._chance.randrange(2))

    def _say(self, session: _Session, text: str) -> None:
        if session.runner is not None:
            session.idle = False
            self._programs[session.runner].tell(do="send", key=session.key, text=text)

    def _queue(self) -> None:
        """Write a prompt into a session, whatever that does just now: it waits for a turn, or for a CLI."""
        named = [session for session in self._all() if session.name and session.begun]
        if not named or len(self._prompts) == MOST_PROMPTS:
            return
        session = self._chance.choice(named)
        if session.runner is None and not session.starting:
            self._start(session, self._chance.randrange(2))
            self.seen.counts["prompts queued for a CLI that starts"] += 1
        number = session.runner if session.runner is not None else min(session.starting)
        self.seen.counts["prompts queued"] += 1
        session.idle = False
        self._programs[number].tell(do="queue", key=session.key, text=self._prompts.new())

    def _send_what_came_back(self, session: _Session) -> bool:
        """Send what stands in the field of a session, now and then; whether that was done."""
        if session.runner is None or self._chance.random() < 0.3:
            return False
        if not self._prompts.take(session.runner, session.key):
            return False
        self.seen.counts["prompts sent again after they came back"] += 1
        session.idle = False
        self._programs[session.runner].tell(do="send what came back", key=session.key)
        return True

    def _start_what_rests(self, number: int) -> None:
        """Start what nobody runs, now and then in both programs at once."""
        for session in self._sessions.values():
            if session.runner is not None or session.starting:
                continue
            who = (0, 1) if self._chance.random() < 0.5 and session.name else (number,)
            for one in who:
                self._start(session, one)
            if len(who) == 2:
                self.seen.counts["started by both at once"] += 1

    def _start(self, session: _Session, number: int) -> None:
        fork = session.key == FORK and not session.name
        resume = self._sessions[MAIN].name if fork else session.name
        if session.key == FORK and not resume:
            return
        session.starting.add(number)
        self._programs[number].tell(do="start", key=session.key, resume=resume, fork=fork)

    def _question(self, number: int, session: _Session, event: dict[str, Any]) -> None:
        name, own, other = event["id"], self._programs[number], self._programs[1 - number]
        self._check_draft(name, event["draft"], event["at"])
        drafted = self._chance.random() < 0.5
        if drafted:
            self._serial += 1
            draft = f"draft {self._serial}"
            self._drafts.setdefault(name, []).append(draft)
            own.tell(do="draft", key=session.key, id=name, text=draft)
        if FORK not in self._sessions and "part 1?" not in event["text"]:
            self._sessions[FORK] = _Session(FORK)
            self._start(self._sessions[FORK], self._chance.randrange(2))
            return  # the question waits while the fork begins
        if drafted and self._left and self._chance.random() < 0.4:
            return  # something is typed, and not confirmed before something else happens
        if "part 2?" in event["text"]:
            self.seen.counts["two sets in one message"] += 1
        way = self._chance.random()
        if way < 0.15:
            if self._left and self._chance.random() < 0.5:
                self._queue()
            own.tell(do="park", key=session.key)
            other.tell(do="settle", id=name, text=self._answer(name, event["text"]))
            self.seen.counts["parked, answered elsewhere"] += 1
        elif way < 0.4:
            other.tell(do="settle", id=name, text=self._answer(name, event["text"]))
        elif way < 0.6:
            other.tell(do="settle", id=name, text=self._answer(name, event["text"]))
            own.tell(do="answer", key=session.key, id=name, text=self._answer(name, event["text"]))
            self.seen.counts["answered by both at once"] += 1
        elif way < 0.95:
            own.tell(do="answer", key=session.key, id=name, text=self._answer(name, event["text"]))
        # Else nobody answers now; `_go_on` does.

    def _answer(self, name: str, question: str) -> str:
        """Return an answer to a request that nothing else contains."""
        self._serial += 1
        number = question.rstrip("?").rsplit(" ", 1)[1]
        text = f"answer {number} to it, no. {self._serial}."
        self._texts.setdefault(name, []).append(text)
        return text

    def _permission(self, number: int, session: _Session, name: str) -> None:
        self.seen.counts["permissions"] += 1
        if self._chance.random() < 0.7:
            self._programs[number].tell(do="allow", key=session.key, id=name)
        else:
            self._programs[1 - number].tell(do="allow elsewhere", id=name)

    def _go_on(self) -> None:
        """Do what a person does who comes back: start what rests, answer what waits, say something."""
        self._start_what_rests(self._chance.randrange(2))
        with closing(Store(self._database)) as store:
            waiting = [one.request for one in store.requests.waiting()]
        for request in waiting:
            if any(session.starting for session in self._all()):
                break
            if (questions := getattr(request, "questions", None)) is not None:
                text = self._answer(request.id, questions.questions[0].text)
                self._programs[self._chance.randrange(2)].tell(do="settle", id=request.id, text=text)
            else:
                self._programs[self._chance.randrange(2)].tell(do="allow elsewhere", id=request.id)
        for session in self._all():
            if session.runner is None or not session.idle or waiting or self._send_what_came_back(session):
                continue
            if not self._done(session):
                self._say(session, "Go on.")
            elif session.key == MAIN and not self._rewound and self._may_rewind(session):
                order = {"do": "rewind", "key": MAIN, "prompt_id": session.prompts[-1]}
                self._programs[session.runner].tell(**order)
            elif session.key == MAIN and not self._rewound:
                self._say(session, "One more thing.")

    def _may_rewind(self, session: _Session) -> bool:
        """Whether the newest prompt began a turn; one read in the middle of one is no place to go back to."""
        return len(session.prompts) > 1 and not self._prompts.is_one(session.prompts[-1])

    def _kill(self) -> None:
        self._until_kill = self._chance.randrange(2, 24)
        if self._chance.random() < 0.5:
            self._queue()
        time.sleep(self._chance.choice(DELAYS))
        victim = self._chance.choice(VICTIMS)
        for name, drafts in self._drafts.items():
            # Until its own is there, a copy of a session has the draft of the original.
            if (found := self._on_disk(name)) in drafts:
                self._kept[name] = found
        if victim == "cli":
            for program in self._programs:
                program.kill("cli")
        else:
            hit = {"first": (0,), "second": (1,), "both": (0, 1), "first and cli": (0,)}[victim]
            for number in hit:
                self._programs[number].kill("both" if victim == "first and cli" else "program")
            for number in hit:
                self._programs[number] = self._program()
                self._prompts.forget(number)
                for session in self._sessions.values():
                    session.starting.discard(number)
                    if session.runner == number:
                        session.runner, session.idle = None, False
        self._kills.append(Kill(time.monotonic(), victim))
        self._left -= 1
        self.seen.counts["kills"] += 1
        self.seen.counts[f"killed: {victim}"] += 1
        self._log.append(f"kill {victim}")

    # -- what must hold -----------------------------------------------------------------------------------

    def _finished(self) -> bool:
        if FORK not in self._sessions or not self._rewound or not all(map(self._done, self._all())):
            return False
        if any(session.runner is not None and not session.idle for session in self._all()):
            return False
        with closing(Store(self._database)) as store:
            return not store.requests.waiting() and not any(map(self._undelivered(store), self._all()))

    def _open(self) -> str:
        """Return what keeps the play from its end."""
        with closing(Store(self._database)) as store:
            waiting = [one.request.id for one in store.requests.waiting()]
            due = {one.key: self._undelivered(store)(one) for one in self._all()}
        return f"sessions {self._all()}, waiting {waiting}, not delivered {due}"

    @staticmethod
    def _undelivered(store: Store) -> Callable[[_Session], list[str]]:
        """Return what says which answers a session has not got; a permission is no answer it could miss."""

        def due(session: _Session) -> list[str]:
            left = store.requests.undelivered(session.name)
            return [one.request.id for one in left if isinstance(one.request, QuestionRequest)]

        return due

    def _all(self) -> list[_Session]:
        return list(self._sessions.values())

    def _done(self, session: _Session) -> bool:
        """Whether the newest request of a session has all of it, and was replied to."""
        own = [one for one in self._model.requests() if session_of(one) == session.name and session.name]
        if not own or not own[-1].last_byte:
            return False
        return done(self._spoken.setdefault(own[-1], spoken(own[-1].body)))

    def _newest(self) -> Exchange:
        return self._model.requests()[-1]

    def _on_disk(self, name: str) -> str:
        with closing(Store(self._database)) as store:
            return typed_in(store, name)

    def _check_draft(self, name: str, found: str, asked_at: str) -> None:
        kept, drafts = self._kept.get(name, ""), self._drafts.get(name, [])
        if not kept or self._was_decided(name, asked_at):
            return  # asked again only to be told what was decided
        if found not in drafts or drafts.index(found) < drafts.index(kept):
            self._problem(f"the draft of {name} is {found!r}, not {kept!r} or a later one")
        else:
            self.seen.counts["drafts kept"] += 1

    def _check_drafts_left(self) -> None:
        """Check that each draft that was on disk at a kill, or a later one, is still there."""
        for name, kept in self._kept.items():
            found, drafts = self._on_disk(name), self._drafts[name]
            if found in drafts and drafts.index(found) >= drafts.index(kept):
                self.seen.counts["drafts on disk at a kill, and at the end"] += 1
            else:
                self._problem(f"the draft of {name} is {found!r} at the end, and was {kept!r}")

    def _was_decided(self, name: str, at: str) -> bool:
        with closing(Store(self._database)) as store:
            stored = store.requests.get(name)
            settled = stored.settled_at if stored is not None else None
            return settled is not None and settled <= datetime.fromisoformat(at)

    def _check(self) -> None:
        exchanges = self._model.exchanges
        with closing(Store(self._database)) as store:
            for name, texts in self._texts.items():
                stored = store.requests.get(name)
                outcome = stored.outcome if stored is not None else None
                accepted = outcome.answers[0].other if isinstance(outcome, Answered) else ""
                for text in texts:
                    self._check_answer(name, text, accepted == text, exchanges)
        self._check_drafts_left()
        for count, problem in self._prompts.found(self._home, self._database, exchanges, self._kills):
            self.seen.counts[count] += 1
            if problem:
                self._problem(problem)
        self._model.check()

    def _check_answer(self, name: str, text: str, accepted: bool, exchanges: Sequence[Exchange]) -> None:
        found = mentions(text, exchanges, self._kills, name.partition("@")[2])
        if accepted and found.once:
            self.seen.counts["answers, each news once"] += 1
            self.seen.counts["requests repeated after a kill"] += found.repeated
        elif accepted and not found.news and name.partition("@")[2] in self._unwritten:
            self.seen.counts["answers to a session that was killed before it was written"] += 1
        elif accepted or found.news:
            asked = "confirmed" if accepted else "not taken"
            at = ", ".join(where(text, exchanges, self._kills))
            self._problem(f"{text!r} for {name} was {asked}, and the model was told {found}: {at}")
        else:
            self.seen.counts["answers that came too late, never told"] += 1

    def _problem(self, text: str) -> None:
        self.seen.problems.append(f"{text} [{self._root.name}]\n      " + "\n      ".join(self._log[-60:]))


def plan(kills: int, seed: int) -> list[tuple[int, int]]:
    """Return seed and number of kills of each play."""
    starts = range(0, kills, A_PLAY)
    return [(seed + number, min(A_PLAY, kills - start)) for number, start in enumerate(starts)]


def played(plays: list[tuple[int, int]], root: Path, jobs: int) -> Iterator[tuple[int, float, Seen]]:
    """Play several at a time.

    Args:
        plays: Seed and number of kills of each.
        root: Where they have their directories.
        jobs: How many go on at a time.

    Yields:
        For each, as it ends, the seed, how many seconds it took, and what was seen.
    """
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), max_tasks_per_child=1) as pool:
        for play in as_completed([pool.submit(_play, *one, root) for one in plays]):
            yield play.result()


def _play(seed: int, kills: int, root: Path) -> tuple[int, float, Seen]:
    """Play once; what fails is a problem of that play, and the others go on."""
    began, place = time.monotonic(), root / f"seed-{seed}"
    place.mkdir()
    rivals = Rivals(seed, kills, place)
    try:
        rivals.play()
    except Exception:  # noqa: BLE001 - whatever it is
        rivals.seen.problems.append(f"the play of seed {seed} failed\n{traceback.format_exc()}")
    if rivals.seen.counts["kills"] < kills:
        rivals.seen.problems.append(f"{rivals.seen.counts['kills']} kills of {kills} [{place.name}]")
    return seed, time.monotonic() - began, rivals.seen
