"""How long the event loop of ccq-tui stands still at most in an ordinary session."""

import json
import sys
from dataclasses import replace
from pathlib import Path

from bench.keys import moving, writing
from bench.measures import Effort, Family, Figures, Measure
from bench.programs import OURS, Program
from bench.stage import ENTER, stage
from bench.talking import FRESH, mark, question
from ccq_tui.testing import Scenario, clean_environment
from tests.long_markdown import long_markdown

LONGEST = Measure("stall.longest", "longest stall of the event loop after the first paint", "ms", limit=50)
WORK = Measure("stall.work", "most processor time of the event loop in one stall", "ms", limit=50)
PACE = 1_500
"""Characters a second: a very fast model."""


def play(program: Program, effort: Effort) -> Figures:
    """Type early, read an answer, answer a question, allow a command, and type again."""
    scenario = (
        Scenario("stalls")
        .says(long_markdown(effort.paced // 8))
        .asks(question(0))
        .runs("Bash", command="touch made0", description="Make a file")
        .says("All is done now.")
        .ends_turn()
    )
    with clean_environment("") as home:
        noted = home.root / "stalls"
        command = (sys.executable, str(Path(__file__).with_name("stalls.py")), str(noted))
        watched = replace(program, command=(*command, *program.command[1:]))
        with stage(watched, scenario, "go", speed=PACE, home=home) as on:
            on.terminal.wait("❯")
            writing(on, effort.presses // 5)
            on.terminal.wait("Delta0")
            on.terminal.rest(FRESH)
            moving(on, effort.presses // 5)
            on.terminal.press(ENTER)
            on.terminal.wait(mark(program))
            on.terminal.rest(FRESH)
            on.terminal.press(ENTER)
            on.terminal.wait("All is done now.")
            on.terminal.rest(effort.settled)
            writing(on, effort.presses // 5)
        yield LONGEST, most(noted, "ms")
        yield WORK, most(noted, "cpu")


def most(noted: Path, what: str) -> float:
    """Return the most of something among the stalls in a file, in seconds."""
    with noted.open(encoding="utf-8") as lines:
        return max((json.loads(line)[what] / 1000 for line in lines), default=0.0)


FAMILY = Family("stalls", (OURS,), (LONGEST, WORK), play)
