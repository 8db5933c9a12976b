"""The end of a key's repeats."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from ccq_tui.screens.session.ui import SessionUi

REPEAT_SECONDS = 0.15
"""Within how long a key that is held down comes again, once it does."""

LATE_SECONDS = 0.05
"""How late a timer may be before keys that came meanwhile may still wait behind it."""


class LetGo:
    """Calls a function once a key that was just pressed can have no repeat any more.

    A program that stood still for longer than a repeat takes has not seen the repeats that came meanwhile,
    and its timer would run before them: it waits once more then.

    Args:
        ui: The session's screen.
        call: What to call, unless it is cancelled first.
    """

    def __init__(self, ui: SessionUi, call: Callable[[], object]) -> None:
        self._ui = ui
        self._call = call
        self._from = ui.clock()
        self._loop = asyncio.get_running_loop()
        self._wait(REPEAT_SECONDS)

    def cancel(self) -> None:
        """Keep the call from being made."""
        self._timer.cancel()

    def _wait(self, seconds: float) -> None:
        self._due = self._loop.time() + seconds
        self._timer = self._ui.after(seconds, self._look)

    def _look(self) -> None:
        rest = self._from + REPEAT_SECONDS - self._ui.clock()
        if self._loop.time() - self._due > LATE_SECONDS:
            rest = REPEAT_SECONDS
        if rest > 0:
            self._wait(max(rest, LATE_SECONDS))
        else:
            self._call()
