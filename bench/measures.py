"""What a figure is, and what a family of them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bench.programs import NATIVE, Program


@dataclass(frozen=True, slots=True)
class Measure:
    """One line of the table.

    Attributes:
        key: Its name, of its own among all measures.
        title: What the table calls it.
        unit: "s", "ms", "MB", "KB" or "%".
        aim: The most that our figure may be of the reference's, or None where none is set.
        limit: The most that our figure may be in itself, or None.
        against: The program whose figure is the reference.
        base: The measure whose figure is the reference, this one itself when empty.
    """

    key: str
    title: str
    unit: str
    aim: float | None = None
    limit: float | None = None
    against: str = NATIVE
    base: str = ""


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is done in one play.

    Attributes:
        presses: Keys pressed for a latency of which the worst are told too.
        some: Keys pressed for one of which the middle alone is told.
        quiet: Seconds without a key before a dialog: both screens hold one back while somebody types.
        arriving: Characters of a question set that is read while it is written.
        burst: Characters of a long answer sent at once.
        paced: Characters of one sent at 100 deltas a second.
        settled: Seconds after which what was started or shown has come to rest.
        idle: Seconds of watching a program that does nothing.
        blocks: Blocks of a long session.
        requests: Requests of a full inbox.
    """

    presses: int = 100
    some: int = 40
    quiet: float = 2.0
    arriving: int = 3_000
    burst: int = 200_000
    paced: int = 20_000
    settled: float = 1.0
    idle: float = 2.5
    blocks: int = 10_000
    requests: int = 20_000


SMOKE = Effort(
    presses=10,
    some=5,
    quiet=0.2,
    arriving=800,
    burst=5_000,
    paced=1_000,
    settled=0.2,
    idle=0.5,
    blocks=300,
    requests=300,
)

Figures = Iterator[tuple[Measure, float]]
"""What a play gives, as it comes: times in seconds, all else in the measure's unit."""


@dataclass(frozen=True, slots=True)
class Family:
    """Measures that are taken in one play of a program.

    Attributes:
        name: What ``--only`` calls it.
        programs: The programs that play it, turn by turn.
        measures: What it gives.
        play: Starts a program once or more and measures.
        most_runs: How often at most each program plays it: fewer times where its figures hardly differ, or
            one play takes half a minute.
    """

    name: str
    programs: tuple[str, ...]
    measures: tuple[Measure, ...]
    play: Callable[[Program, Effort], Figures]
    most_runs: int = 1_000
