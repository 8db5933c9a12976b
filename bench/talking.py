"""How long questions and permissions take to come and to go, and a key to be seen."""

from statistics import median

from bench.keys import moving, worst
from bench.measures import Effort, Family, Figures, Measure
from bench.programs import NATIVE, OURS, Program
from bench.stage import ENTER, Stage, stage
from ccq_tui.questions.model import Option, Question
from ccq_tui.testing import Scenario

SHOWN = Measure("question.shown", "question shown after its last byte, no key for 2 s", "ms", aim=1.0)
AFTER_KEYS = Measure(
    "question.shown_after_keys", "question shown after its last byte, right after a key", "ms"
)
KEY_P50 = Measure("key.p50", "key to changed selection, p50", "ms", aim=1.0)
KEY_P95 = Measure("key.p95", "key to changed selection, p95", "ms", aim=1.0)
ANSWER = Measure("question.answered", "answer to the request with it", "ms", aim=0.7)
PERMISSION = Measure("permission.shown", "permission shown after its last byte", "ms", aim=1.0)
ALLOWED = Measure("permission.allowed", "permission allowed to the next request", "ms", aim=0.9)

FRESH = 0.8
"""Seconds for which a new dialog is left alone: keys that come at once may be meant for what was before."""


def question(number: int) -> Question:
    """Make a question of four options whose words are found nowhere else."""
    names = ("Alpha", "Bravo", "Charlie", "Delta")
    options = tuple(Option(f"{name}{number}", f"the {name.lower()} way") for name in names)
    return Question(f"Which way number {number}?", f"Way {number}", options)


def scenario() -> Scenario:
    """Ask and want to run a command, each when its gate is opened; at the next prompt ask at once."""
    return (
        Scenario("talk")
        .hangs(gate="question")
        .asks(question(0))
        .hangs(gate="permission")
        .runs("Bash", command="touch made0", description="Make a file")
        .says("Now write something.")
        .ends_turn()
        .asks(question(1))
        .says("That is all.")
        .ends_turn()
    )


def play(program: Program, effort: Effort) -> Figures:
    """Press keys in a question and answer it, allow a command, and ask for a question."""
    with stage(program, scenario(), "go") as on:
        # No key was pressed before the first dialog.
        yield SHOWN, dialog(on, 0, "question", "Delta0", effort.settled)
        keys = moving(on, effort.presses)
        yield KEY_P50, median(keys)
        yield KEY_P95, worst(keys)
        yield ANSWER, confirmed(on, 1)
        yield PERMISSION, dialog(on, 1, "permission", mark(program), effort.quiet)
        yield ALLOWED, confirmed(on, 2)
        on.terminal.wait("Now write something")
        on.terminal.rest(1.0)  # a prompt that takes a dialog's place sends nothing at once
        on.echo("more", "❯ more")
        on.terminal.press(ENTER)
        last_byte = on.sent(3).last_byte
        yield AFTER_KEYS, on.terminal.wait("Delta1") - last_byte


def dialog(on: Stage, number: int, gate: str, text: str, quiet: float) -> float:
    """Let a request's answer go after a while without a key; return how long its dialog took to show."""
    on.request(number)
    on.terminal.rest(quiet)
    on.model.release(gate)
    shown = on.terminal.wait(text)
    on.terminal.rest(FRESH)
    return shown - on.sent(number).last_byte


def confirmed(on: Stage, number: int) -> float:
    """Take what is selected; return how long the next request took to come."""
    pressed = on.terminal.press(ENTER)
    return on.request(number).received - pressed


def mark(program: Program) -> str:
    """Say what a permission's dialog shows; before it the transcript names the command already."""
    return "Claude wants to run" if program.name == OURS else "Do you want to proceed"


FAMILY = Family(
    "talk", (OURS, NATIVE), (SHOWN, AFTER_KEYS, KEY_P50, KEY_P95, ANSWER, PERMISSION, ALLOWED), play
)
