"""Long sessions: how they open, and whether keys stay as fast as in a short one."""

from itertools import cycle
from statistics import median

from bench import record
from bench.keys import one_by_one, writing
from bench.measures import Effort, Family, Figures, Measure
from bench.processes import memory
from bench.programs import NATIVE, OURS, Program
from bench.stage import PAGE_DOWN, PAGE_UP, Stage, stage
from bench.terminal import NotShownError, whole
from ccq_tui.testing import Scenario, clean_environment

SHORT = 200
"""Blocks of a session that is some screens long, to compare with."""

OPENED = Measure("blocks.opened", "10,000 blocks: --resume to usable prompt", "s", aim=1.0)
SEEN = Measure("blocks.seen", "10,000 blocks: --resume to the last block", "s")
MEMORY = Measure("blocks.memory", "10,000 blocks: memory of the tree", "MB")
FOUND = Measure("blocks.found", "10,000 blocks: Ctrl+F to the first block", "ms")
SHORT_KEY = Measure("short.key", "200 blocks: typing, p50", "ms")
SHORT_SCROLL = Measure("short.scroll", "200 blocks: a page up or down, p50", "ms")
KEY = Measure(
    "blocks.key", "10,000 blocks: typing, p50 (ratio to 200 blocks)", "ms", 1.2, None, OURS, "short.key"
)
SCROLL = Measure(
    "blocks.scroll", "10,000 blocks: a page, p50 (ratio to 200 blocks)", "ms", 1.2, None, OURS, "short.scroll"
)
EACH = Measure("blocks.each", "10,000 blocks: memory of the screen's process a block", "KB")


def play(program: Program, effort: Effort) -> Figures:
    """Resume a short session and a long one; type, scroll and search in them."""
    if program.name == OURS:
        with clean_environment("") as home:
            record.write(home, SHORT)
            with stage(program, Scenario("short"), "--resume", record.SESSION, home=home) as on:
                on.terminal.wait(record.last(SHORT))
                on.terminal.rest(effort.settled)
                small = memory(on.terminal.process.pid, alone=True)
                yield SHORT_KEY, median(writing(on, effort.some))
                yield SHORT_SCROLL, median(paging(on, effort.some // 2))
    with clean_environment("") as home:
        record.write(home, effort.blocks)
        with stage(program, Scenario("long"), "--resume", record.SESSION, home=home) as on:
            on.terminal.wait("❯")
            yield OPENED, on.echo("z", "❯ z") - on.terminal.began
            yield SEEN, on.terminal.wait(record.last(effort.blocks)) - on.terminal.began
            on.terminal.press("\x7f")
            on.terminal.rest(effort.settled)
            yield MEMORY, memory(on.terminal.process.pid)
            if program.name == OURS:
                more = memory(on.terminal.process.pid, alone=True) - small
                yield EACH, more * 1024 / (effort.blocks - SHORT)
            yield KEY, median(writing(on, effort.some))
            if program.name == OURS:
                yield SCROLL, median(paging(on, effort.some // 2))
                on.terminal.press("\x06")
                on.terminal.wait("Esc close")
                typed = on.terminal.press(record.RARE)
                ended = on.terminal.wait(
                    lambda screen: "1/1" in whole(screen) or "not found" in whole(screen)
                )
                if "1/1" not in whole(on.terminal.screen):
                    raise NotShownError("the search did not find the first block")
                yield FOUND, ended - typed


def paging(on: Stage, presses: int) -> list[float]:
    """Go some pages up and down again; return the seconds each took to show."""
    keys = cycle((PAGE_UP,) * 4 + (PAGE_DOWN,) * 3)
    return one_by_one(on, keys, presses, lambda screen: tuple(screen.display[:20]))


FAMILY = Family(
    "blocks", (OURS, NATIVE), (OPENED, SEEN, SHORT_KEY, KEY, SHORT_SCROLL, SCROLL, FOUND, MEMORY, EACH), play
)
