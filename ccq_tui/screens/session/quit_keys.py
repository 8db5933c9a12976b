"""Keys that quit when pressed twice."""

from __future__ import annotations

from collections.abc import Callable

from ccq_tui.config.keynames import shown_key
from ccq_tui.screens.session.key_repeats import REPEAT_SECONDS, LetGo
from ccq_tui.screens.session.ui import AGAIN_SECONDS, SessionUi
from ccq_tui.widgets.keys import presses_of

BURST_SECONDS = 0.05
"""Two presses that come faster are no hand's: a burst, or the repeats of a key held down."""


class QuitKeys:
    """Quits on a key pressed twice. A key held down is one press, however long; so is a burst.

    One that was held down before it came here, to delete or to decline, is none until it is let go.

    Args:
        ui: The session's screen.
        quit: Ends the program.
    """

    def __init__(self, ui: SessionUi, quit: Callable[[], object]) -> None:  # noqa: A002
        self._ui = ui
        self._quit = quit
        self._last = ("", float("-inf"))
        self._held = False
        self._quitting: LetGo | None = None

    def press(self, key: str, first: Callable[[], str] = lambda: "") -> None:
        """Take a press.

        Args:
            key: The key, as Textual spells it.
            first: Does what the first of two presses means; returns what to say of it, or "".
        """
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
            self._quitting = LetGo(self._ui, self._leave)
            return
        words = " · ".join(part for part in (first(), f"{shown_key(key)} again quits") if part)
        self._ui.say(words, seconds=AGAIN_SECONDS)

    def _leave(self) -> None:
        self._quitting = None
        self._quit()
