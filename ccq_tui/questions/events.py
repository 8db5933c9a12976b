"""The events of an open request: one small frozen class for each key and click that the gate let pass."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Pressed:
    """A key was pressed.

    Attributes:
        key: The key's name, as Textual spells it ("up", "ctrl+d", "slash", "a").
        character: The text that the key types, or "".
        given: The text that the key types if a person gave it another meaning, or "".
        decides: Whether it may decide; else it only moves to what it would take, and says so.
        walks: Whether it follows keys that moved, at once: it moves on every row.
    """

    key: str
    character: str = ""
    given: str = ""
    decides: bool = True
    walks: bool = False

    @property
    def types(self) -> str:
        """The text that the key would type, or ""."""
        return self.given or self.character or (self.key if len(self.key) == 1 else "")


@dataclass(frozen=True, slots=True)
class Words:
    """Own words begin: a paste, or keys that were no commands; ``own`` if they are marked as such."""

    text: str
    own: bool = False


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What the last keys did is undone; ``before`` is the state before the first of them."""

    before: Any


@dataclass(frozen=True, slots=True)
class Doubted:
    """The letter that opened the text may have begun a word: the first character followed at once."""

    letter: str


@dataclass(frozen=True, slots=True)
class Signed:
    """The line of keys says why a key did not decide, until the next one."""

    words: str


@dataclass(frozen=True, slots=True)
class Clicked:
    """A row of the list or of the review was clicked."""

    row: int


@dataclass(frozen=True, slots=True)
class TabClicked:
    """The tab of a question, or of the review, was clicked."""

    tab: int


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
class TextChanged:
    """The open text field now holds ``text``."""

    text: str


Event = Pressed | Words | TakenBack | Doubted | Signed | Clicked | TabClicked | Seen | TextChanged
