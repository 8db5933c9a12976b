"""What a program writes to its terminal for an answer, its start and its end included."""

from bench.measures import Effort, Family, Figures, Measure
from bench.programs import NATIVE, OURS, Program
from bench.stage import stage
from ccq_tui.testing import Scenario
from tests.long_markdown import long_markdown

SIZE, SPEED = 5_000, 1_000
"""Characters of the answer, and how many of them come in a second."""
WRITTEN = Measure(
    "write.bytes", "answer of 5 KB at 1,000 characters/s: output of the program", "KB", limit=25
)
LAST = "Here ends the answer."


def play(program: Program, effort: Effort) -> Figures:
    """Ask for an answer and leave."""
    answer = f"{long_markdown(SIZE)}\n\n{LAST}\n"
    scenario = Scenario("write").says(answer).uses(input_tokens=1_000).ends_turn()
    with stage(program, scenario, "go", speed=SPEED, delta_size=20) as on:
        on.terminal.wait(LAST)
        on.terminal.rest(effort.settled)
        on.terminal.leave()
        yield WRITTEN, on.terminal.written / 1_000


FAMILY = Family("write", (OURS, NATIVE), (WRITTEN,), play)
