"""Prints what was measured, as Markdown."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import median

from bench.measures import Measure
from bench.programs import NATIVE, OURS, PROGRAMS
from bench.running import Results

HEADS = ("measure", "aim", "met", "ratio", *PROGRAMS)


def rows(results: Results) -> Iterator[tuple[str, ...]]:
    """Make the table's rows.

    Args:
        results: What was measured.

    Yields:
        A cell for each of `HEADS`.
    """
    for family in results.families:
        for measure in family.measures:
            found = {name: results.of(measure.key, name) for name in PROGRAMS}
            if any(found.values()):
                ratio = results.ratio(measure)
                cells = [cell(found[name], measure.unit) for name in PROGRAMS]
                shown = "" if ratio is None else f"{ratio:.2f}"
                yield measure.title, aim(measure), met(measure, ratio, found[OURS]), shown, *cells


def cell(figures: Sequence[float], unit: str) -> str:
    """Write median, least and most."""
    spread = f" ({number(min(figures))} to {number(max(figures))})" if len(figures) > 1 else ""
    return f"{number(median(figures))}{spread} {unit}" if figures else ""


def number(figure: float) -> str:
    """Write three digits of a figure, and all before the point."""
    places = 0 if abs(figure) >= 100 else 1 if abs(figure) >= 10 else 2
    return f"{figure:.{places}f}"


def aim(measure: Measure) -> str:
    """Write what a measure should come to."""
    ratio = f"≤ {measure.aim:g}" if measure.aim is not None else ""
    limit = f"≤ {measure.limit:g} {measure.unit}" if measure.limit is not None else ""
    return ", ".join(part for part in (ratio, limit) if part)


def met(measure: Measure, ratio: float | None, ours: Sequence[float]) -> str:
    """Say whether it does."""
    checks = []
    if measure.aim is not None and ratio is not None:
        checks.append(ratio <= measure.aim)
    if measure.limit is not None and ours:
        checks.append(median(ours) <= measure.limit)
    return ("yes" if all(checks) else "NO") if checks else ""


def markdown(results: Results, header: Mapping[str, str]) -> str:
    """Lay the table out for docs/dev/performance.md."""
    top = [f"- {name}: {text}" for name, text in header.items()]
    lines = ["| " + " | ".join(line) + " |" for line in [HEADS, *rows(results)]]
    return "\n".join([*top, "", lines[0], "|---" * len(HEADS) + "|", *lines[1:], "", closing(results)])


def closing(results: Results) -> str:
    """Say how it was measured, and what failed."""
    rarer = [
        f"{family.name} {family.most_runs}" for family in results.families if family.most_runs < results.runs
    ]
    fewer = f" ({', '.join(rarer)})" if rarer else ""
    text = f"Median (least to most) of {results.runs} runs{fewer}, in {results.seconds / 60:.1f} min; "
    text += f"the ratio is {OURS} to {NATIVE}, where the measure names nothing else."
    return "\n".join([text, *(f"FAILED: {failure}" for failure in results.failures)])
