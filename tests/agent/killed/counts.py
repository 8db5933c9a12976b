"""What was seen while something was killed again and again."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from tests.agent.killed.points import VICTIMS

PHASES = ("arriving", "queueing", "drafting", "confirming", "delivering", "parking", "resuming")


@dataclass
class Counts:
    """What was seen.

    Attributes:
        kills: How many, by phase and victim.
        drafts: Drafts that had to be there after a kill, and were.
        answers: Answers found in the model's log, each once.
        queued: Prompts that waited for Claude at a kill and are in the model's log, each once.
        ways: How the answers came there.
        problems: What was lost, or told twice.
    """

    kills: Counter[str] = field(default_factory=Counter)
    drafts: int = 0
    answers: int = 0
    queued: int = 0
    ways: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    @property
    def whole(self) -> bool:
        """Whether something was counted of everything, and nothing was lost or told twice."""
        return bool(self.kills and self.answers and self.drafts) and not self.problems

    def add(self, other: Counts) -> None:
        """Count another session's, too."""
        self.kills += other.kills
        self.ways += other.ways
        self.drafts += other.drafts
        self.answers += other.answers
        self.queued += other.queued
        self.problems += other.problems

    def __str__(self) -> str:
        kills = ", ".join(f"{name} {count}" for name, count in sorted(self.kills.items()))
        ways = ", ".join(f"{count} as {way}" for way, count in sorted(self.ways.items()))
        return (
            f"{self.kills.total()} kills ({kills}); {self.answers} answers, each once ({ways}); "
            f"{self.drafts} drafts kept; {self.queued} queued prompts, each once; "
            f"{len(self.problems)} problems"
        )

    def table(self) -> str:
        """Return the kills by phase and victim."""
        lines = [f"| {'phase':10} | " + " | ".join(f"{victim:>7}" for victim in VICTIMS) + " |"]
        lines.append(f"|{'-' * 12}|" + "|".join("-" * 8 + ":" for _ in VICTIMS) + "|")
        for phase in PHASES:
            counts = (self.kills[f"{phase}/{victim}"] for victim in VICTIMS)
            lines.append(f"| {phase:10} | " + " | ".join(f"{count:7}" for count in counts) + " |")
        return "\n".join(lines) + "\n"
