"""Keys that are held down, and the key that quits when it is pressed twice."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ccq_tui.config.keynames import shown_key
from ccq_tui.screens.session.ui import AGAIN_SECONDS, SessionUi
from ccq_tui.widgets.keys import presses_of

REPEAT_SECONDS = 0.15
"""Most seconds between two repeats of a key that is held down."""
LEAST_SECONDS = 0.05
"""Fewest seconds to wait again."""


class KeyRelease:
    """Calls a function once a key that was just pressed can no longer repeat."""

    def __init__(self, ui: SessionUi, call: Callable[[], object]) -> None:
        self._ui = ui
        self._call = call
        self._from = ui.clock()
        self._wait(REPEAT_SECONDS)

    def cancel(self) -> None:
        """Cancel the call."""
        self._timer.cancel()

    def _wait(self, seconds: float) -> None:
        self._timer = self._ui.after(seconds, self._look)

    def _look(self) -> None:
        rest = self._from + REPEAT_SECONDS - self._ui.clock()
        if rest > 0:
            self._wait(max(rest, LEAST_SECONDS))
        else:
            self._call()


BURST_SECONDS = 0.05
"""Fewest seconds between two presses of a hand: faster ones are a burst, or repeats of a held key."""


class QuitKeys:
    """Quits on a key pressed twice. A key held down is one press, however long; so is a burst.

    A key already held down for something else, to delete or to decline, counts only after its release.
    """

    def __init__(self, ui: SessionUi, quit: Callable[[], object]) -> None:  # noqa: A002
        self._ui = ui
        self._quit = quit
        self._last = ("", float("-inf"))
        self._held = False
        self._quitting: KeyRelease | None = None

    def press(self, key: str, first: Callable[[], str] = lambda: "") -> None:
        """Take a press; ``first`` does what the first of two means, and returns what to say about it."""
        now, (before, at) = self._ui.clock(), self._last
        gap = now - at if before == key else float("inf")
        self._last = (key, now)
        if self._held and gap < REPEAT_SECONDS:
            return
        self._held = False
        if self._quitting is not None:
            self._quitting.cancel()
            self._quitting = None
            self._held = gap < REPEAT_SECONDS
            return
        elsewhere = gap >= REPEAT_SECONDS and presses_of(self._ui.dock).apart < REPEAT_SECONDS
        if gap < BURST_SECONDS or elsewhere:
            self._held = True
            return
        if self._ui.pressed_again(key):
            self._quitting = KeyRelease(self._ui, partial(self._leave, key, now))
            return
        words = " · ".join(part for part in (first(), f"{shown_key(key)} again quits") if part)
        self._ui.say(words, AGAIN_SECONDS, key, key)

    def _leave(self, key: str, at: float) -> None:
        """Quit, unless another key followed on the second press."""
        self._quitting = None
        if not presses_of(self._ui.dock).other_since(key, at):
            self._quit()
