"""Cases that do not disturb each other, played by one start of the program."""

from collections.abc import Callable
from typing import Any

from textual.pilot import Pilot

from ccq_tui.agent import events as ev
from ccq_tui.inbox.requests import Cancelled
from ccq_tui.screens.session import SessionScreen
from tests.steps import step
from tests.ui.session import Driven, until


def in_one_program(*cases: object) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Play a test with each of some cases, which come before ``run`` and ``pilot``, by one start."""

    def decorated(test: Callable[..., Any]) -> Callable[..., Any]:
        async def played(run: Driven, pilot: Pilot[int]) -> None:
            for case in cases:
                with step(repr(case)):
                    await test(*(case if isinstance(case, tuple) else (case,)), run, pilot)
                    await cleared(run, pilot)

        return played

    return decorated


async def cleared(run: Driven, pilot: Pilot[int]) -> None:
    """Leave nothing of a case to the next one."""
    await until(pilot, lambda: isinstance(run.app.screen, SessionScreen))
    for name in list(run.fake.requests.opened):
        run.fake.tell(ev.RequestSettled(name, Cancelled("over"), None))
    await until(pilot, lambda: not run.dock.line.items and run.dock.panel is None)
    for kept in (run.fake.sent, run.fake.images, run.fake.answers, run.fake.asked):
        kept.clear()
    run.fake.interrupts = 0
    run.prompt.put("")
    run.dock.notices.hush()
    run.clock.skip(60.0)
