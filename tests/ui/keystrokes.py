"""Random keys with random pauses around panels: ``python -m tests.ui.keystrokes [COUNT] [SEED]``.

No outcome comes without a confirming key, pressed while its panel was in front and nobody was typing, and
every printable key is somewhere afterwards: in the prompt, in a field, in a decided text, a command outside
the grace, or the one that a fresh panel passed over.
"""

from __future__ import annotations

import asyncio
import heapq
import random
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any
from unittest.mock import patch

from textual import events
from textual.message_pump import MessagePump

from ccq_tui.agent.events import (
    AgentEvent,
    PermissionAsked,
    PlanProposed,
    RequestSettled,
    SessionState,
    StateChanged,
)
from ccq_tui.inbox import Cancelled, PlanRequest
from ccq_tui.inbox.decision import DecisionState
from ccq_tui.inbox.waiting import Draft
from ccq_tui.questions import Declined, Kind, Question
from ccq_tui.questions.input_guard import GRACE, TYPING_SECONDS
from ccq_tui.questions.state import TEXT_FOCUSES, Focus, PanelState
from ccq_tui.screens.session import base, dock, prompting
from tests.ui.asked import MULTI, SINGLE
from tests.ui.host import Clock, handled
from tests.ui.session import Driven, asked, permission

LETTERS = "abchjklnopy12 é"
OTHERS = ("enter", "escape", "space", "tab", "f2", "down", "up", "ctrl+d", "ctrl+f", "f1")
PAUSES = (0.0, 0.03, 0.1, 0.2, 0.39, 0.41, 0.7, 0.81, 1.2, 1.51, 3.0)
FIELD = Question("Which port?", "Port", kind=Kind.TEXT)


class Timers:
    """Calls that come due by the clock of a test, not by that of the machine."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._due: list[tuple[float, int, MessagePump, Callable[[], object], list[bool]]] = []
        self._count = 0

    def after(self, owner: MessagePump, seconds: float, callback: Callable[[], object]) -> Timer:
        """Stand in for `ccq_tui.widgets.lifetime.after`."""
        cancelled: list[bool] = []
        self._count += 1
        heapq.heappush(self._due, (self._clock.now + seconds, self._count, owner, callback, cancelled))
        return Timer(cancelled)

    def run(self) -> None:
        """Make the calls whose time has come."""
        while self._due and self._due[0][0] <= self._clock.now:
            _, _, owner, callback, cancelled = heapq.heappop(self._due)
            if not cancelled:
                owner.call_next(callback)


class Timer:
    """The handle of a call."""

    def __init__(self, cancelled: list[bool]) -> None:
        self._cancelled = cancelled

    def cancel(self) -> None:
        self._cancelled.append(True)


class Hands:
    """Presses keys, and knows from the clock alone what each of them may do."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311 - driven, not kept secret
        self.clock = Clock()
        self.timers = Timers(self.clock)
        self.run = Driven(clock=self.clock)
        self.counts: Counter[str] = Counter()
        self.trace: list[str] = []
        self._quiet_from = float("-inf")
        self._fresh_for: object = None
        self._typed_at = self._escaped_at = float("-inf")
        self._names = 0

    async def drive(self, count: int) -> None:
        """Do so many things."""
        with ExitStack() as patches:
            for module in (dock, prompting):
                patches.enter_context(patch.object(module, "after", self.timers.after))
            patches.enter_context(patch.object(base, "BATCH", 0.0))  # what is told is handled at once
            async with self.run.app.run_test():
                await handled(self.run.app)
                self.run.told.tell(StateChanged(SessionState.WORKING))
                while self.counts["keys"] < count:
                    await self._do_something()

    async def _do_something(self) -> None:
        what = self.random.random()
        if what < 0.08 and len(self.dock.line.items) < 2:
            await self._ask()
        elif what < 0.10 and self.dock.line.items:
            self._say("settled elsewhere")
            name = self.dock.line.items[0].request.id
            self.run.told.tell(RequestSettled(name, Cancelled("interrupted")))
            await self._settle()
        elif what < 0.22:
            await self._burst()
        elif what < 0.66:
            await self._press(self.random.choice(LETTERS))
        else:
            await self._press(self.random.choice(OTHERS))

    async def _ask(self) -> None:
        self._names += 1
        name = f"r{self._names}"
        asks: list[AgentEvent] = [
            asked(name, SINGLE),
            asked(name, SINGLE, MULTI),
            asked(name, FIELD),
            PermissionAsked(permission(name)),
            PlanProposed(PlanRequest(name, "s", "# A")),
        ]
        event = self.random.choice(asks)
        self._say(f"asked {type(event).__name__}")
        self.run.told.tell(event)
        await self._settle()

    async def _pass_time(self) -> None:
        pause = self.random.choice(PAUSES)
        self._say(f"+{pause}")
        self.clock.skip(pause)
        self.timers.run()
        await self._settle()

    async def _settle(self) -> None:
        """Let all be done that happened, and see whether a panel came to the front."""
        await handled(self.run.app)
        front = self.front
        if front != self._fresh_for:
            self._fresh_for = front
            panel = self.dock.panel
            by_itself = front is not None and panel is not None and panel.state.guard.shown_at is not None
            self._quiet_from = self.clock.now + GRACE if by_itself else float("-inf")
            self.counts["panels"] += front is not None

    # -- what is there ---------------------------------------------------------------------------------------

    @property
    def dock(self) -> dock.Dock:
        return self.run.session_screen.dock

    @property
    def front(self) -> tuple[object, int] | None:
        """The panel that has the keys, by its turn, or None."""
        panel = self.dock.panel
        uncovered = self.run.app.screen is self.run.session_screen
        if panel is None or panel.state.hidden or not uncovered or self.run.app.focused is not panel:
            return None
        return (panel, panel.turn)

    @property
    def prompt_has_keys(self) -> bool:
        return self.run.app.focused is self.dock.prompt.field

    def texts(self) -> dict[str, Counter[str]]:
        """Every character that stands somewhere, by the place where it stands."""
        head, panel = self.dock.line.head, self.dock.panel
        places = {
            item.request.id: texts_of(panel.state if item is head and panel is not None else item.draft)
            for item in self.dock.line.items
        }
        places["prompt"] = [self.dock.prompt.text, *self.run.told.sent]
        places["decided"] = [repr(outcome) for _, outcome, _ in self.run.told.answers]
        return {place: Counter("".join(texts)) for place, texts in places.items()}

    def added(self, before: dict[str, Counter[str]]) -> Counter[str]:
        """What came to each place; a request that is settled meanwhile takes its texts along."""
        gains = (texts - before.get(place, Counter()) for place, texts in self.texts().items())
        return sum(gains, Counter[str]())

    # -- keys ------------------------------------------------------------------------------------------------

    async def _burst(self) -> None:
        """Type some letters in one go: all of them are somewhere, whatever comes up meanwhile."""
        await self._pass_time()
        fresh = self.front is not None and self.clock.now < self._quiet_from
        if not (fresh or self.prompt_has_keys):
            return
        text = "".join(self.random.choice(LETTERS) for _ in range(self.random.randint(2, 8)))
        self._say(f"burst {text!r}")
        before, passed, answers = self.texts(), self._passed_over, len(self.run.told.answers)
        for character in text:
            self.run.app.post_message(key_event(character))
        self.counts["keys"] += len(text)
        self._typed_at = self.clock.now
        if fresh:
            self._quiet_from = self.clock.now + GRACE
        await self._settle()
        assert len(self.run.told.answers) == answers, self.told("an outcome in a burst")
        # Blanks that begin no word are passed over, and at most one other key.
        missing = Counter((text + passed).replace(" ", ""))
        missing.subtract(self.added(before))
        left = "".join(character for character, number in missing.items() if number > 0)
        assert left == self._passed_over, self.told(f"{left!r} of {text!r} is nowhere")
        self.counts["bursts"] += 1

    @property
    def _passed_over(self) -> str:
        panel = self.dock.panel
        return panel.state.guard.passed_over if panel is not None else ""

    async def _press(self, key: str) -> None:
        await self._pass_time()
        if self.prompt_has_keys and key in ("up", "tab"):
            return  # they bring earlier prompts back
        app, told, now = self.run.app, self.run.told, self.clock.now
        front, before, passed = self.front, self.texts(), self._passed_over
        state: Draft | None = self.dock.panel.state if front and self.dock.panel else None
        fresh, drafting = now < self._quiet_from, self.dock.prompt.holds_text
        prompt_has_keys, answers, interrupts = self.prompt_has_keys, len(told.answers), told.interrupts
        in_text = state is not None and is_text(state)
        self._say(f"press {key}")
        app.post_message(key_event(key))
        self.counts["keys"] += 1
        await self._settle()
        if fresh and self.front == front:
            self._quiet_from = now + GRACE
        if front is not None and key == "f2":
            self._quiet_from = float("-inf")
        typed = key if len(key) == 1 else " " if key == "space" else ""
        if len(told.answers) > answers:
            alone = not drafting and now - self._typed_at >= TYPING_SECONDS
            self._confirmed(key, state, fresh=fresh, alone=alone)
        elif typed:
            kept = prompt_has_keys or in_text
            self._kept(
                typed, before, passed, kept=kept, judged=front is not None and fresh, alone=not drafting
            )
        if told.interrupts > interrupts:
            assert now - self._escaped_at >= GRACE, self.told("a burst interrupted")
        if key == "escape":
            self._escaped_at = now
        if typed:
            self._typed_at = now

    def _kept(
        self,
        typed: str,
        before: dict[str, Counter[str]],
        passed: str,
        *,
        kept: bool,
        judged: bool,
        alone: bool,
    ) -> None:
        """Look where a printable key is now."""
        added = self.added(before)
        if kept:
            assert added[typed] == 1, self.told(f"{typed!r} is nowhere")
        elif judged:
            held = alone and self._passed_over == (passed or typed.strip())
            back = added == Counter(passed + typed) and self.dock.panel is None
            assert held or back, self.told(f"{typed!r} was a command in the grace, or is nowhere")
            self.counts["passed over" if held else "given back"] += 1

    def _confirmed(self, key: str, state: Draft | None, *, fresh: bool, alone: bool) -> None:
        """Look whether an outcome was confirmed by somebody who saw it."""
        assert state is not None, self.told("an outcome without a panel")
        declines = isinstance(state, PanelState) and state.focus is Focus.DECLINE
        if declines:
            assert isinstance(self.run.told.answers[-1][1], Declined)
            assert key in ("ctrl+d", "y"), self.told("declined by a stray key")
        else:
            letter = isinstance(state, DecisionState) and not state.typing and alone and key in ("y", "n")
            assert key == "enter" or letter, self.told("decided by a stray key")
            assert not fresh, self.told("decided in the grace")
        self.counts["outcomes"] += 1
        name, outcome, surface = self.run.told.answers[-1]
        self.run.told.tell(RequestSettled(name, outcome, surface))

    def _say(self, what: str) -> None:
        self.trace.append(what)

    def told(self, what: str) -> str:
        """Say what went wrong, and what had been done last."""
        panel = self.dock.panel
        shown = (panel.state.guard, panel.state.hidden) if panel is not None else None
        return f"{what}; after {self.trace[-25:]}; prompt {self.dock.prompt.text!r}; panel {shown}"


def is_text(state: Draft) -> bool:
    """Whether a text is open."""
    return state.focus in TEXT_FOCUSES if isinstance(state, PanelState) else state.typing


def texts_of(draft: Draft) -> list[str]:
    """What was typed into the fields of a panel."""
    if isinstance(draft, DecisionState):
        return [draft.text]
    return [draft.discussion, *(text for page in draft.pages for text in (page.draft.other, page.draft.note))]


def key_event(key: str) -> events.Key:
    """A key as the terminal's driver posts it."""
    names: dict[str, tuple[str, str | None]] = {" ": ("space", " "), "space": ("space", " ")}
    name, character = names.get(key, (key, key if len(key) == 1 else None))
    return events.Key(name, character)


async def drive(count: int, seed: int) -> Counter[str]:
    """Drive so many keys from a seed; return what was counted."""
    hands = Hands(seed)
    await hands.drive(count)
    return hands.counts


def main(arguments: list[str]) -> int:
    """Drive panels with as many keys as wanted, in pieces of 2,000, each with a seed of its own."""
    count, seed = int(arguments[0]) if arguments else 20_000, int(arguments[1]) if arguments[1:] else 1
    total: Counter[Any] = Counter()
    while total["keys"] < count:
        total += asyncio.run(drive(min(2_000, count - total["keys"]), seed))
        counted = ", ".join(f"{number:,} {what}" for what, number in total.most_common())
        sys.stdout.write(f"seed {seed}: so far {counted}\n")
        sys.stdout.flush()
        seed += 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
