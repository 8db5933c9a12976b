"""What was seen while something was killed again and again."""

import json
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field


@dataclass
class Seen:
    """What was seen.

    Attributes:
        counts: How often each thing happened.
        problems: What was lost, or told twice.
    """

    counts: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    def expect(self, fits: bool, problem: str) -> None:
        """Note a problem, unless something fits."""
        self.problems += [] if fits else [problem]

    def add(self, other: "Seen") -> None:
        """Count another play's, too."""
        self.counts += other.counts
        self.problems += other.problems

    def missing(self, wanted: Collection[str]) -> list[str]:
        """Return of what nothing was seen."""
        return [what for what in wanted if not self.counts[what]]

    def __str__(self) -> str:
        return json.dumps(dict(sorted(self.counts.items())), indent=1)
