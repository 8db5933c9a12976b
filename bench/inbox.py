"""A full inbox: what it costs at the start, how fast it is listed, scrolled and printed."""

import shutil
import subprocess
import tempfile
import time
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import count, cycle
from pathlib import Path
from statistics import median

from bench.keys import one_by_one, worst
from bench.measures import Effort, Family, Figures, Measure
from bench.processes import memory
from bench.programs import OURS, Program
from bench.stage import DOWN, Stage, stage
from bench.terminal import whole
from ccq_tui.bridges.terminal.screen import Screen
from ccq_tui.inbox.requests import QuestionRequest
from ccq_tui.inbox.store.rows import SessionState
from ccq_tui.inbox.store.store import Store
from ccq_tui.questions import Answer, Answered, Option, Question, QuestionSet
from ccq_tui.testing import CleanHome, Scenario, clean_environment
from tests.actors import PANEL

F2 = "\x1bOQ"
PARKED = 2_000
"""Sessions without a process, in each of which a question waits."""
HISTORY = 20_000
"""Requests of which those wait and all others were answered."""
FIRST = "Which cache should part 0 use?"

START = Measure("inbox.start", "2,000 parked: start to usable prompt, over an empty inbox", "ms", limit=150)
MEMORY = Measure("inbox.memory", "2,000 parked and listed: memory, over an empty inbox", "MB", limit=20)
SHOWN = Measure("inbox.shown", "2,000 parked: F2 to the list", "ms", limit=150)
ALONE = Measure("inbox.alone", "2,000 parked: ccq-tui inbox to the list", "s")
JSON = Measure("inbox.json", "20,000 requests: ccq-tui inbox --json, whole process", "ms", limit=600)
STEP = Measure("inbox.step", "20,000 requests: a row down in the list, p50", "ms", limit=8)
STEPS = Measure("inbox.steps", "20,000 requests: a row down in the list, p95", "ms")


def play(program: Program, effort: Effort) -> Figures:
    """Start with an empty inbox and with full ones; list, scroll and print them."""
    waiting, requests = min(PARKED, effort.requests), min(HISTORY, effort.requests)
    with clean_environment("") as home:
        empty_start, _, empty_memory = started(program, home, effort, "nothing waits")
    with clean_environment("") as home:
        stock(home, waiting, waiting)
        start, listed, used = started(program, home, effort, FIRST)
        yield START, start - empty_start
        yield MEMORY, used - empty_memory
        yield SHOWN, listed
    with clean_environment("") as home:
        stock(home, waiting, requests)
        yield JSON, printed(program, home)
        with stage(program, Scenario("inbox"), "inbox", home=home) as on:
            yield ALONE, on.terminal.wait(FIRST) - on.terminal.began
            on.terminal.rest(effort.settled)
            steps = one_by_one(on, cycle((DOWN,)), effort.presses, row_under)
            yield STEP, median(steps)
            yield STEPS, worst(steps)


def usable(on: Stage) -> float:
    """Type a letter and take it away again; return when the prompt was usable, in seconds from the start."""
    on.terminal.wait("❯")
    at = on.echo("z", "❯ z") - on.terminal.began
    on.terminal.press("\x7f")
    on.terminal.wait(lambda screen: "❯ z" not in whole(screen))
    return at


def started(program: Program, home: CleanHome, effort: Effort, shows: str) -> tuple[float, float, float]:
    """Start and list the inbox.

    Returns:
        When the prompt was usable, how long the list took, and the memory of the program alone.
    """
    with stage(program, Scenario("inbox"), home=home) as on:
        at = usable(on)
        # Until it is started as a whole: the prompt is there long before.
        on.terminal.wait("ready")
        on.terminal.rest(effort.settled)
        pressed = on.terminal.press(F2)
        listed = on.terminal.wait(shows) - pressed
        on.terminal.rest(effort.settled)
        return at, listed, memory(on.terminal.process.pid, alone=True)


def row_under(screen: Screen) -> object:
    """Return the row of the list that has the cursor, as it is drawn."""
    return tuple(line for line in screen.display if line.lstrip().startswith("❯"))


def printed(program: Program, home: CleanHome) -> float:
    """Print the inbox as JSON; return the seconds of the whole process."""
    began = time.monotonic()
    done = subprocess.run(
        [*program.command, "inbox", "--json"],
        env=home.env, cwd=home.project, capture_output=True, timeout=60, check=True,
    )  # fmt: skip
    ended = time.monotonic()
    if FIRST.encode() not in done.stdout:
        raise AssertionError(f"the inbox was not printed: {done.stdout[:200]!r}")
    return ended - began


def stock(home: CleanHome, waiting: int, requests: int) -> None:
    """Fill the inbox of a home.

    Args:
        home: The home.
        waiting: Parked sessions in each of which a question waits.
        requests: Questions in all; those that do not wait were answered, and delivered.
    """
    place = Path(home.env["XDG_STATE_HOME"]) / "ccq-tui" / "inbox.db"
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(_stocked(waiting, requests), place)
    records = home.config / "projects" / "bench"
    records.mkdir(parents=True)
    for number in range(waiting):
        (records / f"{session_of(number)}.jsonl").touch()
    store = Store(place)
    # The sessions work where this home is: one whose directory is missing is listed as gone.
    store.database._connection.execute("UPDATE sessions SET directory = ?", (str(home.project),))
    store.close()


@cache
def _stocked(waiting: int, requests: int) -> Path:
    """Make a full inbox once; it stays until the bench ends."""
    _kept.append(tempfile.TemporaryDirectory(prefix="ccq-bench-"))
    place = Path(_kept[-1].name) / "inbox.db"
    ticks = count()
    began = datetime.now(UTC) - timedelta(days=3)
    store = Store(place, now=lambda: began + timedelta(milliseconds=20 * next(ticks)))
    store.database._connection.execute("PRAGMA synchronous = OFF")
    for number in range(requests):
        session = session_of(number % waiting)
        if number < waiting:
            store.sessions.upsert(session, "/", name=f"part {number}", last_line="I looked at the code.")
            store.sessions.set_state(session, SessionState.PARKED, "bench")
        request = asked(number, session)
        store.requests.add(request, "I looked at the three services. Two of them read the same rows again.")
        if number >= waiting:
            store.requests.settle(request.id, Answered((Answer(("SQLite",)),)), PANEL)
            store.requests.mark_delivered(request.id, "result")
    store.close()
    return place


_kept: list[tempfile.TemporaryDirectory[str]] = []


def session_of(number: int) -> str:
    """Return a session's id."""
    return f"{number:08d}-0000-4000-8000-000000000000"


def asked(number: int, session: str) -> QuestionRequest:
    """Return a question as agents ask it, of its own words for each number."""
    options = (
        Option("Redis (Recommended)", "Fast, and one more service to run, to watch and to pay for"),
        Option("SQLite", "No service; one writer at a time"),
        Option("None", "Slow where the same rows are read again and again"),
    )
    question = Question(f"Which cache should part {number} use?", "Cache", options)
    name = f"toolu_{number:024d}"
    return QuestionRequest(name, session, QuestionSet(name, (question,)))


FAMILY = Family("inbox", (OURS,), (START, MEMORY, SHOWN, ALONE, JSON, STEP, STEPS), play)
