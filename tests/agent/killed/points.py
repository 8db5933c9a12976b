"""Where it is killed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Victim = Literal["program", "cli", "both"]
VICTIMS: tuple[Victim, ...] = ("program", "cli", "both")


@dataclass(frozen=True, slots=True)
class Point:
    """A moment in the life of a question.

    Attributes:
        phase: Its name.
        when: The event or order after which the kill comes.
        victim: What is killed.
        delay: Seconds after that event.
        parks: Whether the question is parked first, and the kill comes as the session is resumed.
        answered: Whether it is then answered elsewhere while no process waits.
        by_message: Whether everything was killed before with the question open, so that the answer goes as a
            message.
    """

    phase: str
    when: str
    victim: Victim
    delay: float = 0.0
    parks: bool = False
    answered: bool = False
    by_message: bool = False


_PHASES: tuple[tuple[str, str, tuple[float, ...], bool, bool], ...] = (
    ("arriving", "BlockGrew", (0.0, 0.03), False, False),
    ("arriving", "Grown", (0.0, 0.03), False, False),
    ("arriving", "ToolStarted", (0.0, 0.01), False, False),
    ("arriving", "RequestAsked", (0.0, 0.05), False, False),
    ("drafting", "draft", (0.0, 0.05, 0.15, 0.3, 0.6), False, False),
    ("confirming", "answer", (0.0, 0.002, 0.005, 0.01, 0.02, 0.04), False, False),
    ("delivering", "RequestSettled", (0.0, 0.005, 0.02), False, False),
    ("delivering", "ToolFinished", (0.0, 0.02, 0.1), False, False),
    ("parking", "park", (0.0, 0.005, 0.02, 0.1, 0.3), False, False),
    ("parking", "RequestParked", (0.0, 0.05), False, False),
    ("resuming", "Started", (0.1, 0.4, 0.8), True, False),
    ("resuming", "HistoryLoaded", (0.0, 0.3), True, False),
    ("resuming", "Connected", (0.0, 0.1), True, False),
    ("resuming", "RequestAsked", (0.0,), True, False),
    ("delivering", "Connected", (0.0, 0.1), True, True),
    ("delivering", "RequestSettled", (0.0, 0.01), True, True),
    ("delivering", "ToolFinished", (0.0,), True, True),
)
"""Phase, event, delays, whether parked first, whether answered while parked."""
_MESSAGES: tuple[tuple[str, str, tuple[float, ...]], ...] = (
    ("confirming", "answer", (0.0, 0.02)),
    ("delivering", "PromptAccepted", (0.0,)),
    ("delivering", "PromptDelivered", (0.0, 0.05)),
)
"""Phase, event and delays where the answer goes as a message."""


def all_points() -> list[Point]:
    """Return every point with every victim, those of a phase far from each other."""
    points = [
        Point(phase, when, victim, delay, parks, answered)
        for phase, when, delays, parks, answered in _PHASES
        for delay in delays
        for victim in VICTIMS
        # Before the session is begun anew there is no CLI to kill alone.
        if not (victim == "cli" and parks and when in ("Started", "HistoryLoaded"))
    ]
    points += [
        Point(phase, when, victim, delay, by_message=True)
        for phase, when, delays in _MESSAGES
        for delay in delays
        for victim in VICTIMS
    ]
    stride = 7
    return [points[index] for start in range(stride) for index in range(start, len(points), stride)]
