"""Takes the measures, turn by turn: one program after the other, then again."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median

from bench.measures import Effort, Family, Measure
from bench.programs import OURS, PROGRAMS


@dataclass(slots=True)
class Results:
    """What was measured.

    Attributes:
        families: What was taken.
        runs: How often.
        figures: By measure and program.
        failures: What did not come to its end, one text each.
        seconds: How long all of it took.
    """

    families: Sequence[Family]
    runs: int
    figures: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def of(self, measure: str, program: str) -> list[float]:
        """Return one program's figures of a measure."""
        return self.figures.get((measure, program), [])

    def ratio(self, measure: Measure) -> float | None:
        """Compare the median of ccq-tui with the reference's; None where one of them is missing."""
        mine, other = self.of(measure.key, OURS), self.of(measure.base or measure.key, measure.against)
        return median(mine) / median(other) if mine and other and median(other) else None


def measure(
    families: Sequence[Family], runs: int, effort: Effort, programs: Sequence[str], say: Callable[[str], None]
) -> Results:
    """Take all measures.

    Args:
        families: Which ones.
        runs: How often each program plays each family.
        effort: How much is done in one play.
        programs: The programs that take part.
        say: Told a line about each play.

    Returns:
        What was measured; a play that fails is named there, and the others go on; Ctrl+C ends it early.
    """
    results, began = Results(families, runs), time.monotonic()
    try:
        for family in families:
            for run in range(min(runs, family.most_runs)):
                for name in family.programs:
                    if name in programs:
                        since = time.monotonic()
                        ended = _play(results, family, name, effort)
                        took = time.monotonic() - since
                        say(f"{family.name} {run + 1}/{runs}  {name}: {ended}, {took:.1f} s")
    except KeyboardInterrupt:
        # Minutes of measuring are worth a table, too.
        results.failures.append("ended by Ctrl+C")
    results.seconds = time.monotonic() - began
    return results


def _play(results: Results, family: Family, name: str, effort: Effort) -> str:
    try:
        for measure, figure in family.play(PROGRAMS[name], effort):
            scaled = figure * 1000 if measure.unit == "ms" else figure
            results.figures.setdefault((measure.key, name), []).append(scaled)
    except (AssertionError, OSError, RuntimeError, TimeoutError) as error:
        results.failures.append(f"{family.name}, {name}: {error}")
        return "FAILED"
    return "done"
