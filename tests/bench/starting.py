"""How long a program takes to start."""

from __future__ import annotations

from ccq_tui.testing import Scenario
from tests.bench.measures import Effort, Family, Figures, Measure
from tests.bench.programs import NATIVE, OURS, SDK, TEXTUAL, Program
from tests.bench.stage import stage

USABLE = Measure("start.usable", "start to usable prompt", "s", aim=0.8)
REQUEST = Measure("start.request", "start to first request", "s", aim=1.3)


def play(program: Program, _effort: Effort) -> Figures:
    """Start without a prompt and type a letter; start with a prompt and await the model's first request."""
    figures = {}
    if program.name != SDK:
        with stage(program, Scenario("start")) as on:
            on.terminal.wait("❯")
            figures[USABLE.key] = [on.echo("z", "❯ z") - on.terminal.began]
    if program.name != TEXTUAL:
        with stage(program, Scenario("start").says("Here I am."), "go") as on:
            figures[REQUEST.key] = [on.request(0).received - on.terminal.began]
    return figures


FAMILY = Family("start", (OURS, NATIVE, SDK, TEXTUAL), (USABLE, REQUEST), play)
