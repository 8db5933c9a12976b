"""Keys that are held down, and keys that do something when they are pressed twice."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from textual.widget import Widget

from ccq_tui.widgets.keys import presses_of
from ccq_tui.widgets.lifetime import after
from ccq_tui.widgets.notice_line import NoticeLine

AGAIN_SECONDS = 2.0
"""Seconds in which a key that must be pressed twice counts as pressed again."""
REPEAT_SECONDS = 0.15
"""Most seconds between two repeats of a key that is held down."""
LEAST_SECONDS = 0.05
"""Fewest seconds to wait again."""
BURST_SECONDS = 0.05
"""Fewest seconds between two presses of a hand: faster ones are a burst, or repeats of a held key."""


class PressedTwice:
    """Does something when a key is pressed twice, with no other key between.

    A key held down is one press, however long; so is a burst. A key already held down for something else
    counts only after its release.
    """

    def __init__(self, owner: Widget, notices: NoticeLine, clock: Callable[[], float]) -> None:
        self._owner = owner
        self._notices = notices
        self._clock = clock
        self._first: tuple[str, object] = ("", ())
        """What the last press is the first of two for, and that press."""
        self._repeats = 0.0
        """Fewest seconds to the next press that is no repeat of the last one."""

    def press(
        self,
        what: str,
        first: Callable[[], str],
        second: Callable[[], object],
        *,
        pause: float = REPEAT_SECONDS,
        least: float = BURST_SECONDS,
        seconds: float = 0.0,
    ) -> None:
        """Take the last key as one that is pressed twice for something.

        Its first press calls ``first``, which returns what to say, unless the same key came less than
        ``pause`` seconds before; the second one, ``least`` to ``seconds`` later, calls ``second`` once it is
        released, unless another key follows.
        """
        presses, seconds = presses_of(self._owner), seconds or AGAIN_SECONDS
        again, now = self._first == (what, presses.keys[-2:-1]), presses.keys[-1:]
        if presses.apart < (max(least, self._repeats) if again else pause):
            self._first = (what if again else "", now)
        elif again and presses.apart < seconds:
            self._first, self._repeats = (what, now), REPEAT_SECONDS
            self.release(partial(self._do, second))
        else:
            self._first, self._repeats = (what, now), 0.0
            self._notices.say(first(), seconds, what, presses.key)

    def _do(self, second: Callable[[], object]) -> None:
        self._first = ("", ())
        second()

    def release(self, call: Callable[[], object], *keys: str) -> None:
        """Call a function once the last key can no longer repeat, unless one of some keys follows, or any."""
        pressed, began = presses_of(self._owner).of(*keys), self._clock()

        def look() -> None:
            rest = began + REPEAT_SECONDS - self._clock()
            if presses_of(self._owner).of(*keys) != pressed:
                return
            if rest > 0:
                after(self._owner, max(rest, LEAST_SECONDS), look)
            else:
                call()

        after(self._owner, REPEAT_SECONDS, look)
