"""Kills the program in its terminal: ``python -m tests.e2e.killed [FIRST [LAST]]`` of its sessions."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.agent.killed.counts import Counts
from tests.e2e.killed.life import Life
from tests.e2e.killed.points import sessions


def main(first: int, last: int) -> int:
    """Play the sessions of these numbers, and print what was seen.

    Args:
        first: The first one.
        last: The one behind the last.

    Returns:
        The exit code: 0 where something was killed, answered and drafted, and nothing was lost or told twice.
    """
    total = Counts()
    with tempfile.TemporaryDirectory(prefix="ccq-killed-") as root:
        for number, points in enumerate(sessions()[first:last], first):
            place = Path(root) / str(number)
            place.mkdir()
            one = Life(points, place).play()
            total.add(one)
            sys.stdout.write("\n    ".join([str(one), *one.problems]) + "\n")
            sys.stdout.flush()
    sys.stdout.write(total.table())
    return 0 if total.whole else 1


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:3]]
    sys.exit(main(*([*numbers, 0, 10_000][:2] if len(numbers) != 1 else [numbers[0], 10_000])))
