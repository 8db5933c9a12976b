"""Drives each place in turn, and says how many keys, outcomes and violations there were."""

import asyncio
import gc
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path
from unittest.mock import patch

from tests.ui.keystrokes.forms import Forms
from tests.ui.keystrokes.hands import Hands
from tests.ui.keystrokes.panels import Panels
from tests.ui.keystrokes.sessions import Sessions

PLACES: tuple[type[Hands], ...] = (Panels, Sessions, Forms)
PIECE = 500
"""Keys that are driven with one seed."""


async def drive(place: type[Hands], count: int, seed: int, where: Path) -> Hands:
    """Press so many keys in one place; return what came of it."""
    hands = place(seed, where)
    await hands.drive(count)
    return hands


def main(arguments: list[str]) -> int:
    """Press as many keys as wanted, in pieces with a seed each; places that are named are driven alone."""
    count, seed = int(arguments[0]) if arguments else 20_000, int(arguments[1]) if arguments[1:] else 1
    wanted = [place for place in PLACES if not arguments[2:] or place.PLACE in arguments[2:]]
    totals: dict[str, Counter[str]] = {place.PLACE: Counter() for place in wanted}
    found: list[str] = []
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    while (driven := sum(total["keys"] for total in totals.values())) < count:
        place = min(wanted, key=lambda one: totals[one.PLACE]["keys"])
        # A thread of the inbox may still close its file while the directory is taken away.
        directory = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        with directory as where, patch.dict(os.environ, _own(where)):
            hands = asyncio.run(drive(place, min(PIECE, count - driven), seed, Path(where)))
        totals[place.PLACE] += hands.counts
        found += [f"seed {seed}, {violation}" for violation in hands.violations]
        so_far = sum(totals.values(), Counter[str]())
        _say(f"seed {seed}: {place.PLACE}, {_counted(hands.counts)}; so far {so_far['keys']:,} keys")
        for violation in hands.violations:
            _say(f"VIOLATION {violation}")
        seed += 1
    for name, total in totals.items():
        _say(f"{name}: {_counted(total)}")
    _say(f"all: {_counted(sum(totals.values(), Counter()))}; {len(found)} violations")
    return 1 if found else 0


def _own(where: str) -> dict[str, str]:
    """Return an environment in which nothing of the user's is touched."""
    names = (
        "HOME",
        "CLAUDE_CONFIG_DIR",
        *(f"XDG_{one}_HOME" for one in ("STATE", "CONFIG", "CACHE", "DATA")),
    )
    return dict.fromkeys(names, where)


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{number:,} {what}" for what, number in counts.most_common())


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
