"""Plays until there were so many kills, and prints what was seen."""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from tests.agent.killed.counts import Seen
from tests.agent.killed.process import running_below
from tests.agent.killed.rivals.play import GONE_SECONDS, VICTIMS, plan, played

KILLS = 300
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


def main(kills: int, seed: int, jobs: int, keep: Path | None) -> int:
    """Play until there were so many kills, and print what was seen.

    Args:
        kills: How many.
        seed: The first play's.
        jobs: How many plays go on at a time.
        keep: Where what the plays leave is kept, to look into it; None for nowhere.

    Returns:
        The exit code: 0 where nothing was lost or doubled, and something was counted of everything.
    """
    total, began = Seen(), time.monotonic()
    with ExitStack() as ending:
        root = keep or Path(ending.enter_context(tempfile.TemporaryDirectory(prefix="ccq-rivals-")))
        root.mkdir(parents=True, exist_ok=True)
        for one_seed, seconds, one in played(plan(kills, seed), root, jobs):
            total.add(one)
            counts = json.dumps(dict(sorted(one.counts.items())))
            say(f"{time.monotonic() - began:6.1f} s  seed {one_seed}, {seconds:.0f} s: {counts}")
            say(*(f"    {problem}" for problem in one.problems))
        if left := running_below(root, GONE_SECONDS):
            total.problems.append(f"processes were left: {left}")
    say(str(total))
    missing = total.missing(WANTED)
    say(*(f"nothing was seen of: {what}" for what in missing))
    say(*(problem.splitlines()[0] for problem in total.problems))
    say(f"{total.counts['kills']} kills in {time.monotonic() - began:.0f} s, {len(total.problems)} problems")
    return 1 if missing or total.problems else 0


def say(*lines: str) -> None:
    """Print lines, at once."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


def arguments(words: Sequence[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.agent.killed.rivals")
    parser.add_argument("kills", type=int, nargs="?", default=KILLS)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    parser.add_argument("--jobs", type=int, default=2, help="how many plays go on at a time")
    parser.add_argument("--keep", type=Path, help="where what the plays leave is kept")
    return parser.parse_args(words)


if __name__ == "__main__":
    given = arguments(sys.argv[1:])
    sys.exit(main(given.kills, given.seed, given.jobs, given.keep))
