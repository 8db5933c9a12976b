"""How long questions and permissions take to come and to go, and a key to be seen."""

from __future__ import annotations

from ccq_tui.questions.model import Option, Question
from ccq_tui.testing import Scenario
from tests.bench.figures import percentile
from tests.bench.keys import moving
from tests.bench.measures import Effort, Family, Figures, Measure
from tests.bench.programs import NATIVE, OURS, SDK, TEXTUAL, Program
from tests.bench.stage import ENTER, stage

SHOWN = Measure("question.shown", "question shown after its last byte, no key for 2 s", "ms", aim=1.0)
AFTER_KEYS = Measure(
    "question.shown_after_keys", "question shown after its last byte, right after a key", "ms"
)
KEY_P50 = Measure("key.p50", "key to changed selection, p50", "ms", aim=1.0)
KEY_P95 = Measure("key.p95", "key to changed selection, p95", "ms", aim=1.0)
ANSWER = Measure("question.answered", "answer to the request with it", "ms", aim=0.7)
PERMISSION = Measure("permission.shown", "permission shown after its last byte", "ms", aim=1.0)
ALLOWED = Measure("permission.allowed", "permission allowed to the next request", "ms", aim=0.9)

QUIET = 2.0
"""Seconds without a key before a dialog: both screens hold one back while somebody types."""
FRESH = 0.8
"""Seconds for which a new dialog is left alone: keys that come at once may be meant for what was before."""


def question(number: int) -> Question:
    """Make a question of four options whose words are found nowhere else."""
    names = ("Alpha", "Bravo", "Charlie", "Delta")
    options = tuple(Option(f"{name}{number}", f"the {name.lower()} way") for name in names)
    return Question(f"Which way number {number}?", f"Way {number}", options)


def scenario(repeats: int) -> Scenario:
    """Ask and want to run commands, each when a gate is opened; at the next prompt ask at once."""
    made = Scenario("talk")
    for number in range(repeats):
        made = made.hangs(gate=f"{number}").asks(question(number))
    for number in range(repeats, 2 * repeats):
        command = f"touch made{number}"
        made = made.hangs(gate=f"{number}").runs("Bash", command=command, description="Make a file")
    made = made.says("Now write something.").ends_turn()
    return made.asks(question(99)).says("That is all.").ends_turn()


def play(program: Program, effort: Effort) -> Figures:
    """Answer questions and permissions, and press keys in the first question."""
    if program.name == TEXTUAL:
        yield from bare_keys(program, effort.presses)
        return
    quiet, fresh = (QUIET, FRESH) if program.is_screen else (0.3, 0.0)
    repeats = effort.repeats
    with stage(program, scenario(repeats), "go") as on:
        for number in range(2 * repeats):
            asks = number < repeats
            on.request(number)
            on.terminal.rest(quiet)
            on.model.release(f"{number}")
            shown = on.terminal.wait(f"Delta{number}" if asks else mark(program, number))
            yield SHOWN if asks else PERMISSION, shown - on.sent(number).last_byte
            on.terminal.rest(fresh)
            if number == 0 and program.is_screen:
                yield from percentiles(moving(on, effort.presses))
            pressed = on.terminal.press(ENTER)
            yield ANSWER if asks else ALLOWED, on.request(number + 1).received - pressed
        on.terminal.wait("Now write something")
        if program.is_screen:
            on.terminal.rest(1.0)  # a prompt that takes a dialog's place sends nothing at once
            on.echo("more", "❯ more")
            on.terminal.press(ENTER)
            last_byte = on.sent(2 * repeats + 1).last_byte
            yield AFTER_KEYS, on.terminal.wait("Delta99") - last_byte


def mark(program: Program, number: int) -> str:
    """Say what a permission's dialog shows; before it the transcript names the command already."""
    marks = {OURS: "Claude wants to run", NATIVE: "Do you want to proceed"}
    return marks.get(program.name, f"touch made{number}")


def percentiles(found: list[float]) -> Figures:
    """Give the percentiles of latencies."""
    yield KEY_P50, percentile(found, 50)
    yield KEY_P95, percentile(found, 95)


def bare_keys(program: Program, presses: int) -> Figures:
    """Press keys in the list of the bare Textual app."""
    with stage(program, Scenario("bare")) as on:
        on.terminal.wait("Delta")
        on.terminal.press("\t")
        on.terminal.rest(FRESH)
        yield from percentiles(moving(on, presses))


FAMILY = Family(
    "talk",
    (OURS, NATIVE, SDK, TEXTUAL),
    (SHOWN, AFTER_KEYS, KEY_P50, KEY_P95, ANSWER, PERMISSION, ALLOWED),
    play,
)
