"""What was seen in plays, and what has to be."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field

VICTIMS = ("first", "second", "both", "cli", "first and cli")
WANTED = (
    "kills",
    *(f"killed: {victim}" for victim in VICTIMS),
    "answers, each news once",
    "answers that came too late, never told",
    "answered by both at once",
    "answered by the other program",
    "parked, answered elsewhere",
    "two sets in one message",
    "drafts kept",
    "drafts on disk at a kill, and at the end",
    "permissions",
    "rewinds",
    "started fork",
    "started main",
    "started by both at once",
    "prompts queued",
    "prompts sent, each news once",
    "prompts that still wait",
)
"""Of each of these something has to be seen."""


@dataclass
class Seen:
    """What was seen.

    Attributes:
        counts: How often each thing happened.
        problems: What was lost, or told twice.
    """

    counts: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    def add(self, other: Seen) -> None:
        """Count another play's, too."""
        self.counts += other.counts
        self.problems += other.problems

    @property
    def missing(self) -> list[str]:
        """Return of what nothing was seen."""
        return [what for what in WANTED if not self.counts[what]]

    def __str__(self) -> str:
        return json.dumps(dict(sorted(self.counts.items())), indent=1)
