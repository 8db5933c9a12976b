"""Long answers: how long they take to be seen, what they cost, and how keys fare meanwhile."""

import time
from dataclasses import dataclass
from statistics import median

from bench.keys import Typist, worst
from bench.measures import Effort, Family, Figures, Measure
from bench.processes import memory, processor_seconds
from bench.programs import BARE, NATIVE, OURS, Program
from bench.stage import ENTER, Stage, stage
from ccq_tui.testing import Scenario
from tests.long_markdown import long_markdown

PACED_CPU = Measure("paced.cpu", "20 KB at 100 deltas/s: processor time of the tree", "s", aim=1.0)
PACED_LAST = Measure("paced.last", "20 KB at 100 deltas/s: last byte to last line", "ms", aim=1.0)
PACED_KEY = Measure("paced.key", "20 KB at 100 deltas/s: typing, p95", "ms", limit=12)
LARGE_WALL = Measure("burst.large.wall", "200 KB in deltas of 2 KB: first byte to last line", "s", aim=1.3)
LARGE_CPU = Measure("burst.large.cpu", "200 KB in deltas of 2 KB: processor time of the tree", "s", aim=1.5)
SMALL_WALL = Measure(
    "burst.small.wall", "200 KB in deltas of 20 bytes: first byte to last line", "s", aim=1.0
)
SMALL_CPU = Measure(
    "burst.small.cpu", "200 KB in deltas of 20 bytes: processor time of the tree", "s", aim=1.0
)
BURST_KEY = Measure("burst.key", "200 KB in deltas of 20 bytes: typing, p50", "ms", aim=0.3)
PEAK = Measure("burst.peak", "peak memory of the tree, these and one more of them", "MB", aim=1.3)

PACED_KEYS, BURST_KEYS = 0.1, 0.04
"""Seconds between two letters typed along."""
SETTLED = 0.5
"""Seconds after the last line that still count as work on an answer."""


@dataclass(slots=True)
class Part:
    """What one answer took.

    Attributes:
        wall: Seconds from its first byte to its last line on the screen.
        late: Seconds from its last byte to that.
        processor: Seconds of processor time.
        keys: For each letter typed along, the seconds to its being seen.
    """

    wall: float
    late: float
    processor: float
    keys: list[float]


def scenario(sizes: tuple[int, ...]) -> Scenario:
    """Write an answer of a size after each prompt but the first."""
    made = Scenario("stream").says("I am ready.").uses(input_tokens=1_000).ends_turn()
    for number, characters in enumerate(sizes, 1):
        answer = f"{long_markdown(characters)}\n\n{last_line(number)}\n"
        # The CLI would sum the session up if it took it for as long as it is.
        made = made.says(answer).uses(input_tokens=1_000).ends_turn()
    return made


def last_line(number: int) -> str:
    """Return the last line of an answer."""
    return f"Here ends part {number}."


def answer(
    on: Stage, number: int, *, delta_size: int, speed: float = 0.0, every: float = 0.0, draw: bool = False
) -> Part:
    """Ask for an answer and wait for its end.

    Args:
        on: The stage.
        number: Which answer; its request has the same number.
        delta_size: Its characters a delta.
        speed: Its characters a second; 0 is as fast as possible.
        every: Seconds between letters typed along; 0 types none.
        draw: Whether the screen is drawn meanwhile.

    Returns:
        What it took.
    """
    on.model.delta_size, on.model.speed = delta_size, speed
    on.terminal.press("next")
    on.terminal.rest(0.3)  # some terminals' programs take a prompt and its Enter in one piece for a paste
    pid, typist = on.terminal.process.pid, Typist(on)
    before = processor_seconds(pid)
    on.terminal.press(ENTER)
    exchange = on.request(number)
    if every:
        typist.along(every, lambda: bool(exchange.last_byte), draw=draw)
    exchange = on.sent(number)
    shown = typist.settle(last_line(number))
    time.sleep(SETTLED)
    spent = processor_seconds(pid) - before
    if every:
        typist.erase()
        on.terminal.rest(0.3)
    return Part(shown - exchange.first_byte, shown - exchange.last_byte, spent, typist.latencies)


def play(program: Program, effort: Effort) -> Figures:
    """Ask for a paced answer and three at once, with letters typed along in the first and the last.

    A program without a screen takes no letters.
    """
    every = 0.0 if program.name == BARE else PACED_KEYS
    with stage(program, scenario((effort.paced, *(effort.burst,) * 3)), "go") as on:
        on.terminal.wait("I am ready.")
        on.terminal.rest(effort.settled)
        paced = answer(on, 1, delta_size=20, speed=2_000, every=every, draw=True)
        yield PACED_CPU, paced.processor
        yield PACED_LAST, paced.late
        if every:
            yield PACED_KEY, worst(paced.keys)
        large = answer(on, 2, delta_size=2_000)
        yield LARGE_WALL, large.wall
        yield LARGE_CPU, large.processor
        small = answer(on, 3, delta_size=20)
        yield SMALL_WALL, small.wall
        yield SMALL_CPU, small.processor
        if every:
            yield BURST_KEY, median(answer(on, 4, delta_size=20, every=BURST_KEYS).keys)
        yield PEAK, memory(on.terminal.process.pid, peak=True)


MEASURES = (LARGE_WALL, LARGE_CPU, SMALL_WALL, SMALL_CPU, BURST_KEY, PEAK, PACED_CPU, PACED_LAST, PACED_KEY)
FAMILY = Family("stream", (OURS, NATIVE, BARE), MEASURES, play)
