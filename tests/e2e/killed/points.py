"""Where the program in its terminal is killed."""

from __future__ import annotations

from dataclasses import dataclass

from tests.agent.killed.points import VICTIMS, Victim

PHASES = ("drafting", "confirming", "delivering", "parking", "resuming", "queueing", "arriving")
"""In the order of the questions: before the first one there is no session yet to go on with."""
DELAYS = {
    "confirming": (0.0, 0.01, 0.03),
    "parking": (0.0, 0.05, 0.2),
    "resuming": (0.0, 0.1, 0.3),
    "queueing": (0.0, 0.05, 0.5),
}
"""Seconds after what is waited for, one for each session; none where nothing is said."""


@dataclass(frozen=True, slots=True)
class Point:
    """A moment in the life of a question.

    Attributes:
        phase: Its name.
        victim: What is killed.
        delay: Seconds after what is waited for.
    """

    phase: str
    victim: Victim
    delay: float = 0.0


def sessions() -> list[tuple[Point, ...]]:
    """Return the points of each session: every phase in each, every phase with every victim in all."""
    count = len(VICTIMS)
    return [
        tuple(
            Point(phase, VICTIMS[(place + number) % count], DELAYS.get(phase, (0.0,) * count)[number])
            for place, phase in enumerate(PHASES)
        )
        for number in range(count)
    ]
