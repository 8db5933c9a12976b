"""What a figure is, and what a family of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.bench.programs import NATIVE, Program


@dataclass(frozen=True, slots=True)
class Measure:
    """One line of the table.

    Attributes:
        key: Its name in the JSON file, of its own among all measures.
        title: What the table calls it.
        unit: "s", "ms", "MB" or "%".
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
        presses: Keys pressed for a latency.
        repeats: How often what takes a pause before it is repeated.
        burst: Characters of a long answer sent at once.
        paced: Characters of one sent at 100 deltas a second.
        idle: Seconds of watching a program that does nothing.
        turns: Turns of a long talk.
        blocks: Blocks of a long session.
    """

    presses: int = 100
    repeats: int = 2
    burst: int = 200_000
    paced: int = 20_000
    idle: float = 5.0
    turns: int = 300
    blocks: int = 10_000


SMOKE = Effort(presses=10, repeats=1, burst=5_000, paced=1_000, idle=1.0, turns=10, blocks=300)

Figures = Mapping[str, list[float]]
"""For each measure's key what one play gave; a measure that a program does not have is left out."""


@dataclass(frozen=True, slots=True)
class Family:
    """Measures that are taken in one play of a program.

    Attributes:
        name: What ``--only`` calls it.
        programs: The programs that play it, turn by turn.
        measures: What it gives.
        play: Starts a program once or more and measures.
    """

    name: str
    programs: tuple[str, ...]
    measures: tuple[Measure, ...]
    play: Callable[[Program, Effort], Figures]
