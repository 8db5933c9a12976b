"""What a key may do, told from the times of keys and from what was drawn; nothing here asks the program."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from textual.app import App

from tests.ui.drawn import terminal_of

QUIET, HELD, REPEAT, WORD, ALONE, SEEN, WRITING = 0.4, 0.8, 0.15, 0.3, 0.25, 2.0, 1.5
"""The seconds of the rules for keys, as they are promised; none is taken from the program."""
ESCAPES_APART = 0.4
"""Seconds between two Esc of which the second may interrupt."""
NEVER = float("-inf")
SHOWN = 8
"""So many characters of a row's words are looked for: on a narrow screen the others are in its next line."""


@dataclass
class Sight:
    """Since when a panel is in sight, and what was done there.

    Attributes:
        front: The panel that has the keys, or None.
        by_itself: Whether it came by itself, not by a key.
        used: Whether a key that types nothing, or a letter, did something in it.
        shown_at: When it was drawn first.
        wrote_at: When a character was last typed into a text, wherever.
        prompt_at: When a key last went to the prompt.
        to_prompt: Whether the last keys went to the prompt.
        last: The last key of all, and its time.
        frames: What was drawn while it had the keys, with the times; the newest last.
        left: The same for what had them before.
    """

    front: object = None
    by_itself: bool = True
    used: bool = False
    shown_at: float = NEVER
    wrote_at: float = NEVER
    prompt_at: float = NEVER
    to_prompt: bool = False
    last: tuple[str, float] = ("", NEVER)
    frames: list[tuple[float, Frame]] = field(default_factory=list)
    left: list[tuple[float, Frame]] = field(default_factory=list)
    _known: object = None

    def looked(self, front: object, at: float, *, asked_for: bool) -> bool:
        """Note what has the keys now; return whether that is something else than before."""
        if front == self.front:
            return False
        if self.front is not None:
            self._known = self.front if self.seen(at) else None
        self.front, self.by_itself, self.shown_at = front, not asked_for, at
        self.used = front is not None and front == self._known
        self.left, self.frames = self.frames, self.frames[-1:]
        return True

    def seen(self, at: float) -> bool:
        """Whether the person knows what has the keys."""
        return self.used or not self.by_itself or at - max(self.shown_at, self.prompt_at) >= SEEN

    def since(self, words: list[str], sign: str) -> float | None:
        """Return since when the last frames show some words behind a sign, or None."""
        since = None
        for at, frame in reversed(self.frames):
            if not any(frame.shows(one, sign) for one in words):
                break
            since = at
        return since


@dataclass
class Frame:
    """What was drawn."""

    lines: list[str] = field(default_factory=list)

    @staticmethod
    def of(app: App[Any]) -> Frame:
        """Return what is on the screen, as it is composed for the terminal."""
        return Frame([strip.text for strip in app.screen._compositor.render_strips()])

    @staticmethod
    def sent(app: App[Any]) -> Frame:
        """Return what was sent to the terminal so far."""
        return Frame(terminal_of(app).lines)

    def shows(self, words: str, sign: str = "") -> bool:
        """Whether words are on the screen, behind a sign where one is given; a line may break at a blank."""
        wanted = words.strip()[:SHOWN].strip()
        ends = tuple(f" {wanted[:at]}" for at, character in enumerate(wanted) if character == " ")
        lines = [line[line.find(sign) :] for line in self.lines if sign in line]
        return any(wanted in line or line.rstrip().endswith(ends) for line in lines)

    def ends(self, text: str, sign: str) -> bool:
        """Whether the row behind a sign is the end of a text, which a narrow screen breaks within a word."""
        rows = (line.partition(sign)[2].partition("↑")[0].split() for line in self.lines if sign in line)
        return any(row and text.rstrip().endswith(row[-1]) for row in rows)


def typed(key: str) -> str:
    """Return what a key types, or ""."""
    return key if len(key) == 1 else " " if key == "space" else ""
