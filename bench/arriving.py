"""How early a question can be read that is still being written."""

from bench.measures import Effort, Family, Figures, Measure
from bench.programs import NATIVE, OURS, Program
from bench.stage import stage
from ccq_tui.questions.model import Option, Question
from ccq_tui.testing import Scenario

READABLE = Measure(
    "arriving.option", "first option readable, from the first byte of 3 KB at 60 tokens/s", "s", aim=0.2
)

TOKEN = 4
"""Characters of a token."""
PACE = 60 * TOKEN
"""Characters a second."""


def questions(characters: int) -> list[Question]:
    """Make four questions of four options with long descriptions.

    Args:
        characters: About how many all of them have as JSON.

    Returns:
        The questions; each label is found once.
    """
    described = "The reasons for it, what it costs, and what it makes harder later on. " * 4
    each = max(10, characters // 16 - 75)
    return [
        Question(
            f"Which way should part {number} go from here on?",
            f"Part {number}",
            tuple(Option(f"Choice{number}{letter}", described[:each].strip()) for letter in "ABCD"),
        )
        for number in range(1, 5)
    ]


def play(program: Program, effort: Effort) -> Figures:
    """Let the model write a set at the pace of a model."""
    scenario = Scenario("arriving").hangs(gate="go").asks(*questions(effort.arriving))
    with stage(program, scenario, "go", speed=PACE, delta_size=TOKEN) as on:
        on.request(0)
        on.terminal.rest(effort.settled)
        on.model.release("go")
        readable = on.terminal.wait("Choice1A")
        yield READABLE, readable - on.request(0).first_byte


FAMILY = Family("arriving", (OURS, NATIVE), (READABLE,), play, most_runs=2)
