"""The events of an open question set: one small frozen class for each key, click and moment.

Times are seconds of a monotonic clock; the machine itself never looks at a clock.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shown:
    """The panel came to the front; if no person asked for it, a grace begins in which no key decides.

    Attributes:
        at: The time.
        typed_at: The time when something printable was last typed elsewhere, or None.
        asked_for: Whether a person opened it: then no key can have been meant for something else.
        again: Whether it was there before, and only covered.
        pressed_at: The time of the last key if a person may still hold it down, and it could decide; or None.
    """

    at: float
    typed_at: float | None = None
    asked_for: bool = False
    again: bool = False
    pressed_at: float | None = None


@dataclass(frozen=True, slots=True)
class Pressed:
    """A key was pressed.

    Attributes:
        key: The key's name, as Textual spells it ("up", "ctrl+d", "slash", "a").
        character: The text that the key types, or "".
        at: The time.
        drafting: Whether the prompt holds text.
        given: The text that the key types if a person gave it another meaning, or "".
        ahead: Whether it was pressed before the panel was drawn: then it decides nothing.
        apart: Seconds since the same key came, if no other one did in between; else infinity.
    """

    key: str
    character: str = ""
    at: float = float("inf")
    drafting: bool = False
    given: str = ""
    ahead: bool = False
    apart: float = float("inf")

    @property
    def types(self) -> str:
        """The text that the key would type, or ""."""
        return self.given or self.character or (self.key if len(self.key) == 1 else "")


class PastedText(str):
    """The text of a paste, distinct from a key even if it is one character."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Pasted:
    """Text was pasted, whole."""

    text: str
    at: float = float("inf")
    drafting: bool = False

    @property
    def types(self) -> PastedText:
        """The text."""
        return PastedText(self.text)


@dataclass(frozen=True, slots=True)
class Clicked:
    """A row of the list or of the review was clicked."""

    row: int
    at: float = float("inf")


@dataclass(frozen=True, slots=True)
class Seen:
    """The part of the panel on the screen; a surface that can scroll reports it before each key.

    Attributes:
        rows: The rows that a key can take and whose first line is on the screen.
        unseen: Number of lines to decide on that were never on the screen.
        at_least: Whether there are more of those than were counted.
    """

    rows: frozenset[int]
    unseen: int = 0
    at_least: bool = False


@dataclass(frozen=True, slots=True)
class Paused:
    """No key followed the one pressed at a time: it began no word."""

    at: float


@dataclass(frozen=True, slots=True)
class TabClicked:
    """The tab of a question, or of the review, was clicked."""

    tab: int
    at: float = float("inf")


@dataclass(frozen=True, slots=True)
class TextChanged:
    """The open text field now holds ``text``."""

    text: str


Event = Shown | Pressed | Pasted | Paused | Clicked | TabClicked | Seen | TextChanged
