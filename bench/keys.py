"""How long keys take to be seen: one after the other, or typed along while the program is busy."""

import random
import re
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, islice
from statistics import quantiles

from bench.stage import DOWN, UP, Stage
from bench.terminal import LIMIT, NotShownError, whole
from ccq_tui.bridges.terminal.screen import Screen

BACKSPACE = "\x7f"
TYPED = re.compile(r"❯ (x+)(?!\w)")
MOST_TYPED = 90
"""Letters typed along at most: they stay on one line of the prompt."""


def worst(figures: Sequence[float]) -> float:
    """Return the figure under which 95 % lie."""
    return quantiles(figures, n=20, method="inclusive")[-1]


def one_by_one(on: Stage, keys: Iterator[str], presses: int, look: Callable[[Screen], object]) -> list[float]:
    """Press keys, each when the one before was seen.

    Args:
        on: The stage.
        keys: What to press.
        presses: How often.
        look: Reads from the screen what each key changes.

    Returns:
        Seconds from each key to its change.
    """
    found, rest = [], random.Random(7)  # noqa: S311 (pauses, not secrets)
    for key in islice(keys, presses):
        # Uneven pauses: even ones could keep step with a program's frames.
        on.terminal.rest(rest.uniform(0.01, 0.03))
        before = look(on.terminal.screen)
        pressed = on.terminal.press(key)
        found.append(on.terminal.wait(lambda screen: look(screen) != before) - pressed)  # noqa: B023
    return found


def pointed(screen: Screen) -> object:
    """Tell which row the cursor of a list is on, which both screens draw as an arrow."""
    return tuple(y for y, line in enumerate(screen.display) if line.lstrip(" ▎").startswith("❯"))


def moving(on: Stage, presses: int) -> list[float]:
    """Go down and up the first options of a list."""
    found = one_by_one(on, cycle((DOWN, DOWN, UP, UP)), presses, pointed)
    on.terminal.rest(0.1)  # a key that decides comes after the frame of what it decides
    return found


def writing(on: Stage, presses: int) -> list[float]:
    """Write a letter into the prompt and take it away again."""
    on.echo("word", "❯ word")
    found = one_by_one(on, cycle(("x", BACKSPACE)), presses, lambda screen: "❯ wordx" in whole(screen))
    on.terminal.press(BACKSPACE * (4 + presses % 2))
    return found


class Typist:
    """Types letters at an even pace without looking whether they come.

    Attributes:
        pressed: When each was typed.
        seen: When each was seen.

    Args:
        on: The stage.
    """

    def __init__(self, on: Stage) -> None:
        self.pressed: list[float] = []
        self.seen: list[float] = []
        self._terminal = on.terminal

    def along(self, every: float, ended: Callable[[], bool], *, draw: bool) -> None:
        """Type until something has ended, one letter at least.

        Args:
            every: Seconds between two letters.
            ended: Whether it has.
            draw: Whether what comes is drawn meanwhile; later leaves the processor to the program.
        """
        due = time.monotonic()
        while not self.pressed or (not ended() and len(self.pressed) < MOST_TYPED):
            self.pressed.append(self._terminal.press("x"))
            due = max(due, self.pressed[-1] - every) + every
            if draw:
                for at in self._terminal.pieces(due):
                    self._look(at)
            time.sleep(max(0.0, due - time.monotonic()))

    def settle(self, text: str) -> float:
        """Draw until all letters and a text are there.

        Args:
            text: The text.

        Returns:
            When the text came.

        Raises:
            NotShownError: They did not come.
        """
        shown = time.monotonic() if text in whole(self._terminal.screen) else 0.0
        if shown and len(self.seen) >= len(self.pressed):
            return shown
        for at in self._terminal.pieces(time.monotonic() + LIMIT):
            self._look(at)
            shown = shown or (at if text in whole(self._terminal.screen) else 0.0)
            if shown and len(self.seen) >= len(self.pressed):
                return shown
        missing = f"{text!r}, {len(self.pressed)} letters"
        raise NotShownError(f"{missing} did not come; the screen:\n{self._terminal.text}")

    @property
    def latencies(self) -> list[float]:
        """Seconds from each letter typed to its being seen."""
        return [seen - pressed for pressed, seen in zip(self.pressed, self.seen, strict=False)]

    def erase(self) -> None:
        """Take the letters away again."""
        self._terminal.press(BACKSPACE * len(self.pressed))

    def _look(self, at: float) -> None:
        letters = max((len(found[1]) for found in TYPED.finditer(whole(self._terminal.screen))), default=0)
        self.seen += [at] * (letters - len(self.seen))
