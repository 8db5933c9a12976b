"""How long a form takes to show its first question, and to take an answer to it."""

from bench.measures import Effort, Family, Figures, Measure
from bench.programs import OURS, Program
from bench.terminal import Terminal
from ccq_tui.testing import clean_environment
from tests.e2e.conftest import program as ours
from tests.ten import write_ten

SHOWN = Measure("ask.shown", "ccq-tui ask: start to first question", "ms", limit=300)
READY = Measure("ask.ready", "ccq-tui ask: start to the keys under it", "ms")


def play(_program: Program, _effort: Effort) -> Figures:
    """Ask, and wait for the question and then for its keys."""
    with clean_environment("") as home:
        form = write_ten(home.project)
        with Terminal([ours(), "ask", str(form), "--output", "-"], home.env, home.project) as terminal:
            yield SHOWN, terminal.wait("What kind of change?") - terminal.began
            yield READY, terminal.wait("F1 keys") - terminal.began


FAMILY = Family("ask", (OURS,), (SHOWN, READY), play)
