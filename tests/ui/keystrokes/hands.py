"""Presses random keys with random pauses, and waits until all that comes of each is done and drawn."""

import asyncio
import heapq
import random
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import patch

from textual import events
from textual.app import App
from textual.drivers.headless_driver import HeadlessDriver
from textual.geometry import Size
from textual.message_pump import MessagePump
from textual.worker import Worker

from ccq_tui.screens import list_screen
from ccq_tui.screens.session import dock, screen
from ccq_tui.screens.sessions.listing import Listing
from ccq_tui.widgets.panel import request_panel
from ccq_tui.widgets.prompt import prompt
from ccq_tui.widgets.transcript.pace import LONGEST_PAUSE
from tests.ui.drawn import fault_of, watched
from tests.ui.host import QUIET_TURNS, Clock, _has_work, has_to_draw
from tests.ui.keystrokes.oracle import NEVER, Frame, Sight, typed
from tests.ui.session import Driven

LETTERS = "abchjklnopry12 é"
PAUSES = (0.0, 0.03, 0.1, 0.2, 0.29, 0.31, 0.39, 0.41, 0.7, 0.81, 1.2, 1.51, 2.1, 3.0)
SIZES = ((80, 24), (40, 12), (30, 9), (120, 40))
MOST_TURNS = 60_000
RESTING = frozenset({"session", "backlog", "themes", "open session", "resume", "go to session"})
"""Work that goes on while nothing is to be done, or waits for a person."""


class Timers:
    """Calls that come due by the clock of a test, not by that of the machine."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._due: list[tuple[float, int, MessagePump, Callable[[], object], list[bool]]] = []
        self._count = 0

    def after(self, owner: MessagePump, seconds: float, callback: Callable[[], object]) -> "Timer":
        """Stand in for `ccq_tui.widgets.lifetime.after`."""
        cancelled: list[bool] = []
        self._count += 1
        heapq.heappush(self._due, (self._clock.now + seconds, self._count, owner, callback, cancelled))
        return Timer(cancelled)

    def run_until(self, end: float) -> bool:
        """Make the first call that comes due by then, at its time; return whether there was one."""
        while self._due and self._due[0][0] <= end:
            due, _, owner, callback, cancelled = heapq.heappop(self._due)
            if not cancelled and owner.is_running:
                self._clock.skip(max(0.0, due - self._clock.now))
                owner.call_next(callback)
                return True
        return False


class Timer:
    """The handle of a call."""

    def __init__(self, cancelled: list[bool]) -> None:
        self._cancelled = cancelled

    def cancel(self) -> None:
        self._cancelled.append(True)


class Hands:
    """Presses keys in a program; what it drives says how its keys are judged.

    Args:
        seed: Of the keys, the pauses and all else that happens.
        where: An empty directory.
    """

    PLACE: ClassVar[str]
    """What is driven, for the counts."""

    def __init__(self, seed: int, where: Path) -> None:
        self.random = random.Random(seed)  # noqa: S311 - driven, not kept secret
        self.where = where
        self.clock = Clock()
        self.timers = Timers(self.clock)
        self.escaped_at = NEVER
        self.sight = Sight()
        self.counts: Counter[str] = Counter()
        self.violations: list[str] = []
        self.trace: list[str] = []
        self.size = SIZES[seed % len(SIZES)]
        self.run: Driven
        self.app: App[Any]

    async def drive(self, count: int) -> None:
        """Press so many keys."""
        raise NotImplementedError

    async def in_program(self, run: Driven, drive: Callable[[], Awaitable[None]]) -> None:
        """Do something in a program that wins each request."""
        self.run, run.wins = run, True
        await self.in_app(run.app, drive)

    async def in_app(self, app: App[Any], drive: Callable[[], Awaitable[None]]) -> None:
        """Do something in an app whose delays follow the clock."""
        self.app = app
        with ExitStack() as patches:
            for module in (dock, screen, request_panel, prompt, list_screen):
                patches.enter_context(patch.object(module, "after", self.timers.after))
            # Reading the sessions that Claude Code keeps takes a process of its own.
            patches.enter_context(patch.object(Listing, "_read_records", _nothing))
            patches.enter_context(watched())
            patches.enter_context(patch.object(App, "_display", self._displayed(App._display)))
            self.say(f"size {self.size}")
            async with app.run_test(size=self.size):
                await self.settle()
                await drive()
                # As the program does it: no session is put in another's place while all end.
                app.workers.cancel_group(app, "sessions")
                await asyncio.sleep(0)

    def _displayed(self, display: Callable[..., None]) -> Callable[..., None]:
        def displayed(app: App[Any], *frame: Any) -> None:
            display(app, *frame)
            self.drawn()

        return displayed

    def drawn(self) -> None:
        """Note a frame; what is driven extends it."""

    # -- time ------------------------------------------------------------------------------------------------

    async def pass_time(self, pause: float | None = None) -> None:
        """Let some time pass."""
        pause = self.random.choice(PAUSES) if pause is None else pause
        if pause:
            self.say(f"+{pause}")
        end = self.clock.now + pause
        while self.timers.run_until(end):
            await self.settle()
        self.clock.skip(end - self.clock.now)
        await self.settle()

    async def settle(self) -> None:
        """Let all be done that happened, and be drawn."""
        await settled(self.app, self.rests)
        fault = "" if self.app._exit else fault_of(self.app)
        if fault:  # frames of the transcript come by the machine's clock
            await asyncio.sleep(2 * LONGEST_PAUSE)
            await settled(self.app, self.rests)
            fault = fault_of(self.app)
        self.expect(not fault, fault)
        self.looked()

    def rests(self, worker: Worker[Any]) -> bool:
        """Whether work is none that is to be waited for."""
        return worker.name in RESTING or worker.name.startswith("/")

    def looked(self) -> None:
        """Note what came to the front; what is driven extends it."""

    async def resize(self) -> None:
        """Give the terminal another size."""
        self.size = self.random.choice(SIZES)
        self.say(f"size {self.size}")
        driver = self.app._driver
        assert isinstance(driver, HeadlessDriver)
        driver._size = size = Size(*self.size)
        self.app.post_message(events.Resize(size, size))
        await self.settle()

    # -- keys ------------------------------------------------------------------------------------------------

    def post(self, *keys: str) -> None:
        """Press keys back to back, as a terminal sends them in one go."""
        self.say(f"press {' '.join(keys)}")
        for key in keys:
            self.app.post_message(key_event(key))
            self.escaped_at = self.clock.now if key == "escape" else self.escaped_at
        self.counts["keys"] += len(keys)

    def letters(self, most: int = 8) -> list[str]:
        """Return some letters."""
        return [self.random.choice(LETTERS) for _ in range(self.random.randint(2, most))]

    def frame(self) -> Frame:
        """Return what is on the screen."""
        return Frame.of(self.app)

    # -- findings --------------------------------------------------------------------------------------------

    def say(self, what: str) -> None:
        """Note what was done."""
        self.trace.append(what)

    def expect(self, holds: object, what: str) -> bool:
        """Note a violation where something does not hold."""
        if not holds:
            self.violations.append(f"{self.PLACE}: {what}; after {self.trace[-30:]}; {self.standing()}")
        return bool(holds)

    def confirmed(self, holds: object, what: str) -> None:
        """Count an outcome, and whether it was confirmed as it should be."""
        self.counts["outcomes"] += 1
        self.counts["confirmed"] += self.expect(holds, what)

    def standing(self) -> str:
        """Say how things stand, for a violation."""
        return "\n" + "\n".join(line.rstrip() for line in self.frame().lines)


async def _nothing(*_: object, **__: object) -> None:
    """Read nothing."""


async def settled(app: App[Any], rests: Callable[[Worker[Any]], bool]) -> None:
    """Wait until an app has done all that there is to do, and has drawn it."""
    quiet = 0
    for _ in range(MOST_TURNS):
        await asyncio.sleep(0)
        if app._exception is not None:
            raise AssertionError("the program failed") from app._exception
        if app._exit or not app._running:
            return
        if not app.screen_stack:  # one session is put in another's place
            quiet = 0
            continue
        screen = app.screen
        pumps = (app, *(pump for one in app.screen_stack for pump in one.walk_children(with_self=True)))
        if any(_has_work(pump) for pump in pumps):
            quiet = 0
        elif app._batch_count or any(worker.is_running and not rests(worker) for worker in app.workers):
            quiet = 0
            await asyncio.sleep(0.001)
        elif has_to_draw(screen):
            quiet = 0
            screen._on_timer_update()
        elif app._resize_event is not None:
            quiet = 0
            app._check_resize()
        elif (quiet := quiet + 1) == QUIET_TURNS:
            return
    working = [worker.name for worker in app.workers if worker.is_running and not rests(worker)]
    raise AssertionError(
        f"there is always more to do: {working}, {[pump for pump in pumps if _has_work(pump)]}"
    )


def key_event(key: str) -> events.Key:
    """A key as the terminal's driver posts it."""
    return events.Key("space" if key == " " else key, typed(key) or None)


def gained(before: dict[str, Counter[str]], now: dict[str, Counter[str]]) -> Counter[str]:
    """Return which characters came to each place; what leaves one takes nothing from the others."""
    gains = (texts - before.get(place, Counter()) for place, texts in now.items())
    return sum(gains, Counter[str]())
