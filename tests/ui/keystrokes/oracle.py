"""What a key may do, told from the times of keys and from what was drawn; nothing here asks the program."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from textual.app import App

PANEL_QUIET = 0.4
"""Seconds without a key until what came up by itself takes one that decides."""
TRUST_QUIET = 0.8
"""The same for the question whether to trust a directory."""
LETTER_QUIET = 1.5
"""Seconds without anything typed until a letter alone decides."""
ESCAPES_APART = 0.4
"""Seconds between two Esc of which the second may interrupt."""
NEVER = float("-inf")
SHOWN = 8
"""So many characters of a row's words are looked for: on a narrow screen the others are in its next line."""


@dataclass
class Watch:
    """When keys came, and since when what has the keys was there.

    Attributes:
        quiet: Seconds without a key that what comes up by itself waits for.
        idle: Keys that are none in that sense: they only scroll what came up.
        front: What has the keys.
        quiet_from: When the pause after it came up is over; each key in it begins that pause anew.
        typed_at: When something printable was last typed.
        escaped_at: When Esc was last pressed.
    """

    quiet: float = PANEL_QUIET
    idle: frozenset[str] = frozenset()
    front: object = None
    quiet_from: float = NEVER
    typed_at: float = NEVER
    escaped_at: float = NEVER

    def looked(self, front: object, at: float, *, asked_for: bool) -> bool:
        """Note what has the keys now; return whether that is something else than before."""
        if front == self.front:
            return False
        self.front = front
        self.quiet_from = NEVER if asked_for or front is None else at + self.quiet
        return True

    def fresh(self, at: float) -> bool:
        """Whether what has the keys came up so recently that no key was meant for it."""
        return at < self.quiet_from

    def pressed(self, key: str, at: float) -> None:
        """Note a key."""
        if self.fresh(at) and key not in self.idle:
            self.quiet_from = at + self.quiet
        if typed(key).strip():  # a blank begins no word
            self.typed_at = at
        if key == "escape":
            self.escaped_at = at

    def alone(self, at: float) -> bool:
        """Whether nobody is in the middle of a word."""
        return at - self.typed_at >= LETTER_QUIET


@dataclass
class Frame:
    """What was drawn."""

    lines: list[str] = field(default_factory=list)

    @staticmethod
    def of(app: App[Any]) -> Frame:
        """Return what is on the screen, as it is composed for the terminal."""
        return Frame([strip.text for strip in app.screen._compositor.render_strips()])

    def shows(self, words: str, sign: str = "") -> bool:
        """Whether words are on the screen, behind a sign where one is given; a line may break at a blank."""
        wanted = words.strip()[:SHOWN].strip()
        ends = tuple(f" {wanted[:at]}" for at, character in enumerate(wanted) if character == " ")
        lines = [line[line.find(sign) :] for line in self.lines if sign in line]
        return any(wanted in line or line.rstrip().endswith(ends) for line in lines)

    def begins(self, words: str, sign: str) -> bool:
        """Whether the row behind a sign begins with words, as far as its line has room for them.

        A narrow screen breaks a name within a word: no line then has its first characters whole.
        """
        rows = (line.partition(sign)[2].strip().partition("  ")[0] for line in self.lines if sign in line)
        return any(row and words.startswith(row) for row in rows)


def typed(key: str) -> str:
    """Return what a key types, or ""."""
    return key if len(key) == 1 else " " if key == "space" else ""
