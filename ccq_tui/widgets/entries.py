"""What a list of sessions says of each, as data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """A session in a list of sessions.

    Attributes:
        number: Its place, from 1; Alt+1 to Alt+9 go to the first nine.
        name: What it is called, harmless to draw.
        sign: The sign of its state.
        state: Its state in words, with its time.
        waiting: How many requests wait in it.
        shown: Whether it is the one on the screen.
    """

    number: int
    name: str
    sign: str
    state: str
    waiting: int = 0
    shown: bool = False

    @property
    def badge(self) -> str:
        """How many requests wait: ``? 2``, or ""."""
        return f"? {self.waiting}" if self.waiting else ""
