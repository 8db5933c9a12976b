"""Kills sessions at every point there is: ``python -m tests.agent.killed [FIRST [LAST]]``."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from tests.agent.killed.counts import Seen
from tests.agent.killed.points import all_points
from tests.agent.killed.run import play

A_SESSION = 6
"""Kills in one session."""


def main(first: int, last: int) -> int:
    """Kill at the points of these numbers, and print what was seen.

    Args:
        first: The first one.
        last: The one behind the last.

    Returns:
        The exit code: 0 where something was killed, answered and drafted, and nothing was lost or told twice.
    """
    points, total, began = all_points()[first:last], Seen(), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="ccq-killed-") as root:
        for number in range(0, len(points), A_SESSION):
            at = time.monotonic()
            one = play(points[number : number + A_SESSION], Path(root) / f"from-{first + number}")
            total.add(one)
            say(time.monotonic() - at, one)
    say(time.monotonic() - began, total)
    return 1 if total.problems or total.missing(("kills", "answers, each once", "drafts kept")) else 0


def say(seconds: float, seen: Seen) -> None:
    """Print counts, and what went wrong."""
    sys.stdout.write("\n    ".join([f"{seconds:6.1f} s  {seen}", *seen.problems]) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:3]]
    sys.exit(main(*([*numbers, 0, 10_000][:2] if len(numbers) != 1 else [numbers[0], 10_000])))
