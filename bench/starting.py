"""How long a program takes to start, and what it uses while nothing happens."""

import time

from bench.measures import Effort, Family, Figures, Measure
from bench.processes import memory, running_seconds
from bench.programs import NATIVE, OURS, Program
from bench.stage import Stage, stage
from ccq_tui.testing import Scenario, clean_environment

USABLE = Measure("start.usable", "start to usable prompt", "s", aim=0.8)
REQUEST = Measure("start.request", "start to first request", "s", aim=1.0)
ENTER = Measure("start.enter", "Enter on the first prompt to its request", "ms", aim=1.0)
IDLE_CPU = Measure("idle.cpu", "idle after a turn: processor, of one core", "%", limit=0.7)
IDLE_MEMORY = Measure("idle.memory", "idle after a turn: memory of the tree", "MB", aim=1.05)


def play(program: Program, effort: Effort) -> Figures:
    """Type a letter and send it; start again with a prompt, await its request, then watch it idle."""
    with clean_environment("") as home:
        with stage(program, Scenario("start").says("Here I am."), home=home) as on:
            on.terminal.wait("❯")
            yield USABLE, on.echo("z", "❯ z") - on.terminal.began
            on.terminal.rest(effort.settled)
            pressed = on.terminal.press("\r")
            yield ENTER, on.request(0).received - pressed
        with stage(program, Scenario("start").says("Here I am."), "go", home=home) as on:
            yield from _idle(on, effort)


def _idle(on: Stage, effort: Effort) -> Figures:
    """Await the first request, and what it costs to do nothing after the turn."""
    yield REQUEST, on.request(0).received - on.terminal.began
    on.terminal.wait("Here I am.")
    on.terminal.rest(1.5 * effort.settled)
    pid = on.terminal.process.pid
    before, since = running_seconds(pid), time.monotonic()
    on.terminal.rest(effort.idle)
    spent = running_seconds(pid) - before
    yield IDLE_CPU, 100 * spent / (time.monotonic() - since)
    yield IDLE_MEMORY, memory(pid)


FAMILY = Family("start", (OURS, NATIVE), (USABLE, ENTER, REQUEST, IDLE_CPU, IDLE_MEMORY), play)
